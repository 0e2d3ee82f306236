"""The declarations of `pagehand.js`, for editors and TypeScript: made from its JSDoc by tsc."""

import shutil
from pathlib import Path

from building.steps import CACHE, ROOT, run

_WEB = ROOT / "web"
_ENTRY = 'export * from "./types/web/pagehand.js";\n'


def build_types() -> dict[str, bytes]:
    """Give the files by their places in the site: `pagehand.d.ts` and what it refers to."""
    folder = CACHE / "types"
    shutil.rmtree(folder, ignore_errors=True)
    tsc = _WEB / "node_modules" / ".bin" / "tsc"
    emit = ("--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir")
    run([tsc, "-p", _WEB, *emit, folder], quiet=True)
    found = {f"types/{_place(file, folder)}": file for file in sorted(folder.rglob("*.d.ts"))}
    return {"pagehand.d.ts": _ENTRY.encode()} | {
        place: file.read_bytes() for place, file in found.items()
    }


def _place(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()

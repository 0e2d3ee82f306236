"""The declarations of `pagehand.js` and `element.js`, made from their JSDoc by tsc."""

import shutil
from pathlib import Path

from building.steps import CACHE, ROOT, run

_WEB = ROOT / "web"
_TAGS = "types/web/tags.d.ts"
_ENTRIES = {
    "pagehand.d.ts": b'export * from "./types/web/pagehand.js";\n',
    "element.d.ts": b'import "./types/web/tags.js";\nexport * from "./types/web/element.js";\n',
}


def build_types() -> dict[str, bytes]:
    """Give the files by their places in the site: the two entries and what they refer to."""
    folder = CACHE / "types"
    shutil.rmtree(folder, ignore_errors=True)
    tsc = _WEB / "node_modules" / ".bin" / "tsc"
    emit = ("--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir")
    run([tsc, "-p", _WEB, *emit, folder], quiet=True)
    found = {f"types/{_place(file, folder)}": file for file in sorted(folder.rglob("*.d.ts"))}
    found[_TAGS] = _WEB / "tags.d.ts"  # tsc copies no declarations that are written by hand
    return _ENTRIES | {place: file.read_bytes() for place, file in found.items()}


def _place(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()

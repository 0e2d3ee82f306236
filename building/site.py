"""The site: everything a static host needs, in `dist/site/`, from no other origin."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from building import model, notices, packs, pyodide, types, vendor, wheel
from building.linking import Linker, as_module, asset_table
from building.steps import CACHE, ROOT, Stamp, digest, files_under, fingerprint, say, step

SITE = ROOT / "dist" / "site"
WEB = ROOT / "web"
WORKER = ROOT / "worker"
MANIFEST = "manifest.json"
ENTRIES = frozenset(
    {"index.html", "pagehand.js", "element.js", "worker/agent.js", "worker/engine.js",
     "py/pyodide-lock.json", "NOTICES.txt", MANIFEST}
)  # fmt: skip
"""Files that keep their names, so that pages and people can refer to them."""
_PAGE_FILES = frozenset({".html", ".js", ".css", ".svg", ".png", ".webmanifest"})
_SHAPE_SNAPSHOTS = ("boot", "core", "pack", "python", "snapshot_image")
"""Scripts of the worker that decide what a memory snapshot holds and how it is laid out."""
_NOT_OF_THE_SITE = frozenset({"node_modules", "test", "tests", "vendor"})


def build_site() -> Path:
    """Build the wheel and the site unless their inputs are unchanged; give the site's folder."""
    built_wheel = wheel.build_wheel()
    inputs = fingerprint([ROOT / "src", WEB, WORKER, ROOT / "building"], built_wheel.name)
    stamp = Stamp("site", inputs, [SITE / MANIFEST])
    if stamp.is_fresh():
        return SITE
    wheels = [built_wheel, *pyodide.fetch_wheels()]
    python = packs.build_packs(wheel.PACKAGE)
    vendor_files = vendor.build_vendor(WEB / "vendor", CACHE)
    models = model.build_model(CACHE / "models", CACHE)
    with step("Putting the site together in dist/site"):
        _assemble(wheels, python, vendor_files, models)
    stamp.set()
    say(f"  {_describe(SITE)}")
    return SITE


def _assemble(
    wheels: list[Path], python: dict[str, Path], vendor_files: list[Path], models: list[Path]
) -> None:
    declarations = types.build_types()
    linker = Linker(ENTRIES | {f"py/{path.name}" for path in wheels} | set(declarations))
    for path, data in declarations.items():
        linker.add(path, data)
    leaves = {
        **{f"py/{name}": path.read_bytes() for name, path in python.items()},
        **{f"py/{path.name}": path.read_bytes() for path in _core_files()},
        **{f"vendor/{path.name}": path.read_bytes() for path in vendor_files},
        **{f"models/{path.name}": path.read_bytes() for path in models},
    }
    for path, data in leaves.items():
        linker.add(path, data)
    for file in wheels:
        linker.add(f"py/{file.name}", file.read_bytes())
    linker.add("py/pyodide-lock.json", pyodide.playground_lock(wheels).encode())
    linker.add("NOTICES.txt", notices.write(wheels).encode())
    for place, file in _own_files():
        linker.add(place, file.read_bytes(), text=file.suffix in (".html", ".js", ".css"))
    linker.add_later("worker/assets.js", lambda: _assets_module(linker, list(leaves)))
    placed = linker.place_all()

    fresh = SITE.with_name("site.new")
    shutil.rmtree(fresh, ignore_errors=True)
    for item in placed.values():
        target = fresh / item.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(item.data)
    manifest = {
        "version": wheels[0].name.split("-")[1],
        "pyodide": pyodide.build().version,
        "files": asset_table(placed, "."),
    }
    (fresh / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    shutil.rmtree(SITE, ignore_errors=True)
    fresh.rename(SITE)


def _core_files() -> Iterator[Path]:
    """Pyodide itself, and the full standard library for the playground."""
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        yield pyodide.CORE / name


def _own_files() -> Iterator[tuple[str, Path]]:
    """Our pages and scripts, with their places in the site."""
    for file in files_under(WEB):
        place = file.relative_to(WEB)
        tooling = file.name.endswith(".config.js") or _NOT_OF_THE_SITE & set(place.parts)
        if file.suffix in _PAGE_FILES and not tooling:
            yield place.as_posix(), file
    for file in files_under(WORKER):
        if file.suffix == ".js":
            yield f"worker/{file.relative_to(WORKER).as_posix()}", file


def _assets_module(linker: Linker, leaves: list[str]) -> bytes:
    table = asset_table(linker.place(leaves), "worker")
    snapshot_sources = [WORKER / f"{name}.js" for name in _SHAPE_SNAPSHOTS]
    python_files = json.dumps({path: table[path] for path in leaves if path.startswith("py/")})
    facts = {
        "version": pyodide.build().version,
        "content": digest((python_files + fingerprint(snapshot_sources)).encode()),
        "lock": pyodide.empty_lock(),
        "extensionPath": packs.extension_path(),
    }
    return as_module(assets=table, python=facts).encode()


def _describe(site: Path) -> str:
    files = [path for path in site.rglob("*") if path.is_file()]
    total = sum(path.stat().st_size for path in files) / 1e6
    return f"{len(files)} files, {total:.0f} MB, of it {_model_size(site) / 1e6:.0f} MB model"


def _model_size(site: Path) -> int:
    return sum(path.stat().st_size for path in (site / "models").glob("*"))

"""Packs of byte code: how the site ships Python to its workers.

`stdlib.pack` holds the pruned standard library, `pagehand.pack` our package, `helpers.pack` small
packages that any line of ours may import. `later.pack` holds what of our package is needed
when a model is first named, `packages.pack` the large rest of others' work: both follow after the
start. `pydantic_core.wasm` is the one extension module. Packs are gzipped,
since plain hosts do not compress what they do not know.
"""

import gzip
import json
import shutil
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

from building import pyodide, stdlib
from building.steps import CACHE, ROOT, BuildError, Stamp, fingerprint, run, step

WORK = CACHE / "packs"
HELPERS = frozenset({"fastjsonschema", "json-repair"})
EXTENSION = "pydantic_core.wasm"
# Modules that are loaded when they are first needed: those that ask a model, behind a network or on
# the device, read and mend the calls it writes, advise on models and try them.
LATER_MODULES = frozenset(
    (
        *(
            f"models/{name}"
            for name in (
                *("answer", "auth", "calls", "cloud", "endpoints", "faults", "fields", "listing"),
                *("chat_reader", "openai_chat", "openai_responses", "sigv4", "event_stream"),
                *("anthropic", "bedrock", "blocks", "block_reader", "claude", "claude_schema"),
                *("gemini", "gemini_arguments", "gemini_reader", "gemini_schema", "wire"),
                *("on_device", "local", "plain_turns", "thoughts", "incoming", "webllm"),
                *("small_turn", "choosing", "filling", "judge", "spans"),
                *("advice", "device", "local_models"),
            )
        ),
        *(
            f"tools/{name}"
            for name in (
                *("written_rounds", "prompted", "grammar", "repair", "search", "tool_names"),
                *("call_book", "call_marks", "call_objects", "call_places", "call_python"),
                *("call_tags", "call_values", "probe", "probe_tasks"),
            )
        ),
        *("coercion", "trial"),
    )
)
# What runs on CPython alone.
_NATIVE = ("cli", "__main__.py", "native.py", "google_adc.py", "google_grants.py")
_BUILDING = ROOT / "building"
_COMPILERS = [
    _BUILDING / name for name in ("compile_packs.py", "dataclass_writer.py", "in_pyodide.mjs")
]


@dataclass(frozen=True, slots=True)
class _Order:
    """What compile_packs.py reads: a tree of sources, and the pack to make of it."""

    tree: str
    pack: str
    prefix: str
    write_dataclasses: bool = False
    zip: str = ""


def build_packs(package: Path) -> dict[str, Path]:
    """Make the packs unless their inputs are unchanged; give their files by name."""
    return _build_library() | _build_package(package)


def extension_path() -> str:
    """Where Python looks for the extension module, as an absolute path in Pyodide."""
    root = WORK / "library" / "packages"
    place = next(root.rglob("*.so")).relative_to(root)
    return pyodide.build().site_packages + place.as_posix()


def _build_library() -> dict[str, Path]:
    """What others wrote: the standard library and the packages."""
    work, build = WORK / "library", pyodide.build()
    orders = [
        _Order("stdlib", "stdlib.pack", build.library + "/", zip=build.library.lstrip("/")),
        _Order("helpers", "helpers.pack", build.site_packages),
        _Order("packages", "packages.pack", build.site_packages),
    ]
    outputs = {name: work / "out" / name for name in (*(item.pack for item in orders), EXTENSION)}
    inputs = [pyodide.LOCK, _BUILDING / "packs.py", _BUILDING / "stdlib.py", *_COMPILERS]
    stamp = Stamp("packs-library", fingerprint(inputs, str(build)), outputs.values())
    if not stamp.is_fresh():
        wheels = pyodide.fetch_wheels()
        with step("Compiling the standard library and packages to byte code"):
            _empty(work)
            stdlib.write_pruned(pyodide.CORE / "python_stdlib.zip", work)
            for wheel in wheels:
                if (project := pyodide.project(wheel)) not in pyodide.PLAYGROUND_ONLY:
                    tree = "helpers" if project in HELPERS else "packages"
                    _unpack_wheel(wheel, work / tree, outputs[EXTENSION])
            _compile(work, orders)
        stamp.set()
    return outputs


def _build_package(package: Path) -> dict[str, Path]:
    """Our own package, with its dataclasses written out."""
    work, build = WORK / "package", pyodide.build()
    orders = [
        _Order(tree, f"{tree}.pack", build.site_packages, write_dataclasses=True)
        for tree in ("pagehand", "later")
    ]
    outputs = {order.pack: work / "out" / order.pack for order in orders}
    support = _BUILDING / "written_dataclasses.py"
    inputs = fingerprint([package, support, _BUILDING / "packs.py", *_COMPILERS], str(build))
    stamp = Stamp("packs-package", inputs, outputs.values())
    if not stamp.is_fresh():
        with step("Compiling pagehand to byte code"):
            _empty(work)
            hidden = shutil.ignore_patterns("__pycache__", *_NATIVE)
            core = work / "pagehand" / package.name
            shutil.copytree(package, core, ignore=hidden)
            shutil.copyfile(support, work / "pagehand" / "_written_dataclasses.py")
            for name in LATER_MODULES:
                later = work / "later" / package.name / f"{name}.py"
                later.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(core / f"{name}.py", later)
            _compile(work, orders)
        stamp.set()
    return outputs


def _empty(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    (work / "out").mkdir(parents=True)


def _compile(work: Path, orders: list[_Order]) -> None:
    """Have Pyodide's own Python compile the trees of a folder."""
    tools = work / "tools" / "building"
    tools.mkdir(parents=True)
    for name in ("__init__.py", "dataclass_writer.py"):
        shutil.copy(_BUILDING / name, tools)
    (work / "order.json").write_text(json.dumps([asdict(order) for order in orders]))
    run(["node", _BUILDING / "in_pyodide.mjs", _BUILDING / "compile_packs.py", work], quiet=True)
    for order in orders:
        data = (work / order.pack).read_bytes()
        (work / "out" / order.pack).write_bytes(gzip.compress(data, 9, mtime=0))


def _unpack_wheel(wheel: Path, target: Path, extension: Path) -> None:
    """Unpack what runs: Python, data, and of the metadata what importlib.metadata reads.

    The extension module becomes a file of its own; an empty file keeps its place, since the
    worker hands the compiled module to the loader directly.
    """
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(("/", ".pyi", "py.typed")):
                continue
            data = archive.read(name)
            if ".dist-info/" in name:
                if not name.endswith("METADATA"):
                    continue
                data = data.partition(b"\n\n")[0] + b"\n"
            if name.endswith(".so"):
                if extension.exists():
                    raise BuildError(f"{wheel.name} brings a second extension module: {name}.")
                extension.write_bytes(data)
                data = b""
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

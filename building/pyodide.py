"""Pyodide as it is installed: its facts, the wheels that run in it, and its package locks.

The core comes from npm's `pyodide`, wheels from pip by Pyodide's platform tags.
"""

import json
import shutil
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from building.steps import CACHE, ROOT, Stamp, digest, fingerprint, run, step

CORE = ROOT / "web" / "node_modules" / "pyodide"
LOCK = ROOT / "building" / "requirements-pyodide.lock"
WHEELS = CACHE / "wheels"
PLAYGROUND_ONLY = frozenset({"micropip"})
"""Wheels that only the playground uses; the others go into the workers' pack too."""


@dataclass(frozen=True, slots=True)
class Build:
    """Which Python npm's Pyodide carries: `python` is `3.14.2`, `abi` is `2026_0`."""

    version: str
    python: str
    abi: str
    platform: str

    @property
    def short_python(self) -> str:
        """Python's version without the patch: `3.14`."""
        return self.python.rpartition(".")[0]

    @property
    def site_packages(self) -> str:
        """The folder of installed packages inside Pyodide."""
        return f"/lib/python{self.short_python}/site-packages/"

    @property
    def library(self) -> str:
        """The zip of the standard library inside Pyodide."""
        return f"/lib/python{self.short_python.replace('.', '')}.zip"


def build() -> Build:
    """Read which Pyodide is installed."""
    info = json.loads((CORE / "pyodide-lock.json").read_text())["info"]
    version = json.loads((CORE / "package.json").read_text())["version"]
    return Build(version, info["python"], info["abi_version"], info["platform"])


def fetch_wheels() -> list[Path]:
    """Have pip fetch the pinned wheels into the cache, and list them."""
    found = build()
    stamp = Stamp("pyodide-wheels", fingerprint([LOCK], str(found)), [WHEELS])
    if not stamp.is_fresh():
        shutil.rmtree(WHEELS, ignore_errors=True)
        with step("Fetching wheels for Pyodide"):
            pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
            source = ["--no-deps", "-r", str(LOCK), "--cache-dir", str(CACHE / "pip")]
            target = ["--python-version", found.short_python, "--implementation", "cp"]
            tags = [f"pyemscripten_{found.abi}_wasm32", f"cp{found.short_python.replace('.', '')}"]
            target += ["--only-binary=:all:", "--platform", tags[0], "--abi", tags[1]]
            run([*pip, *source, *target, "--dest", WHEELS], quiet=True)
        stamp.set()
    return sorted(WHEELS.glob("*.whl"))


def empty_lock() -> str:
    """Pyodide's lock for our workers, which install nothing: the build's facts, no packages."""
    return json.dumps({"info": _info(), "packages": {}}, separators=(",", ":"))


def playground_lock(wheels: Iterable[Path]) -> str:
    """A lock whose packages lie beside it, for a stock Pyodide that loads from the site."""
    packages = {}
    for wheel in wheels:
        name = project(wheel)
        packages[name] = {
            "name": name,
            "version": wheel.name.split("-")[1],
            "file_name": wheel.name,
            "install_dir": "site",
            "sha256": digest(wheel.read_bytes()),
            "package_type": "package",
            "imports": [name.replace("-", "_")],
            "depends": sorted(_requirements(wheel)),
            "unvendored_tests": False,
        }
    return json.dumps({"info": _info(), "packages": packages}, indent=1)


def _info() -> dict[str, str]:
    found = build()
    return {
        "abi_version": found.abi,
        "arch": "wasm32",
        "platform": found.platform,
        "python": found.python,
        "version": found.version,
    }


def project(wheel: Path) -> str:
    """Give the name of the project that a wheel is of."""
    return wheel.name.split("-")[0].replace("_", "-").lower()


def _requirements(wheel: Path) -> set[str]:
    """The projects a wheel always needs inside Pyodide."""
    from packaging.requirements import Requirement

    with zipfile.ZipFile(wheel) as archive:
        name = next(item for item in archive.namelist() if item.endswith(".dist-info/METADATA"))
        head = archive.read(name).decode().partition("\n\n")[0]
    lines = [line.partition(": ")[2] for line in head.splitlines() if line[:14] == "Requires-Dist:"]
    found = [Requirement(line) for line in lines]
    here = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}
    return {
        item.name.replace("_", "-").lower()
        for item in found
        if item.marker is None or item.marker.evaluate({**here, "python_version": "3.14"})
    }

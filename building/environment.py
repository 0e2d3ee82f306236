"""The virtual environment and the npm packages that a job needs, pinned by lock files.

Runs on a bare Python: only the standard library and `steps` are imported here.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from enum import Enum
from pathlib import Path

from building.steps import CACHE, ROOT, BuildError, Stamp, fingerprint, run, step

VENV = ROOT / ".venv"
WEB = ROOT / "web"
MINIMUM_NODE = 20


class Need(Enum):
    """What a job needs beside Python and Node: the lock file of its Python packages."""

    BUILD = "requirements-build.lock"
    DEV = "requirements-dev.lock"


def prepare(need: Need, *, install: bool) -> Path:
    """Make `.venv` and `web/node_modules` ready and give the environment's Python.

    Raises BuildError when Python's venv, pip, Node or npm cannot do their part.
    """
    python = _environment(install=install)
    _show_sources(python)
    _python_packages(python, need)
    _node_packages()
    return python


def _environment(*, install: bool) -> Path:
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists():
        return python
    with step("Making the virtual environment .venv"):
        try:
            import ensurepip  # noqa: F401
        except ImportError:
            _install_venv_support(install=install)
        venv.create(VENV, with_pip=True)
    return python


def _install_venv_support(*, install: bool) -> None:
    """Debian ships Python without ensurepip; its package brings it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = ["apt-get", "install", "-y", f"python{version}-venv"]
    if not (install and shutil.which("apt-get") and os.geteuid() == 0):
        raise BuildError(
            "This Python cannot make virtual environments (ensurepip is missing). "
            f"Run: sudo {' '.join(command)}"
        )
    run(["apt-get", "update"], quiet=True)
    run(command, quiet=True)


def _show_sources(python: Path) -> None:
    """Let the environment import the package from `src/`, as an editable install would."""
    query = "import sysconfig; print(sysconfig.get_path('purelib'))"
    answer = subprocess.run([python, "-c", query], capture_output=True, text=True, check=True)
    Path(answer.stdout.strip(), "pagehand.pth").write_text(f"{ROOT / 'src'}\n")


def _python_packages(python: Path, need: Need) -> None:
    """Install the pinned packages; the DEV lock holds all of the BUILD lock too."""
    locks = {wanted: ROOT / "building" / wanted.value for wanted in Need}
    stamps = {
        wanted: Stamp(wanted.value, fingerprint([lock], str(python)), [python])
        for wanted, lock in locks.items()
    }
    if stamps[need].is_fresh() or stamps[Need.DEV].is_fresh():
        return
    lock = locks[need]
    with step(f"Installing Python packages from building/{lock.name}"):
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
        run([*pip, "-r", lock, "--cache-dir", CACHE / "pip"], quiet=True)
    stamps[need].set()


def _node_packages() -> None:
    check_node()
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError("npm is missing. It comes with Node.js 20 or newer; install that.")
    lock = WEB / "package-lock.json"
    stamp = Stamp("node_modules", fingerprint([lock]), [WEB / "node_modules"])
    if stamp.is_fresh():
        return
    with step("Installing npm packages from web/package-lock.json"):
        run([npm, "ci", "--no-audit", "--no-fund", "--cache", CACHE / "npm"], cwd=WEB, quiet=True)
    stamp.set()


def check_node() -> None:
    """Raises BuildError when Node is missing or older than this project needs."""
    node = shutil.which("node")
    if node is None:
        raise BuildError(f"Node.js is missing. Install Node.js {MINIMUM_NODE} or newer.")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    major = re.match(r"v(\d+)", version.stdout)
    if major is None or int(major[1]) < MINIMUM_NODE:
        raise BuildError(
            f"Node.js {version.stdout.strip()} is too old. Install {MINIMUM_NODE} or newer."
        )

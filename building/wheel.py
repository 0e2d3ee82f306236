"""The wheel: `dist/pagehand-<version>-py3-none-any.whl`, made by hatchling."""

import sys
from pathlib import Path

from building.steps import ROOT, Stamp, fingerprint, run, step

DIST = ROOT / "dist"
PACKAGE = ROOT / "src" / "pagehand"


def build_wheel() -> Path:
    """Build the wheel unless its inputs are unchanged; give its path."""
    inputs = [PACKAGE, *(ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE"))]
    stamp = Stamp("wheel", fingerprint([path for path in inputs if path.exists()]))
    found = sorted(DIST.glob("pagehand-*.whl"))
    if len(found) == 1 and stamp.is_fresh():
        return found[0]
    for old in found:
        old.unlink()
    with step("Building the wheel"):
        run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", DIST], quiet=True)
    stamp.set()
    return next(DIST.glob("pagehand-*.whl"))

"""Fixtures of every room."""

from __future__ import annotations

from pathlib import Path

import pytest

MATERIAL = Path(__file__).resolve().parents[2] / "shared" / "material"


@pytest.fixture(scope="session")
def material() -> Path:
    """Recorded traffic of the field, kept outside the project; its tests skip without it."""
    if not MATERIAL.is_dir():
        pytest.skip("the recorded material is not beside this checkout")
    return MATERIAL

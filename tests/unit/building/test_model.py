"""The embedded model: read from its wheel, cut into parts, described by an index."""

import hashlib
import json
import struct
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from building.gguf import read_metadata
from building.model import ModelPackage, write_model
from building.steps import BuildError

LICENCE = b"Apache License, a text of many lines\n"


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf(tensors: bytes = b"") -> bytes:
    """A GGUF with the metadata that the build reads, one array besides, and some tensor bytes."""
    pairs = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("general.license") + struct.pack("<I", 8) + text("apache-2.0"),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("é"),
        text("llama.context_length") + struct.pack("<II", 4, 8192),
        text("tied") + struct.pack("<I?", 7, True),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs) + tensors


def wheel_with(model: bytes, folder: Path) -> tuple[ModelPackage, Path]:
    path = folder / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("tiny_model/tiny.gguf", model)
        content.writestr("tiny_model-1.0.dist-info/LICENSE", LICENCE)
    sha256 = hashlib.sha256(model).hexdigest()
    return ModelPackage("tiny-model", "1.0", "Tiny", "tiny_model/tiny.gguf", sha256), path


def test_metadata_is_read_in_every_kind() -> None:
    assert read_metadata(BytesIO(gguf())) == {
        "general.architecture": "llama",
        "general.license": "apache-2.0",
        "tokens": ["a", "é"],
        "llama.context_length": 8192,
        "tied": True,
    }


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04", "no GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1 is unknown"),
        (gguf()[:60], "ends inside"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<I", 77), "type 77"),
    ],
)
def test_bytes_that_are_no_gguf_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_metadata(BytesIO(data))


def test_the_parts_joined_are_the_model(tmp_path: Path) -> None:
    model = gguf(tensors=bytes(range(256)) * 5)
    package, wheel = wheel_with(model, tmp_path)
    index = write_model(package, wheel, tmp_path / "models", max_part_bytes=500)

    files = [tmp_path / "models" / part.file for part in index.parts]
    contents = [file.read_bytes() for file in files]
    assert b"".join(contents) == model
    assert len(contents) == -(-len(model) // 500)
    assert max(map(len, contents)) <= 500
    assert [part.bytes for part in index.parts] == [len(data) for data in contents]
    digests = [hashlib.sha256(data).hexdigest() for data in contents]
    assert [part.sha256 for part in index.parts] == digests
    for file, digest in zip(files, digests, strict=True):
        assert digest[:12] in file.name


def test_the_index_tells_what_the_engine_needs(tmp_path: Path) -> None:
    model = gguf()
    package, wheel = wheel_with(model, tmp_path)
    write_model(package, wheel, tmp_path)

    index = json.loads((tmp_path / "embedded.json").read_text())
    assert index["model"] == "Tiny"
    assert index["file"] == "tiny.gguf"
    assert index["bytes"] == len(model)
    assert index["sha256"] == package.sha256
    assert index["contextWindow"] == 8192
    assert index["licence"] == "apache-2.0"
    assert (tmp_path / index["licenceFile"]).read_bytes() == LICENCE
    assert [part["bytes"] for part in index["parts"]] == [len(model)]


def test_another_model_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    _, wheel = wheel_with(gguf(), tmp_path)
    pinned = ModelPackage("tiny-model", "1.0", "Tiny", "tiny_model/tiny.gguf", "0" * 64)
    with pytest.raises(BuildError, match=f"SHA-256 .* but {'0' * 64} is expected"):
        write_model(pinned, wheel, tmp_path / "models")
    assert not (tmp_path / "models" / "embedded.json").exists()

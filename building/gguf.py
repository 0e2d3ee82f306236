"""Reads the facts that a GGUF file tells about its model.

The layout is ggml's: a magic, a version, two counts, then the metadata as key, type, value, all
little-endian (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
"""

import struct
from typing import IO, TypeAlias

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
# Value type of the format -> struct letter; strings and arrays are read apart.
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}

Value: TypeAlias = "str | int | float | bool | list[Value]"


def read_metadata(file: IO[bytes]) -> dict[str, Value]:
    """The metadata of the GGUF that starts at the file's position.

    Raises ValueError when the bytes are no GGUF of a known version.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("The file is no GGUF: it does not start with those four letters.")
    version = _integer(file, "I")
    if version not in VERSIONS:
        raise ValueError(f"GGUF version {version} is unknown; {VERSIONS} can be read.")
    _integer(file, "Q")  # the number of tensors
    count = _integer(file, "Q")
    return dict(_pair(file) for _ in range(count))


def _pair(file: IO[bytes]) -> tuple[str, Value]:
    key = _string(file)
    return key, _value(file, _integer(file, "I"))


def _value(file: IO[bytes], kind: int) -> Value:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        item_kind, length = _integer(file, "I"), _integer(file, "Q")
        return [_value(file, item_kind) for _ in range(length)]
    if kind not in _SCALARS:
        raise ValueError(f"The GGUF holds a value of the unknown type {kind}.")
    return _scalar(file, _SCALARS[kind])


def _string(file: IO[bytes]) -> str:
    return _exactly(file, _integer(file, "Q")).decode()


def _integer(file: IO[bytes], letter: str) -> int:
    return int(_scalar(file, letter))


def _scalar(file: IO[bytes], letter: str) -> int | float | bool:
    layout = f"<{letter}"
    value: int | float | bool
    (value,) = struct.unpack(layout, _exactly(file, struct.calcsize(layout)))
    return value


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise ValueError("The GGUF ends inside its metadata.")
    return data

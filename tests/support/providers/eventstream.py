"""Frames of AWS's binary event streams.

https://smithy.io/2.0/aws/amazon-eventstream.html
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

_STRING = 7


def frame(value: dict[str, Any], headers: dict[str, str]) -> bytes:
    """Give one message: lengths and their checksum, headers, JSON, the checksum of it all."""
    head = b"".join(_header(name, text) for name, text in headers.items())
    payload = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    prelude = struct.pack("!II", 12 + len(head) + len(payload) + 4, len(head))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + head + payload
    return message + struct.pack("!I", zlib.crc32(message))


def event(kind: str, value: dict[str, Any]) -> bytes:
    """Give one event."""
    return frame(value, _headers(":event-type", kind, "event"))


def exception(kind: str, message: str) -> bytes:
    """Give the exception that ends a stream."""
    return frame({"message": message}, _headers(":exception-type", kind, "exception"))


def _headers(name: str, kind: str, message: str) -> dict[str, str]:
    return {name: kind, ":content-type": "application/json", ":message-type": message}


def _header(name: str, value: str) -> bytes:
    raw = value.encode()
    return bytes([len(name)]) + name.encode() + struct.pack("!BH", _STRING, len(raw)) + raw

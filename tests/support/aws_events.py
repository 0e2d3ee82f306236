"""Messages of AWS's binary event stream, framed as the Smithy specification says."""

from __future__ import annotations

import json
import struct
from binascii import crc32
from typing import Any

TEXT = 7


def header(name: str, value: bytes, kind: int = TEXT) -> bytes:
    """One header; texts and byte arrays carry their length."""
    size = struct.pack(">H", len(value)) if kind in (6, TEXT) else b""
    return bytes([len(name)]) + name.encode() + bytes([kind]) + size + value


def framed(headers: bytes, payload: bytes) -> bytes:
    """A message with its lengths and both checksums."""
    lengths = struct.pack(">II", len(headers) + len(payload) + 16, len(headers))
    body = lengths + struct.pack(">I", crc32(lengths)) + headers + payload
    return body + struct.pack(">I", crc32(body))


def event(kind: str, payload: Any) -> bytes:
    """An event of a service, in the order of headers that Bedrock uses."""
    headers = header(":event-type", kind.encode())
    headers += header(":content-type", b"application/json") + header(":message-type", b"event")
    return framed(headers, json.dumps(payload, ensure_ascii=False).encode())


def exception(kind: str, payload: Any) -> bytes:
    """What a service tells when it gives up in the middle of a stream."""
    headers = header(":exception-type", kind.encode()) + header(":message-type", b"exception")
    return framed(headers, json.dumps(payload).encode())


def error(code: str, message: str) -> bytes:
    """What the transport tells, in headers alone."""
    headers = header(":error-code", code.encode()) + header(":error-message", message.encode())
    return framed(headers + header(":message-type", b"error"), b"")

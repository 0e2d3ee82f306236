"""The binary event streams of AWS (`application/vnd.amazon.eventstream`).

Source: the Smithy specification, "Amazon Event Stream", and the AWS SDK's event stream encoding.
A message is a prelude (its length, the length of its headers, a checksum of both), headers, a
payload, and a checksum of all that; numbers are big-endian.
"""

from __future__ import annotations

import json
import struct
from typing import Any
from zlib import crc32

from ..errors import MalformedResponseError

_PRELUDE = struct.Struct(">III")
_CHECKSUM = struct.Struct(">I")
_FRAME_BYTES = _PRELUDE.size + _CHECKSUM.size
_MOST_HEADER_BYTES = 128 * 1024
_MOST_PAYLOAD_BYTES = 24 * 1024 * 1024
# Bytes of a header's value by its type: true, false, byte, short, integer, long, timestamp, uuid.
_FIXED_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES, _TEXT = 6, 7


class EventStreamDecoder:
    """Takes bytes cut anywhere and gives whole events, each as `{its type: its payload}`.

    What the service tells as an exception or an error comes as `{"error": {"type", "message"}}`.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, batch: bytes) -> list[str | dict[str, Any]]:
        """Take more bytes and give the events that they complete.

        Raises MalformedResponseError for what is no such stream, or a damaged one.
        """
        self._buffer += batch
        events: list[str | dict[str, Any]] = []
        start = 0
        while len(self._buffer) - start >= _PRELUDE.size:
            length = self._length(start)
            if len(self._buffer) - start < length:
                break
            events.append(_event(bytes(self._buffer[start : start + length])))
            start += length
        del self._buffer[:start]
        return events

    def _length(self, start: int) -> int:
        """Give the length of the message that begins here; its prelude is judged first, so that
        damage is told at once and not after waiting for a length that is none."""
        prelude = bytes(self._buffer[start : start + _PRELUDE.size])
        length, header_bytes, checksum = _PRELUDE.unpack(prelude)
        if crc32(prelude[: -_CHECKSUM.size]) != checksum:
            raise _damaged("the checksum of a message's beginning is wrong")
        payload_bytes = length - header_bytes - _FRAME_BYTES
        if header_bytes > _MOST_HEADER_BYTES or not 0 <= payload_bytes <= _MOST_PAYLOAD_BYTES:
            raise _damaged("a message has an impossible length")
        return int(length)


def _event(message: bytes) -> dict[str, Any]:
    _, header_bytes, _ = _PRELUDE.unpack_from(message)
    body, end = message[: -_CHECKSUM.size], _PRELUDE.size + header_bytes
    if crc32(body) != _CHECKSUM.unpack_from(message, len(body))[0]:
        raise _damaged("the checksum of a message is wrong")
    headers = _headers(body[_PRELUDE.size : end])
    payload = body[end:]
    match headers.get(":message-type"):
        case "event":
            return {headers.get(":event-type", ""): _json(payload)}
        case "exception":
            return _error(headers.get(":exception-type"), _message(payload))
        case "error":
            return _error(headers.get(":error-code"), headers.get(":error-message", ""))
    raise _damaged("a message does not say what it is")


def _headers(data: bytes) -> dict[str, str]:
    """Give the headers whose values are texts; the others are passed over."""
    found: dict[str, str] = {}
    position = 0
    try:
        while position < len(data):
            name_end = position + 1 + data[position]
            name, kind = data[position + 1 : name_end], data[name_end]
            position = name_end + 1
            size = _FIXED_BYTES.get(kind)
            if size is None:
                if kind not in (_BYTES, _TEXT):
                    raise _damaged(f"a header has the unknown type {kind}")
                size = int.from_bytes(data[position : position + 2], "big")
                position += 2
            if position + size > len(data):
                raise IndexError
            if kind == _TEXT:
                found[name.decode()] = data[position : position + size].decode()
            position += size
    except (IndexError, UnicodeDecodeError):
        raise _damaged("the headers of a message cannot be read") from None
    return found


def _json(payload: bytes) -> Any:
    try:
        return json.loads(payload) if payload else {}
    except (ValueError, RecursionError):
        raise _damaged("an event is no JSON") from None


def _message(payload: bytes) -> str:
    text = payload.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    said = value.get("message") or value.get("Message") if isinstance(value, dict) else None
    return said if isinstance(said, str) else text


def _error(kind: str | None, message: str) -> dict[str, Any]:
    return {"error": {"type": kind or "error", "message": message}}


def _damaged(why: str) -> MalformedResponseError:
    return MalformedResponseError(
        f"The stream is no event stream of AWS, or was damaged on its way: {why}. Check the "
        "provider and the base URL, and try again."
    )

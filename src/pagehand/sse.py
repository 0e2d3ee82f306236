"""Server-sent events, read as the WHATWG HTML standard says (section 9.2.6)."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(slots=True)
class ServerSentEvent:
    """One event. `retry` (milliseconds) is the wish the stream had uttered when it came."""

    event: str
    data: str
    id: str | None = None
    retry: int | None = None


class SSEDecoder:
    """Takes bytes cut anywhere and gives whole events. Malformed UTF-8 becomes U+FFFD."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._started = False
        self._after_return = False
        self._line: list[str] = []  # the pieces of a line whose end has not come yet
        self._data: list[str] = []
        self._event = ""
        self._id: str | None = None
        self._retry: int | None = None

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Take more bytes and give the events that they complete."""
        return self._take(self._utf8.decode(chunk))

    def close(self) -> list[ServerSentEvent]:
        """End the stream. An event without its blank line is dropped, as the standard says."""
        events = self._take(self._utf8.decode(b"", final=True))
        self._line, self._data, self._event = [], [], ""
        return events

    def _take(self, text: str) -> list[ServerSentEvent]:
        if not text:
            return []
        if not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        if self._after_return:
            text = text.removeprefix("\n")  # the second half of a line end cut in two
        self._after_return = text.endswith("\r") or (self._after_return and not text)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        head, found, tail = text.rpartition("\n")
        if not found:
            self._line.append(text)
            return []
        lines = ("".join(self._line) + head).split("\n")
        self._line = [tail]
        return self._lines(lines)

    def _lines(self, lines: list[str]) -> list[ServerSentEvent]:
        events: list[ServerSentEvent] = []
        for line in lines:
            if line:
                self._field(line)
            elif self._data:
                events.append(
                    ServerSentEvent(
                        self._event or "message", "\n".join(self._data), self._id, self._retry
                    )
                )
                self._data, self._event = [], ""
            else:
                self._event = ""
        return events

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) < 10:
            self._retry = int(value)

"""What a scripted provider answers, said once for every wire.

A wire renders an answer streamed or whole, as the request asked, with its provider's own ids,
finish words, signatures and counters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Tokens:
    """An answer's counters. `fresh`, `cached` and `written` are the input's three parts."""

    fresh: int = 70
    cached: int = 30
    written: int = 0
    thought: int = 12
    said: int = 20

    @property
    def input(self) -> int:
        """All that the model read."""
        return self.fresh + self.cached + self.written

    @property
    def output(self) -> int:
        """All that the model wrote, its thoughts too."""
        return self.thought + self.said

    @property
    def total(self) -> int:
        """All of it."""
        return self.input + self.output


@dataclass(frozen=True)
class Fault:
    """A provider's error. `kind` is its own word for it; `inside` a 200 stream or instead of it."""

    status: int
    kind: str
    message: str
    inside: bool = False
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """One answer. A thought is only told to a request that asked the model to think.

    `redacted` puts a block of thought that nobody can read before the rest, where the provider
    has such blocks. `finish` replaces the natural finish word by another of the provider's own.
    `hold` keeps a stream open after its last event; `cut` breaks it off before its end.
    """

    thought: str | None = None
    text: str = ""
    calls: tuple[Call, ...] = ()
    redacted: bool = False
    refusal: str | None = None
    finish: str | None = None
    tokens: Tokens = Tokens()
    fault: Fault | None = None
    hold: bool = False
    cut: bool = False

    def counted(self, *, thought: bool) -> Tokens:
        """Give the counters of an answer that was told with or without a thought."""
        return self.tokens if thought else replace(self.tokens, thought=0)


def text(value: str, **more: Any) -> Answer:
    """A text."""
    return Answer(text=value, **more)


def thinking_then_text(thought: str, value: str, **more: Any) -> Answer:
    """A thought, then a text."""
    return Answer(thought=thought, text=value, **more)


def calls(wanted: list[Call], thought: str | None = None, **more: Any) -> Answer:
    """One or more calls of tools, maybe after a thought."""
    return Answer(thought=thought, calls=tuple(wanted), **more)


def json_text(value: Any, **more: Any) -> Answer:
    """A text that is JSON."""
    return Answer(text=json.dumps(value, ensure_ascii=False), **more)


def error(
    status: int, kind: str, message: str, *, inside: bool = False, after: str = "", **headers: str
) -> Answer:
    """An error; `inside` a stream that began well, `after` this text."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(text=after, fault=Fault(status, kind, message, inside, names))


def pieces(value: str, count: int = 3) -> list[str]:
    """Cut a text into about `count` pieces, as a stream brings it."""
    size = max(1, -(-len(value) // count))
    return [value[start : start + size] for start in range(0, len(value), size)]

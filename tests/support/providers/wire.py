"""What the server needs of a wire."""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .answers import Answer

KEY = "canary-provider-key-0123456789"
CREATED = 1_750_000_000


@dataclass(frozen=True)
class Rendered:
    """An HTTP answer. `events` are the bytes of a stream's events, `turn` what history must bring
    back: the assistant's turn in the wire's own form."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    events: Sequence[bytes] = ()
    turn: Any = None


class Wire(Protocol):
    """A provider's wire. `base` is the path that its base URL ends in."""

    @property
    def base(self) -> str:
        """The path that a client's base URL ends in."""

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break; a fault names a header, never its value."""

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks; `issued` are the turns that this provider gave before."""

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer in the wire's form; `serial` makes its ids its own."""

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer in the provider's form."""


def judge_json_header(headers: Mapping[str, str]) -> list[str]:
    """A request with a body says that it is JSON."""
    kind = headers.get("content-type", "")
    return [] if kind.split(";")[0].strip() == "application/json" else ["content-type: not JSON"]


def as_json(value: Any, status: int = 200, *, turn: Any = None, **headers: str) -> Rendered:
    """A whole answer."""
    names = {"content-type": "application/json"}
    names |= {name.replace("_", "-"): text for name, text in headers.items()}
    return Rendered(status, names, json.dumps(value, ensure_ascii=False).encode(), turn=turn)


def as_events(events: Sequence[bytes], *, turn: Any = None) -> Rendered:
    """A stream of server-sent events."""
    return Rendered(200, {"content-type": "text/event-stream"}, None, events, turn)


def event(value: Any, name: str | None = None) -> bytes:
    """One server-sent event."""
    data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def token(seed: str, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Give letters and digits that look like a provider's own, the same for the same seed."""
    value = int.from_bytes(hashlib.sha512(seed.encode()).digest(), "big")
    letters = []
    for _ in range(length):
        value, index = divmod(value, len(alphabet))
        letters.append(alphabet[index])
    return "".join(letters)

"""Calls as Python writes them: `name(key="value", …)`."""

from __future__ import annotations

from ..models.incoming import Incoming, Reading
from .call_book import OpenCall, close_arguments, properties_of, required_of, write_argument
from .call_values import CallBroken, literal, next_inside, read_value


def read_arguments(source: Incoming, call: OpenCall) -> Reading[None]:
    """Read the arguments of a call whose opening bracket comes next. Raises CallBroken."""
    source.take_to(source.at + 1)
    while True:
        char = yield from next_inside(source, _drop)
        if char == ")":
            source.take_to(source.at + 1)
            break
        if char == ",":
            source.take_to(source.at + 1)
            continue
        pieces: list[str] = []
        name = ""
        if char.isalpha() or char == "_":
            while (char := (yield from source.peek())).isalnum() or char == "_":
                pieces.append(source.take_to(source.at + 1))
            if (yield from next_inside(source, _drop)) in ("=", ":"):
                source.take_to(source.at + 1)
                name, pieces = "".join(pieces), []
        nested = yield from read_value(source, pieces.append, begun=bool(pieces))
        call.nested = call.nested or nested
        _write(call, name, literal("".join(pieces)))
    close_arguments(call)
    call.complete = call.whole = True


def _write(call: OpenCall, name: str, value: object) -> None:
    """Add an argument; one without a name is taken where only one can be meant."""
    if name:
        write_argument(call, name, value)
        return
    known, required = list(properties_of(call.tool)), required_of(call.tool)
    sole = known if len(known) == 1 else required
    if call.has_arguments:
        raise CallBroken
    if isinstance(value, dict) and value and value.keys() <= set(known):
        for key, each in value.items():
            write_argument(call, key, each)
    elif len(sole) == 1:
        write_argument(call, sole[0], value)
    else:
        raise CallBroken


def _drop(text: str) -> None:
    """Space between arguments says nothing."""

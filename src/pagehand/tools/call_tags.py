"""Calls whose arguments stand in tags, one for each: their text is the value."""

from __future__ import annotations

import json
from typing import Any

from ..models.incoming import Incoming, Marks, Reading
from .call_book import OpenCall, close_arguments, properties_of, write_argument
from .call_marks import ENDINGS, FUNCTIONS, PARAMETERS
from .call_values import CallBroken, CallCut, NoCall, read_blank, read_space, read_value

NAME_MARKS = frozenset("_.:/-")
"""What a name may hold besides letters and digits."""

_LONGEST_HEADER = 300
_KEY, _KEY_END = "<arg_key>", "</arg_key>"
_VALUE, _VALUE_END = "<arg_value>", "</arg_value>"

_PARAMETERS = Marks(PARAMETERS)
_PAIR = Marks([_KEY])
_PAIR_VALUE = Marks([_VALUE])
_ENDINGS = Marks(ENDINGS)
# What may follow an argument; anything else says that its end was part of its text.
_AFTER = Marks([*PARAMETERS, *ENDINGS, *FUNCTIONS, _KEY, "<tool_call>"])
# What a text is not likely to hold: there an argument's end is missing, or it speaks of calls.
_DOUBTFUL = ("<parameter=", "<parameter name=", "</function>", "</invoke>", _KEY, _VALUE)


def read_header(source: Incoming, mark: str) -> Reading[str]:
    """Read the beginning of `<function=name>`, whose `mark` comes next. Give the name.

    Raises NoCall where no name stands there.
    """
    source.take_to(source.at + len(mark))
    header: list[str] = []
    while (char := (yield from source.peek())) != ">":
        if not char or char in "<\n" or len(header) > _LONGEST_HEADER:
            raise NoCall
        header.append(source.take_to(source.at + 1))
    source.take_to(source.at + 1)
    name = _name_of("".join(header))
    if not name or not all(char.isalnum() or char in NAME_MARKS for char in name):
        raise NoCall
    return name


def read_function(source: Incoming, call: OpenCall, mark: str) -> Reading[None]:
    """Read what stands behind `<function=name>`, with the tag that ends it. Raises CallBroken."""
    ending = Marks([FUNCTIONS[mark]])
    char = yield from read_space(source, _drop)
    if char == "{":
        call.nested = yield from read_value(source, call.add)
        yield from read_space(source, _drop)
    else:
        while parameter := (yield from _PARAMETERS.here(source)):
            source.take_to(source.at + len(parameter))
            name = _name_of((yield from _up_to(source, ">")))
            text = yield from _text(source, call, PARAMETERS[parameter])
            write_argument(call, name, typed(text, properties_of(call.tool).get(name)))
            yield from read_space(source, _drop)
        close_arguments(call)
    call.complete = True
    if not (yield from ending.here(source)):
        raise CallBroken if (yield from source.peek()) else CallCut
    source.take_to(source.at + len(FUNCTIONS[mark]))
    call.whole = True


def read_pairs(source: Incoming, call: OpenCall) -> Reading[None]:
    """Read `<arg_key>name</arg_key><arg_value>text</arg_value>` again and again."""
    while (yield from _PAIR.here(source)):
        source.take_to(source.at + len(_KEY))
        name = (yield from _up_to(source, _KEY_END)).strip()
        yield from read_space(source, _drop)
        if not (yield from _PAIR_VALUE.here(source)):
            raise CallBroken if (yield from source.peek()) else CallCut
        source.take_to(source.at + len(_VALUE))
        text = yield from _text(source, call, _VALUE_END)
        write_argument(call, name, typed(text, properties_of(call.tool).get(name)))
        yield from read_space(source, _drop)
    close_arguments(call)
    call.complete = True
    if not (yield from _ENDINGS.here(source)):
        raise CallBroken if (yield from source.peek()) else CallCut
    call.whole = True


def _text(source: Incoming, call: OpenCall, ending: str) -> Reading[str]:
    """Read an argument's text and the tag that ends it."""
    pieces: list[str] = []
    while True:
        pieces.append((yield from _up_to(source, ending)))
        blank: list[str] = []
        char = yield from read_blank(source, blank)
        if not char or (yield from _AFTER.here(source)):
            break
        pieces += [ending, *blank]
    text = "".join(pieces)
    if any(mark in text for mark in _DOUBTFUL):
        call.doubtful = True
    if text.startswith("\n") and text.endswith("\n") and len(text) > 1:
        return text[1:-1]
    return text


def _up_to(source: Incoming, mark: str) -> Reading[str]:
    """Read up to a mark and the mark; give the text before it. Raises CallCut."""
    pieces: list[str] = []
    while True:
        found = source.text.find(mark, source.at)
        if found >= 0:
            pieces.append(source.take_to(found))
            source.take_to(found + len(mark))
            return "".join(pieces)
        if source.over:
            source.take_to(len(source.text))
            raise CallCut
        # The mark may have begun at the very end of what has come.
        pieces.append(source.take_to(max(source.at, len(source.text) - len(mark) + 1)))
        yield


def _name_of(header: str) -> str:
    """Give the name in a tag: `name`, `"name"`, or `"name" string="true"`."""
    text = header.strip().rstrip("/")
    if text[:1] in ('"', "'"):
        return text[1:].partition(text[0])[0]
    return text.strip()


def typed(text: str, schema: Any) -> Any:
    """Give what a text means: itself where its schema takes a string, else the JSON in it."""
    kinds = _kinds(schema)
    if "string" in kinds and not ({"object", "array", "null"} & kinds and _is_data(text)):
        return text
    try:
        value = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text
    if "string" in kinds and not isinstance(value, dict | list | None):
        return text
    return value


def _is_data(text: str) -> bool:
    return text.strip()[:1] in ("{", "[") or text.strip() == "null"


def _kinds(schema: Any) -> set[str]:
    """Give the types that a schema admits, as far as it names them; a bare enum has its values'."""
    if not isinstance(schema, dict):
        return set()
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    for key in ("anyOf", "oneOf"):
        for each in schema.get(key) or ():
            found |= _kinds(each)
    values = [*(schema.get("enum") or ()), *([schema["const"]] if "const" in schema else [])]
    if not found and any(isinstance(value, str) for value in values):
        found.add("string")
    return found


def _drop(text: str) -> None:
    """Space between tags says nothing."""

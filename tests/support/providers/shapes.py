"""Closed descriptions of JSON: a field that no reference names is a fault.

A shape is called with a value and its JSON path, and gives what the value breaks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any, str], list[str]]


def anything(value: Any, where: str) -> list[str]:
    """Any JSON value."""
    return []


def flag(value: Any, where: str) -> list[str]:
    """True or false."""
    return [] if isinstance(value, bool) else [_wrong(where, "true or false", value)]


def text(*, least: int = 0, most: int | None = None, pattern: str | None = None) -> Shape:
    """A string of `least` to `most` characters that the whole `pattern` fits."""

    def check(value: Any, where: str) -> list[str]:
        if not isinstance(value, str):
            return [_wrong(where, "a string", value)]
        if len(value) < least or (most is not None and len(value) > most):
            return [f"{where}: has {len(value)} characters, not {least} to {most or 'any'}"]
        if pattern is not None and not re.fullmatch(pattern, value):
            return [f"{where}: {value[:80]!r} does not fit {pattern}"]
        return []

    return check


def word(*allowed: str) -> Shape:
    """One of these strings."""

    def check(value: Any, where: str) -> list[str]:
        if isinstance(value, str) and value in allowed:
            return []
        return [_wrong(where, " or ".join(map(repr, allowed)), value)]

    return check


def number(least: float | None = None, most: float | None = None, *, whole: bool = False) -> Shape:
    """A number between the bounds, both included."""

    def check(value: Any, where: str) -> list[str]:
        kinds = (int,) if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            return [_wrong(where, "an integer" if whole else "a number", value)]
        if (least is not None and value < least) or (most is not None and value > most):
            return [f"{where}: {value} is not between {least} and {most}"]
        return []

    return check


def whole(least: int | None = None, most: int | None = None) -> Shape:
    """An integer between the bounds, both included."""
    return number(least, most, whole=True)


def maybe(shape: Shape) -> Shape:
    """The shape or null."""
    return lambda value, where: [] if value is None else shape(value, where)


def listed(shape: Shape, *, least: int = 0, most: int | None = None) -> Shape:
    """A list of the shape."""

    def check(value: Any, where: str) -> list[str]:
        if not isinstance(value, list):
            return [_wrong(where, "a list", value)]
        faults = []
        if len(value) < least or (most is not None and len(value) > most):
            faults.append(f"{where}: has {len(value)} items, not {least} to {most or 'any'}")
        for index, item in enumerate(value):
            faults += shape(item, f"{where}[{index}]")
        return faults

    return check


def mapping(shape: Shape) -> Shape:
    """An object with any names and values of the shape."""

    def check(value: Any, where: str) -> list[str]:
        if not isinstance(value, dict):
            return [_wrong(where, "an object", value)]
        return [fault for key in value for fault in shape(value[key], f"{where}.{key}")]

    return check


json_object = mapping(anything)


def record(
    required: Mapping[str, Shape] | None = None, optional: Mapping[str, Shape] | None = None
) -> Shape:
    """An object with these fields and no other."""
    must, known = dict(required or {}), {**(optional or {}), **(required or {})}

    def check(value: Any, where: str) -> list[str]:
        if not isinstance(value, dict):
            return [_wrong(where, "an object", value)]
        faults = [f"{where}.{name}: unknown field" for name in value if name not in known]
        faults += [f"{where}.{name}: missing" for name in must if name not in value]
        for name, shape in known.items():
            if name in value:
                faults += shape(value[name], f"{where}.{name}")
        return faults

    return check


def one_of(fields: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """An object with exactly one of these fields, and maybe some of the optional ones."""
    closed = record({}, {**fields, **(optional or {})})

    def check(value: Any, where: str) -> list[str]:
        faults = closed(value, where)
        chosen = [name for name in fields if isinstance(value, dict) and name in value]
        if isinstance(value, dict) and len(chosen) != 1:
            faults.append(f"{where}: needs exactly one of {', '.join(fields)}, has {chosen}")
        return faults

    return check


def tagged(tag: str, shapes: Mapping[str, Shape], *, default: str | None = None) -> Shape:
    """An object whose field `tag` says which shape it has."""

    def check(value: Any, where: str) -> list[str]:
        if not isinstance(value, dict):
            return [_wrong(where, "an object", value)]
        name = value.get(tag, default)
        if not isinstance(name, str) or name not in shapes:
            return [f"{where}.{tag}: {name!r} is none of {', '.join(shapes)}"]
        return shapes[name](value, where)

    return check


def either(*shapes: Shape) -> Shape:
    """One of the shapes; the nearest one tells what is wrong: first one of the value's kind."""

    def distance(faults: list[str], where: str) -> tuple[bool, int]:
        return any(fault.startswith(f"{where}: must be ") for fault in faults), len(faults)

    def check(value: Any, where: str) -> list[str]:
        return min(
            (shape(value, where) for shape in shapes), key=lambda found: distance(found, where)
        )

    return check


def _wrong(where: str, wanted: str, value: Any) -> str:
    return f"{where}: must be {wanted}, is {type(value).__name__} {str(value)[:60]!r}"

"""Values that nearly fit a JSON Schema, made to fit it: the least change, never a guess.

What is changed, where a value breaks the schema and only there:

- a number, `true` or `null` written as text, or a text's number; 0 and 1 for a boolean
- one value where a list of such is wanted, and a list of one where its value is
- an object or list written as JSON text
- a word of an enum in other case or joined in another way, a date in another order of marks
- a key in another spelling; a key that the schema forbids goes, unless it may be a misspelled one
- `null` where it may not stand: the default, or nothing where nothing is required
- what is required, missing and has a default

What could mean two things stays as it is. A whole object or list is never cut.
"""

from __future__ import annotations

import copy
import difflib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from .lenient import DoubtError, read_lenient
from .names import letters_of
from .schema import fits, resolve_ref

_DEEPEST = 64
_MOST_STEPS = 5_000  # visits of a schema by a value; alternatives inside one another multiply
_WORDS = {"true": True, "false": False, "1": True, "0": False}
# What a change costs: of two ways to fit alternatives the cheaper one is meant.
_CONVERTED, _REBUILT, _DROPPED = 1, 3, 10


def coerce(value: Any, schema: Mapping[str, Any]) -> tuple[Any, bool]:
    """Give a value that fits a JSON Schema, and whether it had to be changed.

    A value that fits, or that cannot be made to, comes back as it is. The schema's own judge has
    the last word. The value itself is never touched.
    """
    if fits(schema, value):
        return value, False
    try:
        found, _ = _Coercer(schema).fit(value, schema)
    except RecursionError:
        return value, False
    if _same(found, value) or not fits(schema, found):
        return value, False
    return found, True


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON: 1 is not true."""
    return json.dumps(one) == json.dumps(other)


class _Coercer:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._shared = {key: root[key] for key in ("$defs", "definitions") if key in root}
        self._depth = 0
        self._left = _MOST_STEPS

    def fit(self, value: Any, schema: Any) -> tuple[Any, int]:
        """Give the value as near to a schema as it can be brought, and what that cost."""
        self._left -= 1
        if self._depth >= _DEEPEST or self._left < 0:
            return value, 0
        self._depth += 1
        try:
            return self._fit(value, schema)
        finally:
            self._depth -= 1

    def _fit(self, value: Any, schema: Any) -> tuple[Any, int]:
        if not isinstance(schema, Mapping):
            return value, 0
        cost = 0
        if isinstance(schema.get("$ref"), str):
            value, cost = self.fit(value, resolve_ref(self._root, schema["$ref"]))
        for part in _schemas(schema.get("allOf")):
            value, more = self.fit(value, part)
            cost += more
        for key in ("anyOf", "oneOf"):
            if branches := list(_schemas(schema.get(key))):
                value, more = self._one_of(value, branches)
                cost += more
        if "enum" in schema or "const" in schema:
            found, more = _enumerated(value, schema)
            return found, cost + more
        found, more = self._typed(value, schema)
        return found, cost + more

    def _one_of(self, value: Any, branches: list[Mapping[str, Any]]) -> tuple[Any, int]:
        """Bring a value to the alternative that it is nearest to; two as near leave it."""
        if any(self._fits(branch, value) for branch in branches):
            return value, 0
        ways = []
        for branch in branches:
            found, cost = self.fit(value, branch)
            if cost and self._fits(branch, found):
                ways.append((cost, found))
        if not ways:
            return value, 0
        cheapest = min(cost for cost, _ in ways)
        first, *others = [found for cost, found in ways if cost == cheapest]
        return (first, cheapest) if all(_same(first, each) for each in others) else (value, 0)

    def _fits(self, schema: Any, value: Any) -> bool:
        return not isinstance(schema, Mapping) or fits({**schema, **self._shared}, value)

    def _typed(self, value: Any, schema: Mapping[str, Any]) -> tuple[Any, int]:
        types = _types(schema)
        if not types or _has_type(value, types):
            return self._inside(value, schema)
        if value is None:
            return value, 0
        for kind in types:
            found = _converted(value, kind)
            if found is not None:
                return (found[0], _CONVERTED)
        if isinstance(value, str) and (opened := _opened(value, types)) is not None:
            return self._rebuilt(opened, schema)
        if "array" in types:
            return self._rebuilt([value], schema)
        if isinstance(value, list) and len(value) == 1:
            found_value, cost = self._typed(value[0], schema)
            return found_value, cost + _REBUILT
        return value, 0

    def _rebuilt(self, value: Any, schema: Mapping[str, Any]) -> tuple[Any, int]:
        found, cost = self._inside(value, schema)
        return found, cost + _REBUILT

    def _inside(self, value: Any, schema: Mapping[str, Any]) -> tuple[Any, int]:
        if isinstance(value, dict):
            return self._object(value, schema)
        if isinstance(value, list):
            return self._list(value, schema)
        if isinstance(value, str) and schema.get("format") in ("date", "date-time"):
            found = _dated(value, whole=schema["format"] == "date-time")
            return found, _CONVERTED if found != value else 0
        return value, 0

    def _list(self, value: list[Any], schema: Mapping[str, Any]) -> tuple[list[Any], int]:
        items = schema.get("items")
        first = schema.get("prefixItems", items if isinstance(items, list) else [])
        rest = items if isinstance(items, Mapping) else {}
        found, cost = [], 0
        for place, item in enumerate(value):
            fitting, more = self.fit(item, first[place] if place < len(first) else rest)
            # One of several that lacks its list: perhaps they all are in one that lacks.
            wrapped = isinstance(fitting, list) and not isinstance(item, list)
            if wrapped and len(value) > 1 and len(fitting) == 1:
                fitting, more = item, 0
            found.append(fitting)
            cost += more
        return found, cost

    def _object(self, value: dict[str, Any], schema: Mapping[str, Any]) -> tuple[Any, int]:
        named = schema.get("properties")
        properties: Mapping[str, Any] = named if isinstance(named, Mapping) else {}
        asked = schema.get("required")
        required = asked if isinstance(asked, list) else []
        others = schema.get("additionalProperties", True)
        value, cost = _respelled(value, properties, required, closed=others is False)
        found: dict[str, Any] = {}
        for key, item in value.items():
            own = properties.get(key, others)
            if key not in properties:
                if others is False and "patternProperties" not in schema:
                    missing = [name for name in properties if name not in value]
                    if not difflib.get_close_matches(key, missing, n=1, cutoff=0.75):
                        cost += _DROPPED
                        continue
            elif item is None and not self._fits(own, None):
                if "default" in own:
                    item = copy.deepcopy(own["default"])
                    cost += _CONVERTED
                elif key not in required:
                    cost += _CONVERTED
                    continue
            found[key], more = self.fit(item, own)
            cost += more
        for key in required:
            if key not in found and "default" in _mapping(properties.get(key)):
                found[key] = copy.deepcopy(properties[key]["default"])
                cost += _CONVERTED
        return found, cost


def _mapping(schema: Any) -> Mapping[str, Any]:
    return schema if isinstance(schema, Mapping) else {}


def _schemas(value: Any) -> Iterable[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else ()


def _types(schema: Mapping[str, Any]) -> list[str]:
    declared = schema.get("type", [])
    return [declared] if isinstance(declared, str) else list(declared)


def _has_type(value: Any, types: list[str]) -> bool:
    if isinstance(value, bool) or value is None:
        return ("null" if value is None else "boolean") in types
    if isinstance(value, int):
        return "integer" in types or "number" in types
    if isinstance(value, float):
        return "number" in types or ("integer" in types and value.is_integer())
    if isinstance(value, str):
        return "string" in types
    return ("array" if isinstance(value, list) else "object") in types


def _converted(value: Any, kind: str) -> tuple[Any] | None:
    """Give a text, number or boolean as the same thing of another type."""
    if kind == "string" and isinstance(value, bool | int | float):
        return (json.dumps(value),)
    if kind == "boolean" and (isinstance(value, str) or value in (0, 1)):
        word = str(value).strip().casefold()
        return (_WORDS[word],) if word in _WORDS else None
    if not isinstance(value, str):
        return None
    if kind == "null" and value.strip().casefold() in ("null", "none"):
        return (None,)
    if kind in ("integer", "number"):
        number = _number(value.strip())
        if number is None or (kind == "integer" and number != int(number)):
            return None
        return (int(number) if kind == "integer" else number,)
    return None


def _number(text: str) -> int | float | None:
    if not text.isascii() or text.strip("0123456789+-.eE"):
        return None
    try:
        found = float(text) if text.strip("0123456789+-") else int(text)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _opened(text: str, types: list[str]) -> Any:
    """Give the object or list that a text holds as JSON, when one of the kind is wanted."""
    stripped = text.strip()
    wanted = {"{": "object", "[": "array"}.get(stripped[:1])
    if wanted not in types:
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    try:
        reading = read_lenient(stripped)
    except (DoubtError, ValueError):
        return None
    whole = not reading.cut and not stripped[reading.end :].strip()
    return reading.value if whole else None


def _enumerated(value: Any, schema: Mapping[str, Any]) -> tuple[Any, int]:
    """Give the one allowed value that this is a spelling of."""
    allowed = list(schema.get("enum") or ()) + ([schema["const"]] if "const" in schema else [])
    if any(_same(value, each) for each in allowed):
        return value, 0
    if isinstance(value, list) and len(value) == 1:
        found, cost = _enumerated(value[0], schema)
        return found, cost + _REBUILT
    for spelled in (_plain, str.casefold, _joined):
        wanted = spelled(_plain(value))
        found_all = [each for each in allowed if spelled(_plain(each)) == wanted]
        if found_all:
            one = found_all[0] if len(found_all) == 1 else value
            return one, _CONVERTED if len(found_all) == 1 else 0
    return value, 0


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _joined(text: str) -> str:
    """Give a text without what joins its words; a sign or a range of numbers stays."""
    kept = [
        char
        for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False)
        if char not in " _-"
        or not (before.isalnum() and after.isalnum())
        or (before.isdigit() and after.isdigit())
    ]
    return "".join(kept).casefold()


def _respelled(
    value: dict[str, Any], properties: Mapping[str, Any], required: list[Any], *, closed: bool
) -> tuple[dict[str, Any], int]:
    """Give the object with keys named as the schema names them, where only the spelling differs."""
    missing: dict[str, list[str]] = {}
    for name in properties:
        if name not in value and (closed or name in required):
            missing.setdefault(letters_of(name), []).append(name)
    strange: dict[str, list[str]] = {}
    for key in value:
        if key not in properties:
            strange.setdefault(letters_of(key), []).append(key)
    names = {
        keys[0]: missing[letters][0]
        for letters, keys in strange.items()
        if letters and len(keys) == 1 and len(missing.get(letters, ())) == 1
    }
    return {names.get(key, key): item for key, item in value.items()}, len(names) * _CONVERTED


def _dated(text: str, *, whole: bool) -> str:
    """Give a date, or a date and time with its zone, as ISO writes it, if the year stands first."""
    day = text.strip().split(" ")[0].split("T")[0]
    time = text.strip()[len(day) + 1 :]
    if len(day) == 8 and _is_digits(day):
        day = f"{day[:4]}-{day[4:6]}-{day[6:]}"
    pieces = day.replace("/", "-").replace(".", "-").split("-")
    if not all(map(_is_digits, pieces)) or [len(pieces[0]), len(pieces)] != [4, 3]:
        return text
    iso = "-".join(piece.zfill(2) for piece in pieces)
    clock, zone = _clock(time)
    if not whole:
        midnight = set(clock + zone) <= set("0:.Z+")
        return iso if midnight else text
    return f"{iso}T{clock}{zone}" if clock and zone else text


def _clock(time: str) -> tuple[str, str]:
    """Give the time of a day with its seconds, and its zone; two empty texts for neither."""
    text = time.strip().upper().removesuffix("UTC")
    text = text.rstrip() + "Z" if len(text) < len(time.strip()) else text
    start = max(text.find("+"), text.find("-"), text.find("Z"))
    clock, zone = (text[:start].strip(), text[start:]) if start >= 0 else (text, "")
    pieces = clock.split(":")
    if len(pieces) not in (2, 3) or not all(map(_is_digits, ":".join(pieces).split(":")[:2])):
        return "", ""
    return ":".join([piece.zfill(2) for piece in pieces] + ["00"] * (3 - len(pieces))), zone


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()

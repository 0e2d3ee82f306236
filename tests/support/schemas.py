"""Small JSON Schemas with values that fit them, and the ways in which models break such values."""

from __future__ import annotations

import copy
import json
import string
from typing import Any

from hypothesis import strategies as st

WORDS = st.text(string.ascii_letters, min_size=1, max_size=6)
NAMES = ["city", "user_id", "maxResults", "tags", "is-open", "note"]
ENUMS = [["red", "blue"], ["light_blue", "dark-blue"], ["inProgress", "done"]]


def _leaf() -> st.SearchStrategy[tuple[dict[str, Any], Any]]:
    pairs: list[Any] = [
        ({"type": "integer"}, st.integers(-999, 999)),
        ({"type": "number"}, st.integers(-99, 99) | st.floats(-99, 99, width=16)),
        ({"type": "boolean"}, st.booleans()),
        ({"type": "string"}, WORDS),
        ({"type": "string", "format": "date"}, st.dates().map(str)),
        ({"type": ["integer", "null"]}, st.integers(0, 99) | st.none()),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, st.booleans() | st.none()),
        *(({"enum": values}, st.sampled_from(values)) for values in ENUMS),
    ]
    return st.one_of(*(values.map(lambda value, s=schema: (s, value)) for schema, values in pairs))


@st.composite
def _list_of(draw: Any, inner: Any) -> tuple[dict[str, Any], Any]:
    schema, value = draw(inner)
    return {"type": "array", "items": schema}, [value] * draw(st.integers(0, 2))


@st.composite
def _object_of(draw: Any, inner: Any) -> tuple[dict[str, Any], Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    value: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=3)):
        properties[name], item = draw(inner)
        needed, there = draw(st.booleans()), draw(st.booleans())
        if needed:
            required.append(name)
            if draw(st.booleans()):
                properties[name] = {**properties[name], "default": item}
        if needed or there:
            value[name] = item
    schema = {"type": "object", "properties": properties, "required": required}
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    return schema, value


INNER = st.recursive(_leaf(), lambda inner: _list_of(inner) | _object_of(inner), max_leaves=5)
OBJECTS = _object_of(INNER)


def breakages(schema: dict[str, Any], value: Any) -> list[Any]:
    """Give what models make of a value: each breaks it in one place."""
    found: list[Any] = []
    if isinstance(value, bool):
        found += [str(value), str(value).lower(), [value]]
    elif isinstance(value, int | float):
        found += [json.dumps(value), [value]]
    elif isinstance(value, str):
        found += [[value]]
        if "enum" in schema:
            found += [value.upper(), value.replace("_", " ").replace("-", " ")]
        if schema.get("format") == "date":
            found += [value.replace("-", "/"), value.replace("-", ""), f"{value}T00:00:00Z"]
    elif isinstance(value, list):
        found += [json.dumps(value)]
        found += value if len(value) == 1 and value != [None] else []
        for place, item in enumerate(value):
            for broken in breakages(schema["items"], item):
                found.append([*value[:place], broken, *value[place + 1 :]])
    elif isinstance(value, dict):
        found += [json.dumps(value), [value], {**value, "zz_other": 1}]
        for name, own in schema["properties"].items():
            if name not in value:
                found.append({**value, name: None})
                continue
            rest = {key: item for key, item in value.items() if key != name}
            if "default" in own:
                found += [rest, {**value, name: None}]
            found.append({**rest, name.upper(): value[name]})
            found += [{**value, name: broken} for broken in breakages(own, value[name])]
    return copy.deepcopy(found)

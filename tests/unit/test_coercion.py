"""Values made to fit a schema: what is changed, what is left alone, and never another value."""

import copy
import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pagehand.coercion import coerce
from pagehand.schema import fits
from tests.support.schemas import INNER, OBJECTS, breakages

WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
YES = {"type": "boolean"}
LIST = {"type": "array", "items": WHOLE}


def fields(*required, closed=False, **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {**schema, "additionalProperties": False} if closed else schema


def exact(value):
    return json.dumps(value)


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (WHOLE, "5", 5),
        (WHOLE, " -5 ", -5),
        (WHOLE, "3.0", 3),
        ({"type": "number"}, "3.5", 3.5),
        ({"type": "number"}, "1e3", 1000.0),
        (YES, "true", True),
        (YES, "False", False),
        (YES, 1, True),
        (YES, "0", False),
        (TEXT, 5, "5"),
        (TEXT, 1.5, "1.5"),
        (TEXT, True, "true"),
        (TEXT, ["a"], "a"),
        (LIST, 5, [5]),
        (LIST, "5", [5]),
        (LIST, ["1", 2], [1, 2]),
        (LIST, "[1, 2]", [1, 2]),
        ({"type": "array", "items": TEXT}, "['a', 'b']", ["a", "b"]),
        ({"type": "array", "items": LIST}, 1, [[1]]),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"type": ["integer", "null"]}, "None", None),
        ({"anyOf": [WHOLE, {"type": "null"}]}, "7", 7),
        ({"anyOf": [WHOLE, LIST]}, "7", 7),
        ({"oneOf": [YES, WHOLE]}, "true", True),
        ({"allOf": [fields(a=WHOLE), fields(b=YES)]}, {"a": "1", "b": "true"}, {"a": 1, "b": True}),
        ({"enum": ["red", "blue"]}, "Red", "red"),
        ({"enum": ["light_blue", "blue"]}, "Light Blue", "light_blue"),
        ({"enum": ["inProgress"]}, "in-progress", "inProgress"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": ["1", "2"]}, 2, "2"),
        ({"const": "on"}, "ON", "on"),
        ({"enum": ["a", "b"]}, ["b"], "b"),
        (fields(a=WHOLE), '{"a": 1}', {"a": 1}),
        (fields(a=WHOLE), "{'a': 1,}", {"a": 1}),
        (fields(a=WHOLE), [{"a": 1}], {"a": 1}),
        (fields(a=fields(b=LIST)), {"a": {"b": ["1"]}}, {"a": {"b": [1]}}),
        (fields(a=WHOLE), {"a": None}, {}),
        (fields(a={**WHOLE, "default": 3}), {"a": None}, {"a": 3}),
        (fields("a", a={**WHOLE, "default": 3}), {}, {"a": 3}),
        (fields(a=WHOLE, closed=True), {"a": 1, "zebra": 2}, {"a": 1}),
        (fields("user_id", user_id=WHOLE), {"userId": 1}, {"user_id": 1}),
        (fields(user_id=WHOLE, closed=True), {"User-ID": 1}, {"user_id": 1}),
        ({"type": "object", "additionalProperties": WHOLE}, {"x": "1"}, {"x": 1}),
        (
            {"$defs": {"N": fields(n=WHOLE, next={"$ref": "#/$defs/N"})}, "$ref": "#/$defs/N"},
            {"n": "1", "next": {"n": "2"}},
            {"n": 1, "next": {"n": 2}},
        ),
        (
            {
                "oneOf": [
                    fields("kind", "r", kind={"const": "circle"}, r=WHOLE),
                    fields("kind", "w", kind={"const": "square"}, w=WHOLE),
                ]
            },
            {"kind": "Circle", "r": "2"},
            {"kind": "circle", "r": 2},
        ),
        ({"type": "string", "format": "date"}, "2026/12/01", "2026-12-01"),
        ({"type": "string", "format": "date"}, "2026-12-1", "2026-12-01"),
        ({"type": "string", "format": "date"}, "2026-12-01T00:00:00Z", "2026-12-01"),
        ({"type": "string", "format": "date-time"}, "2026-12-01 10:00Z", "2026-12-01T10:00:00Z"),
        ({"type": "string", "format": "date-time"}, "2026/12/1 9:05 UTC", "2026-12-01T09:05:00Z"),
        (
            {"type": "string", "format": "date-time"},
            "2026-12-01 10:00:30.5+02:00",
            "2026-12-01T10:00:30.5+02:00",
        ),
    ],
    ids=lambda case: json.dumps(case)[:40],
)  # fmt: skip
def test_what_is_made_to_fit(schema, value, expected):
    found, changed = coerce(value, schema)
    assert changed
    assert exact(found) == exact(expected)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (WHOLE, "5.7"),
        (WHOLE, 5.7),
        (WHOLE, "abc"),
        (WHOLE, ""),
        (WHOLE, True),
        (WHOLE, "٣"),
        (WHOLE, "1,000"),
        (WHOLE, [1, 2]),
        (WHOLE, []),
        (WHOLE, None),
        ({"type": "number"}, "1e999"),
        (YES, "yes"),
        (YES, 2),
        (YES, ""),
        (TEXT, ["a", "b"]),
        (TEXT, {"a": 1}),
        (TEXT, None),
        ({"type": "array", "items": LIST}, [1, 2]),
        (LIST, "1, 2"),
        (LIST, None),
        ({"type": "integer", "maximum": 3}, "5"),
        ({"enum": ["red", "blue"]}, "green"),
        ({"enum": ["red", "Red"]}, "RED"),
        ({"enum": ["-1"]}, "+1"),
        ({"enum": ["1-2"]}, "12"),
        ({"anyOf": [fields("a", a=LIST), fields("b", b=LIST)]}, {"c": 1}),
        (fields("a", a=WHOLE), {"a": None}),
        (fields("a", a=WHOLE), {}),
        (fields("city", city=TEXT, closed=True), {"location": "x"}),
        (fields(units=TEXT, closed=True), {"unitz": "f"}),  # perhaps that very one
        (fields("userId", "user_id", userId=WHOLE, user_id=WHOLE), {"USERID": 1}),
        (fields("a", a=WHOLE), '{"a": 1'),
        ({"type": "string", "format": "date"}, "01/02/2026"),
        ({"type": "string", "format": "date"}, "2026-12-01T10:00:00Z"),
        ({"type": "string", "format": "date"}, "2026-13-01"),
        ({"type": "string", "format": "date-time"}, "2026-12-01 10:00"),  # of which zone?
    ],
    ids=lambda case: json.dumps(case)[:40],
)
def test_what_is_not_certain_stays(schema, value):
    before = copy.deepcopy(value)
    found, changed = coerce(value, schema)
    assert not changed
    assert found is value
    assert exact(value) == exact(before)


def test_a_schema_that_leads_nowhere_ends():
    loop = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 3}}, "$ref": "#/$defs/A"}
    assert coerce({"a": "5"}, loop) == ({"a": "5"}, False)
    deep = fields(a=WHOLE)
    value = {"a": "1"}
    for _ in range(60):
        deep, value = fields(a=deep), {"a": value}
    assert isinstance(coerce(value, deep)[1], bool)
    wide = {"anyOf": [fields(a={"anyOf": [fields(b=WHOLE)] * 9})] * 9}
    assert coerce({"a": {"b": "x"}}, wide) == ({"a": {"b": "x"}}, False)


@settings(deadline=None)
@given(INNER)
def test_a_valid_value_stays(pair):
    schema, value = pair
    assert fits(schema, value)
    assert coerce(value, schema) == (value, False)


@settings(deadline=None)  # each schema is compiled
@given(OBJECTS, st.data())
def test_a_broken_value_comes_back_or_stays_broken(pair, data):
    schema, value = pair
    broken = data.draw(st.sampled_from(breakages(schema, value)))
    assume(not fits(schema, broken))
    found, changed = coerce(broken, schema)
    if changed:
        assert fits(schema, found)
        # Of a key that may be missing, `null` says no more than nothing does.
        assert sorted_json(without_empty(found, schema)) == sorted_json(
            without_empty(value, schema)
        )


def sorted_json(value):
    return json.dumps(value, sort_keys=True)


def without_empty(value, schema):
    """Give a value without what stands at its default."""
    if isinstance(value, list):
        return [without_empty(item, schema["items"]) for item in value]
    if not isinstance(value, dict):
        return value
    named = schema["properties"]
    return {
        key: without_empty(item, named[key])
        for key, item in value.items()
        if item is not None and not ("default" in named[key] and named[key]["default"] == item)
    }

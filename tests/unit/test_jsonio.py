"""Partial, found and repaired JSON, and the watcher that follows a stream."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedResponseError
from pagehand.jsonio import JsonWatcher, find_json, parse_partial, repair_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [true, {"c": "d', {"a": 1, "b": [True, {"c": "d"}]}),
        ('{"a": 1', {}),
        ('{"a": 12,', {"a": 12}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\u00e', {"a": "x"}),
        ('{"a": tru', {}),
        ('{"key', {}),
        ("[1, 2", [1]),
        ('"half', "half"),
        ("", None),
        ("nonsense", None),
        ("}", None),
    ],
)
def test_partial(text, value):
    assert parse_partial(text) == value


def contains(whole, part) -> bool:
    """Whether `part` is what a beginning of `whole` may say."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and contains(whole[key], value) for key, value in part.items()
        )
    if isinstance(part, list):
        return (
            isinstance(whole, list) and len(part) <= len(whole) and all(map(contains, whole, part))
        )
    if isinstance(part, str):
        return isinstance(whole, str) and whole.startswith(part)
    return whole == part or (whole != whole and part != part)


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), st.booleans(), st.data())
def test_a_beginning_says_nothing_wrong(value, ascii, data):
    text = json.dumps(value, ensure_ascii=ascii)
    cut = data.draw(st.integers(0, len(text)))
    part = parse_partial(text[:cut])
    assert part is None or contains(value, part)
    assert parse_partial(text) == value


@given(VALUES)
def test_strict_json_is_read_as_it_is(value):
    assert repair_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Sure:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ("{'a': 1, b: [1, 2,]}", {"a": 1, "b": [1, 2]}),
        ('I [think] so: {"a": {"b": 2}} ok', {"a": {"b": 2}}),
        ('{"a": "cut off', {"a": "cut off"}),
        ("```\n{'x': True}\n```", {"x": True}),
    ],
)
def test_repair(text, value):
    assert repair_json(text) == value


@pytest.mark.parametrize("text", ["", "no json here", "42 is the answer", "[1" * 2_000], ids=len)
def test_beyond_repair(text):
    with pytest.raises(MalformedResponseError):
        repair_json(text)


def test_find_gives_the_first_whole_value():
    assert find_json('x {broken [1, 2] {"a": 1}') == [1, 2]
    assert find_json("nothing") is None


def test_deep_nesting_is_no_crash():
    assert parse_partial("[" * 100_000) is None
    assert find_json("[" * 100_000) is None


PLANS = st.fixed_dictionaries(
    {
        "thought": st.text(max_size=30),
        "steps": st.lists(
            st.fixed_dictionaries({"description": st.text(max_size=15), "n": VALUES}), max_size=4
        ),
        "other": VALUES,
    }
)


@given(PLANS, st.booleans(), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_the_watcher_tells_exactly_what_is_there(plan, ascii, sizes):
    text = json.dumps(plan, ensure_ascii=ascii)
    thought, steps = [], []
    watcher = JsonWatcher(
        texts={("thought",): thought.append}, values={("steps", "*"): steps.append}
    )
    position = turn = 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        watcher.feed(text[position : position + size])
        position, turn = position + size, turn + 1
    assert "".join(thought) == plan["thought"]
    assert steps == plan["steps"]


@given(st.text(max_size=60))
def test_the_watcher_bears_anything(text):
    told = []
    watcher = JsonWatcher(texts={("a",): told.append}, values={("b",): told.append})
    for char in text:
        watcher.feed(char)


def test_the_watcher_keeps_surrogate_pairs_whole():
    told = []
    watcher = JsonWatcher(texts={("a",): told.append})
    for char in '{"a": "\\ud83d\\ude00!"}':
        watcher.feed(char)
    assert "".join(told) == "😀!"
    assert all(delta.encode() for delta in told)


@pytest.mark.parametrize("odd", ["\\ud83d", "C:\\users", "\\ud83d\\n", "\\ud83d\\u0041"])
def test_the_watcher_goes_on_after_what_is_no_character(odd):
    text = '{"thought": "a ' + odd + ' b", "steps": [{"n": 1}]}'
    told, steps = [], []
    watcher = JsonWatcher(texts={("thought",): told.append}, values={("steps", "*"): steps.append})
    for char in text:
        watcher.feed(char)
    assert steps == [{"n": 1}]
    assert "".join(told).startswith("a ") and "".join(told).endswith(" b")


def test_the_watcher_gives_up_on_a_well():
    watcher = JsonWatcher(values={("steps", "*"): print})
    watcher.feed("[" * 200_000)

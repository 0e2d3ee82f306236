"""Broken JSON: pairs recorded by two libraries, and the same kinds in spellings of our own."""

import json
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagehand import MalformedResponseError
from pagehand.jsonio import mend_json, repair_json

NULL = "nothing stands where a value is due: null, as the other library says, not an empty text"
NO_JSON = "the library's output is no JSON: there is no value, so it is refused"
PROSE = "words without quotes or brackets are prose, not a value"
LINE_END = "a line end written into a text is content: a file keeps its last one"
PYTHON = "a bare word of Python is its value, as the other library says of True and None"
GUESSED = "the end of a text is missing: what the other library takes for its content is kept"

# Where we read otherwise, and why.
JSON_REPAIR = {
    '{"key": true, "key2": false, "key3": }': NULL,
    '{"key": , "key2": "value2"}': NULL,
    "]": NO_JSON,
    '"': NO_JSON,
    "\n": NO_JSON,
    "string": NO_JSON,
    '{"bad_one":["Lorem Ipsum", "consectetur" comment" ], "good_one":[ "elit", "sed", "tempor"]}': (
        "one quote within a text is a part of it: `(5'3\")`"
    ),
    '{ "key": { "key2": "value2" # comment }, "key3": "value3" }': (
        "a comment ends with its line, as the library itself says of //"
    ),
    "{:}": "marks without any content are no object",
    '{"a":"x}``` [1,2]\n","b":"y"}': LINE_END,
    '{"a":"x}``` [http://x]\n","b":"y"}': LINE_END,
    '{"a":"x}``` [foo[bar]\n","b":"y"}': LINE_END,
    '{"a":"x}``` [{\n","b":"y"}': LINE_END,
    '{"a":"x}``` [foo, [bar]\n","b":"y"}': LINE_END,
    '{"a":"x}``` [1,[2],k:v]\n","b":"y"}': LINE_END,
    '{"a":"x}``` (1,(2),k:v)\n","b":"y"}': LINE_END,
    '{"a":"x}``` // c\n [1,2]\n","b":"y"}': LINE_END,
    '{"a":"x}``` // c\n [1,2],\n","b":"y"}': LINE_END,
    "False": PYTHON,
    "Null": PYTHON,
    '{"key": "value}\\\\\\"more"}': "it is strict JSON and stays what it says",
}
JSONREPAIR = {
    "false_value": PROSE,
    "nullifiable": PROSE,
    "abc": PROSE,
    "hello   world": PROSE,
    "https://www.bible.com/": PROSE,
    "foo": PROSE,
    "foo 2 bar": PROSE,
    "e": PROSE,
    "0.0.1": PROSE,
    "234..5": PROSE,
    "/\\//": PROSE,
    '/foo"; console.log(-1); "/': PROSE,
    "1\n2": PROSE,
    '["hello, world]': GUESSED,
    '["hello +]': GUESSED,
    '"hello +': GUESSED,
    '["abc+/*comment*/"def"]': "a comment inside a text is a part of it",
    '"\\a"': "an escape that JSON has not stays as it is: regular expressions, Windows paths",
    '[\\"hello\\, \\"world\\"]': "an escaped comma and two escaped quotes: no sense is certain",
    "[{{]": "two openings without any content are no objects",
}


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def reading(text):
    """Give the value of a text as JSON, None where it is refused."""
    try:
        return json.dumps(repair_json(text), sort_keys=True)
    except MalformedResponseError:
        return None


def written(row):
    """Give the value of a row's output as JSON, None for what is refused or no JSON."""
    if "error" in row:
        return None
    kwargs, output = row.get("kwargs", {}), row["output"]
    if kwargs.get("logging"):
        output = output[0]  # with its log behind it
    if not kwargs.get("return_objects") and isinstance(output, str):
        try:
            output = json.loads(output)
        except ValueError:
            return None
    return json.dumps(output, sort_keys=True)


@pytest.mark.parametrize(
    ("name", "differing", "count"),
    [("json_repair.jsonl", JSON_REPAIR, 139), ("jsonrepair.jsonl", JSONREPAIR, 178)],
)
def test_recorded_pairs(material, name, differing, count):
    pairs = [
        row
        for row in rows(material / "json-repair" / name)
        if row.get("fn", "repair_json") == "repair_json"
        and not {"schema", "strict", "stream_stable"} & set(row.get("kwargs", {}))
    ]
    assert len(pairs) == count
    found = {row["input"] for row in pairs if reading(row["input"]) != written(row)}
    assert found == {text for text, reason in differing.items() if reason is not NO_JSON}
    assert all(reading(text) is None for text, reason in differing.items() if reason is NO_JSON)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1 /* one */, // two\n "b": 2, # three\n}', {"a": 1, "b": 2}),
        ("{a: [1 , 2,, 3,], 'b': ‘x’, “c”: “y”}", {"a": [1, 2, 3], "b": "x", "c": "y"}),
        ('{"a": True, "b": None, "c": undefined}', {"a": True, "b": None, "c": None}),
        ('{"a": NaN, "b": [Infinity, -Infinity]}', {"a": None, "b": [None, None]}),
        ('{"n": .5, "m": 1_000, "zip": 01234}', {"n": 0.5, "m": 1000, "zip": "01234"}),
        ('{"a": "x" "b": "y"}', {"a": "x", "b": "y"}),
        ('{"a": {"b": [1, 2}', {"a": {"b": [1, 2]}}),
        ('{"a": 1}}', {"a": 1}),
        ('{{"a":: "x"", "b": y"}}', {"a": "x", "b": "y"}),
        ('{"say": "he said "no"", "b": 1}', {"say": 'he said "no"', "b": 1}),
        ('{"say": "he said "no" twice"}', {"say": 'he said "no" twice'}),
        ('{"code": "print("hi")", "n": 1}', {"code": 'print("hi")', "n": 1}),
        ('{"say": "“quoted” inside",}', {"say": "“quoted” inside"}),
        ('{“say”: “he said "no" to it”}', {"say": 'he said "no" to it'}),
        ("{'say': 'it's mine'}", {"say": "it's mine"}),
        ('{"pattern": "\\d+\\s", "path": "C:\\users"}', {"pattern": r"\d+\s", "path": r"C:\users"}),
        ('{"face": "\\ud83d\\ude00",}', {"face": "😀"}),
        ('{"at": Date("2026-12-01"), "where": (1, 2)}', {"at": "2026-12-01", "where": [1, 2]}),
        ('{\\"a\\": \\"b\\"}', {"a": "b"}),
        ('{"text": "' + "long " * 40_000 + '",}', {"text": "long " * 40_000}),
        ('{"a": {"b": 1}, c: {"d": [1, 2]}} and more', {"a": {"b": 1}, "c": {"d": [1, 2]}}),
        ('So: {"a": {"b": 1}, c: {"d": [1, 2]}} and more', {"a": {"b": 1}, "c": {"d": [1, 2]}}),
        ('Here:\n```json\n{"a": "```", b: 1}\n```\nDone.', {"a": "```", "b": 1}),
        ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}{"a": 1}', {"a": 1}),
        ('{"a": 1} [see 2]', {"a": 1}),
        ('"a quoted\ntext"', "a quoted\ntext"),
        ("callback({a: 1});", {"a": 1}),
    ],
    ids=lambda case: str(case)[:40],
)
def test_kinds_of_breakage(text, value):
    assert repair_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}{"a": 2}',
        '"Yes" and "no" she said',
        "A list [of things] and {another} one",
        "get_weather",
        '"{\\"a\\": 1}""{\\"a\\": 2}"',
        "[" * 5_000,
        '{"a": ' * 5_000,
    ],
    ids=lambda text: text[:30],
)
def test_what_is_not_certain_is_refused(text):
    with pytest.raises(MalformedResponseError):
        repair_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b c',
        '{"a": "b c"',
        '{"a": 12',
        '{"a": tru',
        '{"a": ',
        '{"a": 1,',
        '{"a"',
        '{"a": "b" // {"c": 1}',
        '{"a": "b\\',
        '{"a": "b\\u00',
    ],
)
def test_a_text_that_ends_inside_a_value_is_told(text):
    assert mend_json(text).cut == (text != '{"a": "b c"')


@pytest.mark.parametrize(
    ("text", "guessed"),
    [
        ('{"a": "x {"b": 1} y"}', True),
        ('{"a:"b"}', False),
        ('{"a": [1, 2],}', False),
    ],
)
def test_a_guess_that_may_be_another_value_is_told(text, guessed):
    assert mend_json(text).guessed == guessed


WORDS = st.text(string.ascii_letters + "äß漢 -_.", min_size=1, max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=3)


@given(OBJECTS, st.sampled_from(["trailing comma", "comment", "fence", "prose", "raw lines"]))
def test_breakage_around_the_texts_changes_no_value(value, kind):
    text = json.dumps(value, ensure_ascii=False)
    broken = {
        "trailing comma": text[:-1] + ",}",
        "comment": "{/* {} */" + text[1:],
        "fence": f"Sure.\n```json\n{text}\n```",
        "prose": f"Sure: {text} as asked.",
        "raw lines": text.replace("\\n", "\n"),
    }[kind]
    assume(kind != "raw lines" or "\\\\n" not in text)
    assert repair_json(broken) == value


@given(st.dictionaries(WORDS, PLAIN, min_size=1, max_size=3), st.sampled_from("'“‘"))
def test_other_quotes_change_no_value(value, quote):
    closing = {"“": "”", "‘": "’"}.get(quote, quote)
    pieces = json.dumps(value, ensure_ascii=False).split('"')
    text = "".join(
        piece + (quote if place % 2 == 0 else closing) for place, piece in enumerate(pieces[:-1])
    )
    assert repair_json(text + pieces[-1]) == value


@given(st.text("{}[]\"':,\\ntrue0123456789.ab /*#“”`(\n", max_size=80))
def test_any_text_is_read_or_refused(text):
    value = reading(text)
    assert value is None or json.dumps(json.loads(value), sort_keys=True) == value


HOSTILE = [
    '"', "[", '{"a":', '"a "b" c ', ",", "abc ", '\\"', "```", '{"x": "a, {"k": 1}, ', "/*",
    '"" ', '"a,"', "{}\n", '" #', '"+"', "“", "'", '{"a":1}{', "{a:",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("head", ["", '{"k": "', "["])
def test_hostile_texts_come_to_an_end(head, unit):
    assert isinstance(reading(head + unit * (40_000 // len(unit))) or "", str)

"""Calls that models break: each comes back as it was meant, or is refused. Never another call."""

import itertools
import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.tools.prompted import ToolCallStream, extract_tool_calls
from pagehand.tools.tool import define_tool

TOOL = define_tool(
    "save_entry",
    "Save an entry",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "body": {"type": "string"},
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "done": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "place": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "level": {"type": "integer"}},
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
    },
    lambda arguments: None,
)
OTHER = define_tool("list_entries", "List", {"type": "object", "properties": {}}, lambda _: None)
TOOLS = [TOOL, OTHER]

# What trips readers: brackets, quotes, marks of every format, escapes and comments in the content.
TRICKY = [
    "</tool_call>", "<tool_call>", "```", "<think>", "</think>", "{", "}", "[", "]", '"', "'", "\\",
    "//", "/*", "#", ",", ":", "\n", "\t", "“", "”", "’", "[TOOL_CALLS]", "NaN", "true", "None",
    "é", "😀", "</s>", "<|tool_call_end|>", " ", "a", "b(c=1)", '{"name": "list_entries"}',
]  # fmt: skip
texts = st.lists(st.sampled_from(TRICKY) | st.text(max_size=6), max_size=6).map("".join)
texts = texts.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
arguments = st.fixed_dictionaries(
    {},
    optional={
        "title": texts,
        "body": texts,
        "count": st.integers(-1000, 1000),
        "ratio": st.floats(allow_nan=False, allow_infinity=False, width=32),
        "done": st.booleans(),
        "tags": st.lists(texts, max_size=3),
        "place": st.fixed_dictionaries({}, optional={"city": texts, "level": st.integers(0, 9)}),
    },
)


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def tags_of(values, opening, closing):
    """Arguments as text between tags; None where their text holds such tags itself."""
    lines = []
    for name, value in values.items():
        text = value if isinstance(value, str) else dumps(value)
        if "<parameter" in text or "</" in text.replace("</tool_call>", "").replace("</s>", ""):
            return None
        lines.append(f"{opening.format(name)}\n{text}\n{closing}")
    return "\n".join(lines)


def xml(name, values):
    inner = tags_of(values, "<parameter={}>", "</parameter>")
    return (
        None
        if inner is None
        else f"<tool_call>\n<function={name}>\n{inner}\n</function>\n</tool_call>"
    )


def invoke(name, values):
    inner = tags_of(values, '<parameter name="{}">', "</parameter>")
    if inner is None:
        return None
    return f'<function_calls><invoke name="{name}">{inner}</invoke></function_calls>'


def python_call(name, values):
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})"


# Formats that hold the call as a JSON object, and those that hold the name and the arguments apart.
OBJECTS = {
    "tags": "<tool_call>{}</tool_call>",
    "tags in lines": "Now:\n<tool_call>\n{}\n</tool_call>\n",
    "fenced": "```tool_call\n{}\n```",
    "json fence": "So:\n```json\n{}\n```",
    "envelope": '{{"reply": "ok", "actions": [{}]}}',
    "openai": '{{"tool_calls": [{{"type": "function", "function": {}}}]}}',
    "list": "[{}]",
    "bare": "{}",
    "table": "| what | call |\n| --- | --- |\n| save | {} |\n",
    "mistral": "[TOOL_CALLS][{}]",
    "llama": "<|python_tag|>{}",
    "granite": "<tool_call> [{}]",
    "cohere": "<|START_ACTION|>[{}]<|END_ACTION|>",
    "functools": "functools[{}]",
}
APART = {
    "mistral args": lambda name, text: f"[TOOL_CALLS]{name}[ARGS]{text}",
    "mistral new": lambda name, text: f"[TOOL_CALLS]{name}{text}",
    "llama function": lambda name, text: f"<function={name}>{text}</function>",
    "deepseek": lambda name, text: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{text}"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "kimi": lambda name, text: (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0"
        f"<|tool_call_argument_begin|>{text}<|tool_call_end|><|tool_calls_section_end|>"
    ),
}
WRITTEN = {
    "xml": xml,
    "invoke": invoke,
    "python list": lambda name, values: f"[{python_call(name, values)}]",
    "lfm2": lambda n, v: f"<|tool_call_start|>[{python_call(n, v)}]<|tool_call_end|>",
    "llama call": lambda n, v: f"<|python_tag|>{python_call(n, v)}",
}


def outside_strings(text):
    """The places in a JSON text that are in no string."""
    places, inside, escaped = [], False, False
    for place, char in enumerate(text):
        if not inside:
            places.append(place)
        if inside and char == "\\" and not escaped:
            escaped = True
            continue
        if char == '"' and not escaped:
            inside = not inside
        escaped = False
    return places


def replaced(text, wanted, replacement, only_outside=True):
    places = set(outside_strings(text)) if only_outside else set(range(len(text)))
    return "".join(
        replacement(char) if place in places and char in wanted else char
        for place, char in enumerate(text)
    )


def smart_quotes(text):
    opened = False
    pieces = []
    escaped = False
    for char in text:
        if char == '"' and not escaped:
            opened = not opened
            pieces.append("“" if opened else "”")
        else:
            pieces.append(char)
        escaped = char == "\\" and not escaped
    return "".join(pieces)


def bare_keys(text):
    for key in ("name", "arguments", *TOOL.input_schema["properties"]):
        text = text.replace(f'"{key}":', f"{key}:")
    return text


def structure(text):
    return [place for place in outside_strings(text) if text[place] in '{}[]",:']


def unlike_an_end(value):
    """Arguments whose content looks like no call's end: behind one quote more it would be one."""
    if isinstance(value, dict):
        return {key: unlike_an_end(each) for key, each in value.items()}
    if isinstance(value, list):
        return [unlike_an_end(each) for each in value]
    return (
        "".join(char for char in value if char not in "{}[]<`") if isinstance(value, str) else value
    )


# Each takes a JSON text and a number from 0 to 1 that says where.
MUTATIONS = {
    "none": lambda text, where: text,
    "trailing commas": lambda text, where: replaced(text, "}]", lambda char: "," + char),
    "smart quotes": lambda text, where: smart_quotes(text),
    "python": lambda text, where: repr(json.loads(text)),
    "bare keys": lambda text, where: bare_keys(text),
    "comments": lambda text, where: replaced(text, ",", lambda char: ", // don't { \n"),
    "block comments": lambda text, where: replaced(text, ":", lambda char: ": /* \" { */ "),
    "spread out": lambda text, where: json.dumps(json.loads(text), ensure_ascii=False, indent=2),
    "raw newlines": lambda text, where: text.replace("\\n", "\n"),
    "one more brace": lambda text, where: text + "}",
    "one brace less": lambda text, where: text[:-1],
    "a bit of structure lost": lambda text, where: without(text, where),
    "a bracket or comma more": lambda text, where: twice(text, where, "{}[],:"),
    "a quote more": lambda text, where: twice(text, where, '"'),
}  # fmt: skip


def without(text, where):
    places = structure(text)
    place = places[min(int(where * len(places)), len(places) - 1)]
    return text[:place] + text[place + 1 :]


def twice(text, where, wanted):
    places = [place for place in structure(text) if text[place] in wanted]
    if not places:
        return text
    place = places[min(int(where * len(places)), len(places) - 1)]
    return text[: place + 1] + text[place:]


names = st.sampled_from(
    ["save_entry", "functions.save_entry", "saveEntry", "SAVE_ENTRY", "save_entrysave_entry"]
)


def check(text, wanted, cuts, reason="stop", must_run=False):
    """Reads a text whole and in pieces: the same parts, and the wanted call or none."""
    whole = read([text], reason)
    places = sorted({int(cut * len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    assert read(pieces, reason) == whole
    runnable = [
        part.call for part in whole if part.type == "tool-call-end" and not part.call.broken
    ]
    found = [(call.name, call.arguments) for call in runnable]
    assert found in ([("save_entry", wanted)], []), text
    if must_run:
        assert found, (text, whole)
    return found


def read(pieces, reason):
    stream = ToolCallStream(TOOLS)
    parts = [part for piece in pieces for part in stream.feed(piece)]
    return joined(parts + stream.finish(reason))


def joined(parts):
    """Parts with neighbours of one kind put together; checks the promises that hold for any."""
    found, open_calls = [], {}
    for part in parts:
        if part.type == "tool-call-start":
            open_calls[part.id] = [part.name, ""]
        elif part.type == "tool-call-delta":
            open_calls[part.id][1] += part.arguments_delta
        elif part.type == "tool-call-end" and part.call.id in open_calls:
            assert open_calls.pop(part.call.id) == [part.call.name, part.call.raw]
        last = found[-1] if found else None
        if last is not None and last.type == part.type:
            if part.type in ("text-delta", "reasoning-delta"):
                last.text += part.text
                continue
            if part.type == "tool-call-delta" and part.id == last.id:
                last.arguments_delta += part.arguments_delta
                continue
        found.append(part)
    assert not open_calls
    return found


cuts = st.lists(st.floats(0, 1), max_size=5)
wheres = st.floats(0, 1)


@pytest.mark.parametrize("mutation", MUTATIONS)
@settings(max_examples=150, deadline=None)
@given(
    format=st.sampled_from(list(OBJECTS)), name=names, values=arguments, where=wheres, pieces=cuts
)
def test_a_broken_call_in_an_object(format, mutation, name, values, where, pieces):
    values = unlike_an_end(values) if mutation == "a quote more" else values
    whole = dumps({"name": name, "arguments": values})
    broken = MUTATIONS[mutation](whole, where)
    text = OBJECTS[format].format(broken)
    check(text, values, pieces, must_run=mutation in ("none", "spread out"))


@pytest.mark.parametrize("mutation", MUTATIONS)
@settings(max_examples=100, deadline=None)
@given(format=st.sampled_from(list(APART)), name=names, values=arguments, where=wheres, pieces=cuts)
def test_broken_arguments_behind_a_name(format, mutation, name, values, where, pieces):
    values = unlike_an_end(values) if mutation == "a quote more" else values
    text = APART[format](name, MUTATIONS[mutation](dumps(values), where))
    check(text, values, pieces, must_run=mutation in ("none", "spread out"))


@settings(max_examples=300, deadline=None)
@given(
    format=st.sampled_from([*OBJECTS, *APART]),
    values=arguments,
    where=wheres,
    pieces=cuts,
    reason=st.sampled_from(["stop", "length"]),
)
def test_an_output_that_ends_anywhere(format, values, where, pieces, reason):
    if format in OBJECTS:
        text = OBJECTS[format].format(dumps({"name": "save_entry", "arguments": values}))
    else:
        text = APART[format]("save_entry", dumps(values))
    check(text[: int(where * len(text))], values, pieces, reason)


@pytest.mark.parametrize("format", WRITTEN)
@settings(max_examples=60, deadline=None)
@given(values=arguments, name=names, pieces=cuts, end=st.none() | wheres)
def test_calls_that_are_not_json(format, values, name, pieces, end):
    text = WRITTEN[format](name, values)
    if text is None:
        return
    if end is not None:
        text = text[: int(end * len(text))]
    check(text, values, pieces, must_run=end is None)


@settings(max_examples=100, deadline=None)
@given(
    format=st.sampled_from(["tags", "envelope", "bare", "openai"]),
    values=arguments,
    pieces=cuts,
    times=st.integers(1, 2),
)
def test_arguments_that_are_a_string_of_json(format, values, pieces, times):
    text = dumps(values)
    for _ in range(times):
        text = dumps(text)
    check(OBJECTS[format].format(f'{{"name": "save_entry", "arguments": {text}}}'), values, pieces)


@settings(max_examples=100, deadline=None)
@given(format=st.sampled_from(["tags", "list", "fenced", "mistral"]), values=arguments, pieces=cuts)
def test_doubled_arguments_are_said_once(format, values, pieces):
    text = dumps(values)
    call = f'{{"name": "save_entry", "arguments": {text}{text}}}'
    check(OBJECTS[format].format(call), values, pieces, must_run=True)


@settings(max_examples=50, deadline=None)
@given(values=arguments, others=arguments)
def test_arguments_that_differ_are_no_call(values, others):
    text = f'{{"name": "save_entry", "arguments": {dumps(values)}{dumps(others)}}}'
    found = extract_tool_calls(OBJECTS["tags"].format(text), TOOLS)
    wanted = [values] if dumps(values) == dumps(others) else []
    # The same in another order may be taken for one call, or not.
    allowed = (wanted, [values]) if values == others else (wanted,)
    assert [call.arguments for call in found.calls] in allowed


PLAIN = string.ascii_letters + string.digits + " \n\t.,;:!?()*_-#>|\"'“”/\\é😀"


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet=PLAIN, max_size=200), pieces=cuts)
def test_prose_comes_back_unchanged(text, pieces):
    check_prose(text, pieces)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(texts, each, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(value=json_values, before=st.text(alphabet=PLAIN, max_size=20), pieces=cuts)
def test_json_in_prose_is_prose(value, before, pieces):
    text = f"{before} {json.dumps(value)} ok."
    if any(mark in text for mark in ("<", "`", "[TOOL_CALLS]", "b(")):
        return
    check_prose(text, pieces)


def check_prose(text, pieces):
    places = sorted({int(cut * len(text)) for cut in pieces} | {0, len(text)})
    parts = read([text[a:b] for a, b in itertools.pairwise(places)], "stop")
    assert "".join(part.text for part in parts) == text


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from(TRICKY) | texts, max_size=12).map("".join), pieces=cuts)
def test_any_text_in_any_pieces_gives_the_same_parts(text, pieces):
    places = sorted({int(cut * len(text)) for cut in pieces} | {0, len(text)})
    whole = read([text], "length")
    assert read([text[a:b] for a, b in itertools.pairwise(places)], "length") == whole
    assert read(list(text), "length") == whole

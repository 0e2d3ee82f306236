"""The reader of calls in text: what it finds, when, and what it leaves alone."""

import json

import pytest

from pagehand import ConfigError
from pagehand.tools.prompted import ToolCallStream, extract_tool_calls
from pagehand.tools.tool import define_tool


def tool(name, required=(), **kinds):
    properties = {
        key: {"type": kind} if isinstance(kind, str) else kind for key, kind in kinds.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return define_tool(name, f"The tool {name}", schema, lambda arguments: None, read_only=True)


TOOLS = [
    tool("get_weather", ["city"], city="string", days="integer"),
    tool("web_search", ["query"], query="string"),
    tool("ping"),
    tool("add", ["a", "b"], a="integer", b="integer"),
    tool("write_file", ["path", "content"], path="string", content="string", mode="integer"),
    tool("run", ["command"], command="string"),
    tool(
        "plot",
        points={"type": "array", "items": {"type": "number"}},
        label={"type": ["string", "null"]},
    ),
]
WEATHER = ("get_weather", {"city": "Paris"})
JSON = '{"name": "get_weather", "arguments": {"city": "Paris"}}'


def found(text, **options):
    parsed = extract_tool_calls(text, TOOLS, **options)
    return parsed.text, [(call.name, call.arguments) for call in parsed.calls], parsed.errors


def told(*pieces, reason="stop", **options):
    """Every part in short, as it comes out of each piece and of the end."""
    stream = ToolCallStream(TOOLS, **options)
    return [
        [short(part) for part in parts]
        for parts in (*map(stream.feed, pieces), stream.finish(reason))
    ]


def short(part):
    match part.type:
        case "tool-call-start":
            return ("start", part.id, part.name)
        case "tool-call-delta":
            return ("delta", part.arguments_delta)
        case "tool-call-end":
            state = "cut" if part.call.cut else "broken" if part.call.broken else "end"
            return (state, part.call.name, part.call.arguments)
        case "warning":
            return ("warning", part.anew)
    return ("text" if part.type == "text-delta" else "thought", part.text)


@pytest.mark.parametrize(
    "text",
    [
        f"```tool_call\n{JSON}\n```",
        f"```json\n{JSON}\n```",
        f"```\n{JSON}```",
        f"```json\n[{JSON}]\n```",
        f"```xml\n<tool_call>{JSON}</tool_call>\n```",
        '```tool_code\nprint(get_weather(city="Paris"))\n```',
        '```python\nget_weather(city="Paris")\n```',
        '```tool_call\nget_weather\n{"city": "Paris"}\n```',
        f"<tool_call>{JSON}</tool_call>",
        f"<tool_call>\n[{JSON}]\n</tool_call>",
        f"<tool_call>{JSON}",
        f"<tool_call> [{JSON}]",
        f"<tool_call>{JSON}</function_call>",
        f"<function_call>{JSON}</function_call>",
        f"<tool_calls>[{JSON}]</tool_calls>",
        f"<tool_calls>\n<tool_call>{JSON}</tool_call>\n</tool_calls>",
        f"<|tool_call|>[{JSON}]",
        f"<TOOLCALL>[{JSON}]</TOOLCALL>",
        "<tool_call><function=get_weather><parameter=city>\nParis\n</parameter></function></tool_call>",
        '<tool_call><function=get_weather>{"city": "Paris"}</function></tool_call>',
        '<function=get_weather>{"city": "Paris"}</function>',
        '<function name="get_weather"><param name="city">Paris</param></function>',
        '<function_calls><invoke name="get_weather"><parameter name="city">Paris</parameter>'
        "</invoke></function_calls>",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
        '<tool_call>get_weather{"city": "Paris"}</tool_call>',
        '{"actions": [{"tool": "get_weather", "args": {"city": "Paris"}}]}',
        '{"actions": {"tool": "get_weather", "args": {"city": "Paris"}}, "reply": ""}',
        '{"tool": "get_weather", "input": {"city": "Paris"}}',
        '{"function": "get_weather", "parameters": "{\\"city\\": \\"Paris\\"}"}',
        '{"arguments": {"city": "Paris"}, "name": "get_weather"}',
        '{"name": "get_weather", "city": "Paris"}',
        f"[{JSON}]",
        '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "get_weather", '
        '"arguments": "{\\"city\\": \\"Paris\\"}"}}]}',
        "{'tool_calls': [{'type': 'function', 'function': {'name': 'get_weather', 'arguments': "
        "'{\"city\": \"Paris\"}'}, 'index': None, 'strict': True}]}",
        f"[TOOL_CALLS][{JSON}]",
        f"[TOOL_CALLS] {JSON}",
        '[TOOL_CALLS]get_weather{"city": "Paris"}',
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}</s>',
        '[TOOL_CALLS]get_weather[CALL_ID]a1b2c3[ARGS]{"city": "Paris"}',
        f"<|python_tag|>{JSON}<|eom_id|>",
        '<|python_tag|>get_weather.call(city="Paris")',
        "[get_weather(city='Paris')]",
        "[get_weather('Paris')]",
        '[get_weather({"city": "Paris"})]',
        '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
        f"<|tool_call_start|>{JSON}<|tool_call_end|>",
        f"functools[{JSON}]",
        '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
        "| tool | call |\n|---|---|\n" f"| weather | {JSON} |",
    ],
)  # fmt: skip
def test_every_format(text):
    said, calls, errors = found(text)
    assert (calls, errors) == ([WEATHER], [])
    assert said in ("", "| tool | call |\n|---|---|\n| weather | |")
    before, calls, errors = found(f"I look.\n{text}")
    assert (calls, errors) == ([WEATHER], [])
    assert before.startswith("I look.\n")


def test_formats_mixed_and_in_a_row():
    text = (
        f"One. <tool_call>{JSON}</tool_call>\n<tool_call>{JSON}</tool_call> two "
        '```tool_call\n{"name": "ping"}\n``` three [add(a=1, b=2), ping()] '
        "[TOOL_CALLS]ping{}[TOOL_CALLS]ping[ARGS]{} <function=ping></function> end."
    )
    said, calls, errors = found(text)
    assert errors == []
    assert calls == [WEATHER, WEATHER, ("ping", {}), ("add", {"a": 1, "b": 2}), *[("ping", {})] * 4]
    assert said == "One. two three end."


def test_a_call_streams_as_it_is_written():
    pieces = [
        'Let me see. <tool_c', 'all>{"name": "get_wea', 'ther", "argum', 'ents": {"city": "P',
        'aris"}', "}", "</tool_call>", " Done.",
    ]  # fmt: skip
    assert told(*pieces) == [
        [("text", "Let me see. ")],
        [],
        [("start", "call_0", "get_weather")],
        [("delta", '{"city": "P')],
        [("delta", 'aris"}')],
        [],
        [("end", "get_weather", {"city": "Paris"})],
        [("text", "Done.")],
        [],
    ]  # fmt: skip


def test_arguments_in_tags_stream_one_by_one():
    pieces = [
        "<function=add><parameter=a>",
        "1</parameter><parameter=b>2</par",
        "ameter></function>",
    ]
    assert told(*pieces) == [
        [("start", "call_0", "add")],
        [("delta", '{"a": 1')],
        [("delta", ', "b": 2}')],
        [("end", "add", {"a": 1, "b": 2})],
    ]  # fmt: skip


def test_text_is_passed_on_at_once():
    assert told("Hel", "lo <", "b>bold</b> and ", "<tool", "s> {", '"a": 1} [x', "](y)") == [
        [("text", "Hel")],
        [("text", "lo ")],
        [("text", "<b>bold</b> and ")],
        [],
        [("text", "<tools> ")],
        [("text", '{"a": 1} ')],
        [("text", "[x](y)")],
        [],
    ]


def test_the_reply_of_an_envelope_streams_as_text():
    pieces = [
        '{"reply": "Caf\\u00e',
        "9 \\ud83d",
        "\\ude00 \\",
        '"ok\\"',
        '", "actions": [{"tool": "ping"}]}',
    ]
    assert told(*pieces) == [
        [("text", "Caf")],
        [("text", "é ")],
        [("text", "😀 ")],
        [("text", '"ok"')],
        [("start", "call_0", "ping"), ("end", "ping", {})],
        [],
    ]  # fmt: skip


def test_ids_can_differ_by_round():
    parts = told(f"{JSON}{JSON}", id_prefix="call_3_")
    assert [part[1] for parts in parts for part in parts if part[0] == "start"] == [
        "call_3_0",
        "call_3_1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'An object {"a": 1}, a list [1, {"name": "get_weather"}] and {braces}.',
        '```json\n{"name": "Paris", "arguments": 2}\n```\nThat is JSON.',
        "```js\nget_weather({name: 1}); <tool_call>{\"name\": \"ping\"}</tool_call>\n```",
        "Use <tool_call> to call, and `<tool_call>{\"name\": \"ping\"}</tool_call>` is an example.",
        'A person: {"name": "Ping Pong", "input": "x"}',
        'The tool: {"name": "ping", "description": "It pings", "parameters": {}}',
        'Nested: {"example": {"name": "ping", "arguments": {}}}',
        'In a string: {"note": "say <tool_call>{\\"name\\": \\"ping\\"}</tool_call>"}',
        'Code: call({"name": "ping", "arguments": {}})',
        'The name {"name": "ping"} is the tool.',
        "I call ping() and then get_weather(city='x').",
        '{"actions": ["run", "jump"], "more": 1} are my habits.',
        "1 < 2, a <- b, x > y, <br/> and </div>",
        "\n\n  Leading and trailing space  \n",
    ],
)  # fmt: skip
def test_text_without_a_call_is_unchanged(text):
    assert found(text) == (text, [], [])


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo </tool_call>", '{"name": "run", "arguments": {"command": "echo </tool_call>"}}'),
        ("awk '{print $1", '{"name": "run", "arguments": {"command": "awk \'{print $1"}}'),
        ("}]} [", '{"name": "run", "arguments": {"command": "}]} ["}}'),
        ("<think>", '{"name": "run", "arguments": {"command": "<think>"}}'),
        ("```", '{"name": "run", "arguments": {"command": "```"}}'),
        ('say "hi"\\', '{"name": "run", "arguments": {"command": "say \\"hi\\"\\\\"}}'),
        ("😀", '{"name": "run", "arguments": {"command": "\\ud83d\\ude00"}}'),
    ],
)
@pytest.mark.parametrize("place", ["<tool_call>{}</tool_call>", "```tool_call\n{}\n```", "{}"])
def test_strings_are_strings(place, command, text):
    assert found(place.replace("{}", text)) == ("", [("run", {"command": command})], [])


def test_tags_in_the_text_between_tags():
    for content in (
        "Write <tool_call> and </tool_call>",
        "a</parameter> b",
        "<think>x",
        "{",
        "  x\n",
    ):
        text = (
            "<tool_call><function=write_file><parameter=path>\nx\n</parameter><parameter=content>\n"
            f"{content}\n</parameter><parameter=mode> 420 </parameter></function></tool_call>"
        )
        wanted = {"path": "x", "content": content, "mode": 420}
        assert found(text) == ("", [("write_file", wanted)], [])


def test_text_between_tags_is_typed_by_its_schema():
    text = (
        "<function=plot><parameter=points>[1, 2.5]</parameter>"
        "<parameter=label>{}</parameter></function>"
    )
    for written, wanted in (("null", None), ("12", "12"), ("true", "true"), ("x", "x")):
        assert found(text.format(written))[1] == [("plot", {"points": [1, 2.5], "label": wanted})]


@pytest.mark.parametrize(
    ("broken", "steps"),
    [
        (
            '{"name": "web_searchweb_search", "arguments": {"query": "a"}{"query": "a"}}',
            ("json", "name"),
        ),
        ("{“name”: “web_search”, “arguments”: {“query”: “a”}}", ("json",)),
        ('{"name": "web_search", "arguments": {"query": "a",},}', ("json",)),
        ('{"name": "web_search", /* a call */ "arguments": {"query": "a"} // done\n}', ()),
        ('{"name": "web_search", "arguments": {"query": /* { */ "a"}}', ("json",)),
        ('{name: "web_search", arguments: {query: "a"}}', ("json",)),
        ("{'name': 'web_search', 'arguments': {'query': 'a'}}", ("json",)),
        ('{"name": "functions.web_search", "arguments": {"query": "a"}}', ("name",)),
        ('{"name": "WebSearch", "arguments": {"query": "a"}}', ("name",)),
        ('{"name": "web_search", "arguments": "{\\"query\\": \\"a\\"}"}', ("json",)),
        (
            json.dumps({"name": "web_search", "arguments": json.dumps(json.dumps({"query": "a"}))}),
            ("json",),
        ),
        ('{"name": "web_search", "arguments": {"query": "a"}', ("json",)),
        ('{"name": "web_search", "arguments": {"query": "a"}}}', ("json",)),
    ],
)  # fmt: skip
def test_what_is_broken_is_repaired_and_said(broken, steps):
    parsed = extract_tool_calls(f"<tool_call>{broken}</tool_call>", TOOLS)
    assert [(call.name, call.arguments) for call in parsed.calls] == [
        ("web_search", {"query": "a"})
    ]
    assert parsed.errors == []
    assert parsed.calls[0].repairs == steps


def test_a_number_that_is_none_is_repaired_or_refused():
    text = '<tool_call>{"name": "plot", "arguments": {"points": [1], "label": NaN}}</tool_call>'
    assert found(text)[1] in ([("plot", {"points": [1], "label": None})], [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<tool_call>{"name": "web_search", "arguments": {"query": "a}}</tool_call>', "quotes"),
        ('<tool_call>{"name": "run", "arguments": {"command": "say "hi""}}</tool_call>', "quotes"),
        ('<tool_call>{"name": "add", "arguments": {"a": 1}{"a": 2}}</tool_call>', "balance"),
        ('<tool_call>{"name": "plot", "arguments": {"points": [1, 2}}</tool_call>', "balance"),
        ('<tool_call>{"name": "no_tool", "arguments": {}}</tool_call>', "no_tool"),
        ('<tool_call>{"arguments": {"a": 1}}</tool_call>', "names no tool"),
        ('<tool_call>{"name": "add", "arguments": {"a": "x", "b": 1}}</tool_call>', "add"),
        (
            '<tool_call>{"name": "add", "parameters": {"type": "object", "properties": {}}}'
            "</tool_call>",
            "describes|fit|required|must",
        ),
        (
            "<function=write_file><parameter=path>x<parameter=content>y</parameter></function>",
            "certain",
        ),
        (
            "<function=add><parameter=a>1</parameter><parameter=a>2</parameter></function>",
            "certain",
        ),
        ("[add(1, 2)]", "balance"),
        ("[run(command=open('x'))]", "balance"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(text, problem):
    said, calls, errors = found(text)
    assert (said, calls, len(errors)) == ("", [], 1)
    assert any(word in errors[0] for word in problem.split("|"))


def test_the_last_closing_mark_ends_a_string_that_never_closes():
    text = '<tool_call>{"name": "run", "arguments": {"command": "ls}}</tool_call> I did.'
    assert found(text)[0] == " I did."


def test_an_unknown_tool_streams_nothing_and_is_told_at_its_end():
    assert told('<tool_call>{"name": "nope", "arguments": {"a": 1', "}}</tool_call>") == [
        [],
        [("broken", "nope", {})],
        [],
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Par',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}',
        '{"name": "get_weather", "arguments": {"city": ',
        "<function=get_weather><parameter=city>Paris</parameter>",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>",
        '[get_weather(city="Paris"',
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Pa',
    ],
)
def test_a_call_that_the_output_ends_in_is_cut(text):
    for reason in ("stop", "length"):
        parts = told(text, reason=reason)
        assert [part for part in parts[0] + parts[1] if part[0] == "start"] == [
            ("start", "call_0", "get_weather")
        ]
        assert parts[1][-1] == ("cut", "get_weather", {})


def test_a_missing_closing_mark_is_forgiven_where_the_model_stopped_itself():
    text = f"<tool_call>{JSON}"
    assert told(text)[1] == [("end", "get_weather", {"city": "Paris"})]
    assert told(text, reason="length")[1] == [("cut", "get_weather", {})]
    # Nothing is missing where no mark was due.
    assert told(JSON, reason="length")[1] == [("end", "get_weather", {"city": "Paris"})]


def test_the_first_of_two_runs_where_the_second_is_cut():
    text = f'<tool_call>{JSON}</tool_call><tool_call>{{"name": "ping", "argu'
    said, calls, errors = found(text)
    assert (said, calls) == ("", [WEATHER])
    assert errors == ["The call of 'ping' was not run: the output ends in it."]


def test_calls_in_thoughts_never_run():
    text = f"<think>Maybe <tool_call>{JSON}</tool_call>?</th"
    assert told(text, "ink>\n\nNo.") == [
        [("thought", f"Maybe <tool_call>{JSON}</tool_call>?")],
        [("text", "No.")],
        [],
    ]
    parsed = extract_tool_calls(f"a {JSON} <think>{JSON}</think> b", TOOLS)
    assert (parsed.text, parsed.reasoning, len(parsed.calls)) == ("a b", JSON, 1)


def test_a_closing_tag_alone_makes_thought_of_all_before_it():
    text = f"I try {JSON} first.</think>Now {JSON}"
    parts = [part for parts in told(text) for part in parts]
    assert parts[-1] == ("end", "get_weather", {"city": "Paris"})
    assert ("warning", True) in parts
    parsed = extract_tool_calls(text, TOOLS)
    assert parsed.reasoning == f"I try {JSON} first."
    assert (parsed.text, len(parsed.calls)) == ("Now ", 1)


def test_a_prompt_that_opened_a_thought():
    parsed = extract_tool_calls(f"hm {JSON}</think>ok {JSON}", TOOLS, starts_thinking=True)
    assert (parsed.reasoning, parsed.text, len(parsed.calls)) == (f"hm {JSON}", "ok ", 1)


def test_an_open_thought_ends_without_an_answer_and_says_so():
    assert told(f"<think>I call {JSON}") == [
        [("thought", f"I call {JSON}")],
        [("warning", False)],
    ]


@pytest.mark.parametrize(
    ("format", "reads"),
    [
        ("fenced", f"```tool_call\n{JSON}\n```"),
        ("tags", f"<tool_call>{JSON}</tool_call>"),
        ("tokens", f"[TOOL_CALLS][{JSON}]"),
        ("envelope", f'Sure: {{"reply": "", "actions": [{JSON}]}}'),
        ("json", JSON),
        ("python", '[get_weather(city="Paris")]'),
        ("python", 'get_weather(city="Paris")'),
    ],
)
def test_one_format_alone(format, reads):
    assert found(reads, format=format)[1:] == ([WEATHER], [])
    assert found(reads, format="none") == (reads, [], [])
    if format not in ("json", "envelope"):
        other = "tags" if format != "tags" else "fenced"
        assert found(reads, format=other) == (reads, [], [])


def test_a_format_alone_leaves_the_others_alone():
    assert found('[get_weather(city="Paris")]', format="json")[1] == []
    assert found(JSON, format="python")[1] == []
    assert found('{"reply": "hi"}', format="json")[0] == '{"reply": "hi"}'
    assert found('{"answer": "hi"}', format="envelope")[0] == "hi"
    assert found('{"answer": "hi"}')[0] == '{"answer": "hi"}'


def test_a_reply_with_quotes_that_are_not_escaped_is_said_whole():
    said, calls, _ = found('{"reply": "He said "hi" to me.", "actions": []}')
    assert (said, calls) == ('He said "hi" to me.', [])


def test_an_unknown_format_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'fenced'"):
        ToolCallStream(TOOLS, "fence")


def test_the_raw_text_is_what_streamed():
    arguments = {"query": "line\n" * 40_000}  # 200 KB
    text = f"<tool_call>{json.dumps({'name': 'web_search', 'arguments': arguments})}</tool_call>"
    stream = ToolCallStream(TOOLS)
    parts = [part for char in text for part in stream.feed(char)] + stream.finish()
    streamed = "".join(part.arguments_delta for part in parts if part.type == "tool-call-delta")
    assert parts[-1].call.raw == streamed == json.dumps(arguments)
    assert parts[-1].call.arguments == arguments


def test_tools_of_any_kind_are_taken():
    def add_note(text: str) -> None:
        """Add a note."""

    for tools in ([add_note], {"add_note": add_note}):
        parsed = extract_tool_calls('{"tool": "add_note", "args": {"text": "hi"}}', tools)
        assert [call.arguments for call in parsed.calls] == [{"text": "hi"}]
    assert extract_tool_calls(JSON, None).text == JSON

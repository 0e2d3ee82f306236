"""Outputs of real models, recorded in the tests of other readers: all are read at every cut.

What the sources state about an output was read by a person and stands here as data.
"""

import json
import re
from collections import Counter

import pytest

from pagehand.models.base import ReasoningDelta, TextDelta, ToolCallDelta, ToolCallStart
from pagehand.tools.prompted import ToolCallStream, extract_tool_calls
from pagehand.tools.tool import define_tool

STRING, INTEGER, NUMBER, BOOLEAN = (
    {"type": name} for name in ("string", "integer", "number", "boolean")
)
OBJECT, ARRAY = {"type": "object"}, {"type": "array"}
SCHEMAS = {
    "toggle": {"enabled": BOOLEAN},
    "set_config": {"config": OBJECT},
    "python": {"code": STRING},
    "get_time": {"city": STRING},
    "get_weather": {"city": STRING},
    "special_function": {"arg1": INTEGER},
    "special_function_with_opt": {"arg1": INTEGER, "arg2": INTEGER},
    "empty_args": {},
    "edit": {"filename": STRING, "oldString": STRING, "newString": STRING, "replaceAll": BOOLEAN},
    "run_in_terminal": {"command": STRING},
    "amount": {"orig": NUMBER},
    "todo_list": {"todos": {"type": "array", "items": OBJECT}},
    "tool_2req_4opt": {"req1": STRING, "req2": INTEGER, "opt1": STRING, "opt2": INTEGER},
    "set_nullable_str": {"name": {"type": ["string", "null"]}},
    "set_nullable_str_nf": {"name": {"type": ["null", "string"]}},
    "set_nullable_int": {"count": {"type": ["integer", "null"]}},
    "set_union": {
        "value": {"type": ["string", "object"]},
        "amount": {"type": ["string", "number"]},
    },
    "set_unit": {"unit": {"enum": ["celsius", "fahrenheit"]}},
    "magic_int": {"ref": INTEGER, "name": STRING},
    "nested_args": {"tags": ARRAY, "entries": ARRAY},
    "quoted_unquoted": {"quoted": STRING, "unquoted": STRING},
}  # fmt: skip
TOOLS = [
    define_tool(name, "", {"type": "object", "properties": properties}, lambda arguments: None)
    for name, properties in SCHEMAS.items()
]

HELLO = "Hello, world!\nWhat's up?"
THOUGHT = "I'm\nthinking"
ONE = ("special_function", {"arg1": 1})
TWO = [ONE, ("special_function_with_opt", {"arg1": 1, "arg2": 2})]


def says(text="", *calls, thought="", cut="", inside=False):
    """What an output holds. `cut`: whose call it ends in; `inside`: the prompt opened a thought."""
    return {"text": text, "thought": thought, "calls": list(calls), "cut": cut, "inside": inside}


def calls(*found, **more):
    return says("", *found, **more)


# By line in llama.cpp's test-chat.cpp.
EXPECTED = {
    2019: says(HELLO),
    2034: calls(("toggle", {"enabled": True})),
    2045: calls(("set_config", {"config": {"enabled": True, "count": 3}})),
    2073: calls(("python", {"code": "def hello():\n    print('hey')"})),
    2082: calls(("python", {"code": "First line\nSecond line\tindented"})),
    2090: calls(("python", {"code": 'print("hi")'})),
    2098: says("Let me check the time.", ("get_time", {"city": "Paris"})),
    2106: calls(*TWO),
    2116: calls(cut="special_function"),
    2123: calls(("empty_args", {})),
    2150: says(HELLO, thought=THOUGHT),
    2162: calls(ONE),
    2186: calls(*TWO),
    2260: calls(
        ("edit", {"filename": "foo.c", "oldString": "#iclunde", "newString": "#include\n"})
    ),
    2287: calls(("python", {"code": '    print("Hello, world!")'})),
    2317: calls(("run_in_terminal", {"command": "pwd"})),
    2392: calls(ONE),
    2426: says("Let me inspect the current directory.", ("run_in_terminal", {"command": "pwd"})),
    2618: calls(ONE),
    2634: calls(*TWO),
    2660: calls(
        ONE, thought='Let me think about [TOOL_CALLS]special_function[ARGS]{"arg1":1} and more'
    ),
    2684: says(HELLO, thought="thinking", inside=True),  # its prompt ends with "I'm"
    2716: calls(ONE),
    2728: calls(ONE, thought=THOUGHT),
    2740: calls(*TWO),
    2764: calls(("python", {"code": 'def hello():\n    print("Hello, world!")\n\nhello()'})),
    2785: says(
        '{"amount": 123.45, "date": "2025-12-03"}',
        thought="I need to output the invoice details in JSON",
    ),
    2824: says(HELLO, thought=THOUGHT),
    2837: calls(ONE, thought=THOUGHT),
    2847: calls(thought=THOUGHT, cut="special_function"),
    2857: calls(ONE),
    2877: says(HELLO, thought=THOUGHT),
    2916: calls(ONE),
    2938: calls(ONE, ("python", {"code": "print('hey')"}), thought=THOUGHT),
    2962: calls(thought=THOUGHT, cut="special_function"),
    2977: says("Hello, world!"),
    3046: calls(("get_time", {"city": "Paris"})),
    3092: calls(("amount", {"orig": 3.14})),
    3099: calls(("toggle", {"enabled": True})),
    3106: calls(("toggle", {"enabled": False})),
    3148: calls(("amount", {"orig": 1.5e10})),
    3173: says(HELLO),
    3299: says("The answer is 42.", thought="Let me think about this..."),
    3305: says("Hello, world!"),
    3340: says(HELLO, ONE),
    3393: says(HELLO, thought="thinking", inside=True),
    3411: calls(ONE),
    3464: calls(*TWO),
    3501: calls(
        (
            "edit",
            {
                "filename": "foo.cpp",
                "oldString": 'def foo(arg = "14"):\n    return arg + "bar"\n',
                "newString": 'def foo(arg = "15"):\n    pass\n',
            },
        )
    ),
    3539: says(HELLO, thought="thinking", inside=True),
    3581: says("Let me call it.", ONE),
    3597: calls(*TWO),
    3715: calls(
        (
            "todo_list",
            {
                "todos": [
                    {"item": "Check stuff", "selected": False},
                    {"item": "Prepare stuff", "selected": True},
                ]
            },
        )
    ),
    3748: calls(("tool_2req_4opt", {"req2": 42, "req1": "hello", "opt2": 200})),
    3832: calls(("set_nullable_str_nf", {"name": "hello world"})),
    3845: calls(("set_nullable_int", {"count": 42})),
    3871: calls(("set_union", {"value": {"a": 1}, "amount": "2 dollars"})),
    3898: calls(("set_unit", {"unit": "celsius"})),
    3953: calls(("get_time", {"city": "Tokyo"}), thought="REASONING"),
    4015: says(HELLO, thought=THOUGHT),
    4049: calls(
        ("get_time", {"city": "Paris"}), ("get_weather", {"city": "Paris"}), thought="Calling both"
    ),
    4069: says("Let me call the function.", ONE, thought="Thinking about it"),
    4106: calls(("amount", {"orig": 3.14}), thought="Test decimal"),
    4157: calls(("set_config", {"config": {"theme": "dark", "level": 2}}), thought="Test object"),
    4262: calls(ONE),
    4275: calls(
        ("get_time", {"city": "Paris"}), ("get_weather", {"city": "Paris"}), thought="Calling both"
    ),
    4315: calls(("magic_int", {"ref": 42, "name": "foo bar"}), thought="Multi-arg call"),
    4371: calls(ONE),
    4389: calls(ONE),
    4442: calls(*TWO),
    4560: says(
        "Preparing updates.",
        ("magic_int", {"ref": 42, "name": "上海"}),
        ("amount", {"orig": 2.5}),
        ("toggle", {"enabled": True}),
        ("set_config", {"config": {"source": "spark", "options": {"strict": True}}}),
        (
            "nested_args",
            {
                "tags": ["alpha", "测试"],
                "entries": [{"id": 1, "label": "first"}, {"id": 2, "label": "第二"}],
            },
        ),
        ("empty_args", {}),
    ),
    4742: says("Here is the answer."),
    4756: calls(("get_time", {"city": "Paris"})),
    4763: calls(("tool_2req_4opt", {"req2": 7, "req1": "hello"})),
    4773: calls(("tool_2req_4opt", {"req1": "hello", "req2": 7, "opt1": "extra"})),
    4784: calls(("magic_int", {"ref": 42})),
    4801: calls(("set_nullable_str", {"name": "hello world"})),
    4811: calls(("set_nullable_str", {"name": "123 Main St"})),
    4829: calls(("set_union", {"value": "plain text", "amount": "1abc"})),
    4889: says(thought="I was still thinking when the budget ran out", inside=True),
    4974: calls(ONE),
    4982: calls(ONE, thought="I'm thinking about this"),
    4992: says(HELLO, ONE),
    5001: calls(*TWO),
    5047: calls(("empty_args", {})),
    5055: calls(cut="special_function"),
    5249: says(
        "Let me check the time.",
        ("get_time", {"city": "Paris"}),
        thought="I need to call a function",
    ),
    5321: calls(("get_time", {"city": "XYZCITY"})),
    5328: calls(ONE, thought=THOUGHT),
    5352: says(
        "Let me check the time.",
        ("get_time", {"city": "XYZCITY"}),
        thought="I need to call a function",
    ),
    5385: calls(
        ONE,
        thought='Let me think about <tool_call>\n{"name": "special_function", "arguments": '
        '{"arg1": 2}}</tool_call> hmm',
    ),
    5454: calls(ONE),
    5503: says(HELLO, thought=THOUGHT),
    5837: says(HELLO, thought="thinking", inside=True),
    5852: calls(ONE, thought=THOUGHT),
    5893: says(HELLO),
    5951: says(f"all\n{HELLO}"),
    5971: calls(ONE),
    6070: calls(ONE),
    6192: calls(ONE),
    6260: calls(*TWO),
    6290: says(HELLO, ONE),
    6450: calls(thought=THOUGHT),
    6464: calls(ONE),
    6478: calls(ONE),
    6531: says(
        '{"amount": 123.45, "date": "2025-12-03"}',
        thought="I need to output the invoice details in JSON",
    ),
    6634: calls(
        ("special_function", {"arg1": 42555916}), thought="Let me call the special function"
    ),
    6651: calls(
        ("special_function_with_opt", {"arg1": 42555916}),
        thought="Let me call the special function with opt",
    ),
    6703: calls(
        ("quoted_unquoted", {"quoted": '"foo"', "unquoted": "foo"}),
        thought="Test simple quoted unquoted",
    ),
    6739: calls(("magic_int", {"ref": -14}), thought="Test negative number"),
    6852: says(HELLO, ONE),
    6887: calls(("empty_args", {})),
    6894: calls(("python", {"code": "print('x')"})),
    6918: calls(("python", {"code": "print('x')"}), ("python", {"code": "print('y')"})),
}

# Lines that state something and are left out, with the reason.
MINIMAX = "tags behind ]<]minimax[>[, no format of ours: such a call is refused"
ROUTED = "turns routed by ` to=name<|message|>`, no format of ours"
OPENED = "tags of <|open|>…<|sep|>, no format of ours"
LEFT_OUT = {
    2606: "the source asks for the tags of a thought as text; we always read the thought",
    3377: "its expectation is commented out",
    4353: "the source lets a call end an open thought; ours never runs what is called in one",
    4666: "the text is a part of the output only",
    4875: OPENED,
    4933: OPENED,
    5084: "the source lets a call end an open thought; ours never runs what is called in one",
    **dict.fromkeys([5526, 5576, 5596, 5614, 5632, 5669, 5775, 5813], MINIMAX),
    6239: "a thought that ends with [BEGIN FINAL RESPONSE], no format of ours",
    **dict.fromkeys([6372, 6380, 6405, 6414], ROUTED),
    6494: "the fragment ends before what is expected",
    6547: "a program for the model's own sandbox: we have no tool for it, and show it",
    6556: "a program for the model's own sandbox: we have no tool for it, and show it",
    6567: "a message to the assistant itself; we show its header",
}
NOT_OUTPUTS = ["llama.cpp test-chat-auto-parser.cpp", "llama.cpp test-chat-peg-parser.cpp"]
"""Sources whose texts are names of tests, and no outputs."""

CHAT = "llama.cpp test-chat.cpp"


@pytest.fixture(scope="module")
def lines(material):
    file = material / "tool-calls" / "model-outputs.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_stated_line_is_expected_or_left_out(lines):
    stated = [line for line in lines if "expect_src" in line]
    assert Counter(line["src"] for line in stated) == {
        CHAT: len(EXPECTED) + len(LEFT_OUT),
        NOT_OUTPUTS[0]: 34,
        NOT_OUTPUTS[1]: 12,
    }
    assert {line["line"] for line in stated if line["src"] == CHAT} == EXPECTED.keys() | LEFT_OUT
    assert (len(lines), len(stated), len(EXPECTED), len(LEFT_OUT)) == (370, 184, 114, 24)


def test_what_the_sources_state(lines):
    for line in lines:
        if line["src"] != CHAT or line["line"] not in EXPECTED:
            continue
        wanted = EXPECTED[line["line"]]
        found = extract_tool_calls(line["text"], TOOLS, starts_thinking=wanted["inside"])
        told = {
            "text": found.text.strip(),
            "thought": found.reasoning.strip(),
            "calls": [(call.name, call.arguments) for call in found.calls],
            "cut": cut_in(found.errors),
            "inside": wanted["inside"],
        }
        assert told == wanted, line


def cut_in(errors):
    return "".join(
        re.findall(r"call of '(?:functions\.)?(\w+)' was not run: the output", "".join(errors))
    )


NAME = re.compile(
    r'"(?:tool_)?name": ?"([\w-]+)"|<function(?:=| name=")(\w+)|invoke name="(\w+)'
    r"|<tool_call>\s*(\w+)\s*<|\[(\w+)\(|functions\.(\w+)|\](\w+)\[(?:ARGS|CALL)|call:(\w+)"
)


def test_every_output_at_every_cut(lines):
    names = {next(filter(None, found)) for line in lines for found in NAME.findall(line["text"])}
    assert len(names) > 50
    tools = [define_tool(name, "", OBJECT, lambda arguments: None) for name in sorted(names)]
    for line in lines:
        text = line["text"]
        whole = parts_of(tools, [text])
        assert parts_of(tools, list(text)) == whole, text
        for cut in range(1, len(text)):
            assert parts_of(tools, [text[:cut], text[cut:]]) == whole, (text, cut)


def test_no_output_that_is_cut_anywhere_breaks_the_reader(lines):
    for line in lines:
        for cut in range(len(line["text"])):
            found = ToolCallStream(TOOLS)
            parts = found.feed(line["text"][:cut]) + found.finish("length")
            starts = [part.id for part in parts if isinstance(part, ToolCallStart)]
            ends = [part.call.id for part in parts if part.type == "tool-call-end"]
            assert set(starts) <= set(ends) and len(set(ends)) == len(ends)


def parts_of(tools, pieces):
    stream = ToolCallStream(tools)
    parts = [part for piece in pieces for part in stream.feed(piece)] + stream.finish()
    return joined(parts)


def joined(parts):
    """Parts with neighbours of one kind put together."""
    found = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, TextDelta | ReasoningDelta) and type(last) is type(part):
            last.text += part.text
        elif isinstance(part, ToolCallDelta) and isinstance(last, ToolCallDelta):
            last.arguments_delta += part.arguments_delta
        else:
            found.append(part)
    return found

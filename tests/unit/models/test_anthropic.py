"""Anthropic's Messages wire: exact requests, and streams cut anywhere."""

import contextlib
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import errors
from pagehand.messages import (
    FilePart,
    ImagePart,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    assistant,
    system,
    user,
)
from pagehand.models.anthropic import AnthropicModel
from pagehand.models.base import ModelRequest, ToolDefinition
from pagehand.models.caching import PromptCaching
from pagehand.models.profiles import ModelProfile, ThinkingKnob
from pagehand.models.thinking import Thinking
from pagehand.models.wire import Endpoint
from pagehand.usage import Usage
from tests.support.wire_http import Reply, WireHttp, ask, cuts, json_reply

BUDGET = ThinkingKnob("budget", least=1_024, most=32_000, can_stop=True)
ADAPTIVE = ThinkingKnob("adaptive", ("low", "medium", "high", "xhigh"), can_stop=True)
ALWAYS = ThinkingKnob("adaptive", ("low", "medium", "high"))
SEES = {"images": True, "pdf": True, "files": None}
CLAUDE = ModelProfile(
    output_limit=64_000, thinking=BUDGET, links=frozenset({"image", "pdf"}), **SEES
)
BASE = "https://api.anthropic.test/v1"
ADD = ToolDefinition("add", "Add two numbers", {"type": "object", "properties": {"a": {}}})
MARK = {"cache_control": {"type": "ephemeral"}}
MAKER = {"by": "anthropic:anthropic:claude-sonnet-4-5"}
DONE = json_reply({"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"})


def model(*replies, name="claude-sonnet-4-5", profile=CLAUDE, headers=None, options=None):
    http = WireHttp(*(replies or [DONE]))
    endpoint = Endpoint("anthropic", BASE, http, headers=headers or {}, options=options or {})
    return AnthropicModel(name, endpoint=endpoint, profile=profile), http


def events(*values):
    """A stream as the provider frames it."""
    return b"".join(
        f"event: {value['type']}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
        for value in values
    )


def start(**usage):
    counters = {"input_tokens": 10, "output_tokens": 1, **usage}
    return {"type": "message_start", "message": {"role": "assistant", "usage": counters}}


def block(index, first, *deltas, closed=True):
    opened = {"type": "content_block_start", "index": index, "content_block": first}
    grown = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [opened, *grown, *([{"type": "content_block_stop", "index": index}] if closed else [])]


def text_block(index, *pieces):
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block(index, {"type": "text", "text": ""}, *deltas)


def thought_block(index, signature, *pieces):
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def call_block(index, id, name, *pieces, closed=True):
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    first = {"type": "tool_use", "id": id, "name": name, "input": {}}
    return block(index, first, *deltas, closed=closed)


def stop(reason="end_turn", details=None, **usage):
    delta = {"stop_reason": reason, "stop_sequence": None, "stop_details": details}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, **usage}},
        {"type": "message_stop"},
    ]


async def body_of(request, **options):
    asked, http = model(**options)
    await ask(asked, request)
    return http.bodies[0]


async def read(data, *places, request=None):
    batches = cuts(data, *places) if isinstance(data, bytes) else data
    asked, _ = model(Reply(batches))
    return await ask(asked, request or ModelRequest([user("hello")]))


# The request


async def test_the_request():
    request = ModelRequest(
        [system("Be brief."), system("Be kind."), user("hello")],
        tools=[ADD],
        tool_choice="required",
        max_output_tokens=500,
        temperature=0.25,
        cache=PromptCaching("1h"),
    )
    asked, http = model(headers={"x-team": "blue"}, options={"metadata": {"user_id": "u"}})
    await ask(asked, request)
    assert http.bodies == [
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 500,
            "stream": True,
            "system": [
                {
                    "type": "text",
                    "text": "Be brief.\n\nBe kind.",
                    "cache_control": {"type": "ephemeral", "ttl": "1h"},
                }
            ],
            "tools": [
                {
                    "name": "add",
                    "description": "Add two numbers",
                    "input_schema": {"type": "object", "properties": {"a": {}}},
                }
            ],
            "tool_choice": {"type": "any"},
            "temperature": 0.25,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "text",
                            "text": "hello",
                            "cache_control": {"type": "ephemeral", "ttl": "1h"},
                        }
                    ],
                }
            ],
            "metadata": {"user_id": "u"},
        }
    ]
    [sent] = http.requests
    assert (sent.method, sent.url) == ("POST", f"{BASE}/messages")
    assert sent.headers == {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "anthropic-dangerous-direct-browser-access": "true",
        "x-team": "blue",
    }


async def test_a_bare_request():
    assert await body_of(ModelRequest([user("hello")], stream=False)) == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "stream": False,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
    }


@pytest.mark.parametrize(
    ("asked", "limit", "expected"),
    [(None, None, 4_096), (None, 8_192, 8_192), (500, None, 500), (90_000, 64_000, 64_000)],
)
async def test_max_tokens(asked, limit, expected):
    request = ModelRequest([user("x")], max_output_tokens=asked)
    body = await body_of(request, profile=ModelProfile(output_limit=limit))
    assert body["max_tokens"] == expected


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", None),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("add", {"type": "tool", "name": "add"}),
    ],
)
async def test_tool_choice(choice, expected):
    request = ModelRequest([user("x")], tools=[ADD], tool_choice=choice)
    assert (await body_of(request)).get("tool_choice") == expected


LOOP = [
    user("add 1 and 2, and 3 and 4"),
    Message(
        "assistant",
        [
            ReasoningPart("I add.", {**MAKER, "signature": "s1"}),
            ReasoningPart("", {**MAKER, "redacted": "xyz"}),
            TextPart("Let me see."),
            ToolCallPart("toolu_1", "add", {"a": 1}),
            ToolCallPart("toolu_2", "add", {}),
        ],
    ),
    Message("tool", [ToolResultPart("toolu_2", "add", "no", ok=False)]),
    Message("tool", [ToolResultPart("toolu_1", "add", "3")]),
]  # fmt: skip


async def test_a_tool_loop_on_the_wire():
    request = ModelRequest([*LOOP, user("and hurry")], tools=[ADD], cache=PromptCaching())
    assert (await body_of(request))["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I add.", "signature": "s1"},
                {"type": "redacted_thinking", "data": "xyz"},
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "add", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": "no",
                    "is_error": True,
                },
                {"type": "text", "text": "and hurry", **MARK},
            ],
        },
    ]


async def test_thoughts_of_others_and_thoughts_without_proof_stay_away():
    turn = [
        ReasoningPart("theirs", {"by": "gemini:google:g", "signature": "s"}),
        ReasoningPart("unsigned"),
        TextPart("\n\n"),
        TextPart("said"),
    ]
    body = await body_of(ModelRequest([user("x"), Message("assistant", turn), user("y")]))
    assert body["messages"][1]["content"] == [{"type": "text", "text": "said"}]


@pytest.mark.parametrize("data", [None, {**MAKER, "signature": "s"}], ids=["foreign", "own"])
async def test_a_turn_of_nothing_but_thought_leaves_turns_that_alternate(data):
    lone = Message("assistant", [ReasoningPart("hm", data), TextPart(" ")])
    body = await body_of(ModelRequest([user("x"), lone, user("y"), assistant("z"), user("w")]))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert [part["text"] for part in body["messages"][0]["content"]] == ["x", "y"]


async def test_the_first_turn_is_always_the_users():
    body = await body_of(ModelRequest([assistant("a summary"), user("go on")]))
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant", "user"]


async def test_calls_in_the_history_stay_declared_when_a_request_has_no_tools():
    body = await body_of(ModelRequest([*LOOP, user("sum up")]))
    assert [tool["name"] for tool in body["tools"]] == ["add"]
    assert body["tool_choice"] == {"type": "none"}


async def test_alternatives_at_the_root_of_a_tools_schema_are_put_together():
    schema = {
        "description": "where",
        "oneOf": [
            {"type": "object", "properties": {"url": {"type": "string"}}},
            {"properties": {"path": {"type": "string"}}},
        ],
        "properties": {"depth": {"type": "integer"}},
    }
    tool = ToolDefinition("open", "", schema)
    body = await body_of(ModelRequest([user("x")], tools=[tool]))
    assert body["tools"][0]["input_schema"] == {
        "type": "object",
        "description": "where",
        "properties": {
            "url": {"type": "string"},
            "path": {"type": "string"},
            "depth": {"type": "integer"},
        },
    }


async def test_attachments():
    parts = [
        TextPart("see"),
        ImagePart(b"\x89PNG", "image/png"),
        ImagePart("https://x.test/a.png"),
        FilePart(b"%PDF-1", "application/pdf", "a.pdf"),
        FilePart("https://x.test/a.pdf", "application/pdf"),
        FilePart("naïve".encode(), "text/markdown; charset=utf-8", "a.md"),
        FilePart(b'{"a": 1}', "application/json"),
    ]
    body = await body_of(ModelRequest([Message("user", parts)]))
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0x"}
    assert body["messages"][0]["content"][1:] == [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="},
        },
        {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
        {"type": "document", "source": pdf, "title": "a.pdf"},
        {"type": "document", "source": {"type": "url", "url": "https://x.test/a.pdf"}},
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "naïve"},
            "title": "a.md",
        },
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": '{"a": 1}'},
        },
    ]


@pytest.mark.parametrize(
    "part",
    [
        FilePart(b"PK", "application/zip", "a.zip"),
        FilePart(b"\x00\x01", "audio/wav", "a.wav"),
    ],
    ids=lambda part: part.media_type,
)
async def test_what_claude_does_not_take_is_told_before_anything_is_sent(part):
    asked, http = model()
    with pytest.raises(errors.AttachmentsNotSupportedError, match=part.name):
        await ask(asked, ModelRequest([Message("user", [TextPart("see"), part])]))
    assert not http.requests


# Prompt caching


def marks_in(body):
    found = [each for each in body["system"] if "cache_control" in each]
    for message in body["messages"]:
        found += [each for each in message["content"] if "cache_control" in each]
    return found


def unmarked(value):
    if isinstance(value, list):
        return [unmarked(each) for each in value]
    if isinstance(value, dict):
        return {key: unmarked(each) for key, each in value.items() if key != "cache_control"}
    return value


async def test_each_request_of_a_tool_loop_begins_with_the_one_before():
    """Byte for byte, the marks aside: what comes before stays in the provider's cache."""
    answers = [
        Reply([events(start(), *thought_block(0, f"s{n}", "hm"), *text_block(1, "\n\n"),
                      *call_block(2, f"toolu_{n}", "add", '{"a": ', f"{n}}}"), *stop("tool_use"))])
        for n in range(4)
    ]  # fmt: skip
    asked, http = model(*answers)
    messages = [system("Be brief."), user("go")]
    for number in range(4):
        request = ModelRequest(
            messages, tools=[ADD], thinking=Thinking("low"), cache=PromptCaching()
        )
        _, result = await ask(asked, request)
        answer = ToolResultPart(f"toolu_{number}", "add", f"é{number}")
        messages = [*messages, Message("assistant", result.parts), Message("tool", [answer])]
    bodies = http.bodies
    for earlier, later in pairwise(bodies):
        assert len(later["messages"]) == len(earlier["messages"]) + 2
        before, after = (
            json.dumps(unmarked(body), ensure_ascii=False).removesuffix("]}")
            for body in (earlier, later)
        )
        assert after.startswith(before)
    for body in bodies:
        assert len(marks_in(body)) == 2
        assert "cache_control" in body["messages"][-1]["content"][-1]


async def test_a_thought_carries_no_mark():
    turn = Message("assistant", [TextPart("so"), *LOOP[1].parts[:2]])
    body = await body_of(ModelRequest([system("s"), user("x"), turn], cache=PromptCaching()))
    marked = ["cache_control" in each for each in body["messages"][-1]["content"]]
    assert marked == [True, False, False] and len(marks_in(body)) == 2


# Thinking


def thinker(knob, **more):
    return ModelProfile(output_limit=more.pop("output_limit", 64_000), thinking=knob, **more)


async def settings_of(thinking, knob, request=None, **options):
    request = request or ModelRequest([user("x")], max_output_tokens=1_000)
    request.thinking = thinking
    profile = options.pop("profile", None) or thinker(knob)
    body = await body_of(request, profile=profile, **options)
    return body.get("thinking"), body.get("output_config"), body["max_tokens"]


@pytest.mark.parametrize(
    ("thinking", "expected", "tokens"),
    [
        (None, None, 1_000),
        (Thinking("low"), {"type": "enabled", "budget_tokens": 4_096}, 5_096),
        (Thinking("high"), {"type": "enabled", "budget_tokens": 16_384}, 17_384),
        (Thinking("low", 9_000), {"type": "enabled", "budget_tokens": 9_000}, 10_000),
        (Thinking(None, 10), {"type": "enabled", "budget_tokens": 1_024}, 2_024),
        (Thinking("none"), {"type": "disabled"}, 1_000),
        (
            Thinking("low", include_thoughts=False),
            {"type": "enabled", "budget_tokens": 4_096, "display": "omitted"},
            5_096,
        ),
    ],
)
async def test_a_budget_comes_on_top_of_the_answer(thinking, expected, tokens):
    assert await settings_of(thinking, BUDGET) == (expected, None, tokens)


@pytest.mark.parametrize(
    ("room", "limit", "budget", "total"),
    [
        (None, 64_000, 32_000, 64_000),
        (None, 32_000, 30_976, 32_000),
        (8_000, 10_000, 8_976, 10_000),
        (None, None, 32_000, 36_096),
    ],
)
async def test_a_budget_leaves_room_below_the_limit(room, limit, budget, total):
    request = ModelRequest([user("x")], max_output_tokens=room)
    knob = thinker(BUDGET, output_limit=limit)
    thinking, _, tokens = await settings_of(Thinking("xhigh"), BUDGET, request, profile=knob)
    assert (thinking["budget_tokens"], tokens) == (budget, total)


async def test_a_model_that_writes_too_little_does_not_think():
    profile = thinker(BUDGET, output_limit=1_500)
    assert (await settings_of(Thinking("low"), BUDGET, profile=profile))[0] is None


@pytest.mark.parametrize(
    ("thinking", "expected", "effort"),
    [
        (Thinking("minimal"), {"type": "adaptive", "display": "summarized"}, "low"),
        (Thinking("xhigh"), {"type": "adaptive", "display": "summarized"}, "xhigh"),
        (Thinking(None, 8_000), {"type": "adaptive", "display": "summarized"}, "medium"),
        (
            Thinking("high", include_thoughts=False),
            {"type": "adaptive", "display": "omitted"},
            "high",
        ),
    ],
)
async def test_adaptive_thinking_takes_an_effort(thinking, expected, effort):
    assert await settings_of(thinking, ADAPTIVE) == (expected, {"effort": effort}, 1_000)


async def test_stopping():
    assert await settings_of(Thinking("none"), ADAPTIVE) == ({"type": "disabled"}, None, 1_000)
    thinking, output, _ = await settings_of(Thinking("none"), ALWAYS)
    assert (thinking["type"], output) == ("adaptive", {"effort": "low"})


async def test_a_model_that_does_not_think_is_told_nothing():
    asked, http = model(profile=ModelProfile(output_limit=4_096))
    parts, _ = await ask(asked, ModelRequest([user("x")], thinking=Thinking("high")))
    assert "thinking" not in http.bodies[0] and "output_config" not in http.bodies[0]
    assert parts[0].type == "warning"


@pytest.mark.parametrize("knob", [BUDGET, ADAPTIVE], ids=["budget", "adaptive"])
async def test_who_thinks_takes_no_temperature_and_no_forced_call(knob):
    request = ModelRequest([user("x")], tools=[ADD], tool_choice="add", temperature=0.5)
    quiet = await body_of(request, profile=thinker(knob))
    assert (quiet["temperature"], quiet["tool_choice"]["type"]) == (0.5, "tool")
    request.thinking = Thinking("low")
    body = await body_of(request, profile=thinker(knob))
    assert "temperature" not in body and "tool_choice" not in body


async def test_who_always_thinks_is_never_forced():
    request = ModelRequest([user("x")], tools=[ADD], tool_choice="required", temperature=0.5)
    body = await body_of(request, profile=thinker(ALWAYS))
    assert "temperature" not in body and "tool_choice" not in body and "thinking" not in body


async def test_a_profile_without_temperature():
    request = ModelRequest([user("x")], temperature=0.5)
    body = await body_of(request, profile=ModelProfile(takes_temperature=False))
    assert "temperature" not in body


FOREIGN = [user("x"), Message("assistant", [ToolCallPart("c1", "add", {})]),
           Message("tool", [ToolResultPart("c1", "add", "3")])]  # fmt: skip


async def test_a_tool_loop_of_another_model_goes_on_without_a_budget():
    request = ModelRequest(FOREIGN, tools=[ADD], max_output_tokens=1_000)
    assert await settings_of(Thinking("low"), BUDGET, request) == (None, None, 1_000)
    thinking, *_ = await settings_of(Thinking("low"), ADAPTIVE, request)
    assert thinking["type"] == "adaptive"


async def test_a_tool_loop_that_is_over_does_not_matter():
    request = ModelRequest([*FOREIGN, assistant("3"), user("and now?")], tools=[ADD])
    thinking, *_ = await settings_of(Thinking("low"), BUDGET, request)
    assert thinking["type"] == "enabled"


async def test_an_own_tool_loop_thinks_on():
    thinking, *_ = await settings_of(Thinking("low"), BUDGET, ModelRequest(LOOP, tools=[ADD]))
    assert thinking["type"] == "enabled"


BOUND = "claude-opus-5-5"
BETA = "thinking-binding-controls-2026-08-01"


def bound_loop(name=BOUND):
    turn = [ReasoningPart("I add.", {"by": f"anthropic:anthropic:{name}", "signature": "s1"}),
            ToolCallPart("c1", "add", {})]  # fmt: skip
    return [user("x"), Message("assistant", turn), FOREIGN[2]]


@pytest.mark.parametrize(
    ("thinking", "expected"),
    [
        (None, {"type": "adaptive"}),
        (Thinking("low"), {"type": "adaptive", "display": "summarized"}),
    ],
)
async def test_thoughts_that_are_bound_to_their_conversation_may_be_dropped(thinking, expected):
    request = ModelRequest(bound_loop(), tools=[ADD], thinking=thinking)
    asked, http = model(name=BOUND, profile=thinker(ALWAYS))
    await ask(asked, request)
    drop = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    assert http.bodies[0]["thinking"] == expected | drop
    assert http.requests[0].headers["anthropic-beta"] == BETA


@pytest.mark.parametrize(
    ("name", "messages", "headers"),
    [
        (BOUND, [user("x")], {}),
        ("claude-opus-5", bound_loop("claude-opus-5"), {}),
        ("claude-opus-4-6", bound_loop("claude-opus-4-6"), {}),
        (BOUND, bound_loop(), {"Anthropic-Beta": "mine"}),
    ],
    ids=["no-thought", "opus-5", "opus-4-6", "own-beta"],
)
async def test_without_need_nothing_is_said_of_it(name, messages, headers):
    asked, http = model(name=name, profile=thinker(ADAPTIVE), headers=headers)
    request = ModelRequest(messages, tools=[ADD], thinking=Thinking("low"))
    await ask(asked, request)
    assert "block_binding" not in http.bodies[0]["thinking"]
    assert http.requests[0].headers.get("anthropic-beta") == headers.get("Anthropic-Beta")


# A schema for the answer


async def format_of(schema):
    body = await body_of(ModelRequest([user("x")], output_schema=schema))
    return body.get("output_config", {}).get("format")


async def test_an_answers_schema_is_closed_and_without_bounds():
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Trip",
        "required": ["days"],
        "properties": {
            "days": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How long"},
            "name": {"type": "string", "minLength": 2, "format": "slug"},
            "when": {"type": "string", "format": "date"},
            "stops": {
                "type": "array",
                "minItems": 2,
                "maxItems": 4,
                "items": {"$ref": "#/$defs/Stop"},
            },
            "tags": {"type": "array", "minItems": 1, "items": {"enum": ["a", "b"]}},
            "end": {"oneOf": [{"$ref": "#/$defs/Stop"}, {"type": "null"}]},
            "only": {"allOf": [{"$ref": "#/$defs/Stop"}], "description": "The one"},
        },
        "$defs": {"Stop": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
    stop = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "additionalProperties": False,
    }
    assert await format_of(schema) == {
        "type": "json_schema",
        "schema": {
            "type": "object",
            "title": "Trip",
            "required": ["days"],
            "properties": {
                "days": {"type": "integer", "description": "How long (minimum: 1, maximum: 9)"},
                "name": {"type": "string", "description": "(minLength: 2, format: slug)"},
                "when": {"type": "string", "format": "date"},
                "stops": {
                    "type": "array",
                    "items": stop,
                    "description": "(minItems: 2, maxItems: 4)",
                },
                "tags": {"type": "array", "minItems": 1, "items": {"enum": ["a", "b"]}},
                "end": {"anyOf": [stop, {"type": "null"}]},
                "only": {**stop, "description": "The one"},
            },
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "patternProperties": {"^x": {}}},
        {"type": "array", "items": {}},
        {"type": "array", "items": True},
        {"enum": [{"a": 1}]},
        {"allOf": [{"type": "object"}, {"type": "object"}]},
        {"$ref": "#"},
    ],
    ids=json.dumps,
)
async def test_what_the_subset_cannot_say_is_left_to_the_prompt(inner):
    assert await format_of({"type": "object", "properties": {"x": inner}}) is None


async def test_a_profile_without_schemas_sends_none():
    request = ModelRequest([user("x")], output_schema={"type": "string"})
    assert "output_config" not in await body_of(request, profile=ModelProfile(output_schema=False))


SCHEMAS = st.recursive(
    st.sampled_from(["string", "integer", "null", "object"]).map(lambda kind: {"type": kind}),
    lambda inner: (
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from("abc"), inner),
            },
            optional={"additionalProperties": st.booleans(), "minProperties": st.just(1)},
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner, "maxItems": st.just(3)})
        | st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)})
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_any_schema_that_is_sent_keeps_to_the_subset(schema):
    from pagehand.models.claude_schema import answer_schema

    known = {"type", "properties", "additionalProperties", "items", "anyOf", "description"}

    def judge(node):
        assert set(node) <= known
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
        for inner in [*node.get("properties", {}).values(), *node.get("anyOf", ())]:
            judge(inner)
        if "items" in node:
            judge(node["items"])

    if (made := answer_schema(schema)) is not None:
        judge(made)


# The answer

RICH = events(
    start(cache_read_input_tokens=5, cache_creation_input_tokens=2),
    {"type": "ping"},
    *thought_block(0, "sig=", "Let me ", "denken… 🙂"),
    *block(1, {"type": "redacted_thinking", "data": "abc="}),
    *text_block(2, "Grüße, ", "ich rechne."),
    *block(3, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
           {"type": "input_json_delta", "partial_json": '{"q": "x"}'}),
    *block(4, {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{}]}),
    *block(5, {"type": "fallback", "from": {}, "to": {}}),
    *call_block(6, "toolu_1", "add", "", '{"a": "ü', '🙂"}'),
    *call_block(7, "toolu_2", "now", ""),
    {"type": "some_new_event", "index": 9},
    *stop("tool_use", output_tokens_details={"thinking_tokens": 3}),
)  # fmt: skip
RICH_WHOLE = {
    "type": "message",
    "content": [
        {"type": "thinking", "thinking": "Let me denken… 🙂", "signature": "sig="},
        {"type": "redacted_thinking", "data": "abc="},
        {"type": "text", "text": "Grüße, ich rechne."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{}]},
        {"type": "fallback", "from": {}, "to": {}},
        {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": "ü🙂"}},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ],
    "stop_reason": "tool_use",
    "usage": {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 3},
    },
}


async def test_an_answer():
    parts, result = await read(RICH)
    assert (result.text, result.reasoning) == ("Grüße, ich rechne.", "Let me denken… 🙂")
    assert (result.finish_reason, result.raw_finish_reason) == ("tool-calls", "tool_use")
    assert result.usage == Usage(17, 7, 24, 3, 5, 2)
    assert result.refusal is None
    assert result.parts == [
        ReasoningPart("Let me denken… 🙂", {"signature": "sig=", **MAKER}),
        ReasoningPart("", {"redacted": "abc=", **MAKER}),
        TextPart("Grüße, ich rechne."),
        ToolCallPart("toolu_1", "add", {"a": "ü🙂"}),
        ToolCallPart("toolu_2", "now", {}),
    ]
    assert [(call.id, call.name, call.arguments, call.broken) for call in result.tool_calls] == [
        ("toolu_1", "add", {"a": "ü🙂"}, False),
        ("toolu_2", "now", {}, False),
    ]
    kinds = [part.type for part in parts]
    assert kinds == [
        "reasoning-delta", "text-delta", "tool-call-start", "tool-call-delta", "tool-call-delta",
        "tool-call-start", "tool-call-end", "tool-call-end", "finish",
    ]  # fmt: skip


async def test_a_cut_at_every_byte_changes_nothing():
    _, expected = await read(RICH)
    for place in range(len(RICH)):
        assert (await read(RICH, place))[1] == expected
    assert (await read([RICH[place : place + 1] for place in range(len(RICH))]))[1] == expected


async def test_a_stream_that_ends_early_is_no_answer():
    told = RICH.index(b'"type": "message_delta"')
    end = RICH.index(b"\n\n", told) + 2  # from here on, nothing is missing
    first = RICH.index(b"\n\n") + 2
    for place in range(end):
        with pytest.raises(errors.ModelError) as raised:
            await read(RICH[:place])
        assert place < first or type(raised.value) is errors.StreamInterruptedError
    assert (await read(RICH[:end]))[1] == (await read(RICH))[1]


async def test_a_whole_answer_is_the_same():
    asked, http = model(json_reply(RICH_WHOLE))
    _, whole = await ask(asked, ModelRequest([user("x")], stream=False))
    assert http.bodies[0]["stream"] is False
    assert whole == (await read(RICH))[1]


async def test_what_was_answered_goes_back_as_it_came():
    _, result = await read(RICH)
    answers = [ToolResultPart("toolu_1", "add", "3"), ToolResultPart("toolu_2", "now", "noon")]
    turns = [user("hello"), Message("assistant", result.parts), Message("tool", answers)]
    body = await body_of(ModelRequest(turns, tools=[ADD]))
    own = [each for each in RICH_WHOLE["content"] if each["type"] in
           ("thinking", "redacted_thinking", "text", "tool_use")]  # fmt: skip
    assert body["messages"][1]["content"] == own


async def test_a_thought_that_is_not_shown_goes_back_too():
    hidden = [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": "a"}]
    asked, _ = model(json_reply({"content": hidden, "stop_reason": "end_turn"}))
    _, result = await ask(asked, ModelRequest([user("x")], stream=False))
    body = await body_of(ModelRequest([user("x"), Message("assistant", result.parts), user("y")]))
    assert body["messages"][1]["content"] == hidden


async def test_a_second_beginning_takes_back_the_first():
    data = events(
        start(input_tokens=99),
        *text_block(0, "Wrong"),
        *call_block(1, "toolu_1", "add", '{"a": ', closed=False),
        start(input_tokens=3),
        *text_block(0, "Right"),
        *stop(),
    )
    parts, result = await read(data)
    assert (result.text, result.tool_calls, result.usage.input_tokens) == ("Right", [], 3)
    assert [part.type for part in parts].count("warning") == 1


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content-filter"),
        ("pause_turn", "other"),
        ("something_new", "other"),
    ],
)
async def test_how_an_answer_ends(word, kind):
    _, result = await read(events(start(), *text_block(0, "so"), *stop(word)))
    assert (result.finish_reason, result.raw_finish_reason) == (kind, word)


async def test_calls_count_even_when_the_provider_says_stop():
    _, result = await read(events(start(), *call_block(0, "t", "add", "{}"), *stop("end_turn")))
    assert (result.finish_reason, result.raw_finish_reason) == ("tool-calls", "end_turn")


async def test_an_end_without_a_reason():
    _, result = await read(events(start(), *text_block(0, "so"), {"type": "message_stop"}))
    assert (result.text, result.finish_reason, result.raw_finish_reason) == ("so", "stop", None)


async def test_a_refusal_and_its_words():
    details = {"type": "refusal", "category": "cyber", "explanation": "It is against policy."}
    _, result = await read(events(start(), *stop("refusal", details)))
    assert (result.finish_reason, result.refusal) == ("content-filter", "It is against policy.")
    _, result = await read(events(start(), *stop("refusal", {"explanation": None})))
    assert (result.finish_reason, result.refusal) == ("content-filter", None)


@pytest.mark.parametrize("pieces", [('{"a": [1, "x',), ("",), ()], ids=["half", "empty", "none"])
async def test_a_call_that_was_cut_off_is_broken(pieces):
    data = events(start(), *call_block(0, "t", "add", *pieces, closed=False), *stop("max_tokens"))
    _, result = await read(data)
    [call] = result.tool_calls
    assert (call.broken, call.arguments, call.raw) == (True, {}, "".join(pieces))
    assert (result.finish_reason, result.parts) == ("length", [ToolCallPart("t", "add", {})])


async def test_a_broken_call_is_never_sent_back_as_it_was():
    data = events(start(), *call_block(0, "t", "add", '{"a": '), *stop("tool_use"))
    _, result = await read(data)
    turns = [user("x"), Message("assistant", result.parts),
             Message("tool", [ToolResultPart("t", "add", "what?", False)])]  # fmt: skip
    body = await body_of(ModelRequest(turns, tools=[ADD]))
    assert body["messages"][1]["content"][0]["input"] == {}


async def test_a_call_without_an_id_gets_one():
    first = {"type": "tool_use", "name": "add", "input": {"a": 1}}
    data = events(start(), *block(0, first), *block(1, first), *stop("tool_use"))
    request = ModelRequest([user("x"), Message("assistant", [ToolCallPart("call_0", "add", {})])])
    _, result = await read(data, request=request)
    ids = [call.id for call in result.tool_calls]
    assert len({*ids, "call_0"}) == 3 and [call.arguments for call in result.tool_calls] == [
        {"a": 1}, {"a": 1},
    ]  # fmt: skip


async def test_counters_of_the_wrong_kind_count_as_not_reported():
    odd = {"input_tokens": "5", "output_tokens": True, "output_tokens_details": [1]}
    asked, _ = model(json_reply({"content": [], "stop_reason": "end_turn", "usage": odd}))
    _, result = await ask(asked, ModelRequest([user("x")], stream=False))
    assert result.usage == Usage()
    asked, _ = model(json_reply({"content": [], "stop_reason": "end_turn", "usage": [1]}))
    assert (await ask(asked, ModelRequest([user("x")])))[1].usage == Usage()


# Faults


def told(kind, words="no"):
    return events({"type": "error", "error": {"type": kind, "message": words}})


@pytest.mark.parametrize(
    ("kind", "words", "fault", "retryable"),
    [
        ("overloaded_error", "Overloaded", errors.OverloadedError, True),
        ("rate_limit_error", "slow down", errors.RateLimitError, True),
        ("api_error", "Internal server error", errors.ServerError, True),
        ("authentication_error", "invalid x-api-key", errors.AuthenticationError, False),
        ("permission_error", "not yours", errors.PermissionDeniedError, False),
        ("invalid_request_error", "bad", errors.InvalidRequestError, False),
        (
            "invalid_request_error",
            "prompt is too long: 208310 tokens > 200000 maximum",
            errors.ContextWindowExceededError,
            False,
        ),
    ],
)
async def test_faults_inside_a_stream(kind, words, fault, retryable):
    with pytest.raises(fault) as raised:
        await read(events(start(), *text_block(0, "half")) + told(kind, words))
    assert type(raised.value) is fault and raised.value.retryable is retryable
    if fault is errors.ContextWindowExceededError:
        assert (raised.value.tokens, raised.value.window) == (208_310, 200_000)


@pytest.mark.parametrize(
    ("status", "kind", "words", "fault"),
    [
        (401, "authentication_error", "invalid x-api-key", errors.AuthenticationError),
        (403, "permission_error", "no", errors.PermissionDeniedError),
        (404, "not_found_error", "model: claude-none", errors.ModelNotFoundError),
        (413, "request_too_large", "too large", errors.InvalidRequestError),
        (429, "rate_limit_error", "slow down", errors.RateLimitError),
        (400, "invalid_request_error", "Your credit balance is too low", errors.QuotaExceededError),
        (500, "api_error", "oops", errors.ServerError),
        (529, "overloaded_error", "Overloaded", errors.OverloadedError),
    ],
)
async def test_faults_instead_of_an_answer(status, kind, words, fault):
    asked, _ = model(
        json_reply({"type": "error", "error": {"type": kind, "message": words}}, status)
    )
    with pytest.raises(fault) as raised:
        await ask(asked, ModelRequest([user("x")]))
    assert type(raised.value) is fault and raised.value.provider == "anthropic"


ODD = [
    {"type": "message_start"},
    {"type": "message_start", "message": "x"},
    {"type": "content_block_start", "index": 0},
    {"type": "content_block_start", "index": 0, "content_block": "text"},
    {"type": "content_block_start", "index": [], "content_block": {"type": "text"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": 5}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "x"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking"}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": [1]}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
    {
        "type": "content_block_delta",
        "index": 3,
        "delta": {"type": "input_json_delta", "partial_json": "{}"},
    },
    {"type": "content_block_delta", "index": 0, "delta": None},
    {"type": "message_delta"},
    {"type": "message_delta", "delta": {"stop_reason": 5}},
    {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": "no"}},
]


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
async def test_fields_of_the_wrong_kind(odd):
    with pytest.raises(errors.MalformedResponseError):
        await read(events(start(), odd, *stop()))


@pytest.mark.parametrize(
    "whole", [{}, {"content": None}, {"content": "text"}, {"content": [1]}, {"content": [{}]}],
    ids=json.dumps,
)  # fmt: skip
async def test_whole_answers_of_the_wrong_kind(whole):
    asked, _ = model(json_reply(whole))
    with pytest.raises(errors.MalformedResponseError):
        await ask(asked, ModelRequest([user("x")], stream=False))


@given(st.lists(st.sampled_from([*ODD, start(), *text_block(0, "x"), *stop()]), max_size=6))
async def test_any_order_of_events_is_an_answer_or_a_clear_fault(values):
    with contextlib.suppress(errors.ModelError):
        _, result = await read(events(*values))
        assert result.finish_reason in ("stop", "tool-calls", "content-filter")


async def test_a_second_start_takes_back_what_came_before():
    first = [start(), *text_block(0, "Hello wor"), *call_block(1, "toolu_1", "add", "{}")]
    second = [start(), *text_block(0, "Hello"), *call_block(1, "toolu_1", "add", '{"a": 1}')]
    parts, result = await read(events(*first, *second, *stop("tool_use")))
    assert [part.anew for part in parts if part.type == "warning"] == [True]
    assert result.text == "Hello"
    assert [(call.id, call.arguments) for call in result.tool_calls] == [("toolu_1", {"a": 1})]


async def test_a_result_beside_words_still_belongs_to_the_loop_that_goes_on():
    turns = [
        user("u"),
        Message("assistant", [ToolCallPart("c", "add", {})]),
        Message("tool", [ToolResultPart("c", "add", "done")]),
        user("and now?"),
    ]
    body = await body_of(ModelRequest(turns, tools=[ADD], thinking=Thinking("low")))
    assert "thinking" not in body

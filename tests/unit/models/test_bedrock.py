"""Bedrock's Converse wire: exact requests, and streams cut anywhere."""

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
from pagehand.models.base import ModelRequest, ToolDefinition
from pagehand.models.bedrock import BedrockModel
from pagehand.models.caching import PromptCaching
from pagehand.models.profiles import ModelProfile, ThinkingKnob
from pagehand.models.thinking import Thinking
from pagehand.models.wire import Endpoint
from pagehand.usage import Usage
from tests.support.aws_events import error, event, exception
from tests.support.wire_http import Reply, WireHttp, ask, cuts, json_reply

CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "amazon.nova-lite-v1:0"
NOVA_2 = "us.amazon.nova-2-lite-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
BASE = "https://bedrock-runtime.us-east-1.amazonaws.test"
KIND = "application/vnd.amazon.eventstream"
BUDGET = ThinkingKnob("budget", least=1_024, most=32_000, can_stop=True)
ADAPTIVE = ThinkingKnob("adaptive", ("low", "medium", "high"), can_stop=True)
EFFORT = ThinkingKnob("effort", ("low", "medium", "high"))
PROFILE = ModelProfile(output_limit=64_000, output_schema=False, images=True, pdf=True)
ADD = ToolDefinition("add", "Add two numbers", {"type": "object", "properties": {"a": {}}})
POINT = {"cachePoint": {"type": "default"}}
MAKER = {"by": f"bedrock:amazon-bedrock:{CLAUDE}"}


def said(*content, stop="end_turn", **usage):
    counters = {"inputTokens": 10, "outputTokens": 7, "totalTokens": 17, **usage}
    message = {"role": "assistant", "content": list(content)}
    return {"output": {"message": message}, "stopReason": stop, "usage": counters}


DONE = json_reply(said({"text": "ok"}))


def model(*replies, name=CLAUDE, profile=PROFILE, options=None):
    http = WireHttp(*(replies or [DONE]))
    endpoint = Endpoint("amazon-bedrock", BASE, http, options=options or {})
    return BedrockModel(name, endpoint=endpoint, profile=profile), http


async def body_of(request, **options):
    asked, http = model(**options)
    await ask(asked, request)
    return http.bodies[0]


async def read(batches, request=None, **options):
    asked, _ = model(Reply(batches, KIND), **options)
    return await ask(asked, request or ModelRequest([user("hello")]))


def delta(index, value):
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": value, "p": "abcd"})


def texts(index, *pieces):
    return [delta(index, {"text": piece}) for piece in pieces] + [closed(index)]


def thought(index, signature, *pieces):
    grown = [delta(index, {"reasoningContent": {"text": piece}}) for piece in pieces]
    return [*grown, delta(index, {"reasoningContent": {"signature": signature}}), closed(index)]


def call(index, id, name, *pieces, **more):
    opened = {
        "contentBlockIndex": index,
        "start": {"toolUse": {"toolUseId": id, "name": name, **more}},
    }
    grown = [delta(index, {"toolUse": {"input": piece}}) for piece in pieces]
    return [event("contentBlockStart", opened), *grown, closed(index)]


def closed(index):
    return event("contentBlockStop", {"contentBlockIndex": index})


def stop(reason="end_turn", **usage):
    counters = {"inputTokens": 10, "outputTokens": 7, "totalTokens": 17, **usage}
    return [
        event("messageStop", {"stopReason": reason}),
        event("metadata", {"usage": counters, "metrics": {"latencyMs": 5}}),
    ]


START = event("messageStart", {"role": "assistant", "p": "abc"})

# The request


async def test_the_request():
    request = ModelRequest(
        [system("Be brief."), system("Be kind."), user("hello")],
        tools=[ADD, ToolDefinition("now", " ", {})],
        tool_choice="add",
        max_output_tokens=500,
        temperature=0.25,
        cache=PromptCaching("1h"),
    )
    asked, http = model(options={"inferenceConfig": {"topP": 0.5}})
    await ask(asked, request)
    hour = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert http.bodies == [
        {
            "system": [{"text": "Be brief."}, {"text": "Be kind."}, hour],
            "inferenceConfig": {"maxTokens": 500, "temperature": 0.25, "topP": 0.5},
            "toolConfig": {
                "tools": [
                    {
                        "toolSpec": {
                            "name": "add",
                            "description": "Add two numbers",
                            "inputSchema": {"json": {"type": "object", "properties": {"a": {}}}},
                        }
                    },
                    {
                        "toolSpec": {
                            "name": "now",
                            "inputSchema": {"json": {"type": "object", "properties": {}}},
                        }
                    },
                ],
                "toolChoice": {"tool": {"name": "add"}},
            },
            "messages": [{"role": "user", "content": [{"text": "hello"}, hour]}],
        }
    ]
    [sent] = http.requests
    assert (sent.method, sent.headers) == ("POST", {"content-type": "application/json"})


async def test_a_bare_request():
    body = await body_of(ModelRequest([user("hello")]))
    assert body == {"messages": [{"role": "user", "content": [{"text": "hello"}]}]}


ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-6"


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        (NOVA, "amazon.nova-lite-v1%3A0"),
        (
            ARN,
            "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2F"
            "us.anthropic.claude-sonnet-4-6",
        ),
    ],
)
async def test_the_address(name, quoted):
    for streamed, method in ((True, "converse-stream"), (False, "converse")):
        asked, http = model(name=name)
        await ask(asked, ModelRequest([user("x")], stream=streamed))
        assert http.requests[0].url == f"{BASE}/model/{quoted}/{method}"


LOOP = [
    user("add 1 and 2, and 3 and 4"),
    Message(
        "assistant",
        [
            ReasoningPart("I add.", {**MAKER, "signature": "s1"}),
            ReasoningPart("", {**MAKER, "redacted": "eHl6"}),
            TextPart("Let me see."),
            ToolCallPart("t1", "add", {"a": 1}),
            ToolCallPart("t2", "add", {}),
        ],
    ),
    Message("tool", [ToolResultPart("t2", "add", "no", ok=False)]),
    Message("tool", [ToolResultPart("t1", "add", " ")]),
]


async def test_a_tool_loop_on_the_wire():
    request = ModelRequest([*LOOP, user("and hurry")], tools=[ADD], cache=PromptCaching())
    assert (await body_of(request))["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "I add.", "signature": "s1"}}},
                {"reasoningContent": {"redactedContent": "eHl6"}},
                {"text": "Let me see."},
                {"toolUse": {"toolUseId": "t1", "name": "add", "input": {"a": 1}}},
                {"toolUse": {"toolUseId": "t2", "name": "add", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "(nothing)"}]}},
                {
                    "toolResult": {
                        "toolUseId": "t2",
                        "content": [{"text": "no"}],
                        "status": "error",
                    }
                },
                {"text": "and hurry"},
                POINT,
            ],
        },
    ]


@pytest.mark.parametrize(
    ("choice", "name", "expected"),
    [
        ("auto", CLAUDE, None),
        ("none", CLAUDE, None),
        ("required", CLAUDE, {"any": {}}),
        ("add", NOVA, {"tool": {"name": "add"}}),
        ("required", LLAMA, None),
    ],
)
async def test_tool_choice(choice, name, expected):
    request = ModelRequest([user("x")], tools=[ADD], tool_choice=choice)
    config = (await body_of(request, name=name))["toolConfig"]
    assert config.get("toolChoice") == expected and len(config["tools"]) == 1


async def test_calls_in_the_history_stay_declared_when_a_request_has_no_tools():
    config = (await body_of(ModelRequest([*LOOP, user("sum up")])))["toolConfig"]
    assert [tool["toolSpec"]["name"] for tool in config["tools"]] == ["add"]
    assert "toolChoice" not in config


async def test_references_in_a_tools_schema_are_put_in_place():
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "string"}},
    }
    body = await body_of(ModelRequest([user("x")], tools=[ToolDefinition("go", "Go", schema)]))
    assert body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"] == {
        "type": "object",
        "properties": {"at": {"type": "string"}},
    }


async def test_the_first_turn_is_always_the_users():
    body = await body_of(ModelRequest([assistant("a summary"), user("go on")]), name=NOVA)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]


# Results and other blocks in one turn


def kinds_of(body):
    return [
        (message["role"], [next(iter(each)) for each in message["content"]])
        for message in body["messages"][2:]
    ]


PDF = FilePart(b"%PDF-1", "application/pdf", "a.pdf")


@pytest.mark.parametrize(
    ("name", "parts", "expected"),
    [
        (CLAUDE, [TextPart("so")], [("user", ["toolResult", "toolResult", "text"])]),
        (
            CLAUDE,
            [TextPart("so"), PDF],
            [
                ("user", ["toolResult", "toolResult"]),
                ("assistant", ["text"]),
                ("user", ["text", "document"]),
            ],
        ),
        (NOVA, [TextPart("so"), PDF], [("user", ["toolResult", "toolResult", "text", "document"])]),
        (
            LLAMA,
            [TextPart("so")],
            [("user", ["toolResult", "toolResult"]), ("assistant", ["text"]), ("user", ["text"])],
        ),
        (LLAMA, [], [("user", ["toolResult", "toolResult"])]),
    ],
)
async def test_what_may_stand_beside_results(name, parts, expected):
    more = [Message("user", parts)] if parts else []
    body = await body_of(ModelRequest([*LOOP, *more], tools=[ADD]), name=name)
    assert kinds_of(body) == expected


# Attachments


async def test_attachments():
    parts = [
        TextPart("see"),
        ImagePart(b"\x89PNG", "image/png"),
        ImagePart(b"\xff\xd8\xff", "image/jpeg; q=1"),
        FilePart(b"%PDF-1", "application/pdf", "Q3 report: final_v2!.pdf"),
        FilePart(b"a,b", "text/csv", "Q3  report, final v2.csv"),
        FilePart(b"# hi", "text/markdown", "..."),
        FilePart(b"{}", "application/json"),
        FilePart(b"PK", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                 "x" * 300 + ".docx"),
    ]  # fmt: skip
    content = (await body_of(ModelRequest([Message("user", parts)])))["messages"][0]["content"]
    assert content[1:3] == [
        {"image": {"format": "png", "source": {"bytes": "iVBORw=="}}},
        {"image": {"format": "jpeg", "source": {"bytes": "/9j/"}}},
    ]
    documents = [each["document"] for each in content[3:]]
    assert [(each["format"], each["name"]) for each in documents] == [
        ("pdf", "Q3 report final v2"),
        ("csv", "Q3 report final v2 (2)"),
        ("md", "document"),
        ("txt", "document (2)"),
        ("docx", "x" * 180),
    ]
    assert documents[0]["source"] == {"bytes": "JVBERi0x"}


async def test_a_document_needs_a_text_beside_it():
    content = (await body_of(ModelRequest([Message("user", [PDF])])))["messages"][0]["content"]
    assert [next(iter(each)) for each in content] == ["text", "document"]


@given(st.lists(st.text(max_size=12), max_size=5))
async def test_any_file_name_becomes_one_that_bedrock_takes(names):
    import re

    parts = [TextPart("see"), *(FilePart(b"x", "text/plain", name) for name in names)]
    content = (await body_of(ModelRequest([Message("user", parts)])))["messages"][0]["content"]
    made = [each["document"]["name"] for each in content[1:]]
    assert len(set(made)) == len(made) == len(names)
    for name in made:
        assert re.fullmatch(r"[A-Za-z0-9\-()\[\] ]{1,200}", name) and "  " not in name


@pytest.mark.parametrize(
    "part",
    [
        FilePart(b"PK", "application/zip", "a.zip"),
    ],
    ids=lambda part: part.media_type,
)
async def test_what_bedrock_does_not_take_is_told_before_anything_is_sent(part):
    asked, http = model()
    with pytest.raises(errors.AttachmentsNotSupportedError, match=part.name):
        await ask(asked, ModelRequest([Message("user", [TextPart("see"), part])]))
    assert not http.requests


async def test_a_link_is_told_too():
    linked = ModelProfile(links=frozenset({"image"}))
    asked, _ = model(profile=linked)
    turn = Message("user", [TextPart("see"), ImagePart("https://x.test/a.png")])
    with pytest.raises(errors.AttachmentsNotSupportedError, match="as bytes"):
        await ask(asked, ModelRequest([turn]))


# Prompt caching


@pytest.mark.parametrize(
    ("name", "ttl", "point"),
    [
        (CLAUDE, "5m", {"type": "default"}),
        (CLAUDE, "1h", {"type": "default", "ttl": "1h"}),
        ("anthropic.claude-sonnet-4-20250514-v1:0", "1h", {"type": "default"}),
        (NOVA, "1h", {"type": "default"}),
        (LLAMA, "5m", None),
        ("openai.gpt-oss-120b-1:0", "5m", None),
    ],
)
async def test_cache_points(name, ttl, point):
    request = ModelRequest([system("s"), user("x")], cache=PromptCaching(ttl))
    body = await body_of(request, name=name)
    points = [{"cachePoint": point}] if point else []
    assert body["system"] == [{"text": "s"}, *points]
    assert body["messages"][0]["content"] == [{"text": "x"}, *points]


async def test_a_cache_point_stands_before_documents():
    turn = Message("user", [TextPart("see"), PDF, PDF])
    body = await body_of(ModelRequest([turn], cache=PromptCaching()))
    kinds = [next(iter(each)) for each in body["messages"][0]["content"]]
    assert kinds == ["text", "cachePoint", "document", "document"]


async def test_each_request_of_a_tool_loop_begins_with_the_one_before():
    """Byte for byte, the cache points aside: what comes before stays in the provider's cache."""
    answers = [
        Reply([START, *thought(0, f"s{n}", "hm"), *texts(1, "é"),
               *call(2, f"t{n}", "add", '{"a": ', f"{n}}}"), *stop("tool_use")], KIND)
        for n in range(4)
    ]  # fmt: skip
    asked, http = model(*answers, profile=ModelProfile(output_limit=64_000, thinking=BUDGET))
    file = FilePart(b"x", "text/plain", "notes.txt")
    messages = [system("Be brief."), Message("user", [TextPart("go"), file])]
    for number in range(4):
        request = ModelRequest(
            messages, tools=[ADD], thinking=Thinking("low"), cache=PromptCaching()
        )
        _, result = await ask(asked, request)
        answer = ToolResultPart(f"t{number}", "add", f"é{number}")
        messages = [*messages, Message("assistant", result.parts), Message("tool", [answer])]
    for body in http.bodies:
        assert json.dumps(body).count("cachePoint") == 2
    for earlier, later in pairwise(http.bodies):
        before, after = (
            json.dumps(without_points(body), ensure_ascii=False).removesuffix("]}")
            for body in (earlier, later)
        )
        assert after.startswith(before) and len(after) > len(before)


def without_points(value):
    if isinstance(value, list):
        return [without_points(each) for each in value if each != POINT]
    if isinstance(value, dict):
        return {key: without_points(each) for key, each in value.items()}
    return value


# Thinking


def thinker(knob, **more):
    return ModelProfile(output_limit=64_000, thinking=knob, **more)


@pytest.mark.parametrize(
    ("name", "knob", "thinking", "fields", "tokens"),
    [
        (CLAUDE, BUDGET, None, None, None),
        (CLAUDE, BUDGET, Thinking("none"), {"thinking": {"type": "disabled"}}, None),
        (
            CLAUDE,
            BUDGET,
            Thinking("low"),
            {"thinking": {"type": "enabled", "budget_tokens": 4_096}},
            64_000,
        ),
        (
            "anthropic.claude-opus-4-6-v1",
            ADAPTIVE,
            Thinking("high"),
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "high"},
            },
            None,
        ),
        (
            NOVA_2,
            EFFORT,
            Thinking("low"),
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}},
            None,
        ),
        (NOVA_2, EFFORT, Thinking("none"), {"reasoningConfig": {"type": "disabled"}}, None),
        ("openai.gpt-oss-120b-1:0", EFFORT, Thinking("high"), {"reasoning_effort": "high"}, None),
        ("openai.gpt-oss-120b-1:0", EFFORT, Thinking("none"), {"reasoning_effort": "low"}, None),
        (
            "qwen.qwen3-32b-v1:0",
            ThinkingKnob("switch", can_stop=True),
            Thinking("medium"),
            {"reasoning_config": "high"},
            None,
        ),
        (
            "qwen.qwen3-32b-v1:0",
            ThinkingKnob("switch", can_stop=True),
            Thinking("none"),
            None,
            None,
        ),
        ("deepseek.r1-v1:0", ThinkingKnob("always"), Thinking("high"), None, None),
        (NOVA, None, Thinking("high"), None, None),
    ],
)
async def test_each_family_is_told_in_its_own_words(name, knob, thinking, fields, tokens):
    request = ModelRequest([user("x")], thinking=thinking)
    body = await body_of(request, name=name, profile=thinker(knob))
    assert body.get("additionalModelRequestFields") == fields
    assert body.get("inferenceConfig", {}).get("maxTokens") == tokens


async def test_a_budget_comes_on_top_of_the_answer():
    request = ModelRequest([user("x")], thinking=Thinking("low"), max_output_tokens=1_000)
    body = await body_of(request, profile=thinker(BUDGET))
    assert body["inferenceConfig"] == {"maxTokens": 5_096}


async def test_who_thinks_takes_no_temperature_and_no_forced_call():
    request = ModelRequest(
        [user("x")], tools=[ADD], tool_choice="required", temperature=0.5, max_output_tokens=9
    )
    quiet = await body_of(request, profile=thinker(BUDGET))
    assert quiet["inferenceConfig"]["temperature"] == 0.5 and "toolChoice" in quiet["toolConfig"]
    request.thinking = Thinking("low")
    body = await body_of(request, profile=thinker(BUDGET))
    assert "temperature" not in body["inferenceConfig"] and "toolChoice" not in body["toolConfig"]
    assert (
        "toolChoice"
        not in (await body_of(request, name=NOVA_2, profile=thinker(EFFORT)))["toolConfig"]
    )


async def test_nova_at_its_highest_effort_takes_no_limit():
    request = ModelRequest([user("x")], max_output_tokens=9, temperature=0.5)
    for level, expected in (("medium", {"maxTokens": 9, "temperature": 0.5}), ("high", None)):
        request.thinking = Thinking(level)
        body = await body_of(request, name=NOVA_2, profile=thinker(EFFORT))
        assert body.get("inferenceConfig") == expected


async def test_a_tool_loop_of_another_model_goes_on_without_a_budget():
    foreign = [user("x"), Message("assistant", [ToolCallPart("c1", "add", {})]),
               Message("tool", [ToolResultPart("c1", "add", "3")])]  # fmt: skip
    request = ModelRequest(foreign, tools=[ADD], thinking=Thinking("low"))
    assert "additionalModelRequestFields" not in await body_of(request, profile=thinker(BUDGET))


async def test_thoughts_that_are_bound_to_their_conversation_may_be_dropped():
    name = "us.anthropic.claude-opus-5-5"
    part = ReasoningPart("hm", {"by": f"bedrock:amazon-bedrock:{name}", "signature": "s"})
    turns = [user("x"), Message("assistant", [part, TextPart("y")]), user("z")]
    always = thinker(ThinkingKnob("adaptive", ("low", "high")))
    body = await body_of(ModelRequest(turns), name=name, profile=always)
    drop = {"prefix_mismatch_behavior": "drop_block"}
    assert body["additionalModelRequestFields"] == {
        "anthropic_beta": ["thinking-binding-controls-2026-08-01"],
        "thinking": {"type": "adaptive", "block_binding": drop},
    }


async def test_a_schema_for_the_answer():
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
    request = ModelRequest([user("x")], output_schema=schema)
    assert "outputConfig" not in await body_of(request)
    body = await body_of(request, profile=ModelProfile(output_schema=True))
    asked = body["outputConfig"]["textFormat"]
    assert asked["type"] == "json_schema"
    assert asked["structure"]["jsonSchema"]["name"] == "answer"
    assert json.loads(asked["structure"]["jsonSchema"]["schema"]) == {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "(minimum: 1)"}},
        "additionalProperties": False,
    }


# The answer

RICH = [
    START,
    *thought(0, "sig=", "Let me ", "denken… 🙂"),
    delta(1, {"reasoningContent": {"redactedContent": "YWJj"}}),
    closed(1),
    event("contentBlockStart", {"contentBlockIndex": 2, "start": {}}),
    *texts(2, "Grüße, ", "ich rechne."),
    delta(2, {"citation": {"title": "x"}}),
    *call(3, "s", "nova_code_interpreter", '{"snippet": "1"}', type="server_tool_use"),
    event(
        "contentBlockStart",
        {"contentBlockIndex": 4, "start": {"toolResult": {"toolUseId": "s", "status": "success"}}},
    ),
    delta(4, {"toolResult": [{"json": {"stdOut": "1"}}]}),
    closed(4),
    *call(5, "t1", "add", '{"a": "ü', '🙂"}', type="tool_use"),
    *call(6, "t2", "now", ""),
    event("someNewEvent", {"x": 1}),
    *stop("tool_use", cacheReadInputTokens=5, cacheWriteInputTokens=2),
]
RICH_BYTES = b"".join(RICH)
RICH_WHOLE = said(
    {"reasoningContent": {"reasoningText": {"text": "Let me denken… 🙂", "signature": "sig="}}},
    {"reasoningContent": {"redactedContent": "YWJj"}},
    {"text": "Grüße, ich rechne."},
    {
        "toolUse": {
            "toolUseId": "s",
            "name": "nova_code_interpreter",
            "input": {"snippet": "1"},
            "type": "server_tool_use",
        }
    },
    {"toolResult": {"toolUseId": "s", "content": [{"json": {"stdOut": "1"}}]}},
    {"toolUse": {"toolUseId": "t1", "name": "add", "input": {"a": "ü🙂"}}},
    {"toolUse": {"toolUseId": "t2", "name": "now", "input": {}}},
    stop="tool_use",
    cacheReadInputTokens=5,
    cacheWriteInputTokens=2,
)


async def test_an_answer():
    parts, result = await read([RICH_BYTES])
    assert (result.text, result.reasoning) == ("Grüße, ich rechne.", "Let me denken… 🙂")
    assert (result.finish_reason, result.raw_finish_reason) == ("tool-calls", "tool_use")
    assert result.usage == Usage(17, 7, 24, None, 5, 2)
    # The first is Bedrock's own: it is told, but nobody here may run it again.
    assert [(call.name, call.by_provider) for call in result.tool_calls] == [
        ("nova_code_interpreter", True),
        ("add", False),
        ("now", False),
    ]
    assert result.parts == [
        ReasoningPart("Let me denken… 🙂", {"signature": "sig=", **MAKER}),
        ReasoningPart("", {"redacted": "YWJj", **MAKER}),
        TextPart("Grüße, ich rechne."),
        ToolCallPart("t1", "add", {"a": "ü🙂"}),
        ToolCallPart("t2", "now", {}),
    ]
    kinds = [part.type for part in parts]
    assert kinds == [
        "reasoning-delta", "text-delta", "tool-call-start", "tool-call-delta", "tool-call-delta",
        "tool-call-start", "tool-call-end", "tool-call-end", "finish",
    ]  # fmt: skip


async def test_a_cut_at_every_byte_changes_nothing():
    _, expected = await read(RICH)
    for place in range(len(RICH_BYTES)):
        assert (await read(cuts(RICH_BYTES, place)))[1] == expected
    single = [RICH_BYTES[place : place + 1] for place in range(len(RICH_BYTES))]
    assert (await read(single))[1] == expected


async def test_a_stream_that_ends_early_is_no_answer():
    for count in range(1, len(RICH) - 2):
        with pytest.raises(errors.StreamInterruptedError):
            await read(RICH[:count])
    _, result = await read(RICH[:-1])  # all but the counters
    assert (result.text, result.usage) == ("Grüße, ich rechne.", Usage())


async def test_a_whole_answer_is_the_same():
    asked, _ = model(json_reply(RICH_WHOLE))
    _, whole = await ask(asked, ModelRequest([user("x")], stream=False))
    assert whole == (await read(RICH))[1]


async def test_what_was_answered_goes_back_as_it_came():
    _, result = await read(RICH)
    answers = [ToolResultPart("t1", "add", "3"), ToolResultPart("t2", "now", "noon")]
    turns = [user("hello"), Message("assistant", result.parts), Message("tool", answers)]
    body = await body_of(ModelRequest(turns, tools=[ADD]))
    content = RICH_WHOLE["output"]["message"]["content"]
    assert body["messages"][1]["content"] == [*content[:3], *content[5:]]


async def test_a_thought_without_a_signature_stays_away():
    """Nova and others show thoughts, but refuse to have them back."""
    data = [START, delta(0, {"reasoningContent": {"text": "hm"}}), *texts(1, "so"), *stop()]
    _, result = await read(data, name=NOVA_2)
    assert (result.reasoning, result.text) == ("hm", "so")
    turns = [user("x"), Message("assistant", result.parts), user("y")]
    body = await body_of(ModelRequest(turns), name=NOVA_2)
    assert body["messages"][1]["content"] == [{"text": "so"}]


async def test_a_second_beginning_takes_back_the_first():
    data = [START, *texts(0, "Wrong"), START, *texts(0, "Right"), *stop()]
    parts, result = await read(data)
    assert result.text == "Right"
    assert [part.type for part in parts].count("warning") == 1


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("guardrail_intervened", "content-filter"),
        ("content_filtered", "content-filter"),
        ("something_new", "other"),
    ],
)
async def test_how_an_answer_ends(word, kind):
    _, result = await read([START, *texts(0, "so"), *stop(word)])
    assert (result.finish_reason, result.raw_finish_reason) == (kind, word)


@pytest.mark.parametrize("word", ["malformed_model_output", "malformed_tool_use"])
async def test_the_wreck_of_an_answer_is_worth_another_try(word):
    with pytest.raises(errors.MalformedResponseError, match=word) as raised:
        await read([START, *call(0, "t", "add", "{"), *stop(word)])
    assert raised.value.retryable
    asked, _ = model(json_reply(said(stop=word)))
    with pytest.raises(errors.MalformedResponseError, match=word) as raised:
        await ask(asked, ModelRequest([user("x")], stream=False))
    assert raised.value.retryable


@pytest.mark.parametrize("pieces", [('{"a": [1, "x',), ("",), ()], ids=["half", "empty", "none"])
async def test_a_call_that_was_cut_off_is_broken(pieces):
    _, result = await read([START, *call(0, "t", "add", *pieces), *stop("max_tokens")])
    [made] = result.tool_calls
    assert (made.broken, made.arguments, made.raw) == (True, {}, "".join(pieces))
    assert (result.finish_reason, result.parts) == ("length", [ToolCallPart("t", "add", {})])


async def test_calls_count_even_when_the_provider_says_stop():
    _, result = await read([START, *call(0, "t", "add", "{}"), *stop("end_turn")])
    assert result.finish_reason == "tool-calls"


async def test_counters_of_the_wrong_kind_count_as_not_reported():
    odd = {"inputTokens": "5", "outputTokens": True}
    asked, _ = model(json_reply(said(**odd)))
    assert (await ask(asked, ModelRequest([user("x")], stream=False)))[1].usage == Usage()
    asked, _ = model(json_reply({**said(), "usage": [1]}))
    assert (await ask(asked, ModelRequest([user("x")], stream=False)))[1].usage == Usage()


# Faults


@pytest.mark.parametrize(
    ("message", "fault", "retryable"),
    [
        (exception("throttlingException", {"message": "slow down"}), errors.RateLimitError, True),
        (exception("serviceUnavailableException", {"message": "x"}), errors.OverloadedError, True),
        (exception("internalServerException", {"message": "x"}), errors.ServerError, True),
        (exception("modelStreamErrorException", {"message": "x"}), errors.ServerError, True),
        (exception("validationException", {"message": "x"}), errors.InvalidRequestError, False),
        (
            exception(
                "validationException",
                {"message": "prompt is too long: 208310 tokens > 200000 maximum"},
            ),
            errors.ContextWindowExceededError,
            False,
        ),
        (error("InternalError", "An internal error"), errors.ServerError, True),
    ],
)
async def test_faults_inside_a_stream(message, fault, retryable):
    with pytest.raises(fault) as raised:
        await read([START, *texts(0, "half"), message])
    assert type(raised.value) is fault and raised.value.retryable is retryable


@pytest.mark.parametrize(
    ("status", "words", "fault"),
    [
        (400, "The provided model identifier is invalid.", errors.ModelNotFoundError),
        (400, "Malformed input request", errors.InvalidRequestError),
        (403, "The security token included in the request is invalid", errors.AuthenticationError),
        (403, "You don't have access to the model", errors.PermissionDeniedError),
        (429, "Too many requests, please wait", errors.RateLimitError),
        (503, "Bedrock is unable to process your request", errors.OverloadedError),
    ],
)
async def test_faults_instead_of_an_answer(status, words, fault):
    asked, _ = model(json_reply({"message": words}, status))
    with pytest.raises(fault) as raised:
        await ask(asked, ModelRequest([user("x")]))
    assert type(raised.value) is fault and raised.value.provider == "amazon-bedrock"


async def test_damage_on_the_way_is_told():
    broken = bytearray(RICH_BYTES)
    broken[len(RICH_BYTES) // 2] ^= 1
    with pytest.raises(errors.MalformedResponseError, match="damaged"):
        await read([bytes(broken)])


ODD = [
    {"contentBlockStart": {"contentBlockIndex": 0}},
    {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "x"}}}},
    {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t"}}}},
    {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": "x"}}},
    {"contentBlockStart": [1]},
    {"contentBlockDelta": {"contentBlockIndex": 0}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": [1]}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": "text"}},
    {"contentBlockDelta": {"contentBlockIndex": 9, "delta": {"toolUse": {"input": "{}"}}}},
    {"contentBlockDelta": {"contentBlockIndex": [], "delta": {"text": "x"}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": "x"}}},
    {"messageStop": {}},
    {"messageStop": {"stopReason": 5}},
    {"metadata": None},
]


def framed(value):
    [(kind, payload)] = value.items()
    return event(kind, payload)


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
async def test_fields_of_the_wrong_kind(odd):
    with pytest.raises(errors.MalformedResponseError):
        await read([START, framed(odd), *stop()])


@pytest.mark.parametrize(
    "whole",
    [
        {},
        {"output": None, "stopReason": "end_turn"},
        {"output": {"message": {"content": None}}, "stopReason": "end_turn"},
        {"output": {"message": {"content": ["x"]}}, "stopReason": "end_turn"},
        {"output": {"message": {"content": [{"text": 5}]}}, "stopReason": "end_turn"},
        {"output": {"message": {"content": []}}},
    ],
    ids=json.dumps,
)
async def test_whole_answers_of_the_wrong_kind(whole):
    asked, _ = model(json_reply(whole))
    with pytest.raises(errors.MalformedResponseError):
        await ask(asked, ModelRequest([user("x")], stream=False))


FINE = [START, *texts(0, "x"), *call(1, "t", "add", "{}"), *thought(2, "s", "y"), *stop()]


@given(st.lists(st.sampled_from([*map(framed, ODD), *FINE]), max_size=6))
async def test_any_order_of_events_is_an_answer_or_a_clear_fault(messages):
    with contextlib.suppress(errors.ModelError):
        _, result = await read(messages)
        assert result.finish_reason in ("stop", "tool-calls")

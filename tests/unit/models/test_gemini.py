"""The Gemini wire: exact requests, and answers cut anywhere, whole and spoilt."""

import base64
import json
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand import errors, generate
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
from pagehand.models.base import ModelRequest, ToolCall, ToolDefinition
from pagehand.models.gemini import GeminiModel
from pagehand.models.profiles import CLOUD, ThinkingKnob
from pagehand.models.thinking import Thinking
from pagehand.models.wire import Endpoint
from pagehand.testing import scripted_platform
from pagehand.usage import Usage

BASE = "https://generativelanguage.googleapis.com/v1beta"
BUDGET = replace(CLOUD, thinking=ThinkingKnob("budget", least=1, most=24_576, can_stop=True))
ALWAYS = replace(CLOUD, thinking=ThinkingKnob("budget", least=128, most=32_768))
LEVEL = replace(CLOUD, thinking=ThinkingKnob("level", ("low", "medium", "high")))
PLACEHOLDER = "skip_thought_signature_validator"
ADD = ToolDefinition("add", "Add it", {"type": "object", "properties": {"a": {"type": "integer"}}})


class Reply:
    """An answer of the provider, in the batches it is given."""

    def __init__(self, *batches, status=200, kind="text/event-stream"):
        self.status = status
        self.headers = {"content-type": kind}
        self._batches = batches

    async def batches(self):
        for batch in self._batches:
            yield batch

    async def read(self):
        return b"".join(self._batches)

    async def close(self):
        pass


class Wire:
    """An Http that answers from a script, and tells one model's name to who asks for a list."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.requests = []

    async def send(self, request):
        self.requests.append(request)
        if request.method == "GET":
            return whole({"models": [{"name": "models/gemini-x"}]})
        return self.replies.pop(0)

    @property
    def bodies(self):
        return [json.loads(request.body) for request in self.requests]


def model(wire, profile=BUDGET, name="gemini-x", **endpoint):
    endpoint = {"provider": "google", "base_url": BASE, "http": wire, **endpoint}
    return GeminiModel(name, endpoint=Endpoint(**endpoint), profile=profile)


def chunk(*parts, finish=None, **more):
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


def events(*chunks):
    return "".join(f"data: {json.dumps(each)}\r\n\r\n" for each in chunks).encode()


def streamed(*chunks, at=()):
    """A reply whose bytes are cut at the given places."""
    data = events(*chunks)
    cuts = [0, *at, len(data)]
    return Reply(*(data[start:end] for start, end in pairwise(cuts)))


def whole(value):
    return Reply(json.dumps(value).encode(), kind="application/json; charset=UTF-8")


OK = chunk({"text": "ok"}, finish="STOP")


def sign(text):
    return base64.b64encode(text.encode()).decode()


async def ask(reply, profile=BUDGET, request=None):
    """Give all parts of an answer; the last is the result."""
    request = request or ModelRequest([user("hello")])
    if reply.headers["content-type"].startswith("application/json"):
        request = replace(request, stream=False)
    parts = [part async for part in model(Wire(reply), profile).stream(request)]
    return parts, parts[-1].result


async def result_of(reply, profile=BUDGET):
    return (await ask(reply, profile))[1]


async def sent(request, profile=BUDGET, **endpoint):
    """Give the body that a request becomes."""
    wire = Wire(streamed(OK))
    async for _ in model(wire, profile, **endpoint).stream(request):
        pass
    return wire.bodies[0]


# What is sent


async def test_the_request():
    request = ModelRequest(
        [system("Be brief."), user("hello")],
        tools=[ADD],
        tool_choice="required",
        output_schema={"type": "object"},
        thinking=Thinking("low"),
        max_output_tokens=9,
        temperature=0.25,
    )
    wire = Wire(streamed(OK), whole(OK))
    options = {"generationConfig": {"topK": 3}, "safetySettings": [{"category": "X"}]}
    asked = model(wire, LEVEL, options=options, headers={"x-team": "blue"})
    async for _ in asked.stream(request):
        pass
    async for _ in asked.stream(replace(request, stream=False)):
        pass
    assert [request.url for request in wire.requests] == [
        f"{BASE}/models/gemini-x:streamGenerateContent?alt=sse",
        f"{BASE}/models/gemini-x:generateContent",
    ]
    assert wire.requests[0].method == "POST"
    assert wire.requests[0].headers == {"content-type": "application/json", "x-team": "blue"}
    assert wire.bodies[0] == wire.bodies[1]
    assert wire.bodies[0] == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "add",
                        "description": "Add it",
                        "parametersJsonSchema": {
                            "type": "object",
                            "properties": {"a": {"type": "integer"}},
                        },
                    }
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {
            "maxOutputTokens": 9,
            "temperature": 0.25,
            "responseMimeType": "application/json",
            "responseJsonSchema": {"type": "object"},
            "thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True},
            "topK": 3,
        },
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "safetySettings": [{"category": "X"}],
    }


async def test_a_bare_request_says_nothing_more():
    body = await sent(ModelRequest([user("hello")]))
    assert body == {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gemini-2.5-pro", "/models/gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "/models/gemini-2.5-pro"),
        ("tunedModels/mine", "/tunedModels/mine"),
        ("a?b#c", "/models/a%3Fb%23c"),
    ],
)
async def test_the_path(name, path):
    vertex = "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google"
    wire = Wire(streamed(OK))
    async for _ in model(wire, name=name, base_url=vertex).stream(ModelRequest([user("x")])):
        pass
    assert wire.requests[0].url == f"{vertex}{path}:streamGenerateContent?alt=sse"


async def test_a_conversation_on_the_wire():
    turns = [
        system("one"),
        system("two"),
        user("u"),
        Message("assistant", [TextPart("t"), ToolCallPart("c0", "add", {"a": "é"})]),
        Message("tool", [ToolResultPart("c0", "add", '{"$ref": "#/$defs/X"}')]),
        Message("assistant", [ToolCallPart("c1", "add", {}), ToolCallPart("c2", "sub", {})]),
        Message("tool", [ToolResultPart("c2", "sub", "no", ok=False)]),
        user("and"),
        assistant("ok"),
        Message(
            "user",
            [
                TextPart("see"),
                ImagePart(b"\x00", "image/png"),
                ImagePart("https://x.test/a.jpg", "image/jpeg"),
                FilePart(b"%PDF-", "application/pdf", "a.pdf"),
                FilePart(b"a,b", "text/csv; charset=utf-8", "a.csv"),
                FilePart(b"{}", "application/ld+json", "a.json"),
            ],
        ),
    ]
    body = await sent(ModelRequest(turns), replace(BUDGET, links=frozenset({"image"})))
    assert body["systemInstruction"] == {"parts": [{"text": "one"}, {"text": "two"}]}
    interrupted = "The call was interrupted; its outcome is not known."
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "u"}]},
        {
            "role": "model",
            "parts": [{"text": "t"}, {"functionCall": {"name": "add", "args": {"a": "é"}}}],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "name": "add",
                        "response": {"result": '{"$ref": "#/$defs/X"}'},
                    }
                }
            ],
        },
        {
            "role": "model",
            "parts": [
                {"functionCall": {"name": "add", "args": {}}},
                {"functionCall": {"name": "sub", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "add", "response": {"error": interrupted}}},
                {"functionResponse": {"name": "sub", "response": {"error": "no"}}},
                {"text": "and"},
            ],
        },
        {"role": "model", "parts": [{"text": "ok"}]},
        {
            "role": "user",
            "parts": [
                {"text": "see"},
                {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
                {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://x.test/a.jpg"}},
                {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}},
                {"inlineData": {"mimeType": "text/plain", "data": "YSxi"}},
                {"inlineData": {"mimeType": "text/plain", "data": "e30="}},
            ],
        },
    ]


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ("auto", None),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("add", {"mode": "ANY", "allowedFunctionNames": ["add"]}),
    ],
)
async def test_tool_choice(choice, config):
    body = await sent(ModelRequest([user("x")], tools=[ADD], tool_choice=choice))
    assert body.get("toolConfig", {}).get("functionCallingConfig") == config
    assert "toolConfig" not in await sent(ModelRequest([user("x")], tool_choice=choice))


@pytest.mark.parametrize(
    ("profile", "thinking", "config"),
    [
        (BUDGET, Thinking("low"), {"thinkingBudget": 4_096, "includeThoughts": True}),
        (BUDGET, Thinking("none"), {"thinkingBudget": 0, "includeThoughts": False}),
        (BUDGET, Thinking("low", 77), {"thinkingBudget": 77, "includeThoughts": True}),
        (BUDGET, Thinking("xhigh"), {"thinkingBudget": 24_576, "includeThoughts": True}),
        (ALWAYS, Thinking("none"), {"thinkingBudget": 128, "includeThoughts": False}),
        (
            ALWAYS,
            Thinking("high", include_thoughts=False),
            {"thinkingBudget": 16_384, "includeThoughts": False},
        ),
        (LEVEL, Thinking("high"), {"thinkingLevel": "HIGH", "includeThoughts": True}),
        (LEVEL, Thinking("xhigh"), {"thinkingLevel": "HIGH", "includeThoughts": True}),
        (LEVEL, Thinking(None, 5_000), {"thinkingLevel": "MEDIUM", "includeThoughts": True}),
        (LEVEL, Thinking("none"), {"thinkingLevel": "LOW", "includeThoughts": False}),
        (CLOUD, Thinking("high"), None),
        (LEVEL, None, None),
    ],
)
async def test_thinking(profile, thinking, config):
    body = await sent(ModelRequest([user("x")], thinking=thinking), profile)
    assert body.get("generationConfig", {}).get("thinkingConfig") == config


async def test_a_schema_for_the_answer_beside_tools():
    """Gemini 2.5 refuses the two together; the tools matter more there."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    both = ModelRequest([user("x")], tools=[ADD], output_schema=schema)
    asked = {"responseMimeType": "application/json", "responseJsonSchema": schema}
    assert (await sent(both, LEVEL))["generationConfig"] == asked
    assert (await sent(replace(both, tools=[]), BUDGET))["generationConfig"] == asked
    assert "generationConfig" not in await sent(both, BUDGET)
    assert "generationConfig" not in await sent(both, replace(LEVEL, output_schema=False))


async def test_a_temperature_only_where_it_is_taken():
    request = ModelRequest([user("x")], temperature=0.0)
    assert (await sent(request))["generationConfig"] == {"temperature": 0.0}
    assert "generationConfig" not in await sent(request, replace(BUDGET, takes_temperature=False))


@pytest.mark.parametrize(
    ("given_", "taken"),
    [
        ({}, {"type": "object", "properties": {}}),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "Args",
                "type": "object",
                "properties": {"p": {"$ref": "#/$defs/P", "description": "a p"}},
                "$defs": {"P": {"title": "P", "type": "object", "properties": {}}},
            },
            {
                "type": "object",
                "properties": {"p": {"type": "object", "properties": {}, "description": "a p"}},
            },
        ),
        (
            {
                "properties": {
                    "title": {"const": "x"},
                    "$id": {"const": 3},
                    "r": {"const": 0.5},
                    "yes": {"const": True, "description": "Do."},
                    "nil": {"const": None},
                    "list": {"const": [1]},
                },
                "required": ["title"],
            },
            {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "enum": ["x"]},
                    "$id": {"type": "integer", "enum": [3]},
                    "r": {"type": "number", "enum": [0.5]},
                    "yes": {"type": "boolean", "description": "Do. Always true."},
                    "nil": {"type": "null", "description": "Always null."},
                    "list": {"description": "Always [1]."},
                },
                "required": ["title"],
            },
        ),
        (
            {
                "type": "object",
                "properties": {
                    "rows": {
                        "type": "array",
                        "description": "Rows.",
                        "items": {"type": "array", "items": {"type": "string"}, "maxItems": 9},
                        "minItems": 1,
                        "maxItems": 500,
                    },
                    "pair": {"items": [{"const": "a"}, True]},
                    "any": {"anyOf": [{"const": "a"}, {"type": "null"}]},
                    "default": {"enum": ["const"], "default": {"const": 1}},
                },
                "additionalProperties": {"maxItems": 2},
            },
            {
                "type": "object",
                "properties": {
                    "rows": {
                        "type": "array",
                        "description": "Rows. At least 1 items. At most 500 items.",
                        "items": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "At most 9 items.",
                        },
                    },
                    "pair": {"prefixItems": [{"type": "string", "enum": ["a"]}, True]},
                    "any": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
                    "default": {"enum": ["const"], "default": {"const": 1}},
                },
                "additionalProperties": {"description": "At most 2 items."},
            },
        ),
    ],
)
async def test_schemas_of_tools(given_, taken):
    before = json.dumps(given_)
    body = await sent(ModelRequest([user("x")], tools=[ToolDefinition("t", "", given_)]))
    [declaration] = body["tools"][0]["functionDeclarations"]
    assert declaration["parametersJsonSchema"] == taken
    assert json.dumps(given_) == before


# Signatures and ids travel back

SIGNED = chunk(
    {"text": "Hm.", "thought": True, "thoughtSignature": sign("t")},
    {"text": "Let me "},
    {"text": "see."},
    {"functionCall": {"name": "add", "args": {"a": 1}}, "thoughtSignature": sign("c")},
    {"functionCall": {"id": "fc:7/é", "name": "add", "args": {"a": 2}}},
    {"text": "", "thoughtSignature": sign("e")},
    finish="STOP",
)


def results(result):
    return Message("tool", [ToolResultPart(call.id, call.name, "2") for call in result.tool_calls])


async def after(answer, profile=BUDGET, *, by="gemini-x"):
    """Give the model's turn and the user's as the next request sends them."""
    wire = Wire(streamed(answer), streamed(OK))
    first = ModelRequest([user("go")], tools=[ADD])
    parts = [part async for part in model(wire, profile, name=by).stream(first)]
    result = parts[-1].result
    turns = [*first.messages, Message("assistant", result.parts), results(result)]
    async for _ in model(wire, profile).stream(replace(first, messages=turns)):
        pass
    return wire.bodies[1]["contents"][1:]


async def test_signatures_and_ids_return_on_their_own_parts():
    told = (await after(SIGNED))[0]
    assert told == {
        "role": "model",
        "parts": [
            {"text": "Hm.", "thought": True, "thoughtSignature": sign("t")},
            {"text": "Let me see."},
            {"functionCall": {"name": "add", "args": {"a": 1}}, "thoughtSignature": sign("c")},
            {"functionCall": {"id": "fc:7/é", "name": "add", "args": {"a": 2}}},
            {"text": "", "thoughtSignature": sign("e")},
        ],
    }
    [_, answered] = await after(SIGNED)
    assert answered["parts"] == [
        {"functionResponse": {"name": "add", "response": {"result": "2"}}},
        {"functionResponse": {"id": "fc:7/é", "name": "add", "response": {"result": "2"}}},
    ]


async def test_what_another_model_signed_stays_away():
    """A thought that nobody signed says nothing to Gemini; a call without a signature is refused
    by Gemini 3, unless Google's placeholder stands there."""
    [told, answered] = await after(SIGNED, by="gemini-y")
    assert told["parts"] == [
        {"text": "Let me see."},
        {"functionCall": {"name": "add", "args": {"a": 1}}},
        {"functionCall": {"name": "add", "args": {"a": 2}}},
    ]
    assert "fc:7" not in json.dumps(answered)
    [told, _] = await after(SIGNED, LEVEL, by="gemini-y")
    assert [part.get("thoughtSignature") for part in told["parts"]] == [None, PLACEHOLDER, None]
    [told, _] = await after(SIGNED, LEVEL)
    assert PLACEHOLDER not in json.dumps(told)


async def test_each_turn_of_a_foreign_history_has_one_placeholder():
    calls = [ToolCallPart("a", "add", {}), ToolCallPart("b", "add", {})]
    answers = [ToolResultPart("a", "add", "1"), ToolResultPart("b", "add", "2")]
    turn = [Message("assistant", calls), Message("tool", answers)]
    again = [Message("assistant", [ReasoningPart("foreign"), calls[0]]), Message("tool", answers)]
    body = await sent(ModelRequest([user("go"), *turn, user("on"), *again]), LEVEL)
    found = [
        [part.get("thoughtSignature") for part in content["parts"]]
        for content in body["contents"]
        if content["role"] == "model"
    ]
    assert found == [[PLACEHOLDER, None], [PLACEHOLDER]]


async def test_each_request_of_a_tool_loop_extends_the_last_byte_for_byte():
    rounds = [
        SIGNED,
        chunk({"functionCall": {"name": "add", "args": {"b": "é"}}}, finish="STOP"),
        chunk({"text": "done", "thoughtSignature": sign("d")}, finish="STOP"),
        OK,
    ]
    for profile in (BUDGET, LEVEL):
        wire = Wire(*(streamed(each) for each in rounds))
        request = ModelRequest(
            [system("Be brief."), user("go")], tools=[ADD], thinking=Thinking("low")
        )
        for _ in rounds:
            parts = [part async for part in model(wire, profile).stream(request)]
            result = parts[-1].result
            reply = results(result) if result.tool_calls else user("and now?")
            request = replace(
                request, messages=[*request.messages, Message("assistant", result.parts), reply]
            )
        bodies = [request.body for request in wire.requests]
        assert len(bodies) == len(rounds)
        for before, now in pairwise(bodies):
            assert before.endswith("]}") and now.startswith(before.removesuffix("]}") + ", ")


# What is read

THOUGHTS = [
    chunk({"text": "I ", "thought": True}, usageMetadata={"promptTokenCount": 7}),
    chunk({"text": "think.", "thought": True}),
    chunk({"text": "Hé"}, usageMetadata={"promptTokenCount": 7, "candidatesTokenCount": 1}),
    chunk({"text": "llo 🌍"}),
    chunk({"text": "", "thoughtSignature": sign("s")}, finish="STOP"),
    {
        "usageMetadata": {
            "promptTokenCount": 7,
            "toolUsePromptTokenCount": 2,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 3,
            "cachedContentTokenCount": 4,
            "totalTokenCount": 17,
        }
    },
]


async def test_a_stream_of_thought_and_text():
    parts, result = await ask(Reply(*(events(each) for each in THOUGHTS)))
    assert [part.type for part in parts] == [
        "reasoning-delta", "reasoning-delta", "text-delta", "text-delta", "finish",
    ]  # fmt: skip
    assert (result.reasoning, result.text) == ("I think.", "Héllo 🌍")
    assert result.usage == Usage(9, 8, 17, 3, 4)
    assert (result.finish_reason, result.raw_finish_reason) == ("stop", "STOP")
    assert result.warnings == [] and result.refusal is None
    assert [(type(part), part.text) for part in result.parts] == [
        (ReasoningPart, "I think."), (TextPart, "Héllo 🌍"), (TextPart, ""),
    ]  # fmt: skip


async def test_texts_stay_where_they_were():
    """Around a call, and around a signature, no text joins another."""
    said = [
        {"text": "a"},
        {"functionCall": {"name": "f"}},
        {"text": "b"},
        {"text": "c", "thoughtSignature": sign("c")},
        {"text": "d"},
        {"text": "e"},
        {"text": "f", "thought": True},
    ]
    result = await result_of(streamed(*map(chunk, said), chunk(finish="STOP")))
    assert result.parts == [
        TextPart("a"),
        ToolCallPart("call_0", "f", {}),
        TextPart("b"),
        TextPart("c", {"thoughtSignature": sign("c"), "by": "gemini:google:gemini-x"}),
        TextPart("de"),
        ReasoningPart("f"),
    ]
    assert (result.text, result.reasoning) == ("abcde", "f")


async def test_counters_that_are_told_once_are_kept():
    told = {**OK, "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2}}
    after = {"usageMetadata": {"trafficType": "ON_DEMAND"}}
    assert (await result_of(streamed(told, after))).usage == Usage(5, 2, 7)


async def test_calls():
    reply = streamed(
        chunk({"text": "So: "}, {"functionCall": {"name": "add", "args": {"a": "é"}}}),
        chunk({"functionCall": {"name": "now"}}, {"functionCall": {"id": "x", "name": "add"}}),
        chunk({"functionCall": {"id": "x", "name": "add", "args": None}}, finish="STOP"),
    )
    parts, result = await ask(reply)
    assert result.tool_calls == [
        ToolCall("call_0", "add", {"a": "é"}, '{"a": "é"}'),
        ToolCall("call_1", "now", {}, "{}"),
        ToolCall("x", "add", {}, "{}"),
        ToolCall("call_2", "add", {}, "{}"),
    ]
    assert (result.finish_reason, result.raw_finish_reason) == ("tool-calls", "STOP")
    kinds = ["text-delta", *["tool-call-start", "tool-call-delta"] * 4, *["tool-call-end"] * 4]
    assert [part.type for part in parts] == [*kinds, "finish"]
    deltas = [part.arguments_delta for part in parts if part.type == "tool-call-delta"]
    assert deltas == [call.raw for call in result.tool_calls]
    assert [part.call for part in parts if part.type == "tool-call-end"] == result.tool_calls
    assert [part.id for part in result.parts[1:]] == [call.id for call in result.tool_calls]


async def test_ids_differ_from_those_of_the_history():
    past = [Message("assistant", [ToolCallPart("call_1", "add", {})]), user("go on")]
    reply = streamed(chunk({"functionCall": {"name": "add"}}, finish="STOP"))
    _, result = await ask(reply, request=ModelRequest([user("go"), *past]))
    [call] = result.tool_calls
    assert call.id not in ("", "call_1")


async def test_arguments_that_are_no_object_are_broken():
    reply = streamed(chunk({"functionCall": {"name": "add", "args": [1]}}, finish="STOP"))
    [call] = (await result_of(reply)).tool_calls
    assert (call.broken, call.arguments, call.raw) == (True, {}, "[1]")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        *(
            (word, "content-filter")
            for word in (
                *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
                *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
            )
        ),
        ("OTHER", "other"),
        ("LANGUAGE", "error"),
        ("A_NEW_ONE", "error"),
    ],
)
async def test_finish_reasons(word, kind):
    result = await result_of(streamed(chunk({"text": "so"}), chunk(finish=word)))
    assert (result.finish_reason, result.raw_finish_reason, result.text) == (kind, word, "so")


async def test_a_filter_says_why():
    answer = {"candidates": [{"finishReason": "SAFETY", "finishMessage": "Too hot."}]}
    result = await result_of(streamed(answer))
    assert (result.finish_reason, result.refusal) == ("content-filter", "Too hot.")


@pytest.mark.parametrize("reply", [streamed, whole])
async def test_a_blocked_prompt(reply):
    answer = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []},
        "usageMetadata": {"promptTokenCount": 5, "totalTokenCount": 5},
    }
    result = await result_of(reply(answer))
    assert result.finish_reason == "content-filter" and result.raw_finish_reason is None
    assert result.refusal == "PROHIBITED_CONTENT"
    assert result.usage == Usage(5, None, 5) and result.parts == []


async def test_an_answer_cut_at_its_limit_without_a_word():
    answer = {
        "candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 15, "thoughtsTokenCount": 2, "totalTokenCount": 17},
    }
    result = await result_of(whole(answer))
    assert (result.finish_reason, result.text) == ("length", "")
    assert result.usage == Usage(15, 2, 17, 2)


async def test_parts_that_are_not_read_are_told_of():
    reply = streamed(
        chunk({"executableCode": {"code": "1"}}, {"text": "one", "videoMetadata": {}}),
        chunk({"executableCode": {"code": "2"}}, {"thoughtSignature": sign("s")}, finish="STOP"),
    )
    result = await result_of(reply)
    assert result.warnings == ["google sent a part with executableCode, which is left out."]
    assert result.text == "one"


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"candidates": []},
        {"candidates": None},
        {"candidates": [{}]},
        {"candidates": [{"content": None, "finishReason": None}]},
        {"candidates": [{"content": {"parts": None}}]},
        {"candidates": [{"content": {"parts": [{}]}}]},
        {"candidates": [{"content": {"parts": [{"text": None, "thought": True}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": None}]}}]},
        {"candidates": [{"finishReason": "FINISH_REASON_UNSPECIFIED"}]},
        {"promptFeedback": None, "usageMetadata": None},
        {"promptFeedback": {"safetyRatings": []}, "usageMetadata": [1]},
    ],
    ids=json.dumps,
)
async def test_missing_fields_are_borne(odd):
    result = await result_of(streamed(odd, chunk({"text": "ok"}), odd, chunk(finish="STOP"), odd))
    assert (result.text, result.finish_reason, result.usage) == ("ok", "stop", Usage())
    assert result.parts == [TextPart("ok")]


@pytest.mark.parametrize(
    "odd",
    [
        {"candidates": [None]},
        {"candidates": ["x"]},
        {"candidates": {"a": 1}},
        {"candidates": [{"content": "text"}]},
        {"candidates": [{"content": {"parts": ["text"]}}]},
        {"candidates": [{"content": {"parts": [{"text": 5}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": "add"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"args": {"a": 1}}}]}}]},
        {"promptFeedback": "no"},
    ],
    ids=json.dumps,
)
async def test_fields_of_the_wrong_kind(odd):
    with pytest.raises(errors.MalformedResponseError):
        await result_of(streamed(odd, OK))
    with pytest.raises(errors.MalformedResponseError):
        await result_of(whole(odd))


async def test_counters_of_the_wrong_kind_count_as_not_reported():
    usage = {"promptTokenCount": "5", "candidatesTokenCount": True, "totalTokenCount": 1.5}
    assert (await result_of(streamed({**OK, "usageMetadata": usage}))).usage == Usage()


async def test_a_total_that_is_not_told_is_added():
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 1}
    assert (await result_of(streamed({**OK, "usageMetadata": usage}))).usage == Usage(5, 3, 8, 1)


SPOILT = [
    {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}]},
    {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL"}]},
    chunk(finish="MALFORMED_FUNCTION_CALL"),
    chunk({"text": ""}, finish="MALFORMED_FUNCTION_CALL"),
    chunk({"text": '"}]})'}, finish="MALFORMED_FUNCTION_CALL"),
    chunk({"functionCall": {"name": "add"}}, finish="MALFORMED_FUNCTION_CALL"),
    chunk({"text": "Hm.", "thought": True}, finish="UNEXPECTED_TOOL_CALL"),
    chunk(finish="TOO_MANY_TOOL_CALLS"),
    chunk(finish="MALFORMED_RESPONSE"),
    chunk(finish="OTHER"),
]


@pytest.mark.parametrize("reply", [streamed, whole])
@pytest.mark.parametrize("spoilt", SPOILT, ids=json.dumps)
async def test_a_spoilt_answer_is_tried_again(spoilt, reply):
    with pytest.raises(errors.MalformedResponseError) as raised:
        await result_of(reply(spoilt))
    word = spoilt["candidates"][0]["finishReason"]
    assert raised.value.retryable and word in str(raised.value)
    assert (raised.value.provider, raised.value.model) == ("google", "gemini-x")
    wire = Wire(reply(spoilt), reply(OK))
    options = {"platform": scripted_platform(), "stream": reply is streamed}
    result = await generate(model(wire), "hello", **options)
    assert result.text == "ok" and len(wire.requests) == 2


async def test_the_words_of_a_spoilt_answer_are_told():
    words = "Malformed function call: add(" + "x" * 1_000
    candidate = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": words}
    with pytest.raises(errors.MalformedResponseError, match=r"call: add\(x+\)") as raised:
        await result_of(streamed({"candidates": [candidate]}))
    assert len(str(raised.value)) < 500


async def test_a_call_of_an_unknown_tool_is_still_a_call():
    call = {"functionCall": {"name": "undeclared", "args": {"a": 1}}}
    result = await result_of(streamed(chunk(call, finish="UNEXPECTED_TOOL_CALL")))
    assert [call.name for call in result.tool_calls] == ["undeclared"]
    assert (result.finish_reason, result.raw_finish_reason) == (
        "tool-calls", "UNEXPECTED_TOOL_CALL",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (streamed(chunk({"text": "half"})), errors.StreamInterruptedError),
        (streamed({"usageMetadata": {"promptTokenCount": 1}}), errors.StreamInterruptedError),
        (whole({}), errors.MalformedResponseError),
        (whole({"detail": "Not Found"}), errors.MalformedResponseError),
        (whole([]), errors.MalformedResponseError),
        (whole({"candidates": [], "usageMetadata": {}}), errors.MalformedResponseError),
        (Reply(b"<html>hello</html>"), errors.MalformedResponseError),
        (Reply(b"data: nonsense\n\n"), errors.MalformedResponseError),
        (
            streamed(
                chunk({"text": "half"}),
                {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
            ),
            errors.OverloadedError,
        ),
        (
            whole([{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}]),
            errors.OverloadedError,
        ),
        (
            Reply(
                b'[{"error": {"code": 400, "message": "The input token count (1200293) exceeds '
                b'the maximum number of tokens allowed (1048576).", "status": '
                b'"INVALID_ARGUMENT"}}]',
                status=400,
                kind="application/json",
            ),
            errors.ContextWindowExceededError,
        ),
    ],
)
async def test_faults(reply, kind):
    with pytest.raises(kind) as raised:
        await result_of(reply)
    assert type(raised.value) is kind
    if kind is errors.ContextWindowExceededError:
        assert (raised.value.tokens, raised.value.window) == (1_200_293, 1_048_576)


async def test_an_unknown_model_hears_the_nearest_name():
    body = b'{"error": {"code": 404, "message": "models/gemini-y is not found.", "status": "NO"}}'
    wire = Wire(Reply(body, status=404, kind="application/json"))
    with pytest.raises(errors.ModelNotFoundError, match="Did you mean 'gemini-x'"):
        async for _ in model(wire, name="gemini-y").stream(ModelRequest([user("x")])):
            pass
    assert wire.requests[1].url == f"{BASE}/models"


async def test_a_list_of_events_is_read_as_a_stream():
    """What streamGenerateContent answers where the events were left out."""
    assert (await result_of(whole(THOUGHTS))).text == "Héllo 🌍"


# Arguments that arrive in pieces (Vertex, on request)


def call_piece(*pieces, name=None, go_on=True, **more):
    call = {"partialArgs": list(pieces), "willContinue": go_on}
    call |= {"name": name} if name else {}
    return chunk({"functionCall": {key: value for key, value in call.items() if value}, **more})


PIECEMEAL = [
    call_piece(name="cook", thoughtSignature=sign("c")),
    call_piece({"jsonPath": "$.recipe.name", "stringValue": "Las", "willContinue": True}),
    call_piece({"jsonPath": "$.recipe.name", "stringValue": "aagna"}),
    call_piece({"jsonPath": "$.recipe.steps[0].text", "stringValue": "Bake."}),
    call_piece({"jsonPath": "$.recipe.steps[0].hot", "boolValue": False}),
    call_piece({"jsonPath": "$.recipe.steps[1]['to do']", "numberValue": 0.5}),
    call_piece({"jsonPath": '$["a\\"b"]', "nullValue": "NULL_VALUE"}),
    call_piece({"jsonPath": "$.nothing"}),
    chunk({"functionCall": {}}),
    call_piece(name="now"),
    call_piece({"jsonPath": "$.zone", "stringValue": "UTC"}, go_on=False),
    chunk({"functionCall": {}}),
    call_piece(name="unended"),
    call_piece({"jsonPath": "$.a", "numberValue": 1}),
    call_piece(name="last"),
    chunk({"text": ""}, finish="STOP"),
]


async def test_arguments_in_pieces():
    parts, result = await ask(streamed(*PIECEMEAL))
    assert [(call.name, call.arguments) for call in result.tool_calls] == [
        (
            "cook",
            {
                "recipe": {
                    "name": "Lasaagna",
                    "steps": [{"text": "Bake.", "hot": False}, {"to do": 0.5}],
                },
                'a"b': None,
            },
        ),
        ("now", {"zone": "UTC"}),
        ("unended", {"a": 1}),
        ("last", {}),
    ]
    assert [part.type for part in parts].count("tool-call-start") == 4
    assert result.parts[0].arguments == result.tool_calls[0].arguments
    [told, _] = await after({"candidates": [{"finishReason": "STOP", "content": {
        "parts": [part for each in PIECEMEAL for part in each["candidates"][0]["content"]["parts"]]
    }}]})  # fmt: skip
    assert told["parts"][0]["thoughtSignature"] == sign("c")


@pytest.mark.parametrize(
    "piece",
    [
        {"stringValue": "x"},
        {"jsonPath": 5, "stringValue": "x"},
        *(
            {"jsonPath": path, "stringValue": "x"}
            for path in ("", "$", "a", "$.", "$.a.", "$..a", "$[0]", "$.a[9]", "$.a[x]", "$['a]")
        ),
    ],
    ids=json.dumps,
)
async def test_pieces_without_a_place(piece):
    with pytest.raises(errors.MalformedResponseError):
        await result_of(streamed(call_piece(piece, name="cook"), chunk(finish="STOP")))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=4), inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def pieces_of(value, path="$"):
    """Give a value's leaves as the wire tells them, each text cut in two."""
    if isinstance(value, dict):
        for key, inner in value.items():
            quoted = key.replace("\\", "\\\\").replace('"', '\\"')
            yield from pieces_of(inner, f'{path}["{quoted}"]')
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from pieces_of(inner, f"{path}[{index}]")
    elif value is None:
        yield {"jsonPath": path, "nullValue": None}
    elif isinstance(value, str):
        yield {"jsonPath": path, "stringValue": value[:3], "willContinue": True}
        yield {"jsonPath": path, "stringValue": value[3:]}
    else:
        yield {"jsonPath": path, "boolValue" if isinstance(value, bool) else "numberValue": value}


@given(st.dictionaries(st.text(min_size=1, max_size=4), JSON, max_size=3))
async def test_any_value_is_gathered_from_its_pieces(value):
    pieces = [call_piece(piece) for piece in pieces_of(value)]
    end = chunk({"functionCall": {}}, finish="STOP")
    [call] = (await result_of(streamed(call_piece(name="f"), *pieces, end))).tool_calls
    assert call.arguments == value and not call.broken


# Cut anywhere, whole or streamed: the same

ANSWERS = {
    "thoughts": THOUGHTS,
    "signed": [SIGNED],
    "pieces": PIECEMEAL,
    "blocked": [{"promptFeedback": {"blockReason": "SAFETY"}}],
    "calls": [chunk({"functionCall": {"name": "f", "args": {"é": "🌍"}}}), chunk(finish="STOP")],
}


@pytest.mark.parametrize("chunks", ANSWERS.values(), ids=ANSWERS)
async def test_cut_at_every_byte(chunks):
    expected = await result_of(streamed(*chunks))
    for at in range(1, len(events(*chunks))):
        assert await result_of(streamed(*chunks, at=[at])) == expected
    bytewise = range(1, len(events(*chunks)))
    assert await result_of(streamed(*chunks, at=bytewise)) == expected


def joined(chunks):
    """Give the one answer that says what the events of a stream say."""
    answer = {"candidates": [{"content": {"parts": []}}]}
    candidate = answer["candidates"][0]
    for each in chunks:
        for told in each.get("candidates", []):
            candidate["content"]["parts"] += told.get("content", {}).get("parts", [])
            candidate |= {key: told[key] for key in ("finishReason",) if key in told}
        answer |= {key: value for key, value in each.items() if key != "candidates"}
    return answer


@pytest.mark.parametrize("chunks", ANSWERS.values(), ids=ANSWERS)
async def test_a_whole_answer_is_the_same(chunks):
    assert await result_of(whole(joined(chunks))) == await result_of(streamed(*chunks))


PARTS = st.fixed_dictionaries(
    {"text": st.text(max_size=6)},
    optional={"thought": st.booleans(), "thoughtSignature": st.sampled_from(["", "c2ln"])},
) | st.fixed_dictionaries(
    {
        "functionCall": st.fixed_dictionaries(
            {"name": st.sampled_from(["f", "g"])},
            optional={"args": st.dictionaries(st.text(max_size=3), JSON, max_size=2)},
        )
    },
    optional={"thoughtSignature": st.just("c2ln")},
)


@settings(deadline=None)
@given(st.data(), st.lists(st.lists(PARTS, max_size=3), max_size=4))
async def test_splitting_changes_nothing(data, told):
    chunks = [*(chunk(*parts) for parts in told), chunk(finish="STOP", usageMetadata={})]
    size = len(events(*chunks))
    at = sorted(data.draw(st.sets(st.integers(1, size - 1), max_size=8)))
    parts, result = await ask(streamed(*chunks, at=at))
    assert result == await result_of(whole(joined(chunks)))
    said = [part for parts_ in told for part in parts_]
    texts = [part["text"] for part in said if "text" in part and not part.get("thought")]
    assert result.text == "".join(texts)
    assert result.text == "".join(part.text for part in parts if part.type == "text-delta")
    calls = [part["functionCall"] for part in said if "functionCall" in part]
    assert [call.arguments for call in result.tool_calls] == [c.get("args", {}) for c in calls]
    # Everything that was signed is signed in the turn that history keeps, in the same order.
    signed = [part["thoughtSignature"] for part in said if part.get("thoughtSignature")]
    kept = [(part.provider_data or {}).get("thoughtSignature") for part in result.parts]
    assert [signature for signature in kept if signature] == signed


@settings(deadline=None)
@given(JSON, st.sampled_from(["candidates", "content", "parts", "text", "functionCall", "usage"]))
async def test_odd_values_are_one_clear_fault_or_none(value, place):
    part = {"text": "a"} | ({place: value} if place in ("text", "functionCall") else {})
    odd = chunk(part, finish="STOP")
    if place == "candidates":
        odd["candidates"] = value
    elif place == "content":
        odd["candidates"][0]["content"] = value
    elif place == "parts":
        odd["candidates"][0]["content"]["parts"] = value
    elif place == "usage":
        odd |= {"usageMetadata": value, "promptFeedback": value}
    with suppress(errors.MalformedResponseError):
        assert (await result_of(streamed(odd, OK))).text.endswith("ok")


async def test_a_conversation_begins_with_the_user_and_has_no_empty_turns():
    thought = Message("assistant", [ReasoningPart("long, and cut off")])
    body = await sent(ModelRequest([assistant("Welcome"), user("q"), thought, user("go on")]))
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert all(turn["parts"] for turn in body["contents"])


async def test_an_id_that_came_twice_goes_back_once():
    calls = [{"functionCall": {"id": "x", "name": "now", "args": {"n": n}}} for n in (1, 2)]
    result = await result_of(streamed(chunk(*calls, finish="STOP")))
    turns = [user("u"), Message("assistant", result.parts), results(result)]
    body = await sent(ModelRequest(turns))
    sent_calls = [part["functionCall"] for part in body["contents"][1]["parts"]]
    answers = [part["functionResponse"] for part in body["contents"][2]["parts"]]
    assert [call.get("id") for call in sent_calls] == ["x", None]
    assert [answer.get("id") for answer in answers] == ["x", None]


async def test_counters_below_nothing_are_not_reported():
    counted = {"promptTokenCount": -5, "candidatesTokenCount": 3.0, "totalTokenCount": True}
    result = await result_of(streamed({**OK, "usageMetadata": counted}))
    assert result.usage == Usage(output_tokens=3)

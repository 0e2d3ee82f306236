"""The chat completions wire against a scripted server, through httpx2."""

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import define_tool, errors, generate, run_tool_loop, stream
from pagehand.cancel import AbortController
from pagehand.errors import AgentAborted
from pagehand.messages import (
    FilePart,
    ImagePart,
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    assistant,
    system,
    user,
)
from pagehand.models.base import ToolDefinition
from pagehand.models.resolve import resolve_model
from pagehand.platform.native import native_platform
from pagehand.testing import CountingEntropy, InstantClock, scripted_platform
from pagehand.usage import Usage
from tests.support.scripted_server import (
    Answer,
    ScriptedServer,
    calls,
    chunk,
    end,
    fault,
    text,
)
from tests.traffic.reading import TapeResponse

KEY = "sk-canary-0123456789"


@pytest.fixture
async def platform():
    made = native_platform()
    made.clock, made.entropy = InstantClock(), CountingEntropy()
    yield made
    await made.http.aclose()


def spec(server, **more):
    return {"model": "m", "base_url": server.url, "api_key": KEY, **more}


async def parts_of(server, platform, **options):
    asked = stream(spec(server), "hello", platform=platform, max_retries=0, **options)
    return [part async for part in asked], asked.result


async def test_a_text_streams(platform):
    with ScriptedServer([text("Hello there, you")]) as server:
        parts, result = await parts_of(server, platform)
    assert {part.type for part in parts[:-1]} == {"text-delta"} and parts[-1].type == "finish"
    assert "".join(part.text for part in parts[:-1]) == result.text == "Hello there, you"
    assert result.usage == Usage(11, 7, 18)
    assert (result.finish_reason, result.raw_finish_reason) == ("stop", "stop")


async def test_texts_that_arrive_together_are_one_part(platform):
    deltas = [{"reasoning_content": "I "}, {"reasoning_content": "think"}]
    deltas += [{"content": piece} for piece in ("Hel", "lo ", "you")]
    lines = [*(chunk(**delta) for delta in deltas), *end()]
    together = "".join(f"data: {line}\n\n" for line in lines).encode()
    with ScriptedServer([Answer([together])]) as server:
        parts, _ = await parts_of(server, platform)
    assert [part.type for part in parts] == ["reasoning-delta", "text-delta", "finish"]
    assert [part.text for part in parts[:-1]] == ["I think", "Hello you"]


async def test_the_request(platform):
    tool = ToolDefinition("add", "Add it", {"type": "object"})
    with ScriptedServer([text("ok")]) as server:
        await generate(
            spec(server, headers={"x-team": "blue"}, provider_options={"top_p": 0.5}),
            "hello",
            platform=platform,
            system="Be brief.",
            tools=[tool],
            tool_choice="required",
            output_schema={"type": "object"},
            max_output_tokens=9,
            temperature=0.25,
        )
    [request], [headers] = server.requests, server.headers
    assert request == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hello"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "add",
                    "description": "Add it",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "tool_choice": "required",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}},
        },
        "max_tokens": 9,
        "temperature": 0.25,
        "top_p": 0.5,
    }
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-team"] == "blue" and headers["user-agent"] == "pagehand"


async def test_a_conversation_on_the_wire(platform):
    turns = [
        system("s"),
        user("u"),
        Message(
            "assistant",
            [TextPart("t"), ToolCallPart("c", "add", {"a": "é"}), ToolCallPart("d", "x", {})],
        ),
        Message("tool", [ToolResultPart("c", "add", "done"), ToolResultPart("d", "x", "no")]),
        assistant("ok"),
        Message(
            "user",
            [
                TextPart("see"),
                ImagePart(b"\x00", "image/png"),
                ImagePart("https://x.test/a.png"),
                FilePart(b"%PDF", "application/pdf", "a.pdf"),
            ],
        ),
    ]
    with ScriptedServer([text("ok")]) as server:
        await generate(spec(server), messages=turns, platform=platform)
    wire = server.requests[0]["messages"]
    assert wire[2]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": "é"}'}
    assert [message["tool_call_id"] for message in wire[3:5]] == ["c", "d"]
    assert [part["type"] for part in wire[6]["content"]] == [
        "text", "image_url", "image_url", "file",
    ]  # fmt: skip
    assert wire[6]["content"][1]["image_url"]["url"] == "data:image/png;base64,AA=="
    assert wire[6]["content"][2]["image_url"]["url"] == "https://x.test/a.png"


async def test_parallel_calls_stream(platform):
    script = [calls(("add", {"a": 1}), ("sub", {"b": [2]}), said="Let me see.")]
    with ScriptedServer(script) as server:
        parts, result = await parts_of(server, platform)
    assert [call.arguments for call in result.tool_calls] == [{"a": 1}, {"b": [2]}]
    assert [call.id for call in result.tool_calls] == ["call_0", "call_1"]
    assert result.finish_reason == "tool-calls" and result.text == "Let me see."
    kinds = [part.type for part in parts]
    assert kinds.count("tool-call-start") == kinds.count("tool-call-end") == 2
    deltas = [part for part in parts if part.type == "tool-call-delta" and part.id == "call_1"]
    assert json.loads("".join(part.arguments_delta for part in deltas)) == {"b": [2]}


def streamed(*tool_calls, reason="tool_calls"):
    return Answer([*(chunk(tool_calls=[call]) for call in tool_calls), *end(reason)])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # no index, an id each
        (
            streamed(
                {"id": "a", "function": {"name": "f", "arguments": '{"x":1}'}},
                {"id": "b", "function": {"name": "g", "arguments": "{}"}},
            ),
            [("a", "f", {"x": 1}, False), ("b", "g", {}, False)],
        ),
        # no index, one call continued
        (
            streamed(
                {"id": "a", "function": {"name": "f", "arguments": '{"x"'}},
                {"function": {"arguments": ":2}"}},
            ),
            [("a", "f", {"x": 2}, False)],
        ),
        # arguments as an object, finish reason stop
        (
            streamed(
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 3}}},
                reason="stop",
            ),
            [("a", "f", {"x": 3}, False)],
        ),
        # all calls with index 0 and no id, each whole
        (
            streamed(
                {"index": 0, "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"index": 0, "function": {"name": "f", "arguments": '{"x": 2}'}},
                {"index": 0, "function": {"name": "g", "arguments": "{}"}},
            ),
            [
                ("call_0", "f", {"x": 1}, False),
                ("call_1", "f", {"x": 2}, False),
                ("call_2", "g", {}, False),
            ],
        ),
        # all calls with index 0, an id each
        (
            streamed(
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":'}},
                {"index": 0, "function": {"arguments": "1}"}},
                {"index": 0, "id": "b", "function": {"name": "f", "arguments": '{"x":2}'}},
            ),
            [("a", "f", {"x": 1}, False), ("b", "f", {"x": 2}, False)],
        ),
        # the name of the call in every chunk
        (
            streamed(
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}},
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": ": {}}"}},
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}},
            ),
            [("a", "f", {"x": {}}, False)],
        ),
        # the same without an id
        (
            streamed(
                {"index": 0, "function": {"name": "f", "arguments": '{"x"'}},
                {"index": 0, "function": {"name": "f", "arguments": ": 1}"}},
                {"index": 0, "function": {"name": "f", "arguments": ""}},
            ),
            [("call_0", "f", {"x": 1}, False)],
        ),
        # another name begins another call, with neither ids nor indexes
        (
            streamed(
                {"function": {"name": "f", "arguments": ""}},
                {"function": {"name": "g", "arguments": '{"x"'}},
                {"function": {"arguments": ": 1}"}},
            ),
            [("call_0", "f", {}, False), ("call_1", "g", {"x": 1}, False)],
        ),
        # brackets inside a text close nothing
        (
            streamed(
                {"index": 0, "function": {"name": "f", "arguments": '{"x": "}'}},
                {"index": 0, "function": {"name": "f", "arguments": '\\"}"'}},
                {"index": 0, "function": {"name": "f", "arguments": "}"}},
            ),
            [("call_0", "f", {"x": '}"}'}, False)],
        ),
        # one id for two calls: the index tells them apart
        (
            streamed(
                {"index": 0, "id": "f", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"index": 1, "id": "f", "function": {"name": "f", "arguments": '{"x":'}},
                {"index": 1, "id": "f", "function": {"arguments": " 2}"}},
            ),
            [("f", "f", {"x": 1}, False), ("call_0", "f", {"x": 2}, False)],
        ),
        # an id that was made up for the call before
        (
            streamed(
                {"index": 0, "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"index": 1, "id": "call_0", "function": {"name": "g", "arguments": '{"x": 2}'}},
            ),
            [("call_0", "f", {"x": 1}, False), ("call_1", "g", {"x": 2}, False)],
        ),
        # an id that changes under way
        (
            streamed(
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
                {"index": 0, "id": "other", "function": {"arguments": ":1}"}},
            ),
            [("a", "f", {"x": 1}, False)],
        ),
        # no id, empty arguments, null arguments
        (streamed({"index": 0, "function": {"name": "f"}}), [("call_0", "f", {}, False)]),
        (
            streamed({"index": 0, "function": {"name": "f", "arguments": "null"}}),
            [("call_0", "f", {}, False)],
        ),
        # what is no object is broken, and kept as it came
        (
            streamed({"index": 0, "function": {"name": "f", "arguments": '{"x": 1'}}),
            [("call_0", "f", {}, True)],
        ),
    ],
)
async def test_habits_of_compatible_servers(platform, answer, expected):
    with ScriptedServer([answer]) as server:
        _, result = await parts_of(server, platform)
    found = [(call.id, call.name, call.arguments, call.broken) for call in result.tool_calls]
    assert found == expected
    assert result.finish_reason == "tool-calls"


@pytest.mark.parametrize("ids", [{}, {"id": "a"}], ids=["no ids", "one id"])
async def test_each_entry_of_a_whole_answer_is_a_call_of_its_own(platform, ids):
    wanted = [("f", ""), ("f", "{}"), ("g", ""), ("f", {"x": 1})]
    entries = [{**ids, "function": {"name": name, "arguments": raw}} for name, raw in wanted]
    choice = {"message": {"tool_calls": entries}, "finish_reason": "tool_calls"}
    with ScriptedServer([Answer(body=json.dumps({"choices": [choice]}).encode())]) as server:
        result = await generate(spec(server), "hello", platform=platform, stream=False)
    found = [(call.name, call.arguments, call.broken) for call in result.tool_calls]
    assert found == [("f", {}, False), ("f", {}, False), ("g", {}, False), ("f", {"x": 1}, False)]
    assert len({call.id for call in result.tool_calls}) == 4


async def test_a_character_cut_in_two_is_whole_in_the_result(platform):
    halves = [chunk(content="so \ud83d"), chunk(content="\ude00 it goes, \ud83d"), *end()]
    with ScriptedServer([Answer(halves)]) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert result.text == result.parts[0].text == "so 😀 it goes, \ud83d"


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "object", "properties": {"a": {}}}, {"properties": {"b": {}}}]},
        {
            "oneOf": [{"$ref": "#/$defs/A"}, {"allOf": [{"properties": {"b": {}}}]}],
            "$defs": {"A": {"type": "object", "properties": {"a": {}}}},
        },
        {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {}, "b": {}}}}},
    ],
    ids=["anyOf", "oneOf of references", "reference"],
)
async def test_a_tools_arguments_are_one_plain_object(platform, schema):
    with ScriptedServer([text("ok")]) as server:
        tools = [ToolDefinition("add", "Add it", schema)]
        await generate(spec(server), "hello", platform=platform, tools=tools)
    [tool] = server.requests[0]["tools"]
    plain = {"type": "object", "properties": {"a": {}, "b": {}}}
    assert tool["function"]["parameters"] == plain


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thoughts(platform, name):
    answer = Answer([chunk(**{name: "hm"}), chunk(content="yes"), *end()])
    with ScriptedServer([answer]) as server:
        parts, result = await parts_of(server, platform)
    assert (result.reasoning, result.text) == ("hm", "yes")
    assert parts[0].type == "reasoning-delta"


async def test_a_whole_answer_is_the_same(platform):
    message = {
        "role": "assistant",
        "content": "hi",
        "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
    }
    body = {
        "choices": [{"message": message, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 5,
            "completion_tokens": 4,
            "prompt_tokens_details": {"cached_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    }
    with ScriptedServer([Answer(body=json.dumps(body).encode())]) as server:
        result = await generate(spec(server), "hello", platform=platform, stream=False)
    assert server.requests[0]["stream"] is False
    assert (result.text, result.tool_calls[0].name) == ("hi", "f")
    assert result.usage == Usage(5, 4, 9, 2, 3)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (fault(401, f"Incorrect API key provided: {KEY}"), errors.AuthenticationError),
        (fault(403, "no access"), errors.PermissionDeniedError),
        (Answer(status=307, body=b""), errors.InvalidRequestError),
        (fault(404, "no such model"), errors.ModelNotFoundError),
        (fault(429, "slow down"), errors.RateLimitError),
        (fault(429, "You exceeded your current quota"), errors.QuotaExceededError),
        (fault(402, "pay"), errors.QuotaExceededError),
        (fault(400, "bad"), errors.InvalidRequestError),
        (fault(400, "blocked by content_filter"), errors.ContentRefusedError),
        (fault(500, "oops"), errors.ServerError),
        (fault(503, "later"), errors.OverloadedError),
        (fault(529, "overloaded"), errors.OverloadedError),
        (fault(408, "slow"), errors.ModelTimeoutError),
        (
            fault(400, "This model's maximum context length is 8192 tokens. However, your messages "
                  "resulted in 9000 tokens."),
            errors.ContextWindowExceededError,
        ),
        (Answer(status=502, body=b"<html><h1>Bad Gateway</h1></html>"), errors.ServerError),
        (Answer(["not json"]), errors.MalformedResponseError),
        (Answer(["[1, 2]"]), errors.MalformedResponseError),
        (Answer([chunk(content="half")]), errors.StreamInterruptedError),
        (Answer([chunk(content="half")], cut=True), errors.StreamInterruptedError),
        (
            Answer([chunk(content="half"), json.dumps({"error": {"message": "it broke"}})]),
            errors.ServerError,
        ),
        (Answer(body=b"<html>hello</html>"), errors.MalformedResponseError),
        (Answer([b"<html>hello</html>"]), errors.MalformedResponseError),
        (Answer(body=b'{"detail": "Not Found"}'), errors.MalformedResponseError),
        (Answer(body=b'{"choices": []}'), errors.MalformedResponseError),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
async def test_faults(platform, answer, kind):
    with ScriptedServer([answer]) as server, pytest.raises(kind) as raised:
        await generate(spec(server), "hello", platform=platform, max_retries=0)
    assert type(raised.value) is kind
    assert KEY not in f"{raised.value} {raised.value.to_dict()}"
    if kind is errors.ContextWindowExceededError:
        assert (raised.value.tokens, raised.value.window) == (9000, 8192)


ODD_CHUNKS = [
    {"choices": [None]},
    {"choices": ["x"]},
    {"choices": [{"delta": "text"}]},
    {"choices": [{"delta": [1]}]},
    {"choices": [{"delta": {"tool_calls": True}}]},
    {"choices": [{"delta": {"tool_calls": [None]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": "f"}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": 5}}]}}]},
]


@pytest.mark.parametrize("odd", ODD_CHUNKS, ids=json.dumps)
async def test_fields_of_the_wrong_kind(platform, odd):
    with (
        ScriptedServer([Answer([json.dumps(odd), *end()])]) as server,
        pytest.raises(errors.MalformedResponseError),
    ):
        await generate(spec(server), "hello", platform=platform, max_retries=0)


async def test_counters_of_the_wrong_kind_count_as_not_reported(platform):
    usage = {"prompt_tokens": "5", "completion_tokens": True, "total_tokens": -3}
    usage["prompt_tokens_details"] = [1]
    chunks = [chunk(content="ok"), json.dumps({"choices": [], "usage": usage}), end()[0], "[DONE]"]
    with ScriptedServer([Answer(chunks)]) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert (result.text, result.usage) == ("ok", Usage())


async def test_counters_that_are_whole_numbers_count_and_empty_ones_change_nothing(platform):
    said = json.dumps({"choices": [], "usage": {"prompt_tokens": 5.0, "completion_tokens": 2}})
    chunks = [chunk(content="ok"), said, json.dumps({"usage": {}}), end()[0], "[DONE]"]
    with ScriptedServer([Answer(chunks)]) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert result.usage == Usage(5, 2, 7)


async def test_half_a_character_is_sent_all_the_same(platform):
    with ScriptedServer([text("ok")]) as server:
        await generate(spec(server), "half \ud83d", platform=platform)
    assert server.requests[0]["messages"][0]["content"].startswith("half ")


@pytest.mark.parametrize(
    "more",
    [
        {"headers": {"authorization": f"Basic {KEY}"}},
        {"headers": {"x-team-token": KEY}},
    ],
)
async def test_a_secret_header_that_comes_back_is_not_repeated(platform, more):
    told = " ".join(more["headers"].values())
    with (
        ScriptedServer([fault(400, f"I saw {told}")]) as server,
        pytest.raises(errors.InvalidRequestError) as raised,
    ):
        await generate({"model": "m", "base_url": server.url, **more}, "x", platform=platform)
    assert KEY not in f"{raised.value} {raised.value.to_dict()}"


async def test_retries_and_their_waits(platform):
    script = [
        fault(503, "later", **{"retry-after": "3"}),
        fault(500, "oops", **{"retry-after-ms": "250"}),
        text("ok"),
    ]
    with ScriptedServer(script) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert result.text == "ok"
    assert platform.clock.slept == [3.0, 0.25]


async def test_quota_is_not_retried(platform):
    with ScriptedServer([fault(429, "insufficient_quota")] * 3) as server:
        with pytest.raises(errors.QuotaExceededError):
            await generate(spec(server), "hello", platform=platform)
        assert len(server.requests) == 1


async def test_a_dead_endpoint(platform):
    with ScriptedServer([]) as server:
        url = server.url
    with pytest.raises(errors.NetworkError, match="could not be reached"):
        await generate({"model": "m", "base_url": url}, "hello", platform=platform, max_retries=0)


async def test_leaving_early_ends_the_request(platform):
    with ScriptedServer(
        [Answer([chunk(content="one"), chunk(content="two")], hold=True)]
    ) as server:
        model = resolve_model(spec(server), platform)
        asked = stream(model, "hello", platform=platform)
        iterator = aiter(asked)
        await anext(iterator)
        await iterator.aclose()
        assert server.gone.wait(5)


async def test_a_signal_ends_the_request(platform):
    controller = AbortController()
    with ScriptedServer([Answer([chunk(content="one")], hold=True)]) as server:
        asked = stream(spec(server), "hello", platform=platform, signal=controller.signal)
        iterator = aiter(asked)
        assert (await anext(iterator)).text == "one"
        controller.abort()
        with pytest.raises(AgentAborted):
            await anext(iterator)
        assert server.gone.wait(5)


async def test_a_deadline_ends_the_request(platform):
    with ScriptedServer([Answer([chunk(content="one")], hold=True)]) as server:
        with pytest.raises(errors.ModelTimeoutError, match="raise llm_timeout_ms"):
            await generate(spec(server), "hello", platform=platform, timeout_ms=200, max_retries=0)
        assert server.gone.wait(5)


async def test_a_done_without_a_finish_is_an_end(platform):
    with ScriptedServer([Answer([chunk(content="yes"), "[DONE]"])]) as server:
        _, result = await parts_of(server, platform)
    assert (result.text, result.finish_reason, result.raw_finish_reason) == ("yes", "stop", None)


async def test_usage_in_a_chunk_without_choices_and_thoughts_beside_the_answer(platform):
    counted = {
        "prompt_tokens": 12,
        "completion_tokens": 1,
        "total_tokens": 303,
        "completion_tokens_details": {"reasoning_tokens": 290},
    }
    lines = [chunk(content="Hi"), *end()[:1], json.dumps({"usage": counted}), "[DONE]"]
    with ScriptedServer([Answer(lines)]) as server:
        _, result = await parts_of(server, platform)
    assert result.usage == Usage(12, 291, 303, 290)


async def test_an_error_in_the_choice_of_a_gateway(platform):
    broken = {"choices": [{"index": 0, "delta": {}, "error": {"code": 503, "message": "busy"}}]}
    with (
        ScriptedServer([Answer([chunk(content="ha"), json.dumps(broken)])]) as server,
        pytest.raises(errors.OverloadedError, match="busy"),
    ):
        await generate(spec(server), "hello", platform=platform, max_retries=0)


async def test_characters_cut_between_chunks(platform):
    data = "".join(
        f"data: {line}\n\n" for line in [chunk(content="Zürich 🌞 日本"), *end()]
    ).encode()
    single = [data[at : at + 1] for at in range(len(data))]
    with ScriptedServer([Answer(single)]) as server:
        _, result = await parts_of(server, platform)
    assert result.text == "Zürich 🌞 日本"


async def test_broken_arguments_are_never_sent_back(platform):
    def execute(args, context):
        raise AssertionError("a broken call is not run")

    tool = define_tool("add", "Add it", {"type": "object", "properties": {}}, execute)
    bad = streamed({"index": 0, "id": "a", "function": {"name": "add", "arguments": '{"x": 1'}})
    with ScriptedServer([bad, text("I give up.")]) as server:
        result = await run_tool_loop(spec(server), [tool], "add", platform=platform)
    assert result.text == "I give up." and not result.tool_calls[0].ok
    sent = server.requests[1]["messages"]
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert '{"x": 1' not in json.dumps(sent[1])


async def test_a_tool_without_parameters_is_sent_back_as_an_object(platform):
    tool = define_tool("now", "Time", {"type": "object"}, lambda args, context: "noon")
    empty = streamed({"index": 0, "id": "a", "function": {"name": "now", "arguments": ""}})
    with ScriptedServer([empty, text("Noon.")]) as server:
        await run_tool_loop(spec(server), [tool], "time?", platform=platform)
    assert server.requests[1]["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_signatures_of_gemini_travel_on_this_wire_too(platform):
    extra = {"google": {"thought_signature": "sig"}}
    call = {
        "index": 0,
        "id": "a",
        "extra_content": extra,
        "function": {"name": "now", "arguments": "{}"},
    }
    tool = define_tool("now", "Time", {"type": "object"}, lambda args, context: "noon")
    with ScriptedServer([streamed(call), text("Noon.")]) as server:
        await run_tool_loop(spec(server), [tool], "time?", platform=platform)
    assert server.requests[1]["messages"][1]["tool_calls"][0]["extra_content"] == extra


async def test_details_of_reasoning_are_joined_and_come_back(platform):
    def told(text, **more):
        return {"type": "reasoning.text", "index": 0, "text": text, **more}

    lines = [
        chunk(reasoning="Let ", reasoning_details=[told("Let ")]),
        chunk(reasoning="me", reasoning_details=[told("me", signature="s")]),
        chunk(reasoning_details=[{"type": "reasoning.encrypted", "index": 1, "data": "e"}]),
        chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "now", "arguments": "{}"}}]),
        *end("tool_calls"),
    ]
    tool = define_tool("now", "Time", {"type": "object"}, lambda args, context: "noon")
    with ScriptedServer([Answer(lines), text("Noon.")]) as server:
        model = {**spec(server), "model": "openrouter:m"}
        result = await run_tool_loop(model, [tool], "time?", platform=platform)
    assert result.text == "Noon."
    assert server.requests[1]["messages"][1]["reasoning_details"] == [
        told("Let me", signature="s"),
        {"type": "reasoning.encrypted", "index": 1, "data": "e"},
    ]


async def test_the_nearest_name_of_a_model_that_is_not_there(platform):
    class Listing:
        """Answers 404 to the call and lists what there is."""

        def __init__(self, listed):
            self.listed = listed
            self.asked = []

        async def send(self, request):
            self.asked.append((request.method, request.url, request.headers.get("authorization")))
            body = json.dumps(
                {"error": {"message": "The model does not exist", "code": "model_not_found"}}
            )
            return TapeResponse(404, {}, [body.encode()]) if request.method == "POST" else (
                TapeResponse(200, {}, [json.dumps(self.listed).encode()])
            )  # fmt: skip

    listings = [
        {"data": [{"id": "qwen3-32b"}, {"id": "llama-3.3-70b"}]},
        {"models": [{"name": "models/qwen3-32b"}]},
        [{"id": "qwen3-32b"}],
    ]
    for listed in listings:
        http = Listing(listed)
        with pytest.raises(errors.ModelNotFoundError, match="Did you mean 'qwen3-32b'") as raised:
            await generate(
                {"model": "openai-compatible:qwen-32b", "base_url": "http://h/v1", "api_key": KEY},
                "hi",
                platform=scripted_platform(http=http),
            )
        assert raised.value.details["nearest"] == "qwen3-32b"
        assert http.asked[1] == ("GET", "http://h/v1/models", f"Bearer {KEY}")
    for listed in ({}, {"data": "x"}, {"data": [1, {"id": 2}]}, {"data": [{"id": "unlike"}]}):
        with pytest.raises(errors.ModelNotFoundError) as raised:
            await generate(
                {"model": "openai-compatible:qwen-32b", "base_url": "http://h/v1"},
                "hi",
                platform=scripted_platform(http=Listing(listed)),
            )
        assert "Did you mean" not in str(raised.value)


async def test_a_model_that_is_not_known_to_think_is_told_once(platform):
    with ScriptedServer([text("a"), text("b")]) as server:
        model = resolve_model(spec(server), platform)
        for warned in (1, 0):
            asked = stream(model, "hi", platform=platform, thinking="high")
            parts = [part async for part in asked]
            assert [part.type for part in parts].count("warning") == warned
            assert len(asked.result.warnings) == warned
        assert all("reasoning_effort" not in request for request in server.requests)


@given(st.lists(st.integers(1, 400), max_size=30))
async def test_no_cut_changes_a_stream(places):
    lines = [
        chunk(reasoning="hm 🌞"),
        chunk(content="é"),
        chunk(
            tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":'}}]
        ),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": '"日"}'}}]),
        *end("tool_calls"),
    ]
    data = "".join(f"data: {line}\r\n\r\n" for line in lines).encode()
    marks = sorted({0, len(data), *(place for place in places if place < len(data))})
    pieces = [data[a:b] for a, b in pairwise(marks)]

    class Tape:
        async def send(self, request):
            return TapeResponse(200, {"content-type": "text/event-stream"}, pieces)

    result = await generate(
        {"model": "m", "base_url": "http://h/v1"}, "hi", platform=scripted_platform(http=Tape())
    )
    assert (result.reasoning, result.text) == ("hm 🌞", "é")
    assert result.tool_calls[0].arguments == {"x": "日"}


async def test_a_connection_that_stays_open_behind_the_answer(platform):
    with ScriptedServer([Answer([chunk(content="yes"), *end()], hold=True)]) as server:
        _, result = await parts_of(server, platform)
        assert result.text == "yes"
        assert server.gone.wait(5)


async def test_what_comes_behind_the_answer_is_passed_over(platform):
    lines = [chunk(content="yes"), *end()[:2], "ping", "[DONE] ", "not json"]
    with ScriptedServer([Answer(lines)]) as server:
        _, result = await parts_of(server, platform)
    assert (result.text, result.usage.total_tokens) == ("yes", 18)


async def test_an_error_by_the_name_of_its_event(platform):
    data = b'event: error\ndata: {"message": "busy", "code": 503}\n\n'
    frames = [b'data: {"object": "error", "message": "busy", "code": 503}\n\n', data]
    for frame in frames:
        with (
            ScriptedServer([Answer([chunk(content="ha"), frame])]) as server,
            pytest.raises(errors.OverloadedError, match="busy"),
        ):
            await generate(spec(server), "hello", platform=platform, max_retries=0)


async def test_a_whole_answer_needs_no_word_for_its_end(platform):
    body = {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}
    kind = {"content-type": "Application/JSON"}
    with ScriptedServer([Answer(body=json.dumps(body).encode(), headers=kind)]) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert (result.text, result.raw_finish_reason) == ("hi", None)


@pytest.mark.parametrize(
    "echo",
    [
        '{"error": {"message": "bad key abc\\/def+ghi\\u003dcanary"}}',
        '{"error": {"message": "bad key abc/def+ghi=canary"}}',
        "<p>bad key abc/def+ghi=canary</p>",
    ],
)
async def test_a_key_is_hidden_however_it_is_written(platform, echo):
    key = "abc/def+ghi=canary"
    answers = [Answer(status=401, body=echo.encode()), Answer([echo])]
    for answer in answers:
        for way in ({"api_key": key}, {"headers": {"x-auth": f"Token {key}"}}):
            with ScriptedServer([answer]) as server:
                asked = {"model": "m", "base_url": server.url, **way}
                with pytest.raises(errors.ModelError) as raised:
                    await generate(asked, "hello", platform=platform, max_retries=0)
            assert "canary" not in f"{raised.value} {raised.value.to_dict()}"


async def test_a_listing_that_repeats_the_key_gives_no_hint():
    class Echo:
        async def send(self, request):
            if request.method == "POST":
                return TapeResponse(404, {}, [b'{"error": {"message": "no such model"}}'])
            return TapeResponse(200, {}, [json.dumps({"data": [{"id": f"m-{KEY}"}]}).encode()])

    with pytest.raises(errors.ModelNotFoundError) as raised:
        await generate(
            {"model": f"openai-compatible:m-{KEY[:-2]}", "base_url": "http://h/v1", "api_key": KEY},
            "hi",
            platform=scripted_platform(http=Echo()),
        )
    assert KEY not in f"{raised.value} {raised.value.to_dict()}"


async def test_time_between_two_parts_is_the_readers_own():
    lines = [*(chunk(content=piece) for piece in ("a", "b", "c")), *end()]

    class Tape:
        async def send(self, request):
            batches = [f"data: {line}\n\n".encode() for line in lines]
            return TapeResponse(200, {"content-type": "text/event-stream"}, batches)

    asked = stream(
        {"model": "m", "base_url": "http://h/v1"},
        "hello",
        platform=scripted_platform(http=Tape()),
        timeout_ms=400,
        max_retries=0,
    )
    async for part in asked:
        if part.type == "text-delta":
            await asyncio.sleep(0.2)  # the reader's own work; together it is longer than allowed
    assert asked.result.text == "abc"


async def test_an_answer_that_had_begun_is_not_bought_again(platform):
    with ScriptedServer([Answer([chunk(content="a")], hold=True)] * 3) as server:
        with pytest.raises(errors.ModelTimeoutError):
            await generate(spec(server), "hello", platform=platform, timeout_ms=1_500)
        assert len(server.requests) == 1


async def test_each_part_may_be_awaited_in_a_task_of_its_own(platform):
    with ScriptedServer([Answer([chunk(content="a")], hold=True)]) as server:
        asked = stream(spec(server), "hello", platform=platform, timeout_ms=1_500, max_retries=0)
        parts = aiter(asked)
        first = await asyncio.create_task(anext(parts))
        assert first.text == "a"
        with pytest.raises(errors.ModelTimeoutError):
            await asyncio.create_task(anext(parts))

"""The chat completions wire against a scripted server, through httpx2."""

import json

import pytest

from pagehand import errors, generate, stream
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
from pagehand.models.registry import resolve_model
from pagehand.platform.native import native_platform
from pagehand.testing import CountingEntropy, InstantClock
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
                    "parameters": {"type": "object"},
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
        Message("assistant", [TextPart("t"), ToolCallPart("c", "add", {"a": "é"})]),
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
]


@pytest.mark.parametrize("odd", ODD_CHUNKS, ids=json.dumps)
async def test_fields_of_the_wrong_kind(platform, odd):
    with (
        ScriptedServer([Answer([json.dumps(odd), *end()])]) as server,
        pytest.raises(errors.MalformedResponseError),
    ):
        await generate(spec(server), "hello", platform=platform, max_retries=0)


async def test_counters_of_the_wrong_kind_count_as_not_reported(platform):
    usage = {"prompt_tokens": "5", "completion_tokens": True, "prompt_tokens_details": [1]}
    chunks = [chunk(content="ok"), json.dumps({"choices": [], "usage": usage}), end()[0], "[DONE]"]
    with ScriptedServer([Answer(chunks)]) as server:
        result = await generate(spec(server), "hello", platform=platform)
    assert (result.text, result.usage) == ("ok", Usage())


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


def recorded(material):
    for path in sorted((material / "traffic").glob("*/*.json")):
        case = json.loads(path.read_text())
        if case["protocol"] == "openai-chat":
            yield path.name, case


async def test_recorded_answers(material, platform):
    """Every recorded chat answer is read as an independent reader read it."""
    import base64

    tried = 0
    for name, case in recorded(material):
        expected = case["expected"]
        body = case["body"]
        data = base64.b64decode(case["body_base64"]) if "body_base64" in case else body
        if not isinstance(data, bytes):
            data = data.encode() if isinstance(data, str) else json.dumps(data).encode()
        kind = {"content-type": case["headers"].get("content-type", "application/json")}
        answer = Answer(status=case["status"], headers=kind, body=data)
        with ScriptedServer([answer]) as server:
            work = generate(spec(server), "hello", platform=platform, max_retries=0)
            if expected["error"] or expected["stream_error"]:
                with pytest.raises(errors.ModelError):
                    await work
                tried += 1
                continue
            result = await work
        assert result.text == expected["text"], name
        assert result.reasoning == expected["reasoning"], name
        found = [{"id": call.id, "name": call.name, "arguments": call.arguments}
                 for call in result.tool_calls]  # fmt: skip
        assert found == expected["tool_calls"], name
        if "input" in expected["usage"]:
            assert result.usage.input_tokens == expected["usage"]["input"], name
            assert result.usage.output_tokens == expected["usage"]["output"], name
        tried += 1
    assert tried

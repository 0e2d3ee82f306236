"""A model without an agent."""

import json

import pydantic
import pytest

from pagehand import (
    AuthenticationError,
    ConfigError,
    MalformedResponseError,
    ServerError,
    ToolDefinition,
    build_model_from_stage,
    check_model,
    context_overflow_of,
    create_agent,
    define_tool,
    generate,
    generate_structured,
    run_tool_loop,
    supports_native_tools,
    supports_structured_output,
    tool,
)
from pagehand.messages import Message, ReasoningPart, ToolResultPart, system, user
from pagehand.models.base import TextDelta, ToolCall, ToolCallEnd
from pagehand.models.profiles import ModelProfile
from pagehand.testing import ScriptedModel, scripted_platform
from tests.traffic.reading import TapeResponse


class Once:
    """A network that gives the same streamed answers to all, in turn."""

    def __init__(self, *streams):
        self.streams = list(streams)

    async def send(self, request):
        stream = self.streams.pop(0) if len(self.streams) > 1 else self.streams[0]
        return TapeResponse(200, {"content-type": "text/event-stream"}, [stream.encode()])


class City(pydantic.BaseModel):
    name: str
    size: int = 1


@pytest.mark.parametrize(
    ("target", "expected"),
    [(City, City(name="Rome", size=3)), ({"type": "object"}, {"name": "Rome", "size": 3})],
)
async def test_structured(target, expected):
    model = ScriptedModel(['{"name": "Rome", "size": 3}'], chunk=5)
    partial = []
    result = await generate_structured(
        model, target, "a city", platform=scripted_platform(), on_partial=partial.append
    )
    assert result.object == expected
    assert result.usage.total_tokens == 15  # generate's own fields are here too
    assert {"name": "Rome"} in partial
    assert model.requests[0].output_schema["type"] == "object"


@pytest.mark.parametrize("answer", ['{"size": 3}', "no json", "[1]"])
async def test_what_does_not_fit_is_refused(answer):
    with pytest.raises(MalformedResponseError):
        await generate_structured(
            ScriptedModel([answer]), City, "a city", platform=scripted_platform()
        )


async def test_nothing_to_ask():
    with pytest.raises(ConfigError, match="nothing to ask"):
        await generate_structured(ScriptedModel([]), City, platform=scripted_platform())


@pytest.mark.parametrize(
    "said",
    [
        {"prompt": ""},
        {"prompt": " \n"},
        {"messages": [system("Be brief.")]},
        {"messages": [Message("assistant", [ReasoningPart("hm")]), user("")]},
        {"messages": [Message("tool", [ToolResultPart("c", "double", "8")])]},
    ],
)
async def test_messages_that_say_nothing_are_refused(said):
    with pytest.raises(ConfigError, match="nothing to ask"):
        await generate(ScriptedModel([]), platform=scripted_platform(), **said)


def endless_schemas():
    deep = {"type": "string"}
    for _ in range(600):
        deep = {"type": "object", "properties": {"a": deep}}
    itself = {"type": "object"}
    itself["properties"] = {"a": itself, "b": itself}
    return [deep, itself]


@pytest.mark.parametrize("schema", endless_schemas(), ids=["deep", "in itself"])
@pytest.mark.parametrize(
    "name",
    ["openai:gpt-5", "openrouter:m", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-flash"],
)
async def test_a_schema_without_end_is_refused(name, schema):
    spec = {"model": name, "api_key": "sk-canary-12345"}
    with pytest.raises(ConfigError, match="the answer nests deeper"):
        await generate_structured(spec, schema, "hi", platform=scripted_platform())
    endless = {"name": "grow", "input_schema": schema}
    with pytest.raises(ConfigError, match="grow nests deeper"):
        await generate(spec, "hi", tools=[endless], platform=scripted_platform())


async def test_a_schema_for_the_answer_that_is_none():
    with pytest.raises(ConfigError, match="the answer is a dict, got 5"):
        await generate(ScriptedModel([]), "hi", output_schema=5, platform=scripted_platform())


async def test_arguments_nested_without_end_are_broken():
    raw = '{"a":' * 500 + "1" + "}" * 500
    chunk = {"choices": [{"delta": {"tool_calls": [{"function": {"name": "f", "arguments": raw}}]},
                          "finish_reason": "tool_calls"}]}  # fmt: skip
    http = Once(f"data: {json.dumps(chunk)}\n\n")
    result = await generate(
        {"model": "m", "base_url": "http://m.test"}, "hi", platform=scripted_platform(http=http)
    )
    assert (result.tool_calls[0].arguments, result.tool_calls[0].broken) == ({}, True)


@tool
def double(number: int) -> int:
    """Double it."""
    return number * 2


async def test_a_native_tool_loop():
    model = ScriptedModel([[ToolCallEnd(ToolCall("c", "double", {"number": 4}, ""))], "It is 8."])
    heard = []
    result = await run_tool_loop(
        model, [double], "double 4", platform=scripted_platform(), on_event=heard.append
    )
    assert result.text == "It is 8."
    assert [(call.name, call.output) for call in result.tool_calls] == [("double", 8)]
    roles = [message.role for message in result.messages]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert result.messages[-1].text == result.text
    assert result.result.usage.total_tokens == 30
    assert "call-done" in [event.type for event in heard]


async def test_a_prompted_tool_loop():
    model = ScriptedModel(
        [
            '{"reply": "", "actions": [{"tool": "double", "args": {"number": "4"}}]}',
            '{"reply": "It is 8.", "actions": []}',
        ],
        profile=ModelProfile(native_tools=False, output_schema=False),
    )
    result = await run_tool_loop(
        model, [double], "double 4", platform=scripted_platform(), system="Be brief."
    )
    assert result.text == "It is 8."
    assert "double{number: integer}" in model.requests[0].messages[0].text
    assert model.requests[0].messages[0].text.startswith("Be brief.")


async def test_rounds_are_capped():
    call = [ToolCallEnd(ToolCall("c", "double", {"number": 4}, ""))]
    result = await run_tool_loop(
        ScriptedModel([call, call]), [double], "x", max_steps=2, platform=scripted_platform()
    )
    assert len(result.tool_calls) == 2 and result.text == ""
    with pytest.raises(ConfigError, match="mode"):
        await run_tool_loop(ScriptedModel([]), [], "x", mode="magic", platform=scripted_platform())


@pytest.mark.parametrize(
    "form",
    [
        ToolDefinition("add", "Add", {"type": "object"}),
        define_tool("add", "Add", {"type": "object"}, lambda args, context: None),
        {"name": "add", "description": "Add", "inputSchema": {"type": "object"}},
        {"name": "add", "description": "Add", "parameters": {"type": "object"}},
    ],
)
async def test_forms_of_a_tool(form):
    model = ScriptedModel(["ok"])
    await generate(model, "hi", tools=[form], platform=scripted_platform())
    assert model.requests[0].tools == [ToolDefinition("add", "Add", {"type": "object"})]


async def test_what_is_no_tool_is_told():
    with pytest.raises(ConfigError, match=r"tools\[0\]"):
        await generate(ScriptedModel([]), "hi", tools=["add"], platform=scripted_platform())


async def test_nothing_given_is_nothing_sent():
    model = ScriptedModel(["ok"])
    await generate(model, "hi", tools=None, images=None, files=None, platform=scripted_platform())
    assert (model.requests[0].tools, len(model.requests[0].messages[0].parts)) == ([], 1)


async def test_partials_begin_anew_with_a_second_try():
    broken = [TextDelta('{"a": "first'), ServerError("x")]
    model = ScriptedModel([broken, '{"a": "second"}'])
    seen = []
    result = await generate_structured(
        model, {"type": "object"}, "hi", on_partial=seen.append, platform=scripted_platform()
    )
    assert result.object == {"a": "second"}
    assert seen[0] == {"a": "first"} and seen[-1] == {"a": "second"}


def begun_anew(first, second):
    """An answer of Anthropic's whose message starts twice."""
    values = []
    for text in (first, second):
        delta = {"type": "text_delta", "text": text}
        values.append({"type": "message_start", "message": {}})
        values.append({"type": "content_block_delta", "index": 0, "delta": delta})
    values.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values)


CLAUDE = {"model": "anthropic:claude-sonnet-4-5", "api_key": "sk-canary-12345"}


async def test_partials_begin_anew_with_an_answer_that_does():
    http = Once(begun_anew('{"a": "first', '{"a": "second"}'))
    seen = []
    result = await generate_structured(
        CLAUDE,
        {"type": "object"},
        "hi",
        on_partial=seen.append,
        platform=scripted_platform(http=http),
    )
    assert result.object == {"a": "second"} == seen[-1] and seen[0] == {"a": "first"}


async def test_a_streamed_reply_begins_anew_with_an_answer_that_does():
    http = Once(begun_anew('{"reply": "Hal', '{"reply": "Whole", "actions": []}'))
    heard = []
    result = await run_tool_loop(CLAUDE, [double], "hi", mode="prompted", on_event=heard.append,
                                 platform=scripted_platform(http=http))  # fmt: skip
    told = [event for event in heard if event.type in ("text-delta", "retrying")]
    anew = [event.type for event in told].index("retrying")
    assert "".join(event.text for event in told[:anew]) == "Hal"
    assert "".join(event.text for event in told[anew + 1 :]) == "Whole" == result.text


async def test_an_agents_answer_and_plan_begin_anew_with_answers_that_do():
    plan = begun_anew('{"thought": "I wi', '{"thought": "I greet.", "steps": []}')
    http = Once(plan, begun_anew('{"no": ', "Hello there"))
    agent = await create_agent(model=CLAUDE, platform=scripted_platform(http=http))
    events = []
    result = await agent.run("hi", on_event=events.append)
    retried = [at for at, event in enumerate(events) if event.type == "retry"]
    thoughts = [event.delta for event in events[retried[0] :] if event.type == "plan.thought-delta"]
    assert "".join(thoughts) == "I greet."
    assert result.text in ("I greet.", "Hello there")


async def test_a_cheap_call_to_check_a_model():
    model = ScriptedModel(["ok"])
    assert (await check_model(model, platform=scripted_platform())).text == "ok"
    assert model.requests[0].max_output_tokens == 16
    bad = ScriptedModel([AuthenticationError("no")] * 2)
    with pytest.raises(AuthenticationError):
        await check_model(bad, platform=scripted_platform())
    assert len(bad.requests) == 1


@pytest.mark.parametrize(
    ("fault", "counts"),
    [
        (ValueError("prompt is too long: 9 tokens > 8 maximum"), (9, 8)),
        ("This model's maximum context length is 8 tokens", (None, 8)),
        (ValueError("something else"), None),
    ],
)
def test_an_overflow_in_any_error(fault, counts):
    found = context_overflow_of(fault, "m")
    assert (found and (found.tokens, found.window)) == counts


def test_what_a_model_supports():
    model = ScriptedModel([])
    assert supports_native_tools(model) and supports_structured_output(model)
    model.provider = "browser-ai"
    assert not supports_native_tools(model)
    plain = ScriptedModel([], profile=ModelProfile(native_tools=False, json_only=True))
    assert not supports_native_tools(plain) and not supports_structured_output(plain)


def test_a_stage_in_one_step():
    base = {"model": "openai:gpt-5", "api_key": "sk-canary-1"}
    model = build_model_from_stage(base, {"model": "gpt-5-mini"}, "planner", scripted_platform())
    assert (model.provider, model.name) == ("openai", "gpt-5-mini")

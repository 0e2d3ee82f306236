"""A whole run at each provider: plan, tool, answer, thoughts, an image; every request is judged."""

import json

import pytest

from pagehand import (
    create_agent,
    define_tool,
    generate,
    generate_structured,
    list_providers,
    resolve_model,
    run_tool_loop,
)
from pagehand.errors import PagehandError
from pagehand.platform.native import native_platform
from pagehand.testing import CountingEntropy, InstantClock
from tests.providers.cases import CASES, PNG
from tests.support.providers import answers
from tests.support.providers.server import ProviderServer
from tests.support.providers.wire import KEY

PLAN = {"thought": "One step is enough.", "steps": [{"description": "Look up both."}]}


@pytest.fixture
async def platform():
    made = native_platform()
    made.clock, made.entropy = InstantClock(), CountingEntropy()
    yield made
    await made.http.aclose()


def lookup():
    asked = []

    def execute(args, context):
        asked.append(args)
        return {"city": args.get("city"), "temperature": "21 °C", "$ref": "#/not/a/reference"}

    schema = {
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/City"}},
        "required": ["city"],
        "$defs": {"City": {"type": "string", "description": "A city"}},
    }
    return asked, define_tool("get_weather", "Give the weather of a city", schema, execute)


def now():
    return define_tool(
        "now", "Give the time", {"type": "object", "properties": {}}, lambda args, context: "noon"
    )


def script():
    return [
        answers.thinking_then_text("I plan.", json.dumps(PLAN)),
        answers.calls(
            [("get_weather", {"city": "Zürich 🌞"}), ("now", {})], thought="I need both."
        ),
        answers.calls([("get_weather", {"city": "Bern"})], thought="And the other."),
        answers.text("Both are known.", thought="Now I can tell."),
        answers.text("It is 21 °C in Zürich 🌞 and in Bern.", thought="I write it."),
    ]


def provider_types():
    return {each["type"] for each in list_providers()}


def test_every_provider_has_a_run():
    assert {case.kind for case in CASES.values()} == provider_types()


@pytest.mark.parametrize("name", CASES)
async def test_a_run(platform, name):
    case = CASES[name]
    asked, weather = lookup()
    events = []
    with ProviderServer(case.wire(), script(), step=7) as server:
        agent = await create_agent(
            model=case.spec(server),
            tools=[weather, now()],
            thinking="high" if case.thinks else None,
            client_name="trial",
            platform=platform,
        )
        images = [{"data": PNG, "name": "map.png"}] if case.sees is not False else []
        result = await agent.run("What is the weather?", images=images, on_event=events.append)
        assert server.faults == []
    assert result.text == "It is 21 °C in Zürich 🌞 and in Bern."
    assert asked == [{"city": "Zürich 🌞"}, {"city": "Bern"}]
    assert [call.ok for step in result.trace for call in step.tool_calls] == [True, True, True]
    assert len(server.requests) == 5
    kinds = [event.type for event in events]
    assert "plan.thought-delta" in kinds and "plan.step-added" in kinds
    told = "".join(event.delta for event in events if event.type == "step.reasoning-delta")
    if case.thinks:
        assert told == ("I need both.And the other.Now I can tell." if case.tells else "")
        assert result.usage.reasoning_tokens in (None, 5 * 12)  # some do not count them apart
    assert result.usage.input_tokens == 5 * 100
    assert result.usage.output_tokens == 5 * (32 if case.thinks else 20)
    assert result.usage.cached_input_tokens in (None, 5 * 30)
    assert agent.usage == result.usage
    assert KEY not in str([event.to_dict() for event in events])
    agents = {request.headers["user-agent"] for request in server.requests}
    assert agents == {"trial"}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.sees is False])
async def test_an_image_that_the_model_cannot_take_ends_the_run_before_any_request(platform, name):
    case = CASES[name]
    events = []
    with ProviderServer(case.wire(), []) as server:
        agent = await create_agent(model=case.spec(server), platform=platform)
        assert agent.capabilities.images is False
        result = await agent.run("What is this?", images=[PNG], on_event=events.append)
        assert server.requests == []
    assert result.text.startswith(f'The model "{case.model}" can\'t take images')
    assert [event.type for event in events] == ["run.start", "error", "final", "run.complete"]
    [fault] = [event for event in events if event.type == "error"]
    assert (fault.phase, fault.error["name"]) == ("run", "ImagesNotSupportedError")
    assert events[-1].status == "complete"


@pytest.mark.parametrize("name", CASES)
async def test_streamed_and_whole_are_the_same(platform, name):
    case = CASES[name]
    asked = {"thinking": "high"} if case.thinks else {}
    found = []
    for stream in (True, False):
        one = answers.calls([("get_weather", {"city": "Bern"})], thought="Let me look.")
        with ProviderServer(case.wire(), [one], step=11) as server:
            result = await generate(
                case.spec(server),
                "hi",
                tools=[lookup()[1].definition],
                stream=stream,
                platform=platform,
                **asked,
            )
            assert server.faults == []
        calls = [(call.name, call.arguments, call.broken) for call in result.tool_calls]
        found.append((result.text, result.reasoning, calls, result.finish_reason, result.usage))
    assert found[0] == found[1]
    assert found[0][2] == [("get_weather", {"city": "Bern"}, False)]
    assert found[0][3] == "tool-calls"


@pytest.mark.parametrize("name", CASES)
async def test_a_structured_answer(platform, name):
    case = CASES[name]
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "warm": {"type": "boolean"}},
        "required": ["city", "warm"],
        "additionalProperties": False,
    }
    value = {"city": "Bern", "warm": True}
    with ProviderServer(case.wire(), [answers.json_text(value)]) as server:
        result = await generate_structured(
            case.spec(server), schema, "Where is it warm?", platform=platform
        )
        assert server.faults == []
        sent = json.dumps(server.requests[0].body)
    assert result.object == value
    assert "warm" in sent  # the shape was told, as a schema or in words


@pytest.mark.parametrize("name", CASES)
async def test_files_are_sent_as_the_provider_takes_them(platform, name):
    case = CASES[name]
    with ProviderServer(case.wire(), [answers.text("I read it.")]) as server:
        model = resolve_model(case.spec(server), platform)
        pdf = [{"data": b"%PDF-1.7\n%%EOF", "name": "spec.pdf"}] if model.profile.pdf else []
        notes = [{"data": "Grüße".encode(), "name": "notes.txt", "mediaType": "text/plain"}]
        images = [PNG] if case.sees else []
        result = await generate(
            model, "Read.", images=images, files=[*pdf, *notes], platform=platform
        )
        assert server.faults == []
    assert result.text == "I read it."


CONVERSATION = ("messages", "input", "contents")
MARKS = ("cache_control", "cachePoint")


def unmarked(value):
    """Give a body without its cache marks: they move, and are no part of the prompt."""
    if isinstance(value, list):
        kept = [item for item in value if not (isinstance(item, dict) and "cachePoint" in item)]
        return [unmarked(item) for item in kept]
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key not in MARKS}
    return value


def parted(body):
    """Give what stands before the conversation, and the conversation, as text."""
    [where] = [name for name in CONVERSATION if name in body]
    body = unmarked(body)
    turns = json.dumps(body.pop(where), ensure_ascii=False)
    return json.dumps(body, ensure_ascii=False), turns.removesuffix("]")


def marks_in(value):
    if isinstance(value, list):
        return sum(marks_in(item) for item in value)
    if isinstance(value, dict):
        own = sum(key in MARKS for key in value)
        return own + sum(marks_in(item) for item in value.values())
    return 0


@pytest.mark.parametrize("name", CASES)
async def test_every_request_extends_the_one_before_it(platform, name):
    """A run of two steps: within a step each request begins with the whole of the one before; the
    same stage begins every time with the same bytes."""
    case = CASES[name]
    steps = {"thought": "Two.", "steps": [{"description": "First."}, {"description": "Second."}]}
    told = [
        answers.thinking_then_text("I plan.", json.dumps(steps)),
        answers.calls([("get_weather", {"city": "Bern"}), ("now", {})], thought="Both."),
        answers.calls([("get_weather", {"city": "Genf"})], thought="One more."),
        answers.thinking_then_text("That is it.", "Bern and Genf are known."),
        answers.json_text({"decision": "continue", "reason": "well", "steps": []}),
        answers.calls([("now", {})], thought="The time."),
        answers.text("It is noon."),
        answers.json_text({"decision": "finish", "reason": "done", "steps": []}),
        answers.text("All is known."),
    ]
    with ProviderServer(case.wire(), told) as server:
        agent = await create_agent(
            model=case.spec(server),
            tools=[lookup()[1], now()],
            thinking="high" if case.thinks else None,
            replan_after="always",
            platform=platform,
        )
        result = await agent.run("What is the weather?")
        assert server.faults == []
        bodies = [request.body for request in server.requests]
    assert result.text == "All is known." and len(bodies) in (8, 9)
    heads, turns = zip(*(parted(body) for body in bodies), strict=True)
    for before, after in ((1, 2), (2, 3), (5, 6)):
        assert heads[before] == heads[after]
        assert turns[after].startswith(turns[before]) and turns[after] != turns[before]
    assert heads[1] == heads[5]  # the executor's, in another step
    assert max(marks_in(body) for body in bodies) <= 2


FAULTS = [
    (401, "authentication_error", "invalid api key", "AuthenticationError", False),
    (403, "permission_error", "not allowed", "PermissionDeniedError", False),
    (404, "not_found_error", "no such model", "ModelNotFoundError", False),
    (429, "rate_limit_error", "slow down", "RateLimitError", True),
    (500, "api_error", "broken", "ServerError", True),
    (503, "overloaded_error", "The model is overloaded", "OverloadedError", True),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[3])
@pytest.mark.parametrize("name", CASES)
async def test_faults(platform, name, fault):
    status, kind, message, expected, retryable = fault
    case = CASES[name]
    with ProviderServer(case.wire(), [answers.error(status, kind, message)]) as server:
        with pytest.raises(PagehandError) as raised:
            await generate(case.spec(server), "hi", platform=platform, max_retries=0)
        assert server.faults == []
    told = raised.value
    assert type(told).__name__ == expected, told
    assert (told.retryable, told.status, told.provider) == (retryable, status, case.kind)
    assert KEY not in f"{told} {told.to_dict()}"


@pytest.mark.parametrize("name", CASES)
async def test_a_fault_inside_a_stream_is_a_fault(platform, name):
    case = CASES[name]
    broken = answers.error(503, "overloaded_error", "overloaded", inside=True, after="It is")
    with (
        ProviderServer(case.wire(), [broken]) as server,
        pytest.raises(PagehandError) as raised,
    ):
        await generate(case.spec(server), "hi", platform=platform, max_retries=0)
    assert type(raised.value).__name__ in ("OverloadedError", "ServerError"), raised.value
    assert raised.value.retryable


@pytest.mark.parametrize("name", CASES)
async def test_a_stream_cut_off_is_never_a_finished_answer(platform, name):
    case = CASES[name]
    with (
        ProviderServer(case.wire(), [answers.text("It is 21 °C.", cut=True)]) as server,
        pytest.raises(PagehandError) as raised,
    ):
        await generate(case.spec(server), "hi", platform=platform, max_retries=0)
    assert type(raised.value).__name__ == "StreamInterruptedError", raised.value


@pytest.mark.parametrize("name", CASES)
async def test_a_tool_loop_without_an_agent(platform, name):
    case = CASES[name]
    asked, weather = lookup()
    loop = [
        answers.calls([("get_weather", {"city": "Bern"})], thought="I look."),
        answers.text("21 °C."),
    ]
    with ProviderServer(case.wire(), loop) as server:
        result = await run_tool_loop(
            case.spec(server),
            [weather],
            "How warm?",
            thinking=True if case.thinks else None,
            cache=True,
            platform=platform,
        )
        assert server.faults == []
    assert result.text == "21 °C." and asked == [{"city": "Bern"}]
    assert result.tool_calls[0].ok and result.finish_reason == "stop"

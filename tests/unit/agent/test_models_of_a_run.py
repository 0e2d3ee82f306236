"""What a run gives its models: attachments, thinking by stage, caching; and what it counts."""

import json

import pytest

from pagehand import Cost, Thinking, create_agent, define_tool
from pagehand.errors import ConfigError, InvalidRequestError, QuotaExceededError
from pagehand.messages import ImagePart
from pagehand.models.attachments import refusal
from pagehand.models.base import Finish, GenerateResult, TextDelta, ToolCall
from pagehand.models.caching import PromptCaching
from pagehand.models.profiles import ModelProfile
from pagehand.testing import ScriptedModel, scripted_platform
from pagehand.usage import Usage

PNG = b"\x89PNG\r\n\x1a\n"
PLAN = json.dumps({"thought": "t", "steps": [{"description": "look"}]})


def run_of(*more):
    return ScriptedModel([PLAN, "I looked.", "It is a cat.", *more])


async def agent_of(model, **options):
    return await create_agent(model=model, platform=scripted_platform(), **options)


def kinds(request):
    return [part.type for part in request.messages[-1].parts]


async def test_attachments_reach_the_planner_the_executor_and_the_synthesizer():
    model = run_of()
    agent = await agent_of(model)
    result = await agent.run("What is it?", images=[PNG], files=["https://x.test/a.pdf"])
    assert result.text == "It is a cat."
    assert [kinds(request) for request in model.requests] == [["text", "image", "file"]] * 3
    assert isinstance(model.requests[0].messages[-1].parts[1], ImagePart)


async def test_a_session_keeps_a_note_of_them():
    model = run_of(PLAN, "Still.", "Still a cat.")
    agent = await agent_of(model)
    await agent.run("What is it?", images=[{"data": PNG, "name": "cat.png"}], session_id="s")
    await agent.run("And now?", session_id="s")
    planner = "".join(message.text for message in model.requests[3].messages)
    assert "[attached: cat.png]" in planner
    assert kinds(model.requests[3]) == ["text"]


async def test_bad_attachments_are_told_before_the_run():
    agent = await agent_of(ScriptedModel([]))
    with pytest.raises(ConfigError, match=r"images\[0\]"):
        await agent.run("What is it?", images=["not base64 at all!"])


async def test_a_refusal_under_way_becomes_the_answer():
    model = ScriptedModel([refusal("m", "image", "no vision")])
    agent = await agent_of(model)
    events = []
    result = await agent.run("What is it?", images=[PNG], on_event=events.append)
    assert 'The model "m" can\'t take images (the provider said: no vision).' in result.text
    assert [event.type for event in events] == ["run.start", "error", "final", "run.complete"]
    assert events[-1].status == "complete"


@pytest.mark.parametrize(
    ("options", "capabilities"),
    [
        ({}, {"images": None, "pdf": None, "files": None}),
        ({"vision": True}, {"images": True, "pdf": None, "files": None}),
        ({"vision": False, "inputs": {"pdf": True}}, {"images": False, "pdf": True, "files": None}),
        ({"inputs": {"images": True, "files": False}, "vision": False},
         {"images": True, "pdf": None, "files": False}),
    ],
)  # fmt: skip
async def test_capabilities(options, capabilities):
    agent = await create_agent(
        model="openai-compatible:m",
        base_url="http://127.0.0.1:1/v1",
        platform=scripted_platform(),
        **options,
    )
    assert agent.capabilities.to_dict() == capabilities
    assert agent.capabilities["images"] is agent.capabilities.images


async def test_every_stage_must_take_a_kind():
    blind = ScriptedModel([], profile=ModelProfile(images=False))
    agent = await agent_of(ScriptedModel([], profile=ModelProfile(images=True)), planner=blind)
    assert agent.capabilities.images is False


async def test_thinking_by_stage_and_caching_by_stage():
    model = ScriptedModel(
        [PLAN, "I looked.", '{"decision": "finish", "reason": "r", "steps": []}', "It is a cat."]
    )
    agent = await agent_of(
        model,
        thinking="high",
        stage_thinking={"executor": {"level": "low"}, "synthesizer": False},
        client_name="app",
        replan_after="always",
    )
    await agent.run("What is it?")
    assert [request.thinking for request in model.requests] == [
        Thinking("high"),
        Thinking("low"),
        Thinking("high"),
        None,
    ]
    assert [request.cache for request in model.requests] == [
        PromptCaching("5m", f"app:{stage}")
        for stage in ("planner", "executor", "replanner", "synthesizer")
    ]


async def test_caching_can_be_turned_off_or_keyed():
    for setting, cache in ((False, None), ({"ttl": "1h", "key": "k"}, PromptCaching("1h", "k"))):
        model = run_of()
        agent = await agent_of(model, prompt_caching=setting)
        await agent.run("What is it?")
        assert {request.cache for request in model.requests} == {cache}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stage_thinking": {"palnner": "low"}}, "did you mean 'planner'"),
        ({"stage_thinking": {"planner": "lwo"}}, r"stage_thinking\['planner'\]"),
        ({"thinking": "a lot"}, "no level 'a lot'"),
        ({"prompt_caching": {"ttl": "1d"}}, "'5m' or '1h'"),
        ({"inputs": {"pfd": True}}, "did you mean 'pdf'"),
        ({"vision": "yes"}, "vision must be true or false"),
        ({"prices": {"a": {}}}, "'provider:model'"),
        ({"fetch_attachment": 5}, "async function"),
        ({"credentials": {}}, "credential store"),
    ],
)
async def test_settings_that_cannot_be(options, said):
    with pytest.raises(ConfigError, match=said):
        await agent_of(ScriptedModel([]), **options)


def counted(text):
    return [TextDelta(text), Finish(GenerateResult(text, usage=Usage(1_000, 100, 1_100)))]


async def test_money_of_a_run():
    model = ScriptedModel([counted(PLAN), counted("I looked."), counted("A cat.")] * 2)
    model.provider, model.name = "acme", "big"
    prices = {"acme:big": {"input": 1, "output": 10}}
    agent = await agent_of(model, prices=prices)
    events = []
    result = await agent.run("What is it?", on_event=events.append)
    assert result.cost_usd == pytest.approx(0.006)
    assert [event.cost_usd for event in events if event.type == "usage"] == [
        pytest.approx(0.002)
    ] * 3
    await agent.run("What is it?")
    assert agent.cost.usd == pytest.approx(0.012) and agent.cost.unknown == ()
    agent.reset_usage()
    assert agent.cost == Cost()


async def test_money_that_is_not_known():
    model = run_of()
    model.provider, model.name = "acme", "big"
    agent = await agent_of(model)
    result = await agent.run("What is it?")
    assert result.cost_usd is None and "costUsd" not in result.to_dict()
    assert str(agent.cost) == "unknown" and agent.cost.unknown == ("acme:big",)


async def test_a_plan_begun_anew_is_told_once_and_shown_once():
    """Gemini was seen to write a plan twice in one answer."""
    first = '{"thought": "Let me think", "steps": [{"description": "a"}]}'
    second = '{"thought": "Better so", "steps": [{"description": "b"}, {"description": "c"}]}'
    third = '{"thought": "Or so", "steps": [{"description": "d"}]}'
    model = ScriptedModel([first + second + third, "Done d.", "All done."])
    agent = await agent_of(model)
    events = []
    result = await agent.run("Do a and b and c", on_event=events.append)
    thoughts = "".join(event.delta for event in events if event.type == "plan.thought-delta")
    assert thoughts == "Let me think"
    shown = [event.step.description for event in events if event.type == "plan.step-added"]
    assert shown == ["a"]
    warned = [event for event in events if event.type == "log" and "anew" in event.message]
    assert len(warned) == 1
    assert [step.step.description for step in result.trace] == ["d"]


async def test_a_thought_written_twice_in_one_plan():
    text = '{"thought": "One", "thought": "Two", "steps": [{"description": "a"}]}'
    model = ScriptedModel([text, "Done a.", "All done."])
    agent = await agent_of(model)
    events = []
    await agent.run("Do a and b and c", on_event=events.append)
    told = [(event.type, getattr(event, "delta", "")) for event in events]
    assert ("plan.thought-delta", "One") in told and ("plan.thought-delta", "Two") not in told
    assert "plan.step-added" in dict(told)


async def test_a_call_that_the_provider_ran_itself_is_not_run_again():
    async def execute(args, context):
        raise AssertionError("this call was not ours")

    theirs = ToolCall("s1", "interpreter", {"x": 1}, '{"x": 1}', by_provider=True)
    answer = [Finish(GenerateResult("It is 2.", tool_calls=[theirs], usage=Usage(1, 1, 2)))]
    model = ScriptedModel([PLAN, answer, "It is 2."])
    tool = define_tool("interpreter", "Runs", {"type": "object"}, execute)
    agent = await agent_of(model, tools=[tool])
    result = await agent.run("What is one and one?")
    assert result.text == "It is 2." and result.trace[0].tool_calls == []


async def test_a_wrong_request_stays_a_fault():
    model = ScriptedModel([InvalidRequestError("bad")] * 2 + ["I looked.", "A cat."])
    agent = await agent_of(model)
    result = await agent.run("What is it?", images=[PNG])
    assert result.text == "A cat."  # the planner is salvaged as ever


async def test_of_a_ladder_each_model_costs_its_own():
    prices = {"acme:big": {"input": 1, "output": 10}}
    local = ScriptedModel([QuotaExceededError("no")] * 3, profile=ModelProfile(on_device=True))
    cloud = ScriptedModel([counted(PLAN), counted("I looked."), counted("A cat.")])
    cloud.provider, cloud.name = "acme", "big"
    agent = await agent_of([local, cloud], prices=prices)
    assert (await agent.run("What is it?")).cost_usd == pytest.approx(0.006)
    cloud = ScriptedModel([QuotaExceededError("no")] * 3)
    local = ScriptedModel(
        [counted(PLAN), counted("I looked."), counted("A cat.")],
        profile=ModelProfile(on_device=True),
    )
    agent = await agent_of([cloud, local], prices=prices)
    assert (await agent.run("What is it?")).cost_usd == 0.0

"""The self-test of a model: which format it picks, what it proposes, and when it stops asking."""

import json
from dataclasses import replace

import pytest

from pagehand import (
    AbortController,
    AgentAborted,
    AuthenticationError,
    ContentRefusedError,
    ModelProfile,
    ThinkingKnob,
    ToolCall,
    probe_model,
)
from pagehand.models.base import ToolCallEnd
from pagehand.testing import InstantClock, ScriptedModel, scripted_platform
from pagehand.tools.probe_tasks import PROBE_TASKS

FORMATS = ("fenced", "tags", "envelope")
MARKS = {"fenced": "```tool_call", "tags": "<tool_call>", "envelope": '"actions"'}
LOCAL = ModelProfile(native_tools=False, output_schema=False, context_window=4_096)
SWITCH = ThinkingKnob("switch", ("none",), can_stop=True)


def task_of(request):
    [task] = [each for each in PROBE_TASKS if each.request == request.messages[-1].text]
    return task


def right_calls(task):
    def first(value):
        return value[0] if isinstance(value, tuple) else value

    return [
        (name, {key: first(value) for key, value in arguments.items()})
        for name, arguments in task.calls
    ]


def written(calls, format):
    if not calls:
        return "You are welcome."
    if format == "envelope":
        return json.dumps({"actions": [{"tool": name, "args": args} for name, args in calls]})
    opening, closing = {
        "fenced": ("```tool_call\n", "\n```"),
        "tags": ("<tool_call>", "</tool_call>"),
    }[format]
    return "\n".join(
        opening + json.dumps({"name": name, "arguments": args}) + closing for name, args in calls
    )


def told_format(request):
    return next(name for name, mark in MARKS.items() if mark in request.messages[0].text)


def model_of(answer, profile=LOCAL, kind=ScriptedModel, **more):
    return kind([answer] * 60, profile=profile, **more)


def probe(model, **options):
    return probe_model(model, platform=scripted_platform(), **options)


def writes(format):
    """Write right calls in one format, whatever it is told."""
    return lambda request: written(right_calls(task_of(request)), format)


def obeys_only(format):
    """Write right calls where told to write them in this format, else chat."""

    def answer(request):
        if told_format(request) != format:
            return "Sure, I will do that at once."
        return written(right_calls(task_of(request)), format)

    return answer


@pytest.mark.parametrize("own", FORMATS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("double", [writes, obeys_only])
async def test_the_format_that_a_model_writes_is_picked(double, format, own):
    result = await probe(model_of(double(format), replace(LOCAL, call_format=own)))
    assert result.call_format == format
    [score] = [each for each in result.scores if each.format == format]
    assert (score.right, score.asked, score.as_told) == (10, 10, 10)
    assert result.scores[0].format == own and len(result.scores) == 3
    assert "10 of 10" in result.advice and "well" in result.advice
    assert (result.thinking, result.thinks, result.tools_at_once) == (None, False, None)


@pytest.mark.parametrize("own", FORMATS)
async def test_of_equals_the_models_own_format_wins(own):
    model = model_of(
        lambda request: written(right_calls(task_of(request)), told_format(request)),
        replace(LOCAL, call_format=own),
    )
    result = await probe(model)
    assert result.call_format == own
    assert [score.asked for score in result.scores] == [10, 0, 0]
    assert len(model.requests) == 10


@pytest.mark.parametrize(
    "answer", ["", "I am a teapot.", '{"reply": "done"}', "<tool_call>{", "```tool_call\n```"]
)
async def test_a_model_that_writes_nothing_usable(answer):
    model = model_of(answer)
    result = await probe(model)
    assert result.call_format is None and result.thinking is None
    assert [(score.right, score.asked) for score in result.scores] == [(0, 5)] * 3
    assert "take another one" in result.advice


async def test_a_format_that_cannot_win_is_given_up():
    wrong = {PROBE_TASKS[0].request, PROBE_TASKS[4].request}

    def answer(request):
        if told_format(request) != "tags" or request.messages[-1].text in wrong:
            return "No."
        return written(right_calls(task_of(request)), "tags")

    model = model_of(answer, replace(LOCAL, call_format="tags"))
    result = await probe(model)
    assert result.call_format == "tags"
    assert [(score.right, score.asked) for score in result.scores] == [(8, 10), (0, 2), (0, 2)]
    assert len(model.requests) == 14


async def test_a_better_format_is_found_behind_the_own_one():
    def answer(request):
        calls = right_calls(task_of(request))
        if told_format(request) == "envelope" and len(calls) != 1:
            calls = [("list_notes", {})]
        return written(calls, told_format(request))

    result = await probe(model_of(answer))
    assert [(each.format, each.right) for each in result.scores] == [
        ("envelope", 8),
        ("fenced", 10),
        ("tags", 0),
    ]
    assert result.call_format == "fenced"


async def test_native_calls_come_first_where_there_are_any():
    def answer(request):
        assert request.tools, "a native model is asked natively"
        return [
            ToolCallEnd(ToolCall(f"c{place}", name, args, json.dumps(args)))
            for place, (name, args) in enumerate(right_calls(task_of(request)))
        ]

    model = model_of(answer, ModelProfile())
    result = await probe(model)
    assert result.call_format == "native" and len(model.requests) == 10
    assert [each.format for each in result.scores] == ["native", "envelope", "fenced", "tags"]


async def test_a_model_that_says_it_calls_natively_and_does_not():
    def answer(request):
        return "Hm." if request.tools else written(right_calls(task_of(request)), "tags")

    result = await probe(model_of(answer, ModelProfile()))
    assert result.call_format == "tags"
    assert (result.scores[0].format, result.scores[0].right) == ("native", 0)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda calls: [(name, {}) for name, _ in calls],
        lambda calls: [("play_radio", {"station": "one"}), *calls],
        lambda calls: [*calls, *calls[:1]],
        lambda calls: [(name, {**args, **dict.fromkeys(args, "x")}) for name, args in calls],
    ],
)
async def test_wrong_calls_are_not_counted(spoil):
    model = model_of(
        lambda request: written(spoil(right_calls(task_of(request))), told_format(request))
    )
    result = await probe(model)
    assert max(score.right for score in result.scores) <= 2  # what needs no arguments, and silence


def thinks_unless_told(without=lambda calls: calls):
    def answer(request):
        stopped = request.thinking is not None and request.thinking.level == "none"
        calls = right_calls(task_of(request))
        if stopped:
            return written(without(calls), "tags")
        return f"<think>{json.dumps(calls)} it is.</think>{written(calls, 'tags')}"

    return answer


async def test_thoughts_that_do_not_help_are_turned_off():
    profile = replace(LOCAL, call_format="tags", thinking=SWITCH)
    model = model_of(thinks_unless_told(), profile)
    result = await probe(model)
    assert (result.call_format, result.thinks, result.thinking) == ("tags", True, False)
    assert len(model.requests) == 20


@pytest.mark.parametrize(
    ("without", "questions"),
    [(lambda calls: [], 11), (lambda calls: calls[:1], 20)],  # the last task wants two calls
)
async def test_thoughts_that_help_are_left(without, questions):
    profile = replace(LOCAL, call_format="tags", thinking=SWITCH)
    model = model_of(thinks_unless_told(without), profile)
    result = await probe(model)
    assert (result.thinks, result.thinking) == (True, None)
    assert len(model.requests) == questions


async def test_thoughts_that_cannot_be_turned_off():
    profile = replace(LOCAL, call_format="tags", thinking=ThinkingKnob("always"))
    result = await probe(model_of(thinks_unless_told(), profile))
    assert (result.thinks, result.thinking) == (True, True)


@pytest.mark.parametrize(("offered", "proposed"), [(None, 5), (12, 5), (3, 3)])
async def test_a_model_that_many_tools_confuse_is_offered_few(offered, proposed):
    def answer(request):
        task = task_of(request)
        confused = len(task.tools) > 5
        return written([("list_notes", {})] if confused else right_calls(task), "envelope")

    result = await probe(model_of(answer, replace(LOCAL, tools_at_once=offered)))
    assert (result.call_format, result.tools_at_once) == ("envelope", proposed)


@pytest.mark.parametrize("offered", [None, 12])
async def test_a_model_that_many_tools_do_not_confuse_keeps_them(offered):
    result = await probe(model_of(writes("envelope"), replace(LOCAL, tools_at_once=offered)))
    assert result.tools_at_once == offered


class SlowModel(ScriptedModel):
    """Takes half a second after each delta."""

    clock = InstantClock()

    async def stream(self, request):
        async for part in super().stream(request):
            yield part
            if part.type == "text-delta":
                await self.clock.sleep(0.5)


async def test_the_speed_is_that_of_writing():
    platform = scripted_platform(clock=SlowModel.clock)
    model = model_of(writes("envelope"), kind=SlowModel, chunk=10_000)
    result = await probe_model(model, platform=platform)
    assert result.tokens_per_second == pytest.approx(10)  # five tokens in half a second
    assert (await probe(model_of(writes("envelope")))).tokens_per_second is None


async def test_progress_is_told():
    seen = []
    await probe(model_of(writes("tags")), on_progress=seen.append)
    assert [each.done for each in seen] == list(range(1, len(seen) + 1))
    assert all(each.done <= each.most <= 30 for each in seen)
    assert (seen[0].to_dict()) == {"done": 1, "most": 30, "format": "envelope", "right": 1}


async def test_a_signal_stops_it():
    controller = AbortController()
    model = model_of(writes("tags"))

    def stop(progress):
        if progress.done == 3:
            controller.abort()

    with pytest.raises(AgentAborted):
        await probe(model, signal=controller.signal, on_progress=stop)
    assert len(model.requests) == 3


async def test_a_fault_of_the_model_is_raised_but_a_refusal_is_an_answer():
    with pytest.raises(AuthenticationError):
        await probe(model_of(AuthenticationError("no key")))
    refusing = model_of(ContentRefusedError("not that"))
    assert (await probe(refusing)).call_format is None


async def test_the_wire_form():
    result = await probe(model_of(writes("envelope")))
    assert json.loads(json.dumps(result.to_dict())) == {
        "scores": [
            {"format": "envelope", "right": 10, "asked": 10, "asTold": 10},
            {"format": "fenced", "right": 0, "asked": 0, "asTold": 0},
            {"format": "tags", "right": 0, "asked": 0, "asTold": 0},
        ],
        "callFormat": "envelope",
        "thinking": None,
        "toolsAtOnce": None,
        "thinks": False,
        "tokensPerSecond": None,
        "advice": "This model calls tools well: 10 of 10 requests were answered with the right "
        "calls.",
    }


def test_the_tasks_are_not_those_of_the_evaluation():
    bench = pytest.importorskip("tests.bench.small_model_tasks")
    assert not {task.request for task in PROBE_TASKS} & {task.request for task in bench.TASKS}
    assert not {name for task in PROBE_TASKS for name in task.tools} & set(bench.TOOLS)

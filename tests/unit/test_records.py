"""Events, plans and usage: every record survives its wire form."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import events
from pagehand.errors import (
    ConfigError,
    ContextWindowExceededError,
    PagehandError,
    RateLimitError,
    error_data,
)
from pagehand.events import Event, event_from_dict
from pagehand.names import from_wire, nearest, to_wire
from pagehand.plan import Plan, PlanStep, StepResult, ToolCallRecord
from pagehand.usage import Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
STEPS = st.builds(
    PlanStep,
    st.text(max_size=10),
    st.text(max_size=5),
    st.none() | st.text(min_size=1, max_size=5),
    st.lists(st.text(max_size=5), max_size=2).map(tuple),
    st.booleans(),
)
CALLS = st.builds(ToolCallRecord, st.text(), st.text(), JSON, JSON, st.booleans())
RESULTS = st.builds(
    StepResult, STEPS, st.text(), st.lists(CALLS, max_size=2), st.floats(0, 1e6), st.booleans()
)
COUNTS = st.none() | st.integers(0, 10**6)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
BY_NAME = {
    "step": STEPS,
    "plan": st.builds(Plan, st.text(), st.lists(STEPS, max_size=2)),
    "result": RESULTS,
    "usage": USAGES,
    "input": JSON.filter(lambda value: value is not None),
    "output": JSON.filter(lambda value: value is not None),
}
BY_TYPE = {
    "str": st.text(max_size=8),
    "int": st.integers(),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "str | None": st.none() | st.text(max_size=8),
    "float | None": st.none() | st.floats(allow_nan=False),
    "dict[str, Any]": st.dictionaries(st.text(max_size=4), JSON, max_size=2),
    "dict[str, Any] | None": st.none() | st.dictionaries(st.text(max_size=4), JSON, max_size=2),
    "list[str]": st.lists(st.text(max_size=4), max_size=2),
    "Any": JSON.filter(lambda value: value is not None),
}


def strategy(event: type[Event]):
    values = {}
    for each in dataclasses.fields(event):
        optional = "None" in str(each.type)
        named = each.name in BY_NAME
        values[each.name] = BY_NAME[each.name] if named else BY_TYPE[str(each.type)]
        if each.name in BY_NAME and optional:
            values[each.name] = st.none() | values[each.name]
    return st.builds(event, **values)


EVENTS = sorted(
    {event.type: event for event in Event.__subclasses__()}.values(), key=lambda event: event.type
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
@given(data=st.data())
def test_an_event_survives_the_wire(event, data):
    made = data.draw(strategy(event))
    assert event_from_dict(made.to_dict()) == made


def test_every_event_of_the_loop_exists():
    assert {event.type for event in EVENTS} >= {
        *("run.start", "run.complete", "stopped", "model.load", "error", "retry", "log", "usage"),
        *("plan.thought-delta", "plan.step-added", "plan.created", "plan.revised"),
        *("replan.decision", "revisions.exceeded", "step.start", "step.text-delta"),
        *("step.reasoning-delta", "step.tool-call", "step.tool-progress", "step.tool-result"),
        *("tool.repaired", "step.complete", "final.text-delta", "final.reasoning-delta", "final"),
        "budget.exceeded",
    }


def test_an_event_type_is_unknown():
    with pytest.raises(KeyError):
        event_from_dict({"type": "no.such"})


def test_fields_of_a_newer_peer_are_left_out():
    made = event_from_dict({"type": "final", "text": "x", "runId": "r", "mood": "good"})
    assert made == events.Final("x", run_id="r")


@given(USAGES, USAGES)
def test_usage_adds(left, right):
    total = left + right
    for name in ("input_tokens", "cached_input_tokens"):
        pair = [getattr(left, name), getattr(right, name)]
        known = [count for count in pair if count is not None]
        assert getattr(total, name) == (sum(known) if known else None)


@pytest.mark.parametrize(
    ("snake", "camel"),
    [("base_url", "baseURL"), ("api_key", "apiKey"), ("max_steps_per_task", "maxStepsPerTask")],
)
def test_names(snake, camel):
    assert to_wire(snake) == camel
    assert from_wire(camel) == snake
    assert from_wire(snake) == snake


def test_nearest_name():
    assert nearest("systemprompt", ["system_prompt", "synthesizer"]) == "system_prompt"
    assert nearest("zzz", ["system_prompt"]) is None


def subclasses(root):
    yield root
    for child in root.__subclasses__():
        if child.__module__ == root.__module__:
            yield from subclasses(child)


def test_the_tree_in_the_docstring_is_the_tree():
    from pagehand import errors

    drawn = [
        line.lstrip("│├└─ ").split()[0]
        for line in errors.__doc__.splitlines()
        if line.startswith(("PagehandError", "├", "└", "│"))
    ]
    assert drawn == [fault.__name__ for fault in subclasses(PagehandError)]


def test_the_plain_form_of_a_fault():
    assert error_data(RateLimitError("slow down", provider="p", status=429)) == {
        "name": "RateLimitError",
        "message": "slow down",
        "retryable": True,
        "details": {"provider": "p", "status": 429},
    }
    assert error_data(ConfigError("no")) == {
        "name": "ConfigError",
        "message": "no",
        "retryable": False,
    }
    assert error_data(ContextWindowExceededError("x", tokens=5, window=4))["details"] == {
        "tokens": 5,
        "window": 4,
    }
    assert error_data(ValueError())["message"] == "ValueError"

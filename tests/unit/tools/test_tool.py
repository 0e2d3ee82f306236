"""Tools as a host gives them, and what becomes of a call."""

import asyncio
import dataclasses
import datetime

import pytest

from pagehand import (
    ConfigError,
    Tool,
    ToolError,
    define_tool,
    is_read_only_tool,
    mark_read_only,
    tool,
)
from pagehand.models.base import ToolCall
from pagehand.testing import InstantClock
from pagehand.tools.calling import CallBudget, Caller
from pagehand.tools.results import clip, json_value, model_text
from pagehand.tools.tool import ToolContext, as_tools

ANY = {"type": "object"}


def noop(arguments):
    """Does nothing."""


async def run(found, arguments=None, **call):
    caller = Caller({found.name: found}, InstantClock(), call.pop("budget", CallBudget()))
    return await caller.execute(ToolCall("c", found.name, arguments or {}, **call), ToolContext())


def test_a_list_and_a_mapping():
    @tool
    def one() -> None:
        """One."""

    def two(number: int) -> None:
        """Two."""

    assert [found.name for found in as_tools([one, two])] == ["one", "two"]
    assert [found.name for found in as_tools({"uno": one, "due": two})] == ["uno", "due"]
    assert as_tools(None) == []
    with pytest.raises(ConfigError, match="Two tools are called 'one'"):
        as_tools([one, one])
    with pytest.raises(ConfigError, match="is no tool"):
        as_tools(["one"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("", "d", ANY, noop), "cannot be called"),
        (("a b", "d", ANY, noop), "cannot be called"),
        (("x" * 65, "d", ANY, noop), "cannot be called"),
        (("a", "d", None, noop), "JSON Schema"),
        (("a", "d", ANY, None), "function"),
    ],
)
def test_bad_tools(arguments, said):
    with pytest.raises(ConfigError, match=said):
        Tool(*arguments)


def test_read_only():
    found = define_tool("a", "d", ANY, noop)
    assert not is_read_only_tool(found)
    assert is_read_only_tool(mark_read_only(found))


async def test_the_context_comes_if_it_is_wanted():
    with_context = define_tool("a", "d", ANY, lambda arguments, context: context.call_id)
    assert (await run(with_context)).record.output == ""
    keyword_only = define_tool("a", "d", ANY, lambda arguments, *, mood="good": mood)
    assert (await run(keyword_only)).record.output == "good"


async def test_arguments_of_the_trace_are_the_models_own():
    def change(arguments):
        arguments["text"] = "changed"

    arguments = {"text": "as called"}
    outcome = await run(define_tool("a", "d", ANY, change), arguments)
    assert outcome.record.input == {"text": "as called"}


@pytest.mark.parametrize(
    ("raised", "name"),
    [
        (ToolError("no"), "ToolError"),
        (ValueError("bad"), "ValueError"),
        (TimeoutError(), "ToolError"),
    ],
)
async def test_what_a_tool_raises_is_an_outcome(raised, name):
    def fail(arguments):
        raise raised

    outcome = await run(define_tool("a", "d", ANY, fail))
    assert not outcome.record.ok
    assert outcome.error["name"] == name
    assert outcome.record.output == outcome.error["message"]


async def test_the_budget():
    budget = CallBudget(1)
    found = define_tool("a", "d", ANY, noop)
    assert (await run(found, budget=budget)).record.ok
    assert (await run(found, budget=budget)).error["name"] == "ToolBudgetError"
    assert budget.exceeded and not CallBudget(1).exceeded


async def test_a_tool_whose_own_task_was_cancelled():
    async def wait(arguments):
        raise asyncio.CancelledError

    outcome = await run(define_tool("a", "d", ANY, wait))
    assert outcome.error["message"] == "The tool 'a' was cancelled inside."


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        ((1, 2), [1, 2]),
        ({"a"}, ["a"]),
        (Point(1), {"x": 1}),
        ({"at": datetime.date(2026, 1, 2)}, {"at": "2026-01-02"}),
    ],
)
def test_results_with_a_json_form(value, plain):
    assert json_value(value, name="t") == plain


def test_results_without_one():
    cycle = []
    cycle.append(cycle)
    for value in (b"\x00", object(), cycle, float("nan"), {1j: 2}):
        with pytest.raises(ToolError, match="without a JSON form"):
            json_value(value, name="t")


def test_clipping():
    assert clip("abcdef", 3) == "abc… [truncated 3 chars]"
    assert clip("abc", 3) == "abc" and clip("abcdef", 0) == "abcdef"
    assert model_text({"a": "é"}, max_chars=0) == '{"a": "é"}'

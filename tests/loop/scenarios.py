"""What the loop does, scenario by scenario, on scripted models and an instant clock.

Each scenario asserts its own outcome and gives its events in wire form; nothing here imports a test
runner, so the same file runs on CPython and inside Pyodide, and the events must be the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pagehand import AbortController, ModelProfile, create_agent, define_tool
from pagehand.errors import (
    AuthenticationError,
    ContentRefusedError,
    InvalidRequestError,
    MalformedResponseError,
    NetworkError,
    PagehandError,
    ServerError,
    ToolError,
)
from pagehand.models.base import (
    Finish,
    GenerateResult,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallEnd,
)
from pagehand.storage.memory import MemoryStore
from pagehand.testing import ScriptedModel, scripted_platform
from pagehand.usage import Usage

Events = list[dict[str, Any]]
Scenario = Callable[[], Awaitable[Events]]
SCENARIOS: dict[str, Scenario] = {}

PROMPTED = ModelProfile(native_tools=False, output_schema=False)
CONSTRAINED = ModelProfile(
    native_tools=False, output_schema=False, constrains=True, context_window=4096
)


def scenario(function: Scenario) -> Scenario:
    SCENARIOS[function.__name__] = function
    return function


def plan(*steps: str, thought: str = "I see", tools: tuple[str, ...] = ()) -> str:
    """A plan as a planner writes it."""
    suggested = {"suggestedTools": list(tools)} if tools else {}
    return json.dumps(
        {"thought": thought, "steps": [{"description": step, **suggested} for step in steps]}
    )


def call(name: str, arguments: dict[str, Any] | None = None, id: str = "c1") -> ToolCallEnd:
    """A native call."""
    arguments = arguments or {}
    return ToolCallEnd(ToolCall(id, name, arguments, json.dumps(arguments)))


def envelope(reply: str = "", *actions: tuple[str, dict[str, Any]]) -> str:
    """A prompted round."""
    return json.dumps(
        {"reply": reply, "actions": [{"tool": name, "args": args} for name, args in actions]}
    )


def decision(mode: str, *steps: str, reason: str = "because") -> str:
    """A replanner's answer."""
    return json.dumps(
        {"reason": reason, "decision": mode, "steps": [{"description": step} for step in steps]}
    )


class Board:
    """A board of notes with tools to change it."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def tools(self) -> list[Any]:
        text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        nothing: dict[str, Any] = {"type": "object", "properties": {}}

        def add(arguments: dict[str, Any]) -> str:
            self.notes.append(arguments["text"])
            return f"note {len(self.notes)}"

        async def listed(_arguments: dict[str, Any]) -> list[str]:
            return list(self.notes)

        def broken(_arguments: dict[str, Any]) -> None:
            raise ToolError("the board is locked")

        return [
            define_tool("add_note", "Add a note", text, add),
            define_tool("list_notes", "Read the notes", nothing, listed, read_only=True),
            define_tool("broken", "Always fails", nothing, broken),
        ]


class Run:
    """One run and what it told."""

    def __init__(self, script: list[Any], profile: ModelProfile | None = None) -> None:
        self.model = ScriptedModel(script, profile=profile)
        self.board = Board()
        self.events: Events = []
        self.logged: list[str] = []
        self.platform = scripted_platform()
        self.result: Any = None

    async def go(self, request: str = "Add a note that says hi", /, **options: Any) -> Any:
        run_options = {
            name: options.pop(name)
            for name in ("history", "session_id", "on_step_start", "signal")
            if name in options
        }
        options.setdefault("tools", self.board.tools())
        agent = await create_agent(model=self.model, platform=self.platform, logger=self, **options)
        try:
            self.result = await agent.run(
                request, on_event=lambda event: self.events.append(event.to_dict()), **run_options
            )
        finally:
            await agent.close()
        return self.result

    async def fails(self, fault: type[BaseException], **options: Any) -> BaseException:
        try:
            await self.go(**options)
        except fault as raised:
            return raised
        raise AssertionError(f"{fault.__name__} was not raised")

    def error(self, message: str) -> None:
        self.logged.append(f"error {message}")

    def warn(self, message: str) -> None:
        self.logged.append(f"warn {message}")

    def info(self, message: str) -> None:
        self.logged.append(f"info {message}")

    def debug(self, message: str) -> None:
        self.logged.append(f"debug {message}")

    def types(self) -> list[str]:
        """The event types, repetitions of one in a row as one."""
        found: list[str] = []
        for event in self.events:
            if not found or found[-1] != event["type"]:
                found.append(event["type"])
        return found

    def of(self, type: str) -> Events:
        return [event for event in self.events if event["type"] == type]

    def used_up(self) -> Events:
        assert self.model.unused == [], self.model.unused
        assert self.events[-1]["type"] == "run.complete", self.types()
        return self.events


@scenario
async def a_native_run() -> Events:
    run = Run(
        [
            plan("add the note", tools=("add_note",)),
            [ReasoningDelta("hm"), call("add_note", {"text": "hi"})],
            "Added note 1.",
            "I added the note.",
        ]
    )
    result = await run.go()
    assert run.board.notes == ["hi"]
    assert result.text == "I added the note."
    assert (result.iterations, result.applied, result.stopped) == (1, 1, False)
    assert result.usage == Usage(40, 20, 60)
    assert run.types() == [
        "run.start",
        "plan.thought-delta",
        "plan.step-added",
        "usage",
        "plan.created",
        "step.start",
        "step.reasoning-delta",
        "usage",
        "step.tool-call",
        "step.tool-result",
        "step.text-delta",
        "usage",
        "step.complete",
        "replan.decision",
        "final.text-delta",
        "usage",
        "final",
        "run.complete",
    ]
    assert run.of("replan.decision")[0]["cause"] == "last-step"
    assert run.of("step.start")[0]["index"] == 0
    assert {event["runId"] for event in run.events} == {"run-1"}
    assert [usage["phase"] for usage in run.of("usage")] == [
        "plan", "execute", "execute", "synthesize",
    ]  # fmt: skip
    return run.used_up()


@scenario
async def a_prompted_run() -> Events:
    run = Run(
        [
            plan("add the note"),
            envelope("adding", ("add_note", {"text": "hi"})),
            envelope("Added note 1."),
            "I added the note.",
        ],
        PROMPTED,
    )
    await run.go()
    assert run.board.notes == ["hi"]
    assert "".join(event["delta"] for event in run.of("step.text-delta")) == "addingAdded note 1."
    told = run.model.requests[2].messages[-1].text
    assert told.startswith("TOOL RESULTS:\nadd_note(") and "note 1" in told
    assert run.model.requests[1].tools == []
    return run.used_up()


@scenario
async def a_constrained_run() -> Events:
    """A decoder that can be held to a schema is, for the plan and for every round."""
    run = Run(
        [
            plan("add the note", tools=("add_note",)),
            envelope("", ("add_note", {"text": "hi"})),
            envelope("done"),
            "ok",
        ],
        CONSTRAINED,
    )
    await run.go()
    plan_schema, first, second, answer = [request.output_schema for request in run.model.requests]
    assert plan_schema is not None and answer is None
    # The plan named a tool, so the first round has to act; then the model may choose.
    assert first is not None and list(first["properties"]) == ["actions"]
    assert second is not None and len(second["anyOf"]) == 2
    assert len(run.model.requests[0].messages[0].text) < 1_600  # the compact prompts
    return run.used_up()


@scenario
async def a_very_small_model_gets_a_small_task() -> Events:
    """It is not asked for a plan, makes one call, and then only tells of it."""
    tiny = replace(CONSTRAINED, small_questions=True)
    run = Run([[call("add_note", {"text": "hi"})], "The note says hi."], tiny)
    await run.go()
    assert run.board.notes == ["hi"]
    assert [step.description for step in run.result.plan.steps] == ["Add a note that says hi"]
    assert run.model.requests[0].task == "Add a note that says hi"
    assert run.result.text == "The note says hi."
    return run.used_up()


@scenario
async def a_request_of_two_parts_is_two_steps_of_a_very_small_model() -> Events:
    tiny = replace(CONSTRAINED, small_questions=True)
    run = Run(
        [[call("list_notes", {})], [call("add_note", {"text": "tea"}, "c2")], "There is tea."], tiny
    )
    await run.go("List the notes, and then add a note: tea")
    steps = [step.description for step in run.result.plan.steps]
    assert steps == ["List the notes", "add a note: tea"] and run.board.notes == ["tea"]
    return run.used_up()


@scenario
async def a_mended_call_is_told_and_counted() -> Events:
    run = Run(
        [plan("add it"), [call("AddNote", {"text": 5})], "Added.", "Done."],
    )
    await run.go()
    [told] = run.of("tool.repaired")
    assert told["steps"] == ["name", "coerce"] and run.board.notes == ["5"]
    assert json.loads(told["raw"]) == {"name": "AddNote", "arguments": {"text": 5}}
    assert told["repaired"] == {"name": "add_note", "arguments": {"text": "5"}}
    assert run.result.repairs == 1
    return run.used_up()


@scenario
async def a_call_that_nothing_mends_is_asked_for_once_more() -> Events:
    """The model is asked for this call alone; the host's hook would be the last resort."""
    bad = '<tool_call>{"name": "add_note", "arguments": {"colour": {}}}</tool_call>'
    good = '{"name": "add_note", "arguments": {"text": "hi"}}'
    run = Run([plan("add it"), bad, good, "Added.", "Done."], PROMPTED)
    await run.go()
    assert run.board.notes == ["hi"]
    assert run.of("tool.repaired")[0]["steps"] == ["reask"]
    asked = run.model.requests[2].messages
    assert "colour" in asked[1].text and '"required"' in asked[1].text
    return run.used_up()


@scenario
async def the_hook_is_the_last_resort() -> Events:
    seen: list[dict[str, Any]] = []

    def mend(broken: dict[str, Any]) -> Any:
        seen.append(broken)
        return {"name": "add_note", "arguments": {"text": "mended"}}

    run = Run([plan("add it"), [call("add_note", {"colour": {}})], "Added.", "Done."])
    await run.go(repair_hook=mend)
    assert run.board.notes == ["mended"] and run.of("tool.repaired")[0]["steps"] == ["hook"]
    assert set(seen[0]) == {"raw", "error", "tools"}
    return run.used_up()


@scenario
async def calls_written_in_tags_stream_their_words_only() -> Events:
    said = 'I add it. <tool_call>{"name": "add_note", "arguments": {"text": "hi"}}</tool_call>'
    run = Run([plan("add it"), said, "<think>fine</think>Added.", "Done."], PROMPTED)
    await run.go(tool_format="tags")
    shown = "".join(event["delta"] for event in run.of("step.text-delta"))
    assert shown == "I add it. Added." and run.board.notes == ["hi"]
    assert "".join(event["delta"] for event in run.of("step.reasoning-delta")) == "fine"
    told = "".join(turn.text for turn in run.model.requests[1].messages)
    assert "<tool_call>" in told  # as it was told to write
    return run.used_up()


@scenario
async def what_a_very_small_model_says_without_a_call_is_the_answer() -> Events:
    run = Run(["Hello to you."], replace(CONSTRAINED, small_questions=True))
    await run.go("Hello")
    assert run.result.text == "Hello to you." and run.result.trace[0].summary == "Hello to you."
    return run.used_up()


@scenario
async def calls_of_one_turn_run_side_by_side() -> Events:
    """Each of the two calls waits for the other: one after the other would never end."""
    both = asyncio.Barrier(2)

    async def meet(arguments: dict[str, Any]) -> str:
        await both.wait()
        return arguments["name"]

    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    run = Run(
        [
            plan("meet"),
            [call("meet", {"name": "a"}, "c1"), call("meet", {"name": "b"}, "c2")],
            "Met.",
            "Done.",
        ]
    )
    await run.go(tools=[define_tool("meet", "Meet", schema, meet)])
    results = run.model.requests[2].messages[-1].parts
    assert [part.output for part in results] == ["a", "b"]  # in the order of the calls
    return run.used_up()


@scenario
async def an_empty_plan_is_the_answer() -> Events:
    run = Run(
        [
            plan(thought="Hello to you."),
        ]
    )
    result = await run.go("Hi there")
    assert result.text == "Hello to you." and result.iterations == 0
    assert run.types()[-3:] == ["plan.created", "final", "run.complete"]
    return run.used_up()


@scenario
async def an_empty_plan_is_nudged_once() -> Events:
    run = Run(
        [plan(thought="no need"), plan("add it"), [call("add_note", {"text": "x"})], "Ok.", "Done."]
    )
    await run.go("Please write x on the board")
    assert "Tools are available" in run.model.requests[1].messages[-1].text
    assert run.board.notes == ["x"]
    return run.used_up()


@scenario
async def an_empty_plan_twice_stands() -> Events:
    run = Run([plan(thought="no need"), plan(thought="Paris.")])
    result = await run.go("What is the capital of France")
    assert result.text == "Paris."
    return run.used_up()


@scenario
async def no_nudge_without_tools() -> Events:
    run = Run([plan(thought="Paris.")])
    result = await run.go("What is the capital of France", tools=[])
    assert result.text == "Paris."
    return run.used_up()


@scenario
async def a_plan_in_prose_is_salvaged() -> Events:
    run = Run(["I would rather chat.", f"Sure: ```json\n{plan('add it')}\n```", "Did it.", "Done."])
    await run.go()
    assert run.model.requests[0].output_schema and run.model.requests[1].output_schema is None
    assert any("planner failed" in line for line in run.logged)
    return run.used_up()


@scenario
async def a_planner_that_never_plans_leaves_one_step() -> Events:
    run = Run(["no", "no again", "Did it.", "Done."])
    await run.go("Do the thing now")
    assert run.result.plan.steps[0].description == "Do the thing now"
    return run.used_up()


@scenario
async def a_schema_the_provider_refuses_is_left_out() -> Events:
    run = Run([InvalidRequestError("no response_format"), plan("add it"), "Did it.", "Done."])
    await run.go()
    return run.used_up()


@scenario
async def a_wrong_key_fails_at_once() -> Events:
    run = Run([AuthenticationError("The key is wrong: check it.")])
    await run.fails(AuthenticationError)
    assert run.types() == ["run.start", "error", "run.complete"]
    assert run.of("error")[0]["phase"] == "plan"
    assert run.of("error")[0]["error"] == {
        "name": "AuthenticationError",
        "message": "The key is wrong: check it.",
        "retryable": False,
    }
    assert run.events[-1]["status"] == "failed"
    return run.used_up()


@scenario
async def refused_content_fails_at_once() -> Events:
    run = Run([[Finish(GenerateResult(finish_reason="content-filter", refusal="I cannot"))]])
    await run.fails(ContentRefusedError)
    return run.used_up()


@scenario
async def a_dead_network_is_retried_and_then_told() -> Events:
    run = Run([NetworkError("down")] * 3)
    await run.fails(NetworkError)
    assert [event["attempt"] for event in run.of("retry")] == [1, 2]
    assert run.platform.clock.slept == [0.5, 1.0]  # type: ignore[attr-defined]
    return run.used_up()


@scenario
async def a_wish_to_wait_is_honoured() -> Events:
    run = Run([ServerError("busy", retry_after_ms=7_000), plan("add"), "Did.", "Done."])
    await run.go()
    assert run.platform.clock.slept == [7.0]  # type: ignore[attr-defined]
    return run.used_up()


@scenario
async def a_retry_starts_the_stream_anew() -> Events:
    run = Run(
        [
            plan("say it"),
            [TextDelta("half a sen"), ServerError("cut")],
            "A whole sentence.",
            "Done.",
        ]
    )
    await run.go()
    assert run.result.trace[0].summary == "A whole sentence."
    retry = run.of("retry")[0]
    assert (retry["phase"], retry["attempt"]) == ("execute", 1)
    position = run.events.index(retry)
    assert run.events[position - 1]["delta"] == "half a sen"
    return run.used_up()


@scenario
async def a_failing_tool_brings_the_replanner() -> Events:
    run = Run(
        [
            plan("break it", "then rest"),
            [call("broken")],
            "It failed.",
            decision("revise", "add a note instead"),
            [call("add_note", {"text": "instead"})],
            "Added.",
            "Done another way.",
        ]
    )
    result = await run.go()
    assert run.board.notes == ["instead"]
    failed = run.of("step.tool-result")[0]
    assert failed["ok"] is False and failed["output"] == "the board is locked"
    assert failed["error"]["name"] == "ToolError"
    assert run.of("plan.revised")[0]["plan"]["steps"][0]["id"] == "step-2"
    assert result.plan.steps[0].description == "add a note instead"
    assert [event["cause"] for event in run.of("replan.decision")] == ["llm-decision", "last-step"]
    return run.used_up()


@scenario
async def a_failure_made_good_needs_no_replanner() -> Events:
    run = Run(
        [
            plan("add it", "rest"),
            [call("add_note", {"words": "not its name"})],
            [call("add_note", {"text": "right"}, "c2")],
            "Added.",
            "Rested.",
            "Done.",
        ]
    )
    await run.go()
    assert [event["ok"] for event in run.of("step.tool-result")] == [False, True]
    assert run.of("replan.decision")[0]["cause"] == "clean-step"
    return run.used_up()


@scenario
async def a_blocked_step_brings_the_replanner() -> Events:
    run = Run([plan("fly"), "I have no wings. [BLOCKER]", decision("finish"), "It cannot be done."])
    await run.go()
    step = run.result.trace[0]
    assert step.blocked and step.summary == "I have no wings."
    assert run.of("replan.decision")[0]["mode"] == "finish"
    return run.used_up()


@scenario
async def a_blocker_stops_a_prompted_round_before_its_actions() -> Events:
    run = Run(
        [
            plan("add it"),
            envelope("not possible [BLOCKER]", ("add_note", {"text": "no"})),
            decision("finish"),
            "No.",
        ],
        PROMPTED,
    )
    await run.go()
    assert run.board.notes == [] and run.result.trace[0].blocked
    return run.used_up()


@scenario
async def a_repeated_batch_ends_the_step() -> Events:
    """A, then B, then A again: the third round runs nothing."""
    add, read = ("add_note", {"text": "x"}), ("list_notes", {})
    run = Run(
        [
            plan("loop"),
            envelope("a", add),
            envelope("b", read),
            envelope("c", add),
            "Done.",
        ],
        PROMPTED,
    )
    await run.go()
    assert run.board.notes == ["x"]
    assert any("same calls again" in line for line in run.logged)
    return run.used_up()


@scenario
async def a_call_that_was_cut_off_is_not_run() -> Events:
    cut = envelope("", ("add_note", {"text": "x"}))[:-6]
    usage = Usage(1, 1, 2)
    run = Run(
        [
            plan("add it"),
            [Finish(GenerateResult(text=cut, finish_reason="length", usage=usage))],
            envelope("It was too long."),
            decision("finish"),
            "No.",
        ],
        PROMPTED,
    )
    await run.go()
    assert run.board.notes == []
    assert "ended inside the call" in run.of("step.tool-result")[0]["output"]
    return run.used_up()


@scenario
async def an_invented_tool_is_told_its_nearest_name() -> Events:
    run = Run(
        [plan("add"), [call("add_book", {"text": "x"})], "Could not.", decision("finish"), "No."]
    )
    await run.go()
    assert "Did you mean 'add_note'?" in run.of("step.tool-result")[0]["output"]
    return run.used_up()


@scenario
async def arguments_that_do_not_fit_are_told() -> Events:
    run = Run(
        [
            plan("add"),
            [call("add_note", {"text": {"is": 5}})],
            "Could not.",
            decision("finish"),
            "No.",
        ]
    )
    await run.go()
    assert run.of("step.tool-result")[0]["error"]["name"] == "ToolInputError"
    assert run.board.notes == []
    return run.used_up()


@scenario
async def a_tool_that_never_returns_is_given_up() -> Events:
    async def hang(_arguments: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    slow = define_tool("hang", "Hangs", {"type": "object"}, hang, timeout_ms=20)
    run = Run([plan("hang"), [call("hang")], "It hung.", decision("finish"), "It hung."])
    await run.go(tools=[slow])
    assert run.of("step.tool-result")[0]["error"]["name"] == "ToolTimeoutError"
    return run.used_up()


@scenario
async def a_result_without_a_json_form_is_a_failure() -> Events:
    bad = define_tool("bad", "Gives bytes", {"type": "object"}, lambda _arguments: b"\x00")
    run = Run([plan("go"), [call("bad")], "Failed.", decision("finish"), "No."])
    await run.go(tools=[bad])
    assert "without a JSON form" in run.of("step.tool-result")[0]["output"]
    return run.used_up()


@scenario
async def a_model_that_hangs_times_out() -> Events:
    async def hang(_request: Any) -> str:
        await asyncio.Event().wait()
        return ""

    run = Run([hang] * 4)
    fault = await run.fails(PagehandError, llm_timeout_ms=20, llm_max_retries=0)
    assert type(fault).__name__ == "ModelTimeoutError", fault
    return run.events


@scenario
async def steps_beyond_the_cap_are_left_out() -> Events:
    run = Run([plan("a", "b", "c", "d", "B"), "1", "2", "Done."])
    await run.go(max_plan_steps=2)
    assert [step.description for step in run.result.plan.steps] == ["a", "b"]
    assert len(run.of("plan.step-added")) == 2
    return run.used_up()


@scenario
async def iterations_are_capped() -> Events:
    run = Run([plan("a", "b", "c"), "1", "2", "Done."])
    await run.go(max_iterations=2)
    assert run.result.iterations == 2
    assert any("max_iterations" in line for line in run.logged)
    return run.used_up()


@scenario
async def rounds_of_a_step_are_capped() -> Events:
    run = Run([plan("a"), [call("list_notes")], [call("list_notes", {}, "c2")], "Done."])
    await run.go(max_steps_per_task=2)
    assert any("max_steps_per_task" in line for line in run.logged)
    assert "list_notes({})" in run.result.trace[0].summary
    return run.used_up()


@scenario
async def tool_calls_are_capped() -> Events:
    run = Run(
        [
            plan("a", "b"),
            [call("add_note", {"text": "1"}), call("add_note", {"text": "2"}, "c2")],
            "Wrote what was possible.",
        ]
    )
    result = await run.go(max_tool_calls=1)
    assert run.board.notes == ["1"]
    assert run.of("step.tool-result")[1]["error"]["name"] == "ToolBudgetError"
    assert result.budget_exceeded == {"kind": "tool-calls", "tokens": 1, "cap": 1}
    assert run.of("budget.exceeded")[0]["cap"] == 1
    assert run.types()[-1] == "run.complete" and result.text == "Wrote what was possible."
    return run.used_up()


@scenario
async def revisions_are_capped() -> Events:
    run = Run(
        [
            plan("a"),
            "no [BLOCKER]",
            decision("revise", "b"),
            "no [BLOCKER]",
            decision("revise", "c"),
            "It did not work.",
        ]
    )
    await run.go(max_revisions=1)
    assert run.of("revisions.exceeded")[0]["cap"] == 1
    assert len(run.of("plan.revised")) == 1
    return run.used_up()


@scenario
async def a_replanner_that_fails_changes_nothing() -> Events:
    run = Run([plan("a", "b"), "no [BLOCKER]", "gibberish", "did b", "Done."])
    await run.go()
    assert any("replanner failed" in line for line in run.logged)
    assert run.result.iterations == 2
    return run.used_up()


@scenario
async def the_replanner_can_be_asked_after_every_step() -> Events:
    run = Run([plan("a", "b"), "did a", decision("finish"), "Done early."])
    await run.go(replan_after="always")
    assert run.result.iterations == 1
    return run.used_up()


@scenario
async def the_replanner_can_add_work_after_the_last_step() -> Events:
    run = Run([plan("a"), "did a", decision("revise", "b"), "did b", decision("finish"), "Done."])
    await run.go(replan_after=lambda result: True)
    assert run.result.iterations == 2
    return run.used_up()


@scenario
async def a_predicate_that_raises_means_failure() -> Events:
    def broken(_result: Any) -> bool:
        raise RuntimeError("host bug")

    run = Run([plan("a"), "did a", "Done."])
    await run.go(replan_after=broken)
    assert any("replan_after failed" in line for line in run.logged)
    return run.used_up()


@scenario
async def no_replanner_when_switched_off() -> Events:
    run = Run([plan("a", "b"), "no [BLOCKER]", "did b", "Done."])
    await run.go(replan=False)
    return run.used_up()


@scenario
async def without_a_synthesizer_the_steps_speak() -> Events:
    run = Run([plan("a", "b"), "did a", "did b"])
    result = await run.go(synthesize=False)
    assert result.text == "did a\n\ndid b"
    return run.used_up()


@scenario
async def one_good_step_needs_no_synthesizer_under_auto() -> Events:
    run = Run([plan("a"), "All of it."])
    result = await run.go(synthesize="auto")
    assert result.text == "All of it."
    return run.used_up()


@scenario
async def a_failed_single_step_is_synthesized_under_auto() -> Events:
    run = Run([plan("a"), "no [BLOCKER]", decision("finish"), "Sorry, no."])
    result = await run.go(synthesize="auto")
    assert result.text == "Sorry, no."
    return run.used_up()


@scenario
async def an_answer_in_json_is_not_streamed() -> Events:
    run = Run([plan("a"), "did a", json.dumps({"answer": "plain words"})])
    result = await run.go()
    assert result.text == "plain words" and run.of("final.text-delta") == []
    return run.used_up()


@scenario
async def inline_thoughts_are_no_answer() -> Events:
    run = Run([plan("a"), "did a", "<think>let me see</think>The answer."])
    result = await run.go()
    assert result.text == "The answer."
    assert "think" not in "".join(event["delta"] for event in run.of("final.text-delta"))
    return run.used_up()


@scenario
async def an_empty_answer_falls_back_to_the_steps() -> Events:
    run = Run([plan("a"), "did a", ""])
    result = await run.go()
    assert result.text == "did a"
    return run.used_up()


@scenario
async def a_failing_synthesizer_fails_the_run() -> Events:
    run = Run([plan("a"), "did a", MalformedResponseError("garbage")])
    await run.fails(MalformedResponseError)
    assert run.of("error")[0]["phase"] == "synthesize"
    return run.used_up()


@scenario
async def stages_see_what_they_should() -> Events:
    run = Run(
        [
            plan("first", "second"),
            [call("list_notes")],
            "Found 0 notes.",
            "Second done.",
            "All done.",
        ]
    )
    await run.go(
        "Count the notes",
        describe_state=lambda: "the board is empty",
        system_prompt="Speak like a pirate.",
        history=[{"role": "user", "content": "earlier words"}],
    )
    planner, _first, _again, second, answer = run.model.requests
    assert all("the board is empty" in request.messages[-1].text for request in (planner, answer))
    assert "earlier words" in planner.messages[-1].text
    assert "earlier words" not in second.messages[-1].text
    assert "Found 0 notes." in second.messages[-1].text
    assert "Found 0 notes." in answer.messages[-1].text
    assert "list_notes: []" in answer.messages[-1].text
    for request in run.model.requests:
        assert request.messages[0].text.endswith("Speak like a pirate.")
    assert "add_note" in planner.messages[0].text
    assert "add_note" not in second.messages[0].text  # native tools travel beside the text
    return run.used_up()


@scenario
async def system_texts_stay_the_same_within_a_run() -> Events:
    run = Run([plan("a", "b"), "did a", "did b", "Done."])
    await run.go(describe_state=lambda: f"{len(run.events)} events so far")
    _, first, second, _ = run.model.requests
    assert first.messages[0].text == second.messages[0].text
    return run.used_up()


@scenario
async def a_state_that_fails_is_left_out() -> Events:
    def broken() -> str:
        raise RuntimeError("host bug")

    run = Run([plan("a"), "did a", "Done."])
    await run.go(describe_state=broken)
    assert any("describe_state failed" in line for line in run.logged)
    return run.used_up()


@scenario
async def a_stage_prompt_can_be_replaced() -> Events:
    run = Run([plan("a"), "did a", "Done."])
    await run.go(
        prompts={"synthesizer": lambda context: {"system": "S", "prompt": f"P {context.goal}"}}
    )
    last = run.model.requests[-1]
    assert [message.text for message in last.messages] == ["S", "P Add a note that says hi"]
    return run.used_up()


@scenario
async def stages_may_have_models_of_their_own() -> Events:
    planner = ScriptedModel([plan("a"), decision("finish")], name="planner")
    writer = ScriptedModel(["Done."], name="writer")
    run = Run(["no [BLOCKER]"])
    await run.go(planner=planner, synthesizer=writer)
    assert planner.unused == writer.unused == []
    assert [usage["model"] for usage in run.of("usage")] == [
        "planner", "script", "planner", "writer",
    ]  # fmt: skip
    return run.used_up()


@scenario
async def a_signal_stops_the_run_in_a_stream() -> Events:
    controller = AbortController()

    async def endless(_request: Any) -> str:
        controller.abort("enough")
        await asyncio.Event().wait()
        return ""

    run = Run([plan("a"), endless])
    result = await run.go(signal=controller.signal)
    assert result.stopped and result.plan.steps[0].description == "a"
    assert run.types()[-2:] == ["stopped", "run.complete"]
    assert run.events[-1]["status"] == "cancelled"
    return run.used_up()


@scenario
async def a_signal_stops_the_run_in_a_tool() -> Events:
    controller = AbortController()
    left: list[str] = []

    async def slow(_arguments: dict[str, Any]) -> None:
        controller.abort()
        try:
            await asyncio.Event().wait()
        finally:
            left.append("tool was stopped")

    run = Run([plan("a"), [call("slow")]])
    result = await run.go(
        signal=controller.signal, tools=[define_tool("slow", "Slow", {"type": "object"}, slow)]
    )
    assert result.stopped and left == ["tool was stopped"]
    return run.used_up()


@scenario
async def a_signal_that_fired_before_stops_at_once() -> Events:
    controller = AbortController()
    controller.abort()
    run = Run([])
    result = await run.go(signal=controller.signal)
    assert result.stopped and run.types() == ["stopped", "run.complete"]
    return run.used_up()


@scenario
async def one_step_can_be_cancelled() -> Events:
    async def hang(_request: Any) -> str:
        await asyncio.Event().wait()
        return ""

    def on_step_start(control: Any) -> None:
        if control.step.description == "slow":
            control.abort()

    run = Run([plan("slow", "quick"), decision("continue"), "did quick", "Done."])
    result = await run.go(on_step_start=on_step_start)
    assert [step.blocked for step in result.trace] == [True, False]
    assert not result.stopped
    return run.used_up()


@scenario
async def a_session_remembers() -> Events:
    memory = MemoryStore()
    await memory.append("default", [{"role": "user", "content": "my name is Ada"}])
    run = Run([plan("a"), "did a", "Done."])
    await run.go(memory=memory)
    assert "my name is Ada" in run.model.requests[0].messages[-1].text
    assert await memory.load("default") == [
        {"role": "user", "content": "my name is Ada"},
        {"role": "user", "content": "Add a note that says hi"},
        {"role": "assistant", "content": "Done."},
    ]
    return run.used_up()


@scenario
async def a_handler_that_raises_harms_nothing() -> Events:
    def broken(_event: Any) -> None:
        raise RuntimeError("host bug")

    run = Run([plan("a"), "did a", "Done."])
    agent = await create_agent(
        model=run.model, platform=run.platform, logger=run, on_event=broken, log_level="error"
    )
    result = await agent.run("x y z", on_event=lambda event: run.events.append(event.to_dict()))
    assert result.text == "Done."
    assert any("event handler failed" in line for line in run.logged)
    return run.used_up()


async def run_all() -> dict[str, Events]:
    """Run every scenario; gives their events by name."""
    return {name: await function() for name, function in SCENARIOS.items()}

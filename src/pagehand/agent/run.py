"""The loop: one run, from the request to the answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..cancel import AbortController
from ..errors import AgentAborted, AttachmentsNotSupportedError, error_data
from ..events import (
    BudgetExceeded,
    Failed,
    Final,
    PlanCreated,
    PlanRevised,
    ReplanDecision,
    RevisionsExceeded,
    RunStart,
    StepComplete,
    StepStart,
)
from ..plan import Plan, PlanStep, RunResult, StepResult
from .executor import execute_step
from .planner import make_plan
from .replanner import Decision, decide, replan_wanted, step_failed
from .scope import RunScope
from .synthesizer import write_answer


@dataclass(slots=True)
class StepControl:
    """What `on_step_start` gets: the step, its index, and the way to cancel this step alone."""

    step: PlanStep
    index: int
    abort: Callable[[], None]


OnStepStart = Callable[[StepControl], Any]


async def run_loop(scope: RunScope, result: RunResult, on_step_start: OnStepStart | None) -> None:
    """Plan, execute, re-plan, answer. Fills `result` as it goes; raises what a stage raises.

    `scope.phase` tells which stage is at work. Attachments that a model does not take are no fault:
    what to do about them is the answer.
    """
    scope.emit(RunStart(scope.goal))
    try:
        scope.refuse_attachments()
        result.text = await _work(scope, result, on_step_start)
    except AttachmentsNotSupportedError as fault:
        scope.emit(Failed("run", error_data(fault)))
        result.text = str(fault)
    scope.emit(Final(result.text))


async def _work(scope: RunScope, result: RunResult, on_step_start: OnStepStart | None) -> str:
    """Give the answer."""
    scope.phase = "plan"
    plan = await make_plan(scope)
    result.plan = plan
    scope.emit(PlanCreated(plan))
    if not plan.steps:
        return plan.thought.strip()
    await _steps(scope, plan, result, on_step_start)
    _obey(scope)
    return await _answer(scope, plan, result)


async def _steps(
    scope: RunScope, plan: Plan, result: RunResult, on_step_start: OnStepStart | None
) -> None:
    remaining = list(plan.steps)
    revisions = 0
    while remaining:
        if result.iterations == scope.config.max_iterations:
            scope.log.warn(
                f"The run used its {scope.config.max_iterations} iterations (max_iterations); "
                f"{len(remaining)} planned steps were not carried out."
            )
            return
        _obey(scope)
        step = remaining.pop(0)
        index = result.iterations
        controller = AbortController()
        scope.emit(StepStart(step, index, index + 1 + len(remaining)))
        await _announce(scope, on_step_start, StepControl(step, index, controller.abort))
        scope.phase = "execute"
        done = await execute_step(scope, step, index, index + 1 + len(remaining), controller)
        _keep(scope, result, done)
        scope.emit(StepComplete(step, done))
        if result.budget_exceeded:
            return
        scope.phase = "replan"
        decision = await _next(scope, done, remaining)
        scope.emit(ReplanDecision(decision.mode, decision.reason, decision.cause))
        if decision.mode == "finish":
            return
        if decision.mode == "revise":
            if revisions == scope.config.max_revisions:
                scope.emit(RevisionsExceeded(scope.config.max_revisions))
                return
            revisions += 1
            remaining = _numbered(decision.steps, result.iterations)
            result.plan = Plan(plan.thought, list(remaining), plan.skills)
            scope.emit(PlanRevised(result.plan, decision.reason))


def _obey(scope: RunScope) -> None:
    """Stop between two stages, should the host's own code have swallowed the cancellation."""
    if scope.signal.aborted:
        raise AgentAborted(scope.signal.reason or "Stopped.")


def _keep(scope: RunScope, result: RunResult, done: StepResult) -> None:
    scope.trace.append(done)
    result.iterations += 1
    result.applied += sum(call.ok for call in done.tool_calls)
    if scope.budget.exceeded and scope.budget.cap is not None:
        exceeded = BudgetExceeded("tool-calls", scope.budget.used, scope.budget.cap)
        result.budget_exceeded = {
            "kind": exceeded.kind,
            "tokens": exceeded.tokens,
            "cap": exceeded.cap,
        }
        scope.emit(exceeded)


async def _announce(
    scope: RunScope, on_step_start: OnStepStart | None, control: StepControl
) -> None:
    if on_step_start is None:
        return
    try:
        answer = on_step_start(control)
        if inspect.isawaitable(answer):
            await answer
    except Exception as fault:  # the host's own function may raise anything
        scope.log.error(f"on_step_start failed: {fault}")


async def _next(scope: RunScope, done: StepResult, remaining: list[PlanStep]) -> Decision:
    wanted = await replan_wanted(scope, done)
    if not wanted:
        if remaining:
            return Decision("continue", "the step went well", "clean-step")
        return Decision("finish", "that was the last step", "last-step")
    decision = await decide(scope, remaining)
    if decision.mode == "continue" and not remaining:
        return Decision("finish", decision.reason, decision.cause)
    return decision


def _numbered(steps: list[PlanStep], before: int) -> list[PlanStep]:
    """Give a revision's steps ids that no earlier step of the run has."""
    for offset, step in enumerate(steps):
        step.id = f"step-{before + offset + 1}"
    return steps


async def _answer(scope: RunScope, plan: Plan, result: RunResult) -> str:
    """Give the final text: the synthesizer's, or the steps' own where that is asked for."""
    wanted = scope.config.synthesize
    if scope.models.synthesizer.profile.small_questions and not any(
        result.tool_calls for result in scope.trace
    ):
        wanted = "auto"  # the answer is there, and such a model would only make it worse
    if wanted == "auto" and len(plan.steps) == 1 and len(scope.trace) == 1:
        only = scope.trace[0]
        wanted = step_failed(only) or not only.summary
    if wanted:
        scope.phase = "synthesize"
        return await write_answer(scope)
    return "\n\n".join(step.summary for step in scope.trace if step.summary)

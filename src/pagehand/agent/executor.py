"""The executor: carries out one step with tools and reports what it found."""

from __future__ import annotations

import json
from collections.abc import Callable

from ..cancel import AbortController, AbortSignal, abort_scope
from ..errors import AgentAborted
from ..events import (
    StepReasoningDelta,
    StepTextDelta,
    StepToolCall,
    StepToolProgress,
    StepToolResult,
    ToolRepaired,
)
from ..models.base import ReasoningDelta, TextDelta
from ..plan import PlanStep, StepResult, ToolCallRecord
from ..tools.calling import Caller
from ..tools.loop import (
    BLOCKER,
    CallDone,
    CallProgress,
    CallRepaired,
    CallStarted,
    LoopEvent,
    LoopOutcome,
    LoopSettings,
)
from ..tools.results import clip, model_text
from ..tools.rounds import run_rounds
from .prompts import Prompt, PromptContext, executor_prompt
from .scope import RunScope

_COMPACT_OUTPUT_CHARS = 2_000
_OUTPUT_CHARS = 20_000
_CUT_SHORT = {
    "rounds": "the step used all its model calls (max_steps_per_task)",
    "repeated": "the model asked for the same calls again",
    "budget": "the run used all its tool calls (max_tool_calls)",
}


async def execute_step(
    scope: RunScope, step: PlanStep, index: int, total: int, controller: AbortController
) -> StepResult:
    """Carry out one step. A step that its own controller aborts is blocked, the run goes on.

    Raises ModelError when the model fails for good.
    """
    started = scope.policy.clock.monotonic()
    records: list[ToolCallRecord] = []
    try:
        async with abort_scope(controller.signal):
            outcome = await _rounds(scope, step, index, total, controller.signal, records)
    except AgentAborted:
        summary, blocked = "The step was cancelled by the host.", True
    else:
        if reason := _CUT_SHORT.get(outcome.end):
            scope.log.warn(f"Step {index + 1} was cut short: {reason}.")
        if outcome.last is not None and outcome.last.finish_reason == "length":
            scope.log.warn("The executor's answer was cut off at its token cap.")
        summary, blocked = split_blocker(outcome.text)
        summary = summary or _told_by_calls(outcome)
    duration_ms = (scope.policy.clock.monotonic() - started) * 1000
    return StepResult(step, summary, records, duration_ms, blocked)


async def _rounds(
    scope: RunScope,
    step: PlanStep,
    index: int,
    total: int,
    signal: AbortSignal,
    records: list[ToolCallRecord],
) -> LoopOutcome:
    model = scope.models.executor
    context = await scope.context(model)
    context.step, context.index, context.total = step, index, total
    prompt = scope.prompt("executor", context, _default_prompt)
    settings = LoopSettings(
        model=model,
        tools=scope.tools,
        caller=Caller({tool.name: tool for tool in scope.tools}, scope.policy.clock, scope.budget),
        policy=scope.policy,
        emit=_reporter(scope, step, records),
        native=context.mode == "native",
        must_act=bool(step.suggested_tools),
        max_rounds=scope.config.max_steps_per_task,
        task=step.description,
        call_format=scope.call_format(model),
        repair_hook=scope.config.repair_hook,
        temperature=scope.config.temperature,
        thinking=scope.thinking("executor"),
        cache=scope.caching("executor"),
        downloads=scope.downloads,
        max_output_chars=_COMPACT_OUTPUT_CHARS if context.compact else _OUTPUT_CHARS,
        stage="execute",
        run_id=scope.run_id,
        step=step,
        signal=signal,
    )
    return await run_rounds(scope.turns(prompt), settings)


def _default_prompt(context: PromptContext) -> Prompt:
    return executor_prompt(context, BLOCKER)


def _reporter(
    scope: RunScope, step: PlanStep, records: list[ToolCallRecord]
) -> Callable[[LoopEvent], None]:
    def emit(part: LoopEvent) -> None:
        if scope.report(part, "execute"):
            return
        match part:
            case TextDelta(text=text):
                scope.emit(StepTextDelta(step, text))
            case ReasoningDelta(text=text):
                scope.emit(StepReasoningDelta(step, text))
            case CallStarted(call=call):
                scope.emit(StepToolCall(step, call.id, call.name, call.arguments))
            case CallRepaired(call=call, raw=raw):
                repaired = {"name": call.name, "arguments": call.arguments}
                steps = list(call.repairs)
                scope.repairs += 1
                scope.emit(ToolRepaired(call.id, call.name, raw, repaired, steps, step))
            case CallProgress(call=call, progress=done, total=of, message=message):
                scope.emit(StepToolProgress(step, call.id, call.name, done, of, message))
            case CallDone(outcome=done):
                record = done.record
                records.append(record)
                scope.emit(
                    StepToolResult(
                        step,
                        record.id,
                        record.name,
                        record.output,
                        record.ok,
                        done.duration_ms,
                        done.error,
                    )
                )

    return emit


def split_blocker(text: str) -> tuple[str, bool]:
    """Give a report without its blocker marks, and whether it had one."""
    return text.replace(BLOCKER, "").strip(), BLOCKER in text


def _told_by_calls(outcome: LoopOutcome) -> str:
    """Give what the calls themselves say, for a model that reported nothing."""
    return "\n".join(
        f"{record.name}({clip(json.dumps(record.input, ensure_ascii=False), 200)}) "
        f"{'→' if record.ok else 'failed:'} {model_text(record.output, max_chars=500)}"
        for record in outcome.records
    )

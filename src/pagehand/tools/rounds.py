"""Rounds of asking a model and running the tools it wants, until it has answered."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..messages import Message, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from ..models.base import GenerateResult, ToolCall
from .loop import LoopOutcome, LoopSettings, ask, keep_result, request_of, run_calls
from .mending import mended
from .offering import offered, words_fit
from .results import model_text


async def run_rounds(messages: Sequence[Message], settings: LoopSettings) -> LoopOutcome:
    """Ask and call until the model answers without a call, or a cap ends it. Raises ModelError."""
    outcome = LoopOutcome(messages=list(messages))
    # Reading what a model writes is loaded when a model without native calls is first asked.
    written = None if settings.native else import_module(".written_rounds", __package__)
    rounds = written.written_round if written else _native_round
    batches: set[str] = set()
    for number in range(settings.max_rounds):
        end = await rounds(outcome, settings, number, batches)
        if end is not None:
            outcome.end = end
            return outcome
        if settings.caller.budget.exceeded:
            outcome.end = "budget"
            return outcome
    outcome.end = "rounds"
    return outcome


async def _native_round(
    outcome: LoopOutcome, settings: LoopSettings, number: int, batches: set[str]
) -> str | None:
    request = request_of(outcome, settings)
    tools = offered(settings.tools, settings.task, settings.model.profile)
    request.tools = [tool.definition for tool in tools]
    if settings.model.profile.small_questions:
        request.words_fit = words_fit(tools, settings.task)
    # Only the first round can be made to call: a later one may have its answer.
    request.tool_choice = settings.tool_choice if number == 0 else _freely(settings.tool_choice)
    result = await ask(settings.model, request, settings.policy, settings.emit)
    keep_result(outcome, result)
    if result.text.strip():
        outcome.text = result.text.strip()
    calls = [call for call in result.tool_calls if not call.by_provider]
    turn = _assistant_turn(result, calls)
    if turn.parts:
        outcome.messages.append(turn)
    if not calls:
        return "answered"
    if result.finish_reason == "length":
        calls[-1].broken = calls[-1].cut = True  # what is there may not be what was meant
    calls = await mended(calls, outcome, settings)
    outcomes = await run_calls(calls, settings)
    outcome.records += [done.record for done in outcomes]
    results: list[Any] = [
        ToolResultPart(
            call.id,
            call.name,
            model_text(done.record.output, max_chars=settings.max_output_chars),
            done.record.ok,
        )
        for call, done in zip(calls, outcomes, strict=True)
    ]
    outcome.messages.append(Message("tool", results))
    # A model that is asked small questions makes one call; of a second it makes a repetition.
    return "answered" if settings.model.profile.small_questions else None


def _freely(choice: str) -> str:
    return "none" if choice == "none" else "auto"


def _assistant_turn(result: GenerateResult, calls: Sequence[ToolCall]) -> Message:
    """Give an answer as the turn that the next request repeats."""
    if result.parts:
        return Message("assistant", list(result.parts))
    parts: list[Any] = []
    if result.reasoning:
        parts.append(ReasoningPart(result.reasoning))
    if result.text:
        parts.append(TextPart(result.text))
    parts += [ToolCallPart(call.id, call.name, call.arguments) for call in calls]
    return Message("assistant", parts)

"""Rounds of asking a model and running the tools it wants, until it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..cancel import AbortSignal, closing
from ..errors import ContentRefusedError, MalformedResponseError, StreamInterruptedError
from ..jsonio import JsonWatcher
from ..messages import (
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    assistant,
    user,
)
from ..models.base import (
    Finish,
    GenerateResult,
    LoadProgress,
    Model,
    ModelRequest,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
)
from ..models.caching import PromptCaching
from ..models.links import Downloads
from ..models.retry import CallPolicy, Retrying, call
from ..models.thinking import Thinking
from ..plan import PlanStep, ToolCallRecord
from ..usage import Usage
from .calling import Caller, Outcome
from .formats import LAST_ROUND, batch_key, envelope_schema, fillable, results_text
from .prompted import read_envelope
from .results import model_text
from .tool import Tool, ToolContext

BLOCKER = "[BLOCKER]"
"""What a model ends its reply with when a step is truly impossible, in any language."""


@dataclass(slots=True)
class CallStarted:
    """A tool is about to run."""

    type: ClassVar[str] = "call-started"
    call: ToolCall


@dataclass(slots=True)
class CallProgress:
    """A running tool tells how far it is."""

    type: ClassVar[str] = "call-progress"
    call: ToolCall
    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(slots=True)
class CallDone:
    """A tool returned or failed."""

    type: ClassVar[str] = "call-done"
    outcome: Outcome


@dataclass(slots=True)
class Spent:
    """Tokens of one model call, and who answered it."""

    type: ClassVar[str] = "spent"
    usage: Usage
    provider: str
    model: str
    on_device: bool


LoopEvent = (
    TextDelta
    | ReasoningDelta
    | ModelWarning
    | LoadProgress
    | Retrying
    | CallStarted
    | CallProgress
    | CallDone
    | Spent
)


@dataclass(slots=True)
class LoopSettings:
    """Everything the rounds need besides the conversation.

    `max_rounds` bounds the model calls; `must_act` holds a decoder that can be held to a schema to
    a call in its first round; `max_output_chars` the characters of one tool result that
    the model reads (0 = all of it).
    """

    model: Model
    tools: Sequence[Tool]
    caller: Caller
    policy: CallPolicy
    emit: Callable[[LoopEvent], None]
    native: bool = True
    must_act: bool = False
    max_rounds: int = 8
    max_output_tokens: int | None = None
    temperature: float | None = None
    tool_choice: str = "auto"
    thinking: Thinking | None = None
    cache: PromptCaching | None = None
    downloads: Downloads | None = None
    stream: bool = True
    max_output_chars: int = 20_000
    stage: str | None = None
    run_id: str = ""
    step: PlanStep | None = None
    signal: AbortSignal | None = None


@dataclass(slots=True)
class LoopOutcome:
    """How the rounds ended: `end` is answered, rounds, repeated, blocked or budget."""

    text: str = ""
    records: list[ToolCallRecord] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    end: str = "answered"
    last: GenerateResult | None = None


async def run_rounds(messages: Sequence[Message], settings: LoopSettings) -> LoopOutcome:
    """Ask and call until the model answers without a call, or a cap ends it. Raises ModelError."""
    outcome = LoopOutcome(messages=list(messages))
    rounds = _native_round if settings.native else _prompted_round
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
    request = _request(outcome, settings)
    request.tools = [tool.definition for tool in settings.tools]
    # Only the first round can be made to call: a later one may have its answer.
    request.tool_choice = settings.tool_choice if number == 0 else _freely(settings.tool_choice)
    result = await ask(settings.model, request, settings.policy, settings.emit)
    _keep(outcome, result)
    if result.text.strip():
        outcome.text = result.text.strip()
    calls = [call for call in result.tool_calls if not call.by_provider]
    turn = _assistant_turn(result, calls)
    if turn.parts:
        outcome.messages.append(turn)
    if not calls:
        return "answered"
    if result.finish_reason == "length":
        calls[-1].broken = True  # cut off: what is there may not be what was meant
    outcomes = await _run_calls(calls, settings)
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
    return None


async def _prompted_round(
    outcome: LoopOutcome, settings: LoopSettings, number: int, batches: set[str]
) -> str | None:
    request = _request(outcome, settings)
    if settings.model.profile.constrains:
        request.output_schema = _round_schema(outcome, settings, number)
    result = await ask(settings.model, request, settings.policy, _reply_only(settings.emit))
    _keep(outcome, result)
    envelope = read_envelope(result.text, round_number=number)
    if envelope.reply:
        outcome.text = envelope.reply
    outcome.messages.append(assistant(result.text))
    if BLOCKER in result.text:
        outcome.text = outcome.text if BLOCKER in outcome.text else f"{outcome.text} {BLOCKER}"
        return "blocked"
    if not envelope.calls:
        return "answered"
    if result.finish_reason == "length":
        envelope.calls[-1].broken = True
    key = batch_key(envelope.calls)
    if key in batches:
        return "repeated"
    batches.add(key)
    outcomes = await _run_calls(envelope.calls, settings)
    outcome.records += [done.record for done in outcomes]
    told = [
        (call, done.record.output, done.record.ok)
        for call, done in zip(envelope.calls, outcomes, strict=True)
    ]
    results = results_text(told, max_chars=settings.max_output_chars)
    if number == settings.max_rounds - 2:
        results += f"\n{LAST_ROUND}"
    outcome.messages.append(user(results))
    return None


def _round_schema(outcome: LoopOutcome, settings: LoopSettings, number: int) -> dict[str, Any]:
    """Give what a decoder is held to in a round: the last one can only report."""
    tools: Sequence[Tool] = settings.tools
    profile = settings.model.profile
    if profile.only_copies:
        tools = fillable(tools, "".join(turn.text for turn in outcome.messages[1:]))
    first, last = number == 0, number == settings.max_rounds - 1
    act = bool(tools) and (first or not last)
    report = not (act and first and settings.must_act)
    return envelope_schema(tools, act=act, report=report, most=4 if profile.parallel_calls else 1)


def _freely(choice: str) -> str:
    return "none" if choice == "none" else "auto"


def _request(outcome: LoopOutcome, settings: LoopSettings) -> ModelRequest:
    return ModelRequest(
        list(outcome.messages),
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        thinking=settings.thinking,
        cache=settings.cache,
        downloads=settings.downloads,
        stage=settings.stage,
        signal=settings.signal,
        stream=settings.stream,
    )


def _keep(outcome: LoopOutcome, result: GenerateResult) -> None:
    outcome.last = result
    outcome.usage = outcome.usage + result.usage


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


async def _run_calls(calls: Sequence[ToolCall], settings: LoopSettings) -> list[Outcome]:
    """Run a batch side by side and give the outcomes in the order of the calls."""

    async def one(wanted: ToolCall) -> Outcome:
        def progress(done: float, total: float | None = None, message: str | None = None) -> None:
            settings.emit(CallProgress(wanted, done, total, message))

        context = ToolContext(
            run_id=settings.run_id,
            call_id=wanted.id,
            step=settings.step,
            signal=settings.signal or AbortSignal(),
            progress=progress,
        )
        settings.emit(CallStarted(wanted))
        done = await settings.caller.execute(wanted, context)
        settings.emit(CallDone(done))
        return done

    if len(calls) == 1:  # a task costs two turns of the loop, which a browser feels
        return [await one(calls[0])]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(wanted)) for wanted in calls]
    return [task.result() for task in tasks]


async def ask(
    model: Model,
    request: ModelRequest,
    policy: CallPolicy,
    emit: Callable[[LoopEvent], None],
) -> GenerateResult:
    """Make one call with its retries, pass on what it streams, and give its result.

    An answer that its provider begins anew is told of like a try that failed: all who follow drop
    what they have.
    """
    result: GenerateResult | None = None
    attempt = 1
    async with closing(call(model, request, policy)) as parts:
        async for part in parts:
            if isinstance(part, ModelWarning) and part.anew:
                part = Retrying(attempt, StreamInterruptedError(part.message))
            if isinstance(part, Retrying):
                attempt = part.attempt + 1
            if isinstance(part, Finish):
                result = part.result
            elif isinstance(
                part, TextDelta | ReasoningDelta | ModelWarning | LoadProgress | Retrying
            ):
                emit(part)
    if result is None:
        raise MalformedResponseError(
            f"The stream of {model.provider} ended without a result.",
            provider=model.provider,
            model=model.name,
        )
    for warning in result.warnings:
        emit(ModelWarning(warning))
    emit(Spent(result.usage, result.provider, result.model, result.on_device))
    _refuse_empty(model, result)
    return result


def _refuse_empty(model: Model, result: GenerateResult) -> None:
    """Raise ContentRefusedError when a refusal is all there is."""
    if result.text or result.tool_calls:
        return
    if result.refusal or result.finish_reason == "content-filter":
        raise ContentRefusedError(
            f"{model.provider} refused to answer"
            + (f": {result.refusal}" if result.refusal else ".")
            + " Rephrase the request.",
            provider=model.provider,
            model=model.name,
        )


def _reply_only(emit: Callable[[LoopEvent], None]) -> Callable[[LoopEvent], None]:
    """Show of a streamed envelope only what its `reply` grows by."""

    def watcher() -> JsonWatcher:
        return JsonWatcher(texts={("reply",): lambda delta: emit(TextDelta(delta))})

    reading = watcher()

    def filtered(event: LoopEvent) -> None:
        nonlocal reading
        if isinstance(event, TextDelta):
            reading.feed(event.text)
            return
        if isinstance(event, Retrying):
            reading = watcher()
        emit(event)

    return filtered

"""Rounds of asking a model and running the tools it wants, until it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..cancel import AbortSignal, closing
from ..errors import (
    ContentRefusedError,
    MalformedResponseError,
    StreamInterruptedError,
    ToolInputError,
)
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
    ModelPart,
    ModelRequest,
    ModelWarning,
    Queued,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallEnd,
)
from ..models.caching import PromptCaching
from ..models.links import Downloads
from ..models.retry import CallPolicy, Retrying, call
from ..models.thinking import Thinking
from ..plan import PlanStep, ToolCallRecord
from ..usage import Usage
from .calling import Caller, Outcome
from .formats import (
    LAST_ROUND,
    batch_key,
    envelope_schema,
    reask_turns,
    results_text,
    written_call,
)
from .offering import offered, words_fit
from .prompted import ToolCallStream
from .repair import Hook, RepairLadder
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
class CallRepaired:
    """A call was mended before it runs; its `repairs` say how. `raw` is the call as written."""

    type: ClassVar[str] = "call-repaired"
    call: ToolCall
    raw: str


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
    | Queued
    | Retrying
    | CallStarted
    | CallRepaired
    | CallProgress
    | CallDone
    | Spent
)


@dataclass(slots=True)
class LoopSettings:
    """Everything the rounds need besides the conversation.

    `task` says in plain words what the rounds are for. `call_format` is how a model without native
    calls was told to write them; whatever it writes is read. `max_rounds` bounds the model calls;
    `must_act` holds a decoder that can be held to a schema to a call in its first round;
    `max_output_chars` the characters of one tool result that the model reads (0 = all of it).
    `repair_hook` is the host's last resort for a broken call.
    """

    model: Model
    tools: Sequence[Tool]
    caller: Caller
    policy: CallPolicy
    emit: Callable[[LoopEvent], None]
    native: bool = True
    task: str = ""
    call_format: str = "envelope"
    repair_hook: Hook | None = None
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
    repairs: int = 0


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
    tools = offered(settings.tools, settings.task, settings.model.profile)
    request.tools = [tool.definition for tool in tools]
    if settings.model.profile.small_questions:
        request.words_fit = words_fit(tools, settings.task)
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
        calls[-1].broken = calls[-1].cut = True  # what is there may not be what was meant
    calls = await _mended(calls, outcome, settings)
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
    # A model that is asked small questions makes one call; of a second it makes a repetition.
    return "answered" if settings.model.profile.small_questions else None


async def _prompted_round(
    outcome: LoopOutcome, settings: LoopSettings, number: int, batches: set[str]
) -> str | None:
    request = _request(outcome, settings)
    tools = offered(settings.tools, settings.task, settings.model.profile)
    if settings.model.profile.constrains and settings.call_format == "envelope":
        request.output_schema = _round_schema(tools, settings, number)
    reading = _Reading(settings, f"call_{number}_")
    result = await ask(settings.model, request, settings.policy, reading.hear)
    reading.end(result)
    _keep(outcome, result)
    if reading.text.strip():
        outcome.text = reading.text.strip()
    outcome.messages.append(assistant(result.text))
    if BLOCKER in result.text:
        outcome.text = outcome.text if BLOCKER in outcome.text else f"{outcome.text} {BLOCKER}"
        return "blocked"
    if not reading.calls:
        return "answered"
    key = batch_key(reading.calls)
    if key in batches:
        return "repeated"
    batches.add(key)
    calls = await _mended(reading.calls, outcome, settings)
    outcomes = await _run_calls(calls, settings)
    outcome.records += [done.record for done in outcomes]
    told = [
        (call, done.record.output, done.record.ok)
        for call, done in zip(calls, outcomes, strict=True)
    ]
    results = results_text(told, max_chars=settings.max_output_chars)
    if number == settings.max_rounds - 2:
        results += f"\n{LAST_ROUND}"
    outcome.messages.append(user(results))
    return None


def _round_schema(tools: Sequence[Tool], settings: LoopSettings, number: int) -> dict[str, Any]:
    """Give what a decoder is held to in a round: the last one can only report."""
    first, last = number == 0, number == settings.max_rounds - 1
    act = bool(tools) and (first or not last)
    report = not (act and first and settings.must_act)
    most = 4 if settings.model.profile.parallel_calls else 1
    return envelope_schema(tools, act=act, report=report, most=most)


class _Reading:
    """What a model without native calls writes in one round, read as it comes."""

    def __init__(self, settings: LoopSettings, id_prefix: str) -> None:
        self._settings = settings
        self._id_prefix = id_prefix
        self._start()

    def _start(self) -> None:
        self._stream = ToolCallStream(self._settings.tools, id_prefix=self._id_prefix)
        self._heard = False
        self.text = ""
        self.calls: list[ToolCall] = []

    def hear(self, event: LoopEvent) -> None:
        """Take what the model tells; its words are passed on without its calls."""
        if isinstance(event, TextDelta):
            self._heard = True
            self._take(self._stream.feed(event.text))
            return
        if isinstance(event, Retrying):
            self._start()
        self._settings.emit(event)

    def end(self, result: GenerateResult) -> None:
        """Take the rest; of a model that streamed nothing, all of it."""
        if not self._heard:
            self._take(self._stream.feed(result.text))
        self._take(self._stream.finish(result.finish_reason))

    def _take(self, parts: Iterable[ModelPart]) -> None:
        for part in parts:
            if isinstance(part, ModelWarning) and part.anew:
                self.text, self.calls = "", []
            if isinstance(part, TextDelta):
                self.text += part.text
            if isinstance(part, ToolCallEnd):
                self.calls.append(part.call)
            elif isinstance(part, TextDelta | ReasoningDelta | ModelWarning):
                self._settings.emit(part)


async def _mended(
    calls: Sequence[ToolCall], outcome: LoopOutcome, settings: LoopSettings
) -> list[ToolCall]:
    """Give the calls as they can run; one that cannot says why, and the model will read it.

    A model with native calls reads that beside its own call in the next round, which is the better
    way to ask it again; one that writes its calls is asked for this one call alone.
    """

    async def reask(call: ToolCall, fault: ToolInputError, tool: Tool | None) -> str:
        request = _request(outcome, settings)
        request.messages = reask_turns(call, fault, [tool] if tool else settings.tools)
        result = await ask(settings.model, request, settings.policy, _quietly(settings.emit))
        outcome.usage = outcome.usage + result.usage
        return result.text

    again = None if settings.native else reask
    ladder = RepairLadder(settings.tools, reask=again, hook=settings.repair_hook)
    mended: list[ToolCall] = []
    for written in calls:
        try:
            whole = await ladder.repair(written)
        except ToolInputError as fault:
            mended.append(replace(written, broken=True, problem=str(fault)))
            continue
        if whole.repairs:
            outcome.repairs += 1
            settings.emit(CallRepaired(whole, written_call(whole)))
        mended.append(whole)
    return mended


def _quietly(emit: Callable[[LoopEvent], None]) -> Callable[[LoopEvent], None]:
    """Pass on what a call costs and meets, and not what it says."""

    def filtered(event: LoopEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta):
            emit(event)

    return filtered


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
        task=settings.task,
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
                part,
                TextDelta | ReasoningDelta | ModelWarning | LoadProgress | Queued | Retrying,
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

"""Rounds of asking a model and running the tools it wants, until it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..cancel import AbortSignal, closing
from ..errors import (
    ContentRefusedError,
    MalformedResponseError,
    StreamInterruptedError,
)
from ..messages import (
    Message,
)
from ..models.base import (
    Finish,
    GenerateResult,
    LoadProgress,
    Model,
    ModelRequest,
    ModelWarning,
    Queued,
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


RepairHook = Callable[[dict[str, Any]], Any]
"""A host's last resort for a broken call, sync or async: `{raw, error, tools}` → a call or None."""


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
    repair_hook: RepairHook | None = None
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


def request_of(outcome: LoopOutcome, settings: LoopSettings) -> ModelRequest:
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


def keep_result(outcome: LoopOutcome, result: GenerateResult) -> None:
    outcome.last = result
    outcome.usage = outcome.usage + result.usage


async def run_calls(calls: Sequence[ToolCall], settings: LoopSettings) -> list[Outcome]:
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

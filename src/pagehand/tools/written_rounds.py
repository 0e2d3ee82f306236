"""A round of a model without native tool calls: it writes them, and they are read as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..messages import assistant, user
from ..models.base import (
    GenerateResult,
    ModelPart,
    ModelRequest,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallEnd,
)
from ..models.retry import Retrying
from .formats import LAST_ROUND, batch_key, envelope_schema, results_text
from .grammar import call_grammar
from .loop import (
    BLOCKER,
    LoopEvent,
    LoopOutcome,
    LoopSettings,
    ask,
    keep_result,
    request_of,
    run_calls,
)
from .mending import mended
from .offering import offered
from .prompted import ToolCallStream
from .tool import Tool


async def written_round(
    outcome: LoopOutcome, settings: LoopSettings, number: int, batches: set[str]
) -> str | None:
    request = request_of(outcome, settings)
    tools = offered(settings.tools, settings.task, settings.model.profile)
    _hold(request, tools, settings, number)
    reading = _Reading(settings, f"call_{number}_")
    result = await ask(settings.model, request, settings.policy, reading.hear)
    reading.end(result)
    keep_result(outcome, result)
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
    calls = await mended(reading.calls, outcome, settings)
    outcomes = await run_calls(calls, settings)
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


def _hold(
    request: ModelRequest, tools: Sequence[Tool], settings: LoopSettings, number: int
) -> None:
    """Hold a decoder that can be held to what a round may say: the last one can only report.

    In an envelope every model is held; in the other formats a model reasons first and writes
    freely, but for one that is too small to write a call.
    """
    profile = settings.model.profile
    first, last = number == 0, number == settings.max_rounds - 1
    act = bool(tools) and (first or not last)
    report = not (act and first and settings.must_act)
    if not profile.constrains:
        return
    if profile.small_questions:
        request.output_grammar = call_grammar(
            tools, settings.call_format, act=act, report=report and not first
        )
    elif settings.call_format == "envelope":
        most = 4 if profile.parallel_calls else 1
        request.output_schema = envelope_schema(tools, act=act, report=report, most=most)


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

"""The synthesizer: writes the answer from what the run did and found."""

from __future__ import annotations

import re

from ..events import FinalReasoningDelta, FinalTextDelta
from ..jsonio import find_json
from ..models.base import ReasoningDelta, TextDelta
from ..models.retry import Retrying
from ..tools.loop import LoopEvent
from .prompts import synthesizer_prompt
from .scope import RunScope, findings

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_ANSWER_KEYS = ("answer", "reply", "text", "final", "message", "response")


async def write_answer(scope: RunScope) -> str:
    """Give the answer, streaming it as it comes. Raises ModelError."""
    model = scope.models.synthesizer
    context = await scope.context(model)
    context.findings = findings(scope.trace, context.compact)
    prompt = scope.prompt("synthesizer", context, synthesizer_prompt)
    request = scope.request("synthesizer", prompt)
    stream = _AnswerStream(scope)
    result = await scope.ask(model, request, "synthesize", stream.take)
    if result.finish_reason == "length":
        scope.log.warn("The synthesizer's answer was cut off at its token cap.")
    return plain_answer(result.text) or _told_by_steps(scope)


class _AnswerStream:
    """Passes on the answer while it looks like one: raw JSON and thoughts are held back."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._held = ""
        self._plain: bool | None = None

    def take(self, part: LoopEvent) -> None:
        if isinstance(part, ReasoningDelta):
            self._scope.emit(FinalReasoningDelta(part.text))
        elif isinstance(part, Retrying):
            self._held, self._plain = "", None
        elif isinstance(part, TextDelta):
            self._text(part.text)

    def _text(self, delta: str) -> None:
        if self._plain is None:
            self._held += delta
            start = self._held.lstrip()
            if not start or ("<think>".startswith(start[:7]) and len(start) < 7):
                return
            self._plain = not start.startswith(("{", "[{", "```json", "<think>"))
            delta = start
        if self._plain:
            self._scope.emit(FinalTextDelta(delta))


def plain_answer(text: str) -> str:
    """Give an answer without inline thoughts; of a JSON object, its text field."""
    text = _THOUGHT.sub("", text).strip()
    if text.startswith(("{", "```json")):
        value = find_json(text)
        if isinstance(value, dict):
            found = next(
                (value[key] for key in _ANSWER_KEYS if isinstance(value.get(key), str)), ""
            )
            return found.strip()
    return text


def _told_by_steps(scope: RunScope) -> str:
    """Give what the steps reported, for a model that wrote nothing usable."""
    summaries = [result.summary for result in scope.trace if result.summary]
    return "\n\n".join(summaries) or "The run ended without an answer."

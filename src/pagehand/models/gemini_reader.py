"""Reading what generateContent answers.

Source: the Gemini API reference, "GenerateContentResponse", and Vertex AI's of the same name.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import MalformedResponseError
from ..messages import Part, ReasoningPart, TextPart, ToolCallPart
from ..usage import Usage, read_count
from .base import (
    Finish,
    FinishReason,
    GenerateResult,
    ModelPart,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .calls import read_call
from .fields import joined
from .gemini_arguments import PartialArguments
from .turns import CallIds

SIGNATURE = "thoughtSignature"
"""Where the sealed thought hangs on a part, on the wire and in a part's provider data."""

_ASIDE = frozenset({"thought", SIGNATURE, "partMetadata"})
"""What may stand in a part that says nothing."""

_FINISH: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content-filter",
    "RECITATION": "content-filter",
    "BLOCKLIST": "content-filter",
    "PROHIBITED_CONTENT": "content-filter",
    "SPII": "content-filter",
    "MODEL_ARMOR": "content-filter",
    "IMAGE_SAFETY": "content-filter",
    "IMAGE_PROHIBITED_CONTENT": "content-filter",
    "IMAGE_RECITATION": "content-filter",
    "OTHER": "other",
}
_NOT_YET = "FINISH_REASON_UNSPECIFIED"
# What can still be read of such an answer is the wreck of a call, never an answer.
_WRECKS = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE"})


class GeminiReader:
    """Reads one answer; a whole one is read as the only event of a stream."""

    def __init__(self, request: ModelRequest, *, provider: str, model: str) -> None:
        self.over = False
        self._provider = provider
        self._model = model
        self._ids = CallIds(request)
        self._parts: list[Part] = []
        self._writing: TextPart | ReasoningPart | None = None
        self._pieces: list[str] = []  # of the text that is being written
        self._calls: list[ToolCall] = []
        self._open: tuple[ToolCallPart, PartialArguments] | None = None
        self._counters: dict[str, Any] = {}
        self._finish: str | None = None
        self._finish_words = ""
        self._blocked: str | None = None
        self._left_out: dict[str, None] = {}

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        """Read an answer that came in one piece."""
        return self.take(value)

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        """Read one event."""
        if isinstance(usage := value.get("usageMetadata"), dict):
            self._counters |= usage
        feedback = value.get("promptFeedback") or {}
        if reason := feedback.get("blockReason"):
            self._blocked = str(reason)
            self.over = True
        candidates = value.get("candidates")
        if not candidates:
            return []
        candidate = candidates[0]
        content = candidate.get("content") or {}
        parts = [made for part in content.get("parts") or () for made in self._read(part)]
        reason = candidate.get("finishReason")
        if reason and reason != _NOT_YET:
            self._finish = str(reason)
            self._finish_words = str(candidate.get("finishMessage") or "")
            self.over = True
        return parts

    def _read(self, part: dict[str, Any]) -> list[ModelPart]:
        signature = part.get(SIGNATURE)
        data = {SIGNATURE: signature} if isinstance(signature, str) and signature else {}
        if "functionCall" in part:
            return self._call(part["functionCall"] or {}, data)
        if "text" not in part:
            self._left_out |= dict.fromkeys(part.keys() - _ASIDE)
        text = part.get("text") or ""
        if not isinstance(text, str):
            raise TypeError("the text of a part is no text")
        if part.get("thought"):
            self._write(ReasoningPart(text, data or None))
            return [ReasoningDelta(text)] if text else []
        self._write(TextPart(text, data or None))
        return [TextDelta(text)] if text else []

    def _write(self, part: TextPart | ReasoningPart) -> None:
        """Join a text to the last, unless a signature hangs on either: that stays where it was."""
        if not part.text and not part.provider_data:
            return
        last = self._writing
        if type(last) is not type(part) or part.provider_data or (last and last.provider_data):
            self._settle()
            self._parts.append(part)
            self._writing = part
        self._pieces.append(part.text)

    def _settle(self) -> None:
        """Give the text that was written to its part: to join it each time costs the square."""
        if self._writing is not None:
            self._writing.text = joined(self._pieces)
            self._writing, self._pieces = None, []

    def _call(self, call: dict[str, Any], data: dict[str, Any]) -> list[ModelPart]:
        """Read a call, or a piece of one: it has no name, and the call goes on while it says so."""
        parts: list[ModelPart] = []
        if name := call.get("name"):
            parts += self._close()
            part = self._started(str(name), call.get("id"), data)
            parts.append(ToolCallStart(part.id, part.name))
            self._open = (part, PartialArguments())
        if self._open is None:
            if call.get("args") or call.get("partialArgs"):
                raise ValueError("arguments of a call without a name")
            return parts  # the end of a call that is closed already
        part, arguments = self._open
        for piece in call.get("partialArgs") or ():
            arguments.add(piece)
        if call.get("willContinue"):
            return parts
        return parts + self._close(call.get("args"))

    def _started(self, name: str, given: Any, data: dict[str, Any]) -> ToolCallPart:
        own = given if isinstance(given, str) else ""
        id = self._ids.take(own)
        if own:
            data = {**data, "id": own}
        part = ToolCallPart(id, name, {}, data or None)
        self._settle()
        self._parts.append(part)
        return part

    def _close(self, args: Any = None) -> list[ModelPart]:
        """End the open call; its arguments are `args`, or what has gathered of them."""
        if self._open is None:
            return []
        part, gathered = self._open
        self._open = None
        args = args or gathered.value
        raw = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        call = read_call(part.id, part.name, raw)
        part.arguments = call.arguments
        self._calls.append(call)
        return [ToolCallDelta(call.id, raw)]

    def end(self) -> list[ModelPart]:
        """Give the ends of the calls and the result. Raises MalformedResponseError for an answer
        that its model spoilt; the same request may well succeed."""
        parts = self._close()
        self._settle()
        kind = self._kind()
        if self._spoilt(kind):
            words = f" ({self._finish_words[:200]})" if self._finish_words else ""
            raise MalformedResponseError(
                f"{self._provider} ended its answer with {self._finish}{words} and nothing "
                "that can be used. Try again.",
                provider=self._provider,
                model=self._model,
                retryable=True,
            )
        if self._calls and kind in ("stop", "other", "error"):
            kind = "tool-calls"
        refused = kind == "content-filter"
        result = GenerateResult(
            text=self._said(TextPart),
            reasoning=self._said(ReasoningPart),
            tool_calls=self._calls,
            parts=self._parts,
            finish_reason=kind,
            raw_finish_reason=self._finish,
            usage=read_usage(self._counters),
            refusal=(self._blocked or self._finish_words or None) if refused else None,
            warnings=[
                f"{self._provider} sent a part with {name}, which is left out."
                for name in self._left_out
            ],
        )
        return [*parts, *(ToolCallEnd(call) for call in self._calls), Finish(result)]

    def _kind(self) -> FinishReason:
        if self._blocked:
            return "content-filter"
        return _FINISH.get(self._finish or "STOP", "error")

    def _spoilt(self, kind: FinishReason) -> bool:
        if self._finish in _WRECKS:
            return True
        nothing = not self._calls and not self._said(TextPart)
        return nothing and kind in ("error", "other")

    def _said(self, kind: type[TextPart | ReasoningPart]) -> str:
        return joined(part.text for part in self._parts if isinstance(part, kind))


def read_usage(wire: dict[str, Any]) -> Usage:
    """Read the counters: Gemini counts thoughts beside the output, and what tools on Google's side
    were asked beside the prompt."""
    input_tokens = _sum(wire.get("promptTokenCount"), wire.get("toolUsePromptTokenCount"))
    thoughts = read_count(wire.get("thoughtsTokenCount"))
    output_tokens = _sum(wire.get("candidatesTokenCount"), thoughts)
    total = read_count(wire.get("totalTokenCount"))
    if total is None and input_tokens is not None and output_tokens is not None:
        total = input_tokens + output_tokens
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=total,
        reasoning_tokens=thoughts,
        cached_input_tokens=read_count(wire.get("cachedContentTokenCount")),
    )


def _sum(*values: Any) -> int | None:
    counts = [count for value in values if (count := read_count(value)) is not None]
    return sum(counts) if counts else None

"""Reading a chat completion, streamed or whole, whatever a compatible server makes of it."""

from __future__ import annotations

from typing import Any

from ..messages import Part, ReasoningPart, TextPart, ToolCallPart
from ..usage import Usage, read_count
from .base import (
    Finish,
    FinishReason,
    GenerateResult,
    ModelPart,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .calls import read_call
from .fields import arguments_of_field, joined, object_of_field, text_of_field
from .turns import CallIds

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content-filter",
}


class _Brackets:
    """Follows the brackets of a JSON text, and looks at each letter once."""

    def __init__(self) -> None:
        self._depth = 0
        self._begun = self._quoted = self._escaped = False

    def follow(self, text: str) -> None:
        for char in text:
            if self._escaped:
                self._escaped = False
            elif char == "\\":
                self._escaped = True
            elif char == '"':
                self._quoted = not self._quoted
            elif not self._quoted:
                self._depth += (char in "{[") - (char in "}]")
                self._begun = self._begun or self._depth > 0

    def closed(self) -> bool:
        return self._begun and self._depth == 0 and not self._quoted


class _Call:
    """A tool call that is being written. `given` is the id under which it came, if under any."""

    def __init__(self, index: int, given: str, id: str) -> None:
        self.index = index
        self.given = given
        self.id = id
        self.name = ""
        self.pieces: list[str] = []
        self.started = False
        self.extra: Any = None
        self._brackets = _Brackets()
        self._followed = 0

    def whole(self) -> bool:
        """Whether the arguments are all there."""
        self._brackets.follow("".join(self.pieces[self._followed :]))
        self._followed = len(self.pieces)
        return self._brackets.closed()


class _Detail:
    """A piece of OpenRouter's reasoning, whose texts grow."""

    def __init__(self, wire: dict[str, Any]) -> None:
        self.fields = dict(wire)
        self._texts: dict[str, list[str]] = {}
        self.add(wire)

    def goes_on(self, wire: dict[str, Any]) -> bool:
        """Whether a delta continues this one."""
        same = all(self.fields.get(key) == wire.get(key) for key in ("type", "index"))
        return same and wire.get("type") != "reasoning.encrypted"

    def add(self, wire: dict[str, Any]) -> None:
        for key, value in wire.items():
            if key in ("text", "summary") and isinstance(value, str):
                self._texts.setdefault(key, []).append(value)
            elif value is not None:
                self.fields[key] = value

    def whole(self) -> dict[str, Any]:
        return {**self.fields, **{key: joined(pieces) for key, pieces in self._texts.items()}}


class ChatReader:
    """Gathers chunks into parts."""

    def __init__(self, ids: CallIds) -> None:
        self._ids = ids
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._details: list[_Detail] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_given: dict[str, _Call] = {}
        self._usage = Usage()
        self._finish: str | None = None
        self.over = False

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        return self.take(value)

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        if (usage := value.get("usage")) and isinstance(usage, dict):
            self._usage = read_usage(usage)
        choices = value.get("choices")
        if not isinstance(choices, list) or not choices:
            return []
        choice = choices[0]
        message = choice.get("message") or {}
        delta = choice.get("delta") or message
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self._finish = reason
            self.over = True
        parts: list[ModelPart] = []
        if thought := self._thought(delta):
            self._reasoning.append(thought)
            parts.append(ReasoningDelta(thought))
        content = delta.get("content")
        if content and (text := content if isinstance(content, str) else _text(content)):
            self._text.append(text)
            parts.append(TextDelta(text))
        if isinstance(refusal := delta.get("refusal"), str):
            self._refusal.append(refusal)
        for call in delta.get("tool_calls") or ():
            parts += self._call(call, entire=delta is message)
        return parts

    def _thought(self, delta: dict[str, Any]) -> str:
        if details := delta.get("reasoning_details"):
            self._detail(details)
        for name in ("reasoning_content", "reasoning"):
            if (thought := delta.get(name)) and isinstance(thought, str):
                return thought
        content = delta.get("content")
        if not isinstance(content, list):
            return ""
        return "".join(_text(part.get("thinking")) for part in _parts(content, "thinking"))

    def _detail(self, details: Any) -> None:
        for detail in details if isinstance(details, list) else ():
            if self._details and self._details[-1].goes_on(detail):
                self._details[-1].add(detail)
            else:
                self._details.append(_Detail(detail))

    def _call(self, wire: dict[str, Any], *, entire: bool) -> list[ModelPart]:
        """Read a delta of a call, or an entire one."""
        function = wire.get("function") or {}
        name = text_of_field(function.get("name"))
        raw = arguments_of_field(function.get("arguments"))
        found = None if entire else self._found(wire, name, raw)
        call = found or self._added(wire)
        call.name = call.name or name
        call.extra = wire.get("extra_content") or call.extra
        parts: list[ModelPart] = []
        if call.name and not call.started:
            call.started = True
            parts.append(ToolCallStart(call.id, call.name))
        if raw:
            call.pieces.append(raw)
            parts.append(ToolCallDelta(call.id, raw))
        return parts

    def _found(self, wire: dict[str, Any], name: str, raw: str) -> _Call | None:
        """Give the call that a delta continues; None where it begins another.

        Some servers leave the index out or give all calls the same, some give no ids, or all calls
        the same, or each delta another, and some repeat the name with each delta.
        """
        index, id = _index(wire), _id(wire)
        if index is not None:
            last = self._by_index.get(index)
        else:
            last = self._by_given.get(id) or (self._calls[-1] if self._calls else None)
        if last is None or not name or not last.name:
            return last
        same = id == last.given
        if name != last.name or (id and not same):
            return None
        certain = same and id and index is not None
        return None if raw.strip() and not certain and last.whole() else last

    def _added(self, wire: dict[str, Any]) -> _Call:
        index, id = _index(wire), _id(wire)
        if index is None:
            index = self._calls[-1].index + 1 if self._calls else 0
        call = _Call(index, id, self._ids.take(id))
        self._calls.append(call)
        self._by_index[index] = call
        if id:
            self._by_given[id] = call
        return call

    def end(self) -> list[ModelPart]:
        ordered = sorted(self._calls, key=lambda call: call.index)
        calls = [read_call(call.id, call.name, joined(call.pieces)) for call in ordered]
        finish = _FINISH.get(self._finish or "stop", "other")
        if calls and finish in ("stop", "other"):
            finish = "tool-calls"  # several servers say `stop` although they ask for tools
        text, reasoning = joined(self._text), joined(self._reasoning)
        parts: list[Part] = []
        if reasoning or self._details:
            details = [detail.whole() for detail in self._details]
            data = {"reasoning_details": details} if details else None
            parts.append(ReasoningPart(reasoning, data))
        if text:
            parts.append(TextPart(text))
        for call, written in zip(calls, ordered, strict=True):
            data = {"extra_content": written.extra} if written.extra else None
            parts.append(ToolCallPart(call.id, call.name, call.arguments, data))
        result = GenerateResult(
            text=text,
            reasoning=reasoning,
            tool_calls=calls,
            parts=parts,
            finish_reason=finish,
            raw_finish_reason=self._finish,
            usage=self._usage,
            refusal=joined(self._refusal) or None,
        )
        return [*(ToolCallEnd(call) for call in calls), Finish(result)]


def _index(wire: dict[str, Any]) -> int | None:
    index = wire.get("index")
    return index if isinstance(index, int) else None


def _id(wire: dict[str, Any]) -> str:
    id = wire.get("id")
    return id if isinstance(id, str) else ""


def read_usage(wire: dict[str, Any]) -> Usage:
    """Read the wire's counters.

    DeepSeek reports its cache beside the details; xAI counts thoughts beside the answer, which
    shows in its total.
    """
    prompt_details = object_of_field(wire.get("prompt_tokens_details"))
    output_details = object_of_field(wire.get("completion_tokens_details"))
    cached = prompt_details.get("cached_tokens", wire.get("prompt_cache_hit_tokens"))
    input_tokens = read_count(wire.get("prompt_tokens"))
    output_tokens = read_count(wire.get("completion_tokens"))
    total = read_count(wire.get("total_tokens"))
    reasoning = read_count(output_details.get("reasoning_tokens"))
    if input_tokens is not None and output_tokens is not None:
        if total is None:
            total = input_tokens + output_tokens
        elif reasoning and total == input_tokens + output_tokens + reasoning:
            output_tokens += reasoning
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=total,
        reasoning_tokens=reasoning,
        cached_input_tokens=read_count(cached),
        cache_write_tokens=read_count(prompt_details.get("cache_write_tokens")),
    )


def _parts(content: list[Any], kind: str) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict) and part.get("type") == kind]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # Mistral and others send parts
        return "".join(
            part.get("text", "")
            for part in content
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""

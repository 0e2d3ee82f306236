"""Gathering an answer that comes as blocks: Anthropic's Messages and Amazon's Converse."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from ..messages import Part, ReasoningPart, TextPart, ToolCallPart
from ..usage import Usage, read_count
from .base import (
    Finish,
    FinishReason,
    GenerateResult,
    ModelPart,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .calls import read_call
from .fields import joined, text_of_field
from .turns import CallIds

SIGNATURE = "signature"
"""The key of a thought's provider data that holds its maker's proof."""
REDACTED = "redacted"
"""The key of a thought's provider data that holds a thought nobody else can read."""

Kind = Literal["text", "thought", "redacted", "call", "provider-call", "other"]
"""A `provider-call` is one that the provider runs itself; `other` is passed over."""


class _Block:
    __slots__ = ("id", "kind", "name", "pieces", "signature")

    def __init__(self, kind: Kind, id: str = "", name: str = "") -> None:
        self.kind = kind
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.signature = ""


class BlockReader(ABC):
    """Blocks by their index, in the order they began. A wire's reader says what each event means.

    `finishes` gives what the provider's words for an end stand for.
    """

    finishes: ClassVar[Mapping[str, FinishReason]]

    def __init__(self, ids: CallIds) -> None:
        self.over = False
        self.stop: str | None = None
        self.refusal: str | None = None
        self._ids = ids
        self._blocks: dict[int, _Block] = {}

    @abstractmethod
    def usage(self) -> Usage:
        """Give the counters as far as they are known."""

    def begin(self) -> list[ModelPart]:
        """Begin the answer. A second beginning takes back all that came after the first."""
        anew = bool(self._blocks)
        self._blocks = {}
        self._ids.forget()
        self.over, self.stop, self.refusal = False, None, None
        if not anew:
            return []
        return [ModelWarning("The provider began its answer anew.", anew=True)]

    def open(self, index: int, kind: Kind) -> None:
        """Begin a block that is no call."""
        self._blocks[index] = _Block(kind)

    def open_call(self, index: int, id: Any, name: Any) -> list[ModelPart]:
        """Begin a call."""
        block = _Block("call", self._ids.take(text_of_field(id)), text_of_field(name))
        self._blocks[index] = block
        return [ToolCallStart(block.id, block.name)]

    def open_provider_call(self, index: int, id: Any, name: Any) -> None:
        """Begin a call that the provider runs on its own side: it is told with the result."""
        self._blocks[index] = _Block("provider-call", text_of_field(id), text_of_field(name))

    def grow(self, index: int, kind: Kind, piece: Any) -> list[ModelPart]:
        """Add to a block; what is not for its kind is passed over. Only a call must be open."""
        block = self._blocks.get(index)
        if block is None:
            if kind == "call":
                raise KeyError(index)
            block = self._blocks[index] = _Block(kind)
        text = text_of_field(piece)
        if block.kind == "provider-call" and kind == "call":
            block.pieces.append(text)
            return []
        if block.kind != kind or not text:
            return []
        block.pieces.append(text)
        match kind:
            case "text":
                return [TextDelta(text)]
            case "thought":
                return [ReasoningDelta(text)]
            case "call":
                return [ToolCallDelta(block.id, text)]
        return []

    def grow_whole_call(self, index: int, arguments: Any) -> list[ModelPart]:
        """Add arguments that came as a value; an empty one is no arguments, as in a stream."""
        return self.grow(
            index, "call", json.dumps(arguments, ensure_ascii=False) if arguments else ""
        )

    def sign(self, index: int, piece: Any) -> None:
        """Add to the proof that hangs on a thought."""
        self._blocks.setdefault(index, _Block("thought")).signature += text_of_field(piece)

    def end(self) -> list[ModelPart]:
        """Give the ends of the calls, and the result."""
        blocks = list(self._blocks.values())
        parts: list[Part] = []
        calls: list[ToolCall] = []
        for block in blocks:
            if block.kind == "call":
                calls.append(self._call(block, last=block is blocks[-1]))
                parts.append(ToolCallPart(block.id, block.name, calls[-1].arguments))
            elif block.kind == "provider-call":
                told = self._call(block, last=False)
                told.by_provider = True
                calls.append(told)
            elif part := _part(block):
                parts.append(part)
        finish = self.finishes.get(self.stop or "end_turn", "other")
        own = [call for call in calls if not call.by_provider]
        if own and finish in ("stop", "other"):
            finish = "tool-calls"
        result = GenerateResult(
            text="".join(part.text for part in parts if isinstance(part, TextPart)),
            reasoning="".join(part.text for part in parts if isinstance(part, ReasoningPart)),
            tool_calls=calls,
            parts=parts,
            finish_reason=finish,
            raw_finish_reason=self.stop,
            usage=self.usage(),
            refusal=self.refusal,
        )
        return [*(ToolCallEnd(call) for call in own), Finish(result)]

    def _call(self, block: _Block, *, last: bool) -> ToolCall:
        call = read_call(block.id, block.name, joined(block.pieces))
        if last and not call.raw and self.finishes.get(self.stop or "") == "length":
            call.broken = True  # cut off before its first argument
        return call


def _part(block: _Block) -> TextPart | ReasoningPart | None:
    text = joined(block.pieces)
    match block.kind:
        case "text" if text:
            return TextPart(text)
        case "thought" if text or block.signature:
            return ReasoningPart(text, {SIGNATURE: block.signature} if block.signature else None)
        case "redacted":
            return ReasoningPart("", {REDACTED: text})
    return None


def usage_beside_cache(
    fresh: Any, output: Any, *, cached: Any, written: Any, thought: Any = None
) -> Usage:
    """Give the counters of a provider that counts what its cache gave and took beside the input.

    What is no number counts as not reported.
    """
    fresh, output, cached, written, thought = map(
        read_count, (fresh, output, cached, written, thought)
    )
    read = None if fresh is None else fresh + (cached or 0) + (written or 0)
    return Usage(
        input_tokens=read,
        output_tokens=output,
        total_tokens=None if read is None or output is None else read + output,
        reasoning_tokens=thought,
        cached_input_tokens=cached,
        cache_write_tokens=written,
    )

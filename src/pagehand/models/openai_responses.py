"""OpenAI's Responses wire, which its reasoning models are made for.

Nothing is stored at the provider: reasoning items come back encrypted and travel with the next
request, each in front of the item that followed it.

Source: OpenAI's API reference, "Responses", and its guide to reasoning models.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from ..messages import (
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..schema import object_schema
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
    ToolDefinition,
)
from .calls import read_call
from .fields import arguments_of_field, joined, object_of_field, text_of_field
from .media import ending_of
from .thinking import level_for, stops
from .turns import CallIds, split_system
from .wire import WireModel

_LEAST_OUTPUT = 16  # the API refuses a smaller cap
_INCOMPLETE: dict[str, FinishReason] = {
    "max_output_tokens": "length",
    "content_filter": "content-filter",
}
_BETWEEN = "\n\n"


class OpenAIResponsesModel(WireModel):
    """A model behind a responses endpoint. The base URL ends before `/responses`."""

    wire = "openai-responses"
    answers = "a response of OpenAI's kind"

    def path(self, request: ModelRequest) -> str:
        """Give the one path of this wire."""
        return "/responses"

    def reader(self, request: ModelRequest) -> _Reader:
        """Give a reader of events."""
        return _Reader(CallIds(request))

    def error_in(self, value: dict[str, Any]) -> Any:
        """Give the error of an event: `error` events come flat or nested, a failure has its own."""
        if value.get("type") == "response.failed":
            value = value["response"]
        if value.get("status") == "failed":
            return value.get("error") or {"message": "The response failed."}
        if value.get("type") == "error":
            return value.get("error") or value
        return value.get("error")

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the request as the provider reads it."""
        rules, messages = split_system(request.messages)
        profile = self.profile
        body: dict[str, Any] = {
            "model": self.name,
            # The rules stand in front as a message: newer models read `instructions` last, where
            # they end the prefix that is cached.
            "input": [
                *({"role": profile.system_role, "content": text} for text in rules),
                *(item for message in messages for item in _items(message)),
            ],
            "stream": request.stream,
            "store": False,
        }
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if request.tool_choice != "auto":
                body["tool_choice"] = _tool_choice(request.tool_choice)
        if request.output_schema is not None and profile.output_schema:
            body["text"] = {"format": _format(request.output_schema)}
        if request.max_output_tokens is not None:
            body["max_output_tokens"] = max(_LEAST_OUTPUT, request.max_output_tokens)
        if request.temperature is not None and profile.takes_temperature:
            body["temperature"] = request.temperature
        if request.cache is not None and request.cache.key:
            body["prompt_cache_key"] = request.cache.key
        if profile.thinking is not None:
            body["include"] = ["reasoning.encrypted_content"]
        if reasoning := self._reasoning(request):
            body["reasoning"] = reasoning
        return body

    def _reasoning(self, request: ModelRequest) -> dict[str, Any]:
        thinking, knob = request.thinking, self.profile.thinking
        if thinking is None or knob is None:
            return {}
        told: dict[str, Any] = {}
        if level := level_for(thinking, knob):
            told["effort"] = level
        if thinking.include_thoughts and not stops(thinking):
            told["summary"] = "auto"
        return told


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": object_schema(tool.input_schema, name=tool.name),
        "strict": False,
    }


def _tool_choice(choice: str) -> Any:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "name": choice}


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "name": "answer", "schema": schema, "strict": False}


def _items(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {"type": "function_call_output", "call_id": part.id, "output": part.output}
            for part in message.parts
            if isinstance(part, ToolResultPart)
        ]
    if message.role == "assistant":
        bound = all(_encrypted(part) for part in message.parts if isinstance(part, ReasoningPart))
        return [item for part in message.parts if (item := _said(part, bound=bound))]
    content = [item for part in message.parts if (item := _asked(part))]
    return [{"role": "user", "content": content}] if content else []


def _encrypted(part: ReasoningPart) -> dict[str, Any] | None:
    """Give a thought as the provider encrypted it: nothing else of a thought can come back."""
    item = (part.provider_data or {}).get("item") or {}
    return item if item.get("encrypted_content") else None


def _said(part: Part, *, bound: bool) -> dict[str, Any] | None:
    """Give an item of the model's own. `bound` says that its thoughts come back too: without them
    an item goes under no id, for the provider would miss the thoughts it knows under that."""
    data = part.provider_data or {} if isinstance(part, TextPart | ToolCallPart) else {}
    data = {key: value for key, value in data.items() if bound or key != "id"}
    match part:
        case ReasoningPart():
            return _encrypted(part)
        case TextPart() if part.text.strip():
            content = [{"type": "output_text", "text": part.text, "annotations": []}]
            return {"type": "message", "role": "assistant", "content": content, **data}
        case ToolCallPart():
            return {
                "type": "function_call",
                "call_id": part.id,
                "name": part.name,
                "arguments": json.dumps(part.arguments, ensure_ascii=False),
                **data,
            }
    return None


def _asked(part: Part) -> dict[str, Any] | None:
    match part:
        case TextPart() if part.text.strip():
            return {"type": "input_text", "text": part.text}
        case ImagePart():
            return {"type": "input_image", "image_url": _url(part), "detail": "auto"}
        case FilePart() if isinstance(part.data, str):
            return {"type": "input_file", "file_url": part.data}
        case FilePart():
            name = part.name or f"file.{ending_of(part.media_type) or 'txt'}"
            return {"type": "input_file", "filename": name, "file_data": _url(part)}
    return None


def _url(part: ImagePart | FilePart) -> str:
    if isinstance(part.data, str):
        return part.data
    return f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"


class _Item:
    """An output item that is being written. `index` and `id` are its own as far as it has any."""

    def __init__(self, kind: str, index: Any, id: Any) -> None:
        self.kind = kind
        self.index = index
        self.id = id
        self.call_id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.thoughts: dict[Any, list[str]] = {}
        self.refusal: list[str] = []
        self.wire: dict[str, Any] = {}  # as it is in the end

    def text(self) -> str:
        return joined(self.pieces)

    def thought(self) -> str:
        return _BETWEEN.join(joined(pieces) for pieces in self.thoughts.values())


class _Reader:
    """Gathers events into parts, by the place of their item: some gateways change its id."""

    def __init__(self, ids: CallIds) -> None:
        self._ids = ids
        self._items: list[_Item] = []
        self._by_index: dict[Any, _Item] = {}
        self._by_id: dict[Any, _Item] = {}
        self._status: str | None = None
        self._reason = ""
        self._usage = Usage()
        self._thought = False
        self.over = False

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        ended = value.get("status") in ("completed", "incomplete", None)
        if not ended or not isinstance(value.get("output"), list):
            raise ValueError("no answer, or one that is not there yet")
        return self._ended(value)

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        match value.get("type"):
            case "response.output_item.added":
                return self._added(value.get("output_index"), value["item"])
            case "response.output_text.delta":
                return self._text(self._of(value, "message"), value["delta"])
            case "response.refusal.delta":
                self._of(value, "message").refusal.append(text_of_field(value["delta"]))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._thoughts(self._of(value, "reasoning"), value)
            case "response.function_call_arguments.delta":
                return self._arguments(self._of(value, "function_call"), value["delta"])
            case "response.output_item.done":
                return self._done(value.get("output_index"), value["item"])
            case "response.completed" | "response.incomplete":
                return self._ended(value["response"])
        return []

    def _find(self, index: Any, id: Any, kind: str) -> _Item | None:
        """Give the item that an event speaks of: by its place, by its id where either lacks the
        place, and the last one where the two have nothing to be told apart by."""
        if index is not None and index in self._by_index:
            return self._by_index[index]
        named = self._by_id.get(id) if id else None
        if named is not None and (index is None or named.index is None):
            return named
        last = self._items[-1] if self._items else None
        if last is None or last.kind != kind or last.wire:
            return None
        differ = (index is not None and last.index is not None) or (id and last.id)
        return None if differ else last

    def _begin(self, kind: str, index: Any, id: Any) -> _Item:
        item = _Item(kind, index, id)
        self._items.append(item)
        return self._known(item, index, id)

    def _known(self, item: _Item, index: Any, id: Any) -> _Item:
        """Note under what an item goes from now on."""
        if index is not None:
            item.index = index
            self._by_index[index] = item
        if id:
            item.id = id
            self._by_id[id] = item
        return item

    def _of(self, value: dict[str, Any], kind: str) -> _Item:
        """Give the item that a delta belongs to. Only a call must have begun before it."""
        index, id = value.get("output_index"), value.get("item_id")
        item = self._find(index, id, kind)
        if item is None and kind == "function_call":
            raise KeyError(kind)
        return item or self._begin(kind, index, id)

    def _added(self, index: Any, wire: dict[str, Any]) -> list[ModelPart]:
        item = self._begin(text_of_field(wire.get("type")), index, wire.get("id"))
        if item.kind != "function_call":
            return []
        given = wire.get("call_id") or wire.get("id")
        item.call_id = self._ids.take(text_of_field(given))
        item.name = text_of_field(wire.get("name"))
        return [ToolCallStart(item.call_id, item.name)]

    def _text(self, item: _Item, delta: Any) -> list[ModelPart]:
        text = text_of_field(delta)
        item.pieces.append(text)
        return [TextDelta(text)] if text else []

    def _thoughts(self, item: _Item, value: dict[str, Any]) -> list[ModelPart]:
        """Give a delta of a thought; a summary comes in several, with a blank line between."""
        number = value.get("summary_index", value.get("content_index"))
        return self._think(item, number, text_of_field(value["delta"]))

    def _think(self, item: _Item, number: Any, text: str) -> list[ModelPart]:
        if not text:
            return []
        shown = f"{_BETWEEN}{text}" if number not in item.thoughts and self._thought else text
        item.thoughts.setdefault(number, []).append(text)
        self._thought = True
        return [ReasoningDelta(shown)]

    def _arguments(self, item: _Item, delta: Any) -> list[ModelPart]:
        text = text_of_field(delta)
        item.pieces.append(text)
        return [ToolCallDelta(item.call_id, text)] if text else []

    def _done(self, index: Any, wire: dict[str, Any]) -> list[ModelPart]:
        """Take an item as it is in the end; what its deltas did not say is said now."""
        kind = text_of_field(wire.get("type"))
        item = self._find(index, wire.get("id"), kind)
        parts = [] if item else self._added(index, wire)
        item = self._known(item or self._items[-1], index, wire.get("id"))
        item.wire = wire
        match item.kind:
            case "function_call":
                item.name = item.name or text_of_field(wire.get("name"))
                raw = arguments_of_field(wire.get("arguments"))
                parts += [] if any(item.pieces) else self._arguments(item, raw)
                item.pieces = [raw] if raw else item.pieces
            case "message":
                text = _text_of(wire, "output_text")
                parts += [] if any(item.pieces) else self._text(item, text)
                item.pieces = [text] if text else item.pieces
                item.refusal = [_text_of(wire, "refusal", "refusal")]
            case "reasoning":
                thought = _thought_of(wire)
                parts += [] if item.thoughts else self._think(item, None, thought)
                item.thoughts = {None: [thought]} if thought else item.thoughts
        return parts

    def _ended(self, response: dict[str, Any]) -> list[ModelPart]:
        """Take the end; some servers tell only there what was said."""
        self.over = True
        self._status = text_of_field(response.get("status")) or None
        self._reason = text_of_field((response.get("incomplete_details") or {}).get("reason"))
        if isinstance(usage := response.get("usage"), dict):
            self._usage = read_usage(usage)
        untold = () if self._items else response.get("output") or ()
        return [part for index, wire in enumerate(untold) for part in self._done(index, wire)]

    def end(self) -> list[ModelPart]:
        parts: list[Part] = []
        calls: list[ToolCall] = []
        for item in self._items:
            match item.kind:
                case "message" if text := item.text():
                    parts.append(TextPart(text, _kept(item.wire, "id", "phase")))
                case "reasoning":
                    kept = {"item": _kept(item.wire, *_REASONING)} if item.wire else None
                    parts.append(ReasoningPart(item.thought(), kept))
                case "function_call":
                    call = read_call(item.call_id, item.name, item.text())
                    calls.append(call)
                    kept = _kept(item.wire, "id")
                    parts.append(ToolCallPart(call.id, call.name, call.arguments, kept))
        refusal = joined(piece for item in self._items for piece in item.refusal)
        thoughts = [part.text for part in parts if isinstance(part, ReasoningPart) and part.text]
        result = GenerateResult(
            text="".join(part.text for part in parts if isinstance(part, TextPart)),
            reasoning=_BETWEEN.join(thoughts),
            tool_calls=calls,
            parts=parts,
            finish_reason=self._finish(calls, refusal),
            raw_finish_reason=self._status,
            usage=self._usage,
            refusal=refusal or None,
        )
        return [*(ToolCallEnd(call) for call in calls), Finish(result)]

    def _finish(self, calls: list[ToolCall], refusal: str) -> FinishReason:
        if self._status == "incomplete":
            return _INCOMPLETE.get(self._reason, "other")
        if calls:
            return "tool-calls"
        return "content-filter" if refusal else "stop"


_REASONING = ("type", "id", "summary", "content", "encrypted_content")


def _kept(wire: dict[str, Any], *names: str) -> dict[str, Any] | None:
    return {name: wire[name] for name in names if wire.get(name) is not None} or None


def _text_of(item: dict[str, Any], kind: str, key: str = "text") -> str:
    content = item.get("content") or ()
    return joined(text_of_field(part.get(key)) for part in content if part.get("type") == kind)


def _thought_of(item: dict[str, Any]) -> str:
    """Give a reasoning item's words: its summary, or the thought itself where models show it."""
    summary = [text_of_field(part.get("text")) for part in item.get("summary") or ()]
    return _BETWEEN.join(filter(None, summary)) or _text_of(item, "reasoning_text")


def read_usage(wire: dict[str, Any]) -> Usage:
    """Read the wire's counters."""
    input_details = object_of_field(wire.get("input_tokens_details"))
    output_details = object_of_field(wire.get("output_tokens_details"))
    return Usage(
        input_tokens=read_count(wire.get("input_tokens")),
        output_tokens=read_count(wire.get("output_tokens")),
        total_tokens=read_count(wire.get("total_tokens")),
        reasoning_tokens=read_count(output_details.get("reasoning_tokens")),
        cached_input_tokens=read_count(input_details.get("cached_tokens")),
        cache_write_tokens=read_count(input_details.get("cache_write_tokens")),
    )

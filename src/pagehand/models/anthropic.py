"""Anthropic's Messages wire.

Source: the Claude API reference ("Messages", "Streaming messages") and its guides "Thinking",
"Preserved thinking", "Prompt caching", "Tool use", "PDF support" and "Structured outputs".
"""

from __future__ import annotations

import base64
from typing import Any, ClassVar

from ..errors import AttachmentsNotSupportedError
from ..messages import (
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..schema import object_schema
from ..usage import Usage
from .attachments import kind_of, not_taken
from .base import FinishReason, ModelPart, ModelRequest
from .block_reader import REDACTED, SIGNATURE, BlockReader, usage_beside_cache
from .blocks import block_turns, declared_tools, plain_type, text_of
from .caching import build_instructions, cache_control, with_rolling_breakpoint
from .claude import (
    BINDING_BETA,
    ClaudeSettings,
    claude_settings,
    forgiving,
    replays_bound_thoughts,
)
from .claude_schema import answer_schema
from .fields import text_of_field
from .turns import CallIds, split_system
from .wire import WireModel

_VERSION = "2023-06-01"
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})  # blocks that carry no cache mark

_FINISH: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool-calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content-filter",
}


class AnthropicModel(WireModel):
    """A model of Anthropic's. `base_url` ends before `/messages`."""

    wire: ClassVar[str] = "anthropic"
    answers: ClassVar[str] = "a message of Claude"

    def path(self, request: ModelRequest) -> str:
        return "/messages"

    def headers(self, request: ModelRequest) -> dict[str, str]:
        headers = {
            "anthropic-version": _VERSION,
            "anthropic-dangerous-direct-browser-access": "true",
        }
        if self._forgives(request):
            headers["anthropic-beta"] = BINDING_BETA
        return headers

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the body; the conversation stands last, so that all before it stays the same."""
        system, spoken = split_system(request.messages)
        turns = block_turns(spoken)
        settings = claude_settings(request, self.profile, turns)
        body: dict[str, Any] = {
            "model": self.name,
            "max_tokens": settings.max_tokens,
            "stream": request.stream,
        }
        if system:
            body["system"] = build_instructions("\n\n".join(system), request.cache)
        body |= _tools(request, settings)
        thinking = settings.thinking
        if self._forgives(request):
            thinking = forgiving(thinking)
        if thinking:
            body["thinking"] = thinking
        if config := self._output(request, settings):
            body["output_config"] = config
        if self.profile.takes_temperature and not settings.thinks:
            body |= {} if request.temperature is None else {"temperature": request.temperature}
        messages = [
            {"role": side, "content": [self._block(part) for part in parts]}
            for side, parts in turns
        ]
        if request.cache is not None:
            mark = cache_control(request.cache)
            messages = with_rolling_breakpoint(messages, mark, skip=_THOUGHTS)
        body["messages"] = messages
        return body

    def reader(self, request: ModelRequest) -> _Reader:
        return _Reader(CallIds(request))

    def takes_schema(self, schema: dict[str, Any]) -> bool:
        """Whether the shape can be said in the subset that the API takes."""
        return super().takes_schema(schema) and answer_schema(schema) is not None

    def _forgives(self, request: ModelRequest) -> bool:
        """Whether to ask for forgiveness; not where a host's own beta header would replace ours."""
        own = any(name.casefold() == "anthropic-beta" for name in self.endpoint.headers)
        return not own and replays_bound_thoughts(self.name, request)

    def _output(self, request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
        config: dict[str, Any] = {}
        if settings.effort:
            config["effort"] = settings.effort
        wanted = request.output_schema if self.profile.output_schema else None
        if wanted is not None and (schema := answer_schema(wanted)):
            config["format"] = {"type": "json_schema", "schema": schema}
        return config

    def _block(self, part: Part) -> dict[str, Any]:
        match part:
            case TextPart():
                return {"type": "text", "text": part.text}
            case ReasoningPart():
                return _thought(part)
            case ToolCallPart():
                return {
                    "type": "tool_use",
                    "id": part.id,
                    "name": part.name,
                    "input": part.arguments,
                }
            case ToolResultPart():
                result = {"type": "tool_result", "tool_use_id": part.id, "content": part.output}
                return result if part.ok else {**result, "is_error": True}
            case ImagePart() | FilePart():
                return self._attachment(part)

    def _attachment(self, part: ImagePart | FilePart) -> dict[str, Any]:
        kind = kind_of(part)
        if isinstance(part, FilePart) and (text := text_of(part)) is not None:
            return _document(part, {"type": "text", "media_type": "text/plain", "data": text})
        media_type = plain_type(part.media_type) if kind == "image" else "application/pdf"
        if kind == "file" or (kind == "image" and media_type not in _IMAGES):
            raise AttachmentsNotSupportedError(
                f'The model "{self.name}" takes PNG, JPEG, GIF and WebP images, PDF files and '
                f"texts, but {not_taken(part)}.",
                details={"model": self.name, "kind": kind},
            )
        if isinstance(part.data, str):
            source = {"type": "url", "url": part.data}
        else:
            data = base64.b64encode(part.data).decode()
            source = {"type": "base64", "media_type": media_type, "data": data}
        if kind == "image":
            return {"type": "image", "source": source}
        return _document(part, source)


def _document(part: ImagePart | FilePart, source: dict[str, Any]) -> dict[str, Any]:
    block = {"type": "document", "source": source}
    return {**block, "title": part.name} if part.name else block


def _thought(part: ReasoningPart) -> dict[str, Any]:
    data = part.provider_data or {}
    if REDACTED in data:
        return {"type": "redacted_thinking", "data": data[REDACTED]}
    return {"type": "thinking", "thinking": part.text, "signature": data.get(SIGNATURE, "")}


def _tools(request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": object_schema(tool.input_schema, name=tool.name),
        }
        for tool in declared_tools(request)
    ]
    if not tools:
        return {}
    choice = request.tool_choice if request.tools else "none"
    if choice == "none":
        return {"tools": tools, "tool_choice": {"type": "none"}}
    if choice == "auto" or settings.thinks:  # a forced call would come before any thought
        return {"tools": tools}
    if choice == "required":
        return {"tools": tools, "tool_choice": {"type": "any"}}
    return {"tools": tools, "tool_choice": {"type": "tool", "name": choice}}


class _Reader(BlockReader):
    """Reads one answer; a whole one is read as a stream whose blocks arrive complete."""

    finishes = _FINISH

    def __init__(self, ids: CallIds) -> None:
        super().__init__(ids)
        self._counters: dict[str, Any] = {}

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        parts = self._start(value)
        for index, block in enumerate(value["content"]):
            parts += self._open(index, block)
        self._stopped(value)
        self.over = True
        return parts

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        match value.get("type"):
            case "message_start":
                return self._start(value["message"])
            case "content_block_start":
                return self._open(value["index"], value["content_block"])
            case "content_block_delta":
                return self._delta(value["index"], value["delta"])
            case "message_delta":
                self._stopped(value["delta"])
                self._count(value.get("usage"))
            case "message_stop":
                self.over = True
        return []

    def usage(self) -> Usage:
        counters = self._counters
        details = counters.get("output_tokens_details")
        return usage_beside_cache(
            counters.get("input_tokens"),
            counters.get("output_tokens"),
            cached=counters.get("cache_read_input_tokens"),
            written=counters.get("cache_creation_input_tokens"),
            thought=details.get("thinking_tokens") if isinstance(details, dict) else None,
        )

    def _start(self, message: dict[str, Any]) -> list[ModelPart]:
        self._counters = {}
        self._count(message.get("usage"))
        return self.begin()

    def _open(self, index: int, block: dict[str, Any]) -> list[ModelPart]:
        match block["type"]:
            case "text":
                self.open(index, "text")
                return self.grow(index, "text", block.get("text"))
            case "thinking":
                self.open(index, "thought")
                self.sign(index, block.get("signature"))
                return self.grow(index, "thought", block.get("thinking"))
            case "redacted_thinking":
                self.open(index, "redacted")
                return self.grow(index, "redacted", block["data"])
            case "tool_use":
                parts = self.open_call(index, block.get("id"), block["name"])
                return parts + self.grow_whole_call(index, block.get("input"))
        self.open(index, "other")
        return []

    def _delta(self, index: int, delta: dict[str, Any]) -> list[ModelPart]:
        match delta.get("type"):
            case "text_delta":
                return self.grow(index, "text", delta["text"])
            case "thinking_delta":
                return self.grow(index, "thought", delta["thinking"])
            case "signature_delta":
                self.sign(index, delta["signature"])
            case "input_json_delta":
                return self.grow(index, "call", delta["partial_json"])
        return []

    def _stopped(self, delta: dict[str, Any]) -> None:
        if reason := text_of_field(delta.get("stop_reason")):
            self.stop = reason
            self.over = True
        if details := delta.get("stop_details"):
            self.refusal = text_of_field(details.get("explanation")) or None

    def _count(self, usage: Any) -> None:
        """Keep the newest counters: each is the sum up to its event."""
        if isinstance(usage, dict):
            self._counters |= {key: value for key, value in usage.items() if value is not None}

"""The chat completions wire of OpenAI and of everything that speaks it.

Source: OpenAI's API reference, "Chat Completions", and what compatible servers do differently:
no index on tool call deltas or the same one for all, no ids, arguments as an object, names repeated
in every chunk, reasoning under several names, usage only in the last chunk or not at all.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from ..messages import (
    FilePart,
    ImagePart,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..schema import object_schema
from .attachments import kind_of, refusal, text_of
from .base import (
    ModelRequest,
    ToolDefinition,
)
from .chat_reader import ChatReader
from .dialect import ChatDialect
from .media import ending_of
from .profiles import ModelProfile, ThinkingKnob
from .thinking import Thinking, budget_for, level_for, stops
from .turns import CallIds, safe_id, short_id
from .wire import Endpoint, WireModel

_ANY = ThinkingKnob("effort", ("low", "medium", "high"))


class OpenAIChatModel(WireModel):
    """A model behind a chat completions endpoint. The base URL ends before `/chat/completions`."""

    wire = "openai-chat"
    answers = "an OpenAI-compatible chat completion"

    def __init__(
        self,
        name: str,
        *,
        endpoint: Endpoint,
        profile: ModelProfile,
        dialect: ChatDialect | None = None,
    ) -> None:
        super().__init__(name, endpoint=endpoint, profile=profile)
        self._dialect = dialect or ChatDialect()

    def path(self, request: ModelRequest) -> str:
        """Give the one path of this wire."""
        return "/chat/completions"

    def reader(self, request: ModelRequest) -> ChatReader:
        """Give a reader of chunks; a whole answer is read as one chunk that has `message`."""
        return ChatReader(CallIds(request))

    def error_in(self, value: dict[str, Any]) -> Any:
        """Give the error of a chunk; gateways put it into the choice too."""
        choices = value.get("choices")
        if choices and isinstance(choices, list) and isinstance(choices[0], dict):
            return choices[0].get("error") or value.get("error")
        return super().error_in(value)

    def fit_id(self, id: str) -> str:
        """Give a call's id as the server takes it."""
        return short_id(id) if self._dialect.short_ids else safe_id(id)

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the request as the server reads it."""
        dialect, profile = self._dialect, self.profile
        body: dict[str, Any] = {
            "model": self.name,
            "messages": self._messages(request.messages),
            "stream": request.stream,
        }
        if request.stream and dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if request.tool_choice != "auto":
                body["tool_choice"] = _tool_choice(request.tool_choice)
        if request.output_schema is not None and profile.output_schema:
            body["response_format"] = self._format(request.output_schema)
        if request.max_output_tokens is not None:
            body[dialect.max_tokens] = request.max_output_tokens
        if request.temperature is not None and profile.takes_temperature:
            body["temperature"] = request.temperature
        if request.cache is not None and dialect.cache_key and request.cache.key:
            body["prompt_cache_key"] = request.cache.key
        return body | self._thinking(request)

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.profile.json_only:
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}

    def _thinking(self, request: ModelRequest) -> dict[str, Any]:
        thinking, knob = request.thinking, self.profile.thinking
        if thinking is None or knob is None or knob.kind == "always":
            return {}
        off = stops(thinking)
        match self._dialect.thinking:
            case "type":
                level = None if off else level_for(thinking, knob)
                told = {"thinking": {"type": "disabled" if off else "enabled"}}
                return {**told, "reasoning_effort": level} if level else told
            case "template" if knob.kind == "switch":
                return {"chat_template_kwargs": {"enable_thinking": not off}}
            case "reasoning":
                return {"reasoning": _openrouter(thinking, off, knob)}
            case "any-effort":
                return {"reasoning_effort": "none" if off else level_for(thinking, _ANY)}
            case "effort" | "template" if level := level_for(thinking, knob):
                return {"reasoning_effort": level}
        return {}

    def _messages(self, messages: list[Message]) -> list[dict[str, Any]]:
        return [wire for message in messages for wire in self._message(message)]

    def _message(self, message: Message) -> list[dict[str, Any]]:
        """Give the wire's messages for one of ours: tool results are messages of their own."""
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        if results:
            return [
                {"role": "tool", "tool_call_id": part.id, "content": part.output}
                for part in results
            ]
        wire: dict[str, Any] = {"role": self._role(message.role)}
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if any(isinstance(part, ImagePart | FilePart) for part in message.parts):
            wire["content"] = [
                self._content(part)
                for part in message.parts
                if isinstance(part, TextPart | ImagePart | FilePart)
            ]
        else:
            wire["content"] = message.text or (None if calls else "")
        if calls:
            wire |= self._thoughts_back(message)
            wire["tool_calls"] = [_call(call) for call in calls]
        return [wire]

    def _role(self, role: str) -> str:
        developer = self._dialect.developer and self.profile.system_role == "developer"
        return "developer" if role == "system" and developer else role

    def _thoughts_back(self, message: Message) -> dict[str, Any]:
        thoughts = [part for part in message.parts if isinstance(part, ReasoningPart)]
        match self._dialect.thoughts_back:
            case "reasoning_content" if thoughts or self.profile.thinking is not None:
                return {"reasoning_content": "".join(part.text for part in thoughts)}
            case "reasoning_details":
                details = [
                    detail
                    for part in thoughts
                    for detail in (part.provider_data or {}).get("reasoning_details", ())
                ]
                return {"reasoning_details": details} if details else {}
        return {}

    def _content(self, part: TextPart | ImagePart | FilePart) -> dict[str, Any]:
        if isinstance(part, TextPart):
            return {"type": "text", "text": part.text}
        if isinstance(part, FilePart) and (text := text_of(part)) is not None:
            return {"type": "text", "text": text}
        link = isinstance(part.data, str)
        url = part.data if isinstance(part.data, str) else _data_url(part.data, part.media_type)
        if isinstance(part, ImagePart):
            return {"type": "image_url", "image_url": {"url": url}}
        if self._dialect.document_url and kind_of(part) == "pdf":
            return {"type": "document_url", "document_url": url}
        if link:
            raise refusal(self.name, kind_of(part))
        name = part.name or f"file.{ending_of(part.media_type) or 'pdf'}"
        return {"type": "file", "file": {"filename": name, "file_data": url}}


def _openrouter(thinking: Thinking, off: bool, knob: ThinkingKnob) -> dict[str, Any]:
    """Give OpenRouter's one object for all families."""
    if off and knob.can_stop:
        return {"enabled": False}
    if off:  # what cannot stop thinks as little as it can
        return {"effort": knob.levels[0]} if knob.levels else {}
    told: dict[str, Any] = {}
    if thinking.budget_tokens is not None and knob.kind == "budget":
        told["max_tokens"] = budget_for(thinking, knob)
    elif level := level_for(thinking, knob) or thinking.level:
        told["effort"] = level
    else:
        told["enabled"] = True
    if not thinking.include_thoughts:
        told["exclude"] = True
    return told


def _data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": object_schema(tool.input_schema, name=tool.name),
        },
    }


def _tool_choice(choice: str) -> Any:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _call(call: ToolCallPart) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    wire = {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }
    extra = (call.provider_data or {}).get("extra_content")  # Gemini's signatures, on this wire
    return {**wire, "extra_content": extra} if extra else wire

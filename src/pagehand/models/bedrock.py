"""Amazon Bedrock's Converse wire.

Source: the Amazon Bedrock API reference ("Converse", "ConverseStream", their data types) and user
guide ("Prompt caching", "Tool use", "Claude: extended and adaptive thinking"), and Amazon Nova's
user guide ("Extended thinking").
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, ClassVar
from urllib.parse import quote

from ..errors import AttachmentsNotSupportedError, MalformedResponseError
from ..messages import (
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from ..schema import inlined, object_schema
from ..usage import Usage
from .answer import Decoder
from .attachments import kind_of, not_taken
from .base import FinishReason, ModelPart, ModelRequest
from .block_reader import REDACTED, SIGNATURE, BlockReader, usage_beside_cache
from .blocks import block_turns, declared_tools, plain_type, text_of
from .caching import PromptCaching
from .claude import (
    BINDING_BETA,
    ClaudeSettings,
    claude_settings,
    forgiving,
    replays_bound_thoughts,
)
from .claude_schema import answer_schema
from .event_stream import EventStreamDecoder
from .fields import text_of_field
from .thinking import level_for, stops
from .turns import CallIds, Turn, split_system
from .wire import WireModel

_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    _WORD: "docx",
    "application/vnd.ms-excel": "xls",
    _SHEET: "xlsx",
    "text/html": "html",
    "text/markdown": "md",
}
_LONGEST_NAME = 180  # of 200, so that a number still fits behind
# Claude 4.5 and later keep a prefix for an hour, where they are asked to.
_HOUR_LONG = re.compile(r"claude-[a-z]+-(?:4-[5-9]|[5-9])")

_FINISH: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool-calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "content-filter",
    "content_filtered": "content-filter",
}
_WRECKS = frozenset({"malformed_model_output", "malformed_tool_use"})


class BedrockModel(WireModel):
    """A model behind Bedrock's Converse. `base_url` ends before `/model/…`; the name is a model's
    or an inference profile's id or ARN."""

    wire: ClassVar[str] = "bedrock"
    answers: ClassVar[str] = "an answer of Bedrock's Converse"

    def path(self, request: ModelRequest) -> str:
        method = "converse-stream" if request.stream else "converse"
        return f"/model/{quote(self.name, safe='')}/{method}"

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the body; the conversation stands last, so that all before it stays the same."""
        system, spoken = split_system(request.messages)
        turns = block_turns(spoken)
        settings = claude_settings(request, self.profile, turns)
        cache = request.cache if self._is("claude", "nova") else None
        body: dict[str, Any] = {}
        if system:
            body["system"] = [{"text": text} for text in system] + self._marks(cache)
        if config := self._inference(request, settings):
            body["inferenceConfig"] = config
        if tools := self._tools(request, settings):
            body["toolConfig"] = tools
        if more := self._thinking(request, settings):
            body["additionalModelRequestFields"] = more
        wanted = request.output_schema if self.profile.output_schema else None
        if wanted is not None and (schema := answer_schema(wanted)):
            body["outputConfig"] = {"textFormat": _format(schema)}
        messages = self._messages(turns)
        if messages:
            _mark_newest(messages[-1]["content"], self._marks(cache))
        body["messages"] = messages
        return body

    def reader(self, request: ModelRequest) -> _Reader:
        return _Reader(self, CallIds(request))

    def decoder(self) -> Decoder:
        return EventStreamDecoder()

    def _is(self, *families: str) -> bool:
        """Whether the model's name says that it is of one of the families."""
        return any(family in self.name.casefold() for family in families)

    def _marks(self, cache: PromptCaching | None) -> list[dict[str, Any]]:
        if cache is None:
            return []
        point = {"type": "default"}
        if cache.ttl != "5m" and _HOUR_LONG.search(self.name.casefold()):
            point["ttl"] = cache.ttl
        return [{"cachePoint": point}]

    def _inference(self, request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
        if self._is("nova") and self._effort(request) == "high":
            return {}  # at its highest effort Nova takes no limit and no temperature
        config: dict[str, Any] = {}
        budgeted = "budget_tokens" in (settings.thinking or {})
        if budgeted or request.max_output_tokens is not None:
            config["maxTokens"] = settings.max_tokens
        if self.profile.takes_temperature and not settings.thinks:
            config |= {} if request.temperature is None else {"temperature": request.temperature}
        return config

    def _effort(self, request: ModelRequest) -> str | None:
        """Give the word for how much to think, for families that take one; None says nothing."""
        wish, knob = request.thinking, self.profile.thinking
        if wish is None or knob is None or stops(wish):
            return None
        return level_for(wish, knob) or wish.level or "medium"

    def _thinking(self, request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
        """Give what Converse has no field for: each family says it in its own way."""
        if self._is("claude"):
            return self._claude_thinking(request, settings)
        wish, effort_word = request.thinking, self._effort(request)
        if wish is None or self.profile.thinking is None:
            return {}
        if self._is("nova"):
            on = {"type": "enabled", "maxReasoningEffort": effort_word}
            return {"reasoningConfig": on if effort_word else {"type": "disabled"}}
        if self._is("gpt-oss"):  # it cannot stop: the least is the nearest to that
            return {"reasoning_effort": effort_word or "low"}
        if self._is("qwen") and effort_word:
            return {"reasoning_config": "low" if effort_word in ("minimal", "low") else "high"}
        return {}

    def _claude_thinking(self, request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        thinking = settings.thinking
        if replays_bound_thoughts(self.name, request):
            thinking = forgiving(thinking)
            fields["anthropic_beta"] = [BINDING_BETA]
        if thinking:
            fields["thinking"] = thinking
        if settings.effort:
            fields["output_config"] = {"effort": settings.effort}
        return fields

    def _tools(self, request: ModelRequest, settings: ClaudeSettings) -> dict[str, Any]:
        tools = [
            _tool(tool.name, tool.description, tool.input_schema)
            for tool in declared_tools(request)
        ]
        if not tools:
            return {}
        choice = request.tool_choice if request.tools else "none"
        thinks = settings.thinks or self._effort(request) is not None
        # There is no "none", and the tools stay declared for the calls in the history. Only these
        # two families can be made to call, and no model that thinks first.
        if choice in ("auto", "none") or thinks or not self._is("claude", "nova"):
            return {"tools": tools}
        if choice == "required":
            return {"tools": tools, "toolChoice": {"any": {}}}
        return {"tools": tools, "toolChoice": {"tool": {"name": choice}}}

    def _messages(self, turns: list[Turn]) -> list[dict[str, Any]]:
        names = _Names()
        messages: list[dict[str, Any]] = []
        for side, parts in turns:
            blocks = [self._block(part, names) for part in parts]
            results = [block for block in blocks if "toolResult" in block]
            others = [block for block in blocks if "toolResult" not in block]
            if results and others and not self._go_together(others):
                messages += [_message("user", results), _message("assistant", [{"text": "."}])]
                blocks = others
            if any("document" in block for block in blocks) and not _has_text(blocks):
                blocks = [{"text": "(A file is attached.)"}, *blocks]
            messages.append(_message(side, blocks))
        return messages

    def _go_together(self, others: list[dict[str, Any]]) -> bool:
        """Whether these blocks may stand beside results: Claude takes no documents there, and
        Llama and Mistral take nothing at all."""
        if self._is("llama", "mistral", "mixtral", "pixtral"):
            return False
        return not self._is("claude") or not any("document" in block for block in others)

    def _block(self, part: Part, names: _Names) -> dict[str, Any]:
        match part:
            case TextPart():
                return {"text": part.text}
            case ReasoningPart():
                return {"reasoningContent": _thought(part)}
            case ToolCallPart():
                call = {"toolUseId": part.id, "name": part.name, "input": part.arguments}
                return {"toolUse": call}
            case ToolResultPart():
                text = part.output if part.output.strip() else "(nothing)"
                result = {"toolUseId": part.id, "content": [{"text": text}]}
                return {"toolResult": result if part.ok else {**result, "status": "error"}}
            case ImagePart() | FilePart():
                return self._attachment(part, names)

    def _attachment(self, part: ImagePart | FilePart, names: _Names) -> dict[str, Any]:
        media_type = plain_type(part.media_type)
        image, document = _IMAGES.get(media_type), _DOCUMENTS.get(media_type)
        if isinstance(part, FilePart) and document is None and text_of(part) is not None:
            document = "txt"
        if not isinstance(part.data, bytes) or not (image or document):
            raise AttachmentsNotSupportedError(
                f"{self.provider} takes PNG, JPEG, GIF and WebP images, PDF, Word and Excel files "
                f"and texts, as bytes, but {not_taken(part)}.",
                details={"model": self.name, "kind": kind_of(part)},
            )
        source = {"bytes": base64.b64encode(part.data).decode()}
        if image:
            return {"image": {"format": image, "source": source}}
        name = names.fresh(part.name or "document")
        return {"document": {"format": document, "name": name, "source": source}}


class _Names:
    """Names for documents: of the letters that Bedrock takes, and each only once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def fresh(self, name: str) -> str:
        stem = name.rpartition(".")[0] or name
        plain = " ".join(re.sub(r"[^A-Za-z0-9\-()\[\]]+", " ", stem).split())[:_LONGEST_NAME]
        plain = plain.strip() or "document"
        made, number = plain, 1
        while made in self._used:
            number += 1
            made = f"{plain} ({number})"
        self._used.add(made)
        return made


def _message(role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "content": content}


def _has_text(blocks: list[dict[str, Any]]) -> bool:
    return any("text" in block for block in blocks)


def _mark_newest(content: list[dict[str, Any]], marks: list[dict[str, Any]]) -> None:
    """Put a cache mark behind a turn's blocks; it may not stand right behind a document."""
    end = len(content)
    while end and "document" in content[end - 1]:
        end -= 1
    if end:
        content[end:end] = marks


def _tool(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": name}
    if description.strip():
        spec["description"] = description
    return {
        "toolSpec": {**spec, "inputSchema": {"json": inlined(object_schema(schema, name=name))}}
    }


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(schema, ensure_ascii=False)
    return {"type": "json_schema", "structure": {"jsonSchema": {"name": "answer", "schema": text}}}


def _thought(part: ReasoningPart) -> dict[str, Any]:
    data = part.provider_data or {}
    if REDACTED in data:
        return {"redactedContent": data[REDACTED]}
    return {"reasoningText": {"text": part.text, "signature": data.get(SIGNATURE, "")}}


class _Reader(BlockReader):
    """Reads one answer; a whole one is read as a stream whose blocks arrive complete."""

    finishes = _FINISH

    def __init__(self, model: BedrockModel, ids: CallIds) -> None:
        super().__init__(ids)
        self._model = model
        self._counters: dict[str, Any] = {}

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        parts: list[ModelPart] = []
        for index, block in enumerate(value["output"]["message"]["content"]):
            if call := block.get("toolUse"):
                parts += self._open(index, block)
                parts += self.grow_whole_call(index, call.get("input"))
            elif thought := block.get("reasoningContent"):
                parts += self._thought(index, thought.get("reasoningText", thought))
            else:
                parts += self._delta(index, block)
        self._count(value.get("usage"))
        self._stopped(value)
        return parts

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        match value:
            case {"messageStart": _}:
                return self.begin()
            case {"contentBlockStart": event}:
                return self._open(event["contentBlockIndex"], event["start"])
            case {"contentBlockDelta": event}:
                return self._delta(event["contentBlockIndex"], event["delta"])
            case {"messageStop": event}:
                self._stopped(event)
            case {"metadata": event}:
                self._count(event.get("usage"))
        return []

    def usage(self) -> Usage:
        counters = self._counters
        return usage_beside_cache(
            counters.get("inputTokens"),
            counters.get("outputTokens"),
            cached=counters.get("cacheReadInputTokens"),
            written=counters.get("cacheWriteInputTokens"),
        )

    def _count(self, usage: Any) -> None:
        self._counters = usage if isinstance(usage, dict) else {}

    def _open(self, index: int, start: dict[str, Any]) -> list[ModelPart]:
        call = start.get("toolUse")
        if call is not None and call.get("type") == "server_tool_use":
            self.open_provider_call(index, call.get("toolUseId"), call["name"])
        elif call is not None:
            return self.open_call(index, call.get("toolUseId"), call["name"])
        elif start:  # what Bedrock does on its own side: nobody here runs it
            self.open(index, "other")
        return []

    def _delta(self, index: int, delta: dict[str, Any]) -> list[ModelPart]:
        if "text" in delta:
            return self.grow(index, "text", delta["text"])
        if call := delta.get("toolUse"):
            return self.grow(index, "call", call["input"])
        if thought := delta.get("reasoningContent"):
            return self._thought(index, thought)
        return []

    def _thought(self, index: int, thought: dict[str, Any]) -> list[ModelPart]:
        if "redactedContent" in thought:
            return self.grow(index, "redacted", thought["redactedContent"])
        self.sign(index, thought.get("signature"))
        return self.grow(index, "thought", thought.get("text"))

    def _stopped(self, event: dict[str, Any]) -> None:
        self.stop = text_of_field(event["stopReason"]) or None
        self.over = True
        if self.stop in _WRECKS:
            raise MalformedResponseError(
                f"{self._model.provider} ended its answer with {self.stop}: what the model "
                f"{self._model.name!r} wrote cannot be used. Try again.",
                provider=self._model.provider,
                model=self._model.name,
                retryable=True,
            )

"""The generateContent wire of Google's Gemini, at AI Studio and at Vertex.

Source: the Gemini API reference ("generateContent", "Thought signatures", "Function calling",
"Thinking") and Vertex AI's of the same names.
"""

from __future__ import annotations

import base64
from typing import Any, ClassVar
from urllib.parse import quote

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
from .base import ModelRequest
from .blocks import block_turns
from .gemini_reader import SIGNATURE, GeminiReader
from .gemini_schema import for_answer, for_tool
from .media import UNKNOWN, is_text, plain
from .profiles import ModelProfile
from .thinking import Thinking, budget_for, level_for, stops
from .turns import split_system
from .wire import WireModel

# Google's own word for a call that another model made: it stands where a signature must.
_NO_SIGNATURE = "skip_thought_signature_validator"

_MODES = {"none": "NONE", "required": "ANY"}


class GeminiModel(WireModel):
    """A model of Google's. `base_url` ends before `/models`."""

    wire: ClassVar[str] = "gemini"
    answers: ClassVar[str] = "an answer of Gemini"

    def path(self, request: ModelRequest) -> str:
        """Give the method of the model; names such as `tunedModels/mine` stand as they are."""
        name = self.name if "/" in self.name else f"models/{self.name}"
        method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return f"/{quote(name, safe='/@')}:{method}"

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the body; the conversation stands last, so that all before it stays the same."""
        system, messages = split_system(request.messages)
        body: dict[str, Any] = {}
        if system:
            body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
        if request.tools:
            body["tools"] = [
                {
                    "functionDeclarations": [
                        {
                            "name": tool.name,
                            "description": tool.description,
                            "parametersJsonSchema": for_tool(tool.input_schema, tool.name),
                        }
                        for tool in request.tools
                    ]
                }
            ]
            if request.tool_choice != "auto":
                body["toolConfig"] = {"functionCallingConfig": _calling(request.tool_choice)}
        if config := _generation(request, self.profile):
            body["generationConfig"] = config
        ids = _given_ids(messages)
        body["contents"] = [
            {"role": "user", "parts": [_part(part, ids) for part in parts]}
            if side == "user"
            else {"role": "model", "parts": _model_parts(parts, ids, signed=_newer(self.profile))}
            for side, parts in block_turns(messages)
        ]
        return body

    def reader(self, request: ModelRequest) -> GeminiReader:
        """Give a reader for the answer."""
        return GeminiReader(request, provider=self.provider, model=self.name)


def _newer(profile: ModelProfile) -> bool:
    """Whether this is Gemini 3 or later: it takes levels of thinking, wants a signature on each
    first call, and lets tools and a schema for the answer go together."""
    return profile.thinking is not None and profile.thinking.kind == "level"


def _calling(choice: str) -> dict[str, Any]:
    if choice in _MODES:
        return {"mode": _MODES[choice]}
    return {"mode": "ANY", "allowedFunctionNames": [choice]}


def _generation(request: ModelRequest, profile: ModelProfile) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.max_output_tokens is not None:
        config["maxOutputTokens"] = request.max_output_tokens
    if request.temperature is not None and profile.takes_temperature:
        config["temperature"] = request.temperature
    schema = request.output_schema if profile.output_schema else None
    if schema is not None and (_newer(profile) or not request.tools):
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = for_answer(schema)
    if request.thinking is not None and (thinking := _thinking(request.thinking, profile)):
        config["thinkingConfig"] = thinking
    return config


def _thinking(wish: Thinking, profile: ModelProfile) -> dict[str, Any]:
    knob = profile.thinking
    shown = {"includeThoughts": wish.include_thoughts and not stops(wish)}
    if knob is not None and knob.kind == "budget":
        budget = 0 if stops(wish) and knob.can_stop else budget_for(wish, knob)
        return {"thinkingBudget": budget, **shown}
    if knob is not None and knob.kind == "level" and knob.levels:
        # None of these can be stopped: the least is the nearest to it.
        level = level_for(wish, knob) or knob.levels[0]
        return {"thinkingLevel": level.upper(), **shown}
    return {}


def _given_ids(messages: list[Message]) -> dict[str, str]:
    """Give the ids that Gemini itself gave to calls, under the ids that we know them by; one that
    it gave twice stays with the first call only."""
    holders: dict[str, str] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart) and (given := (part.provider_data or {}).get("id")):
                holders.setdefault(given, part.id)
    return {id: given for given, id in holders.items()}


def _model_parts(parts: list[Part], ids: dict[str, str], *, signed: bool) -> list[dict[str, Any]]:
    """Give the model's turn: thoughts come back only where a signature hangs on them, and where
    signatures are demanded the first call has one."""
    wire = [
        _part(part, ids)
        for part in parts
        if not isinstance(part, ReasoningPart) or _signature(part)
    ]
    first = next((part for part in wire if "functionCall" in part), None)
    if signed and first is not None:
        first.setdefault(SIGNATURE, _NO_SIGNATURE)
    return wire


def _part(part: Part, ids: dict[str, str]) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"text": part.text, **_signature(part)}
        case ReasoningPart():
            return {"text": part.text, "thought": True, **_signature(part)}
        case ToolCallPart():
            call = {"name": part.name, "args": part.arguments}
            return {"functionCall": _with_id(call, part.id, ids), **_signature(part)}
        case ToolResultPart():
            # A text, also where it is JSON: in an object Gemini would follow any "$ref".
            response = {"result" if part.ok else "error": part.output}
            answer = {"name": part.name, "response": response}
            return {"functionResponse": _with_id(answer, part.id, ids)}
        case ImagePart() | FilePart():
            return _attachment(part)


def _signature(part: TextPart | ReasoningPart | ToolCallPart) -> dict[str, str]:
    data = part.provider_data or {}
    return {SIGNATURE: data[SIGNATURE]} if SIGNATURE in data else {}


def _with_id(call: dict[str, Any], id: str, ids: dict[str, str]) -> dict[str, Any]:
    return {"id": ids[id], **call} if id in ids else call


def _attachment(part: ImagePart | FilePart) -> dict[str, Any]:
    if isinstance(part.data, str):
        return {"fileData": {"mimeType": part.media_type, "fileUri": part.data}}
    data = base64.b64encode(part.data).decode()
    return {"inlineData": {"mimeType": _media_type(part), "data": data}}


def _media_type(part: ImagePart | FilePart) -> str:
    """Give the type of an attachment; of texts only the plain kind is taken everywhere."""
    return "text/plain" if is_text(part.media_type) else plain(part.media_type) or UNKNOWN

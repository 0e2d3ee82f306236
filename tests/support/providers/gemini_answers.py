"""Answers of Gemini's generateContent.

https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from .answers import Answer, Tokens, pieces
from .gemini_models import is_3, thinks
from .wire import Rendered, as_events, as_json, event, token

# https://ai.google.dev/gemini-api/docs/troubleshooting
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def model_of(path: str) -> str:
    """Give the model that an address names."""
    found = re.search(r"/models/([^:/]+):", urlsplit(path).path)
    return found[1] if found else ""


def render(answer: Answer, path: str, body: dict[str, Any], serial: int) -> Rendered:
    """Give an answer, streamed if the address says so."""
    model = model_of(path)
    parts = _parts(answer, body, model, serial)
    thought = answer.thought is not None and thinks(body, model)
    tail = {
        "usageMetadata": _usage(answer.counted(thought=thought)),
        "modelVersion": model,
        "responseId": token(f"response {serial}", 23),
    }
    if ":streamGenerateContent" in path:
        return as_events(list(_events(parts, answer, tail)), turn=parts)
    return as_json({"candidates": [_candidate(parts, answer)], **tail}, turn=parts)


def refuse(status: int, kind: str, message: str, **headers: str) -> Rendered:
    """Give an error answer."""
    return as_json(_error(status, kind, message), status, **headers)


def _error(status: int, kind: str, message: str) -> dict[str, Any]:
    word = kind if kind.isupper() else _STATUS.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": message, "status": word}}


def _parts(answer: Answer, body: dict[str, Any], model: str, serial: int) -> list[dict[str, Any]]:
    config = body.get("generationConfig", {}).get("thinkingConfig", {})
    parts: list[dict[str, Any]] = []
    thinking = thinks(body, model)
    if answer.thought is not None and thinking and config.get("includeThoughts"):
        parts.append({"text": answer.thought, "thought": True})
    if answer.text:
        parts.append({"text": answer.text})
    for index, (name, arguments) in enumerate(answer.calls):
        call: dict[str, Any] = {"name": name, "args": arguments}
        if is_3(model):
            call["id"] = token(f"call {serial} {index}", 8)
        parts.append({"functionCall": call})
    # https://ai.google.dev/gemini-api/docs/thought-signatures: the first call, else the last part;
    # before Gemini 3 only where functions are declared.
    if thinking and parts and (is_3(model) or body.get("tools")):
        calls = [part for part in parts if "functionCall" in part]
        signed = calls[0] if calls else parts[-1]
        signed["thoughtSignature"] = token(f"signature {serial} {answer.thought}", 86) + "=="
    return parts


def _candidate(parts: list[dict[str, Any]], answer: Answer) -> dict[str, Any]:
    candidate: dict[str, Any] = {
        "content": {"parts": parts, "role": "model"},
        "finishReason": _end(answer),
        "index": 0,
    }
    if answer.refusal is not None:
        candidate["finishMessage"] = answer.refusal
    return candidate


def _end(answer: Answer) -> str:
    return answer.finish or ("SAFETY" if answer.refusal is not None else "STOP")


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "promptTokenCount": tokens.input,
        "cachedContentTokenCount": tokens.cached,
        "candidatesTokenCount": tokens.said,
        "thoughtsTokenCount": tokens.thought,
        "totalTokenCount": tokens.total,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens.input}],
    }


def _events(parts: list[dict[str, Any]], answer: Answer, tail: dict[str, Any]) -> Iterator[bytes]:
    for part in parts:
        for piece in _pieces(part):
            content = {"parts": [piece], "role": "model"}
            yield event({"candidates": [{"content": content, "index": 0}], **tail})
    if answer.fault:
        yield event(_error(answer.fault.status, answer.fault.kind, answer.fault.message))
        return
    last = _candidate([], answer)
    last["content"] = {"parts": [{"text": ""}], "role": "model"}
    yield event({"candidates": [last], **tail})


def _pieces(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A text comes in pieces; its signature comes last, in a part without words."""
    if "text" not in part:
        yield part
        return
    thought = {"thought": True} if part.get("thought") else {}
    for piece in pieces(part["text"]):
        yield {"text": piece, **thought}
    if "thoughtSignature" in part:
        yield {"text": "", "thoughtSignature": part["thoughtSignature"]}

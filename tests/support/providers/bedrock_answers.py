"""Answers of Bedrock's Converse and ConverseStream.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from .answers import Answer, Tokens, pieces
from .claude_rules import hides_thoughts
from .eventstream import event, exception
from .wire import Rendered, as_json, token

# https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
_KINDS = {
    "invalid_request": "ValidationException",
    "authentication": "UnrecognizedClientException",
    "not_found": "ResourceNotFoundException",
}


def model_of(path: str) -> str:
    """Give the model id that an address names."""
    parts = urlsplit(path).path.split("/")
    return unquote(parts[2]) if len(parts) > 2 else ""


def thinks(body: dict[str, Any]) -> bool:
    """Whether a request asks its model to think, in any family's way."""
    extra = body.get("additionalModelRequestFields", {})
    for key in ("thinking", "reasoning_config", "reasoningConfig"):
        if extra.get(key, {}).get("type") in ("enabled", "adaptive"):
            return True
    return "reasoning_effort" in extra


def render(answer: Answer, path: str, body: dict[str, Any], serial: int) -> Rendered:
    """Give an answer, streamed if the address says so."""
    blocks = _blocks(answer, body, model_of(path), serial)
    thought = any("reasoningContent" in block for block in blocks)
    tail = {
        "usage": _usage(answer.counted(thought=thought)),
        "metrics": {"latencyMs": 500 + serial},
    }
    if path.endswith("/converse-stream"):
        kind = {"content-type": "application/vnd.amazon.eventstream"}
        return Rendered(200, kind, None, list(_events(blocks, answer, tail)), blocks)
    message = {"role": "assistant", "content": blocks}
    value = {"output": {"message": message}, "stopReason": _stop(answer), **tail}
    return as_json(value, turn=blocks)


def refuse(status: int, kind: str, message: str, **headers: str) -> Rendered:
    """Give an error answer."""
    name = _KINDS.get(kind, kind)
    return as_json({"message": message}, status, x_amzn_errortype=name, **headers)


def _blocks(answer: Answer, body: dict[str, Any], model: str, serial: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if thinks(body) and answer.thought is not None:
        blocks.append({"reasoningContent": _thought(answer.thought, body, model, serial)})
    if thinks(body) and answer.redacted and "anthropic.claude" in model:
        hidden = base64.b64encode(token(f"hidden {serial}", 60).encode()).decode()
        blocks.append({"reasoningContent": {"redactedContent": hidden}})
    if answer.text or answer.refusal:
        blocks.append({"text": answer.text or answer.refusal})
    for index, (name, arguments) in enumerate(answer.calls):
        id = f"tooluse_{token(f'call {serial} {index}', 22)}"
        blocks.append({"toolUse": {"toolUseId": id, "name": name, "input": arguments}})
    return blocks


def _thought(thought: str, body: dict[str, Any], model: str, serial: int) -> dict[str, Any]:
    """Only Claude signs what it thought."""
    if "anthropic.claude" not in model:
        return {"reasoningText": {"text": thought}}
    thinking = body["additionalModelRequestFields"].get("thinking", {})
    shown = "" if hides_thoughts(model, thinking) else thought
    signature = token(f"signature {serial} {thought}", 88) + "=="
    return {"reasoningText": {"text": shown, "signature": signature}}


def _stop(answer: Answer) -> str:
    if answer.refusal is not None:
        return "content_filtered"
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def _usage(tokens: Tokens) -> dict[str, Any]:
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
    return {
        "inputTokens": tokens.fresh,
        "outputTokens": tokens.output,
        "totalTokens": tokens.total,
        "cacheReadInputTokens": tokens.cached,
        "cacheWriteInputTokens": tokens.written,
    }


def _events(blocks: list[dict[str, Any]], answer: Answer, tail: dict[str, Any]) -> Iterator[bytes]:
    yield event("messageStart", {"role": "assistant", "p": "abc"})
    for index, block in enumerate(blocks):
        where = {"contentBlockIndex": index}
        if "toolUse" in block:
            call = {key: block["toolUse"][key] for key in ("toolUseId", "name")}
            yield event("contentBlockStart", {**where, "start": {"toolUse": call}})
        for delta in _deltas(block):
            yield event("contentBlockDelta", {**where, "delta": delta, "p": "abcdefgh"})
        yield event("contentBlockStop", {**where, "p": "ab"})
    if answer.fault:
        yield exception(answer.fault.kind, answer.fault.message)
        return
    yield event("messageStop", {"stopReason": _stop(answer), "p": "abcd"})
    yield event("metadata", {**tail, "p": "abcdefghi"})


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "text" in block:
        yield from ({"text": piece} for piece in pieces(block["text"]))
    elif "toolUse" in block:
        raw = json.dumps(block["toolUse"]["input"], ensure_ascii=False)
        yield from ({"toolUse": {"input": piece}} for piece in pieces(raw))
    else:
        thought = block["reasoningContent"]
        if "redactedContent" in thought:
            yield {"reasoningContent": thought}
            return
        told = thought["reasoningText"]
        yield from ({"reasoningContent": {"text": piece}} for piece in pieces(told["text"]))
        if "signature" in told:
            yield {"reasoningContent": {"signature": told["signature"]}}

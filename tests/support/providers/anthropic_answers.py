"""Answers of Anthropic's Messages API.

https://platform.claude.com/docs/en/api/messages/create and …/build-with-claude/streaming
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .answers import Answer, Tokens, pieces
from .claude_rules import hides_thoughts
from .wire import Rendered, as_events, as_json, event, token

THOUGHTS = ("thinking", "redacted_thinking")


def render(answer: Answer, body: dict[str, Any], serial: int) -> Rendered:
    """Give an answer, streamed if the request says so."""
    blocks = _answer_blocks(answer, body, serial)
    thought = any(block["type"] in THOUGHTS for block in blocks)
    message = {
        "id": f"msg_01{token(f'message {serial}', 22)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": _stop(answer),
        "stop_sequence": None,
        "stop_details": _stop_details(answer),
        "usage": _usage(answer.counted(thought=thought)),
    }
    if not body.get("stream"):
        return as_json(message, turn=blocks)
    return as_events(list(_events(message, answer)), turn=blocks)


def refuse(status: int, kind: str, message: str, **headers: str) -> Rendered:
    """Give an error answer."""
    return as_json(_error(kind, message), status, **headers)


# https://platform.claude.com/docs/en/api/errors
def _error(kind: str, message: str) -> dict[str, Any]:
    name = kind if kind.endswith("_error") else f"{kind}_error"
    return {
        "type": "error",
        "error": {"type": name, "message": message},
        "request_id": f"req_011{token(message, 21)}",
    }


def _answer_blocks(answer: Answer, body: dict[str, Any], serial: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    thinking = body.get("thinking", {})
    if thinking.get("type") in ("enabled", "adaptive"):
        if answer.thought is not None:
            shown = "" if hides_thoughts(body["model"], thinking) else answer.thought
            signature = token(f"signature {serial} {answer.thought}", 88) + "=="
            blocks.append({"type": "thinking", "thinking": shown, "signature": signature})
        if answer.redacted:
            data = token(f"redacted {serial}", 96)
            blocks.append({"type": "redacted_thinking", "data": data})
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    for index, (name, arguments) in enumerate(answer.calls):
        id = f"toolu_01{token(f'call {serial} {index}', 22)}"
        blocks.append({"type": "tool_use", "id": id, "name": name, "input": arguments})
    return blocks


def _stop(answer: Answer) -> str:
    # https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
    if answer.refusal is not None:
        return "refusal"
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def _stop_details(answer: Answer) -> dict[str, Any] | None:
    if answer.refusal is None:
        return None
    return {"type": "refusal", "category": None, "explanation": answer.refusal}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.fresh,
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.written,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": tokens.output,
        "output_tokens_details": {"thinking_tokens": tokens.thought},
        "service_tier": "standard",
    }


# https://platform.claude.com/docs/en/build-with-claude/streaming
def _events(message: dict[str, Any], answer: Answer) -> Iterator[bytes]:
    start = {**message, "content": [], "stop_reason": None}
    start["usage"] = {**message["usage"], "output_tokens": 1}
    yield _named({"type": "message_start", "message": start})
    yield _named({"type": "ping"})
    for index, block in enumerate(message["content"]):
        first, deltas = _deltas(block)
        yield _named({"type": "content_block_start", "index": index, "content_block": first})
        for delta in deltas:
            yield _named({"type": "content_block_delta", "index": index, "delta": delta})
        yield _named({"type": "content_block_stop", "index": index})
    if answer.fault:
        yield _named(_error(answer.fault.kind, answer.fault.message))
        return
    end = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield _named({"type": "message_delta", "delta": end, "usage": message["usage"]})
    yield _named({"type": "message_stop"})


def _deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        return {**block, "text": ""}, deltas
    if block["type"] == "thinking":
        deltas = [
            {"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])
        ]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    if block["type"] == "tool_use":
        raw = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
        parts = ["", *pieces(raw)]
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in parts]
        return {**block, "input": {}}, deltas
    return block, []


def _named(value: dict[str, Any]) -> bytes:
    return event(value, value["type"])

"""Answers of OpenAI's Responses API.

https://platform.openai.com/docs/api-reference/responses/object and …/responses-streaming
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .answers import Answer, Tokens, pieces
from .openai_models import reasons
from .wire import CREATED, Rendered, as_events, as_json, event, token

Event = tuple[str, dict[str, Any]]


def render(answer: Answer, body: dict[str, Any], serial: int) -> Rendered:
    """Give an answer, streamed if the request says so."""
    reasoning = body.get("reasoning") or {}
    thought = answer.thought is not None and _reasons(body) and reasoning.get("effort") != "none"
    output = _output(answer, body, serial, thought=thought)
    usage = _usage(answer.counted(thought=thought))
    response = _response(answer, body, serial, output, usage)
    if not body.get("stream"):
        return as_json(response, turn=output)
    events = [
        event({"type": kind, **value, "sequence_number": number}, kind)
        for number, (kind, value) in enumerate(_events(response, answer))
    ]
    return as_events(events, turn=output)


def refuse(status: int, kind: str, message: str, **headers: str) -> Rendered:
    """Give an error answer."""
    # https://platform.openai.com/docs/guides/error-codes
    word = kind if kind.endswith("_error") else f"{kind}_error"
    fault = {"message": message, "type": word, "param": None, "code": kind}
    return as_json({"error": fault}, status, **headers)


def _reasons(body: dict[str, Any]) -> bool:
    return reasons(body["model"]) or "reasoning" in body


def _output(
    answer: Answer, body: dict[str, Any], serial: int, *, thought: bool
) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = []
    if thought:
        output.append(_reasoning(answer.thought or "", body, serial))
    if answer.text or answer.refusal is not None:
        content: list[dict[str, Any]] = []
        if answer.text:
            part = {"type": "output_text", "text": answer.text}
            content.append({**part, "annotations": [], "logprobs": []})
        if answer.refusal is not None:
            content.append({"type": "refusal", "refusal": answer.refusal})
        id = f"msg_{token(f'message {serial}', 50, '0123456789abcdef')}"
        output.append(
            {
                "id": id,
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": content,
            }
        )
    for index, (name, arguments) in enumerate(answer.calls):
        output.append(
            {
                "id": f"fc_{token(f'item {serial} {index}', 50, '0123456789abcdef')}",
                "type": "function_call",
                "status": "completed",
                "call_id": f"call_{token(f'call {serial} {index}', 24)}",
                "name": name,
                "arguments": json.dumps(arguments, ensure_ascii=False),
            }
        )
    return output


def _reasoning(thought: str, body: dict[str, Any], serial: int) -> dict[str, Any]:
    told = (body.get("reasoning") or {}).get("summary")
    item: dict[str, Any] = {
        "id": f"rs_{token(f'reasoning {serial}', 50, '0123456789abcdef')}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": thought}] if told else [],
    }
    if "reasoning.encrypted_content" in (body.get("include") or []):
        item["encrypted_content"] = "gAAAAA" + token(f"encrypted {serial} {thought}", 80)
    return item


def _response(
    answer: Answer,
    body: dict[str, Any],
    serial: int,
    output: list[dict[str, Any]],
    usage: dict[str, Any],
) -> dict[str, Any]:
    echoed = ("instructions", "max_output_tokens", "temperature", "tools", "tool_choice", "store")
    cut = {"reason": answer.finish} if answer.finish else None
    return {
        "id": f"resp_{token(f'response {serial}', 50, '0123456789abcdef')}",
        "object": "response",
        "created_at": CREATED + serial,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": cut,
        "model": body["model"],
        **{key: body.get(key) for key in echoed},
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None, **(body.get("reasoning") or {})},
        "usage": usage,
        "metadata": {},
    }


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.thought},
        "total_tokens": tokens.total,
    }


def _events(response: dict[str, Any], answer: Answer) -> Iterator[Event]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    begun["incomplete_details"] = None
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(response["output"]):
        yield from _item_events(index, item)
    if answer.fault:
        told = {"code": answer.fault.kind, "message": answer.fault.message}
        yield "error", {"error": {"type": answer.fault.kind, **told, "param": None}}
        yield "response.failed", {"response": {**begun, "status": "failed", "error": told}}
        return
    yield f"response.{response['status']}", {"response": response}


_EMPTY: dict[str, dict[str, Any]] = {
    "message": {"content": []},
    "reasoning": {"summary": []},
    "function_call": {"arguments": ""},
}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[Event]:
    begun = {**item, **_EMPTY[item["type"]]}
    if item["type"] != "reasoning":
        begun["status"] = "in_progress"
    begun.pop("encrypted_content", None)
    where = {"output_index": index}
    yield "response.output_item.added", {**where, "item": begun}
    where |= {"item_id": item["id"]}
    if item["type"] == "function_call":
        stem = "response.function_call_arguments"
        for piece in pieces(item["arguments"]):
            yield f"{stem}.delta", {**where, "delta": piece}
        yield f"{stem}.done", {**where, "arguments": item["arguments"]}
    for number, part in enumerate(item.get("summary", [])):
        yield from _summary_events({**where, "summary_index": number}, part)
    for number, part in enumerate(item.get("content", [])):
        yield from _part_events({**where, "content_index": number}, part)
    yield "response.output_item.done", {"output_index": index, "item": item}


def _summary_events(where: dict[str, Any], part: dict[str, Any]) -> Iterator[Event]:
    yield "response.reasoning_summary_part.added", {**where, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield "response.reasoning_summary_text.delta", {**where, "delta": piece}
    yield "response.reasoning_summary_text.done", {**where, "text": part["text"]}
    yield "response.reasoning_summary_part.done", {**where, "part": part}


def _part_events(where: dict[str, Any], part: dict[str, Any]) -> Iterator[Event]:
    key = "text" if part["type"] == "output_text" else "refusal"
    yield "response.content_part.added", {**where, "part": {**part, key: ""}}
    for piece in pieces(part[key]):
        yield f"response.{part['type']}.delta", {**where, "delta": piece}
    yield f"response.{part['type']}.done", {**where, key: part[key]}
    yield "response.content_part.done", {**where, "part": part}

"""Answers on the chat completions wire, as each dialect gives them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .answers import Answer, Tokens, pieces
from .chat_dialects import DIALECTS, Dialect
from .openai_models import reasons, tells_raw, thinks
from .wire import CREATED, Rendered, as_events, as_json, event, token


def render(answer: Answer, body: dict[str, Any], serial: int, name: str) -> Rendered:
    """Give an answer, streamed if the request says so."""
    told = answer.thought is not None and thinks(name, body)
    message = _message(answer, name, body, serial, told=told)
    counted = told or (name in ("openai", "azure") and _reasoned(answer, body))
    usage = _usage(answer.counted(thought=counted), name)
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _end(answer)}
        value = {**_head(name, body, serial, "chat.completion"), "choices": [choice]}
        return as_json({**value, "usage": usage}, turn=message)
    head = _head(name, body, serial, "chat.completion.chunk")
    return as_events(list(_events(head, message, answer, usage, body, name)), turn=message)


def refuse(name: str, status: int, kind: str, message: str, **headers: str) -> Rendered:
    """Give an error answer in the dialect's form."""
    return as_json(error(name, status, kind, message), status, **headers)


def error(name: str, status: int, kind: str, message: str) -> dict[str, Any]:
    """Give the error itself."""
    if name == "mistral":  # https://docs.mistral.ai/resources/error-glossary
        return {"object": "error", "message": message, "type": kind, "param": None, "code": None}
    if name == "openrouter":  # https://openrouter.ai/docs/api-reference/errors
        return {"error": {"code": status, "message": message}, "user_id": "user_test"}
    if name == "xai":  # https://docs.x.ai/docs/key-information/debugging
        return {"code": kind, "error": message}
    if name == "llama.cpp":  # https://github.com/ggml-org/llama.cpp/blob/master/tools/server
        return {"error": {"code": status, "message": message, "type": kind}}
    if name == "cloudflare":  # https://developers.cloudflare.com/workers-ai/platform/errors/
        errors = [{"message": message, "code": 5006}]
        return {"errors": errors, "success": False, "result": {}, "messages": []}
    if name == "azure":  # https://learn.microsoft.com/azure/ai-foundry/openai/reference
        return {"error": {"code": kind, "message": message, "type": kind, "param": None}}
    # https://platform.openai.com/docs/guides/error-codes
    word = kind if kind.endswith("_error") else f"{kind}_error"
    return {"error": {"message": message, "type": word, "param": None, "code": kind}}


def _reasoned(answer: Answer, body: dict[str, Any]) -> bool:
    return answer.thought is not None and reasons(body["model"])


def _end(answer: Answer) -> str:
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _head(name: str, body: dict[str, Any], serial: int, kind: str) -> dict[str, Any]:
    prefix = "gen-" if name in ("openrouter", "gateway") else "chatcmpl-"
    return {
        "id": f"{prefix}{token(f'completion {serial}', 29)}",
        "object": kind,
        "created": CREATED + serial,
        "model": body["model"],
    }


def _message(
    answer: Answer, name: str, body: dict[str, Any], serial: int, *, told: bool
) -> dict[str, Any]:
    dialect = DIALECTS[name]
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    if told and answer.thought is not None:
        if name == "groq" and tells_raw(body):
            message["content"] = f"<think>\n{answer.thought}\n</think>\n\n{answer.text}"
        else:
            message |= _thought(answer.thought, answer, dialect, serial)
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": dialect.call_id(f"call {serial} {index}"),
                "type": "function",
                "function": {
                    "name": tool,
                    "arguments": json.dumps(arguments, ensure_ascii=False),
                },
            }
            for index, (tool, arguments) in enumerate(answer.calls)
        ]
    return message


def _thought(thought: str, answer: Answer, dialect: Dialect, serial: int) -> dict[str, Any]:
    if dialect.thought == "chunks":
        chunk = {"type": "thinking", "thinking": [{"type": "text", "text": thought}]}
        said = [{"type": "text", "text": answer.text}] if answer.text else []
        return {"content": [chunk, *said]}
    if dialect.thought == "details":
        signature = token(f"signature {serial} {thought}", 64)
        form = "anthropic-claude-v1"
        detail = {"type": "reasoning.text", "text": thought, "signature": signature}
        details: list[dict[str, Any]] = [{**detail, "format": form, "index": 0}]
        if answer.redacted:
            hidden = {"type": "reasoning.encrypted", "data": token(f"hidden {serial}", 64)}
            details.append({**hidden, "format": form, "index": 1})
        return {"reasoning": thought, "reasoning_details": details}
    return {dialect.thought: thought}


def _events(
    head: dict[str, Any],
    message: dict[str, Any],
    answer: Answer,
    usage: dict[str, Any],
    body: dict[str, Any],
    name: str,
) -> Iterator[bytes]:
    dialect = DIALECTS[name]

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice]}

    if name == "openrouter":  # https://openrouter.ai/docs/api-reference/streaming
        yield b": OPENROUTER PROCESSING\n\n"
    yield event(chunk({"role": "assistant", "content": ""}))
    for delta in _deltas(message, dialect):
        yield event(chunk(delta))
    if answer.fault:
        fault = answer.fault
        inside = error(name, fault.status, fault.kind, fault.message)
        yield event(inside if "error" in inside else {"error": inside})
        return
    last = chunk({}, _end(answer))
    if dialect.counts == "always":
        last["usage"] = usage
    if dialect.counts == "groq":
        last |= {"x_groq": {"id": f"req_{token(head['id'], 26)}", "usage": usage}, "usage": usage}
    yield event(last)
    asked = (body.get("stream_options") or {}).get("include_usage")
    if dialect.counts == "apart" or (dialect.counts == "asked" and asked):
        yield event({**head, "choices": [], "usage": usage})
    yield event("[DONE]")


def _deltas(message: dict[str, Any], dialect: Dialect) -> Iterator[dict[str, Any]]:
    for detail in message.get("reasoning_details", []):
        yield from _detail_deltas(detail)
    if "reasoning_details" not in message:
        for key in ("reasoning_content", "reasoning"):
            for piece in pieces(message.get(key, "")):
                yield {key: piece}
    content = message["content"]
    if isinstance(content, list):
        for part in content:
            yield from _part_deltas(part)
    else:
        for piece in pieces(content or ""):
            yield {"content": piece}
    for piece in pieces(message.get("refusal", "")):
        yield {"refusal": piece}
    for index, call in enumerate(message.get("tool_calls", [])):
        yield from _call_deltas(index, call, dialect)


def _detail_deltas(detail: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A detail comes in pieces of one index: its text, then its signature."""
    if "text" not in detail:
        yield {"reasoning_details": [detail]}
        return
    common = {key: detail[key] for key in ("type", "format", "index")}
    for piece in pieces(detail["text"]):
        yield {"reasoning": piece, "reasoning_details": [{**common, "text": piece}]}
    yield {"reasoning_details": [{**common, "signature": detail["signature"]}]}


def _part_deltas(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if part["type"] == "text":
        for piece in pieces(part["text"]):
            yield {"content": piece}
        return
    for piece in pieces(part["thinking"][0]["text"]):
        yield {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}


def _call_deltas(index: int, call: dict[str, Any], dialect: Dialect) -> Iterator[dict[str, Any]]:
    if dialect.whole_calls:
        if dialect.thought == "chunks":  # Mistral leaves the type out
            call = {key: call[key] for key in ("id", "function")}
        yield {"tool_calls": [{"index": index, **call}]}
        return
    function = call["function"]
    yield {"tool_calls": [{"index": index, **call, "function": {**function, "arguments": ""}}]}
    for piece in pieces(function["arguments"]):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _usage(tokens: Tokens, name: str) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.total,
    }
    if name == "mistral":  # https://docs.mistral.ai/api: it tells no parts
        return usage
    usage["prompt_tokens_details"] = {"cached_tokens": tokens.cached}
    usage["completion_tokens_details"] = {"reasoning_tokens": tokens.thought}
    if name == "xai":  # https://docs.x.ai/docs/guides/reasoning: thoughts are counted beside
        usage["completion_tokens"] = tokens.said
    if name == "deepseek":  # https://api-docs.deepseek.com/guides/kv_cache
        usage["prompt_cache_hit_tokens"] = tokens.cached
        usage["prompt_cache_miss_tokens"] = tokens.input - tokens.cached
    if name == "openrouter":
        usage["cost"] = 0.0001
    return usage

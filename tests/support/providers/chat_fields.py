"""The published fields of chat completions, laid out for a dialect.

https://platform.openai.com/docs/api-reference/chat/create, and each dialect's own reference.
"""

from __future__ import annotations

from functools import cache

from .chat_dialects import DIALECTS, Dialect
from .media import data_url
from .schemas import object_schema, openai_strict
from .shapes import (
    Shape,
    either,
    flag,
    json_object,
    listed,
    mapping,
    maybe,
    number,
    record,
    tagged,
    text,
    whole,
    word,
)

# https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
NAME = text(pattern=r"[a-zA-Z0-9_-]{1,64}")
# https://platform.openai.com/docs/guides/images-vision#image-input-requirements
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_EFFORT = maybe(word("none", "minimal", "low", "medium", "high", "xhigh", "max", "default"))


def _function(value: object, where: str) -> list[str]:
    """A tool's function; its schema is judged by the subset that `strict` claims."""
    faults = record(
        {"name": NAME},
        {"description": maybe(text()), "parameters": object_schema, "strict": maybe(flag)},
    )(value, where)
    if not faults and isinstance(value, dict) and value.get("strict") and "parameters" in value:
        faults = openai_strict(value["parameters"], f"{where}.parameters")
    return faults


def _json_schema(value: object, where: str) -> list[str]:
    """An answer's schema, judged by the subset that `strict` claims."""
    faults = record(
        {"name": NAME},
        {"schema": json_object, "description": text(), "strict": maybe(flag)},
    )(value, where)
    if not faults and isinstance(value, dict) and value.get("strict"):
        faults = openai_strict(value.get("schema"), f"{where}.schema")
    return faults


_TOOL = record({"type": word("function"), "function": _function})
_NAMED = record({"type": word("function"), "function": record({"name": NAME})})
_ALLOWED = record(
    {
        "type": word("allowed_tools"),
        "allowed_tools": record({"mode": word("auto", "required"), "tools": listed(json_object)}),
    }
)
_DETAIL = record(
    {"type": word("reasoning.text", "reasoning.summary", "reasoning.encrypted")},
    {
        "text": maybe(text()),
        "summary": text(),
        "data": text(least=1),
        "signature": maybe(text()),
        "id": maybe(text()),
        "format": maybe(text()),
        "index": whole(0),
    },
)
# https://openrouter.ai/docs/use-cases/reasoning-tokens
_REASONING = record(
    {}, {"effort": _EFFORT, "max_tokens": maybe(whole(1)), "exclude": flag, "enabled": flag}
)

_FIELDS: dict[str, Shape] = {
    "citation_options": maybe(word("enabled", "disabled")),
    "exclude_domains": maybe(listed(text())),
    "function_call": either(text(), json_object),
    "functions": maybe(listed(json_object)),
    "grammar": text(),
    "include_domains": maybe(listed(text())),
    "route": maybe(text()),
    "audio": maybe(json_object),
    "cache_control": record({"type": word("ephemeral")}, {"ttl": word("5m", "1h")}),
    "cache_prompt": flag,
    "chat_template_kwargs": json_object,
    "compound_custom": maybe(json_object),
    "data_sources": listed(json_object),
    "debug": json_object,
    "deferred": maybe(flag),
    "disable_tool_validation": flag,
    "documents": maybe(listed(json_object)),
    "frequency_penalty": maybe(number(-2, 2)),
    "guardrails": maybe(listed(json_object)),
    "id_slot": whole(-1),
    "include_reasoning": maybe(flag),
    "logit_bias": maybe(mapping(number(-100, 100))),
    "logprobs": maybe(flag),
    "max_completion_tokens": maybe(whole(1)),
    "max_tokens": maybe(whole(1)),
    "metadata": maybe(mapping(text(most=512))),
    "min_p": number(0, 1),
    "mirostat": whole(0, 2),
    "modalities": maybe(listed(text())),
    "models": listed(text()),
    "moderation": maybe(json_object),
    "n": maybe(whole(1)),
    "parallel_tool_calls": maybe(flag),
    "parse_tool_calls": flag,
    "plugins": listed(json_object),
    "prediction": maybe(json_object),
    "presence_penalty": maybe(number(-2, 2)),
    "prompt_cache_key": text(least=1),
    "prompt_cache_options": record({}, {"mode": word("implicit", "explicit"), "ttl": word("30m")}),
    "prompt_cache_retention": maybe(word("in_memory", "24h")),
    "prompt_mode": maybe(word("reasoning")),
    "provider": maybe(json_object),
    "providerOptions": mapping(json_object),
    "random_seed": maybe(whole(0)),
    "reasoning": _REASONING,
    "reasoning_effort": _EFFORT,
    "reasoning_format": maybe(text()),
    "repeat_penalty": number(0),
    "repetition_penalty": number(0, 2),
    "response_format": tagged(
        "type",
        {
            "text": record({"type": word("text")}),
            "json_object": record({"type": word("json_object")}),
            "json_schema": record({"type": word("json_schema"), "json_schema": _json_schema}),
        },
    ),
    "safe_prompt": flag,
    "safety_identifier": text(most=64),
    "search_parameters": maybe(json_object),
    "search_settings": maybe(json_object),
    "seed": maybe(whole()),
    "service_tier": maybe(text()),
    "session_id": text(most=256),
    "stop": maybe(either(text(), listed(text(), most=4))),
    "store": maybe(flag),
    "stream": maybe(flag),
    "stream_options": maybe(record({}, {"include_usage": flag, "include_obfuscation": flag})),
    "temperature": maybe(number(0, 2)),
    "thinking": record({"type": word("enabled", "disabled", "adaptive")}),
    "thinking_forced_open": flag,
    "tool_choice": either(word("none", "auto", "required", "any"), _NAMED, _ALLOWED),
    "tools": listed(_TOOL),
    "top_a": number(0, 1),
    "top_k": whole(0),
    "top_logprobs": maybe(whole(0, 20)),
    "top_p": maybe(number(0, 1)),
    "transforms": listed(text()),
    "typical_p": number(0, 1),
    "usage": record({}, {"include": flag}),
    "user": text(),
    "verbosity": maybe(word("low", "medium", "high", "xhigh", "max")),
    "web_search_options": json_object,
}

_SAID: dict[str, Shape] = {
    "reasoning_content": maybe(text()),
    "reasoning": maybe(text()),
    "reasoning_details": listed(_DETAIL),
    "annotations": listed(json_object),
    "prefix": flag,
}


@cache
def request(name: str) -> Shape:
    """Give the closed shape of a dialect's request."""
    dialect = DIALECTS[name]
    roles = {
        "system": _words("system", dialect, name),
        "user": _user(dialect, name),
        "assistant": _assistant(dialect, name),
        "tool": _tool_result(dialect, name),
    }
    if dialect.developer:
        roles["developer"] = _words("developer", dialect, name)
    optional = {key: _FIELDS[key] for key in dialect.takes}
    messages = listed(tagged("role", roles), least=1)
    return record({"model": text(least=1), "messages": messages}, optional)


def _marks(dialect: Dialect, name: str) -> dict[str, Shape]:
    marks: dict[str, Shape] = {}
    if dialect.cache_marks:
        marks["cache_control"] = _FIELDS["cache_control"]
    if name in ("openai", "azure"):
        marks["prompt_cache_breakpoint"] = record({"mode": word("explicit")})
    return marks


def _named(dialect: Dialect) -> dict[str, Shape]:
    return {"name": NAME} if dialect.names else {}


def _text_part(dialect: Dialect, name: str) -> Shape:
    return record({"type": word("text"), "text": text()}, _marks(dialect, name))


def _words(role: str, dialect: Dialect, name: str) -> Shape:
    content = either(text(least=1), listed(_text_part(dialect, name), least=1))
    return record({"role": word(role), "content": content}, _named(dialect))


def _user(dialect: Dialect, name: str) -> Shape:
    parts: dict[str, Shape] = {"text": _text_part(dialect, name)}
    if dialect.sees:
        url = data_url(*_IMAGES, links=dialect.links)
        image = record({"url": url}, {"detail": maybe(word("auto", "low", "high"))})
        # Mistral also takes the address itself.
        shape = either(image, url) if name == "mistral" else image
        parts["image_url"] = record(
            {"type": word("image_url"), "image_url": shape}, _marks(dialect, name)
        )
    if name == "mistral":
        # https://docs.mistral.ai/capabilities/document_ai/document_qna/
        url = data_url("application/pdf", links=True)
        fields = {"type": word("document_url"), "document_url": url}
        parts["document_url"] = record(fields, {"document_name": maybe(text())})
    if dialect.files:
        # https://platform.openai.com/docs/guides/pdf-files
        data = data_url("application/pdf", links=name == "openrouter")
        file = record({}, {"file_data": data, "filename": text(least=1), "file_id": text()})
        parts["file"] = record({"type": word("file"), "file": file}, _marks(dialect, name))
        audio = record({"data": text(least=1), "format": word("wav", "mp3")})
        parts["input_audio"] = record({"type": word("input_audio"), "input_audio": audio})
    content = either(text(), listed(tagged("type", parts), least=1))
    return record({"role": word("user"), "content": content}, _named(dialect))


def _assistant(dialect: Dialect, name: str) -> Shape:
    parts: dict[str, Shape] = {"text": _text_part(dialect, name)}
    if name == "mistral":
        # https://docs.mistral.ai/capabilities/reasoning/
        thought = record({"type": word("text"), "text": text()})
        parts["thinking"] = record(
            {"type": word("thinking"), "thinking": listed(thought, least=1)},
            {"closed": flag, "signature": maybe(text())},
        )
    if name in ("openai", "azure"):
        parts["refusal"] = record({"type": word("refusal"), "refusal": text()})
    must = {"id": text(least=1), "function": record({"name": NAME, "arguments": text()})}
    kind = {"type": word("function")}
    if name == "mistral":  # its reference leaves the type out, and knows an index
        call = record(must, {**kind, "index": whole(0)})
    else:
        call = record({**must, **kind})
    said = {key: _SAID[key] for key in dialect.said.split()}
    return record(
        {"role": word("assistant")},
        {
            "content": maybe(either(text(), listed(tagged("type", parts), least=1))),
            "tool_calls": listed(call, least=1),
            "refusal": maybe(text()),
            **_named(dialect),
            **said,
        },
    )


def _tool_result(dialect: Dialect, name: str) -> Shape:
    content = either(text(), listed(_text_part(dialect, name), least=1))
    must = {"role": word("tool"), "tool_call_id": text(least=1), "content": content}
    return record(must, {"name": text()} if name in ("mistral", "openrouter") else {})

"""The published fields of Anthropic's Messages API.

https://platform.claude.com/docs/en/api/messages/create
"""

from __future__ import annotations

from .media import base64_of
from .schemas import claude_output, object_schema
from .shapes import (
    anything,
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

# https://platform.claude.com/docs/en/build-with-claude/prompt-caching
CACHE = maybe(record({"type": word("ephemeral")}, {"ttl": word("5m", "1h")}))
# https://platform.claude.com/docs/en/build-with-claude/vision
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
TOOL_ID = text(pattern=r"[a-zA-Z0-9_-]+")
# https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
TOOL_NAME = text(pattern=r"[a-zA-Z0-9_-]{1,128}")

_LINK = record({"type": word("url"), "url": text(pattern=r"https?://\S+")})
_BASE64 = record({"type": word("base64"), "media_type": text(), "data": text(least=1)})
_TEXT = record(
    {"type": word("text"), "text": text(pattern=r"(?s).*\S.*")},
    {"cache_control": CACHE, "citations": maybe(listed(json_object))},
)
_IMAGE = record(
    {
        "type": word("image"),
        "source": tagged(
            "type", {"url": _LINK, "base64": base64_of("media_type", "data", _BASE64, IMAGES)}
        ),
    },
    {"cache_control": CACHE},
)
# https://platform.claude.com/docs/en/build-with-claude/pdf-support
_DOCUMENT = record(
    {
        "type": word("document"),
        "source": tagged(
            "type",
            {
                "url": _LINK,
                "base64": base64_of("media_type", "data", _BASE64, ("application/pdf",)),
                "text": record(
                    {"type": word("text"), "media_type": word("text/plain"), "data": text(least=1)}
                ),
            },
        ),
    },
    {
        "cache_control": CACHE,
        "citations": maybe(record({}, {"enabled": flag})),
        "context": maybe(text()),
        "title": maybe(text()),
    },
)
_TOOL_RESULT = record(
    {"type": word("tool_result"), "tool_use_id": TOOL_ID},
    {
        "cache_control": CACHE,
        "content": either(
            text(),
            listed(tagged("type", {"text": _TEXT, "image": _IMAGE, "document": _DOCUMENT})),
        ),
        "is_error": flag,
    },
)
_TOOL_USE = record(
    {"type": word("tool_use"), "id": TOOL_ID, "name": TOOL_NAME, "input": json_object},
    {"cache_control": CACHE, "caller": json_object},
)
# https://platform.claude.com/docs/en/build-with-claude/prompt-caching: no mark on a thought
_THINKING = record({"type": word("thinking"), "thinking": text(), "signature": text(least=1)})
_REDACTED = record({"type": word("redacted_thinking"), "data": text(least=1)})

_USER = record(
    {
        "role": word("user"),
        "content": either(
            text(pattern=r"(?s).*\S.*"),
            listed(
                tagged(
                    "type",
                    {
                        "text": _TEXT,
                        "image": _IMAGE,
                        "document": _DOCUMENT,
                        "tool_result": _TOOL_RESULT,
                    },
                ),
                least=1,
            ),
        ),
    }
)
_ASSISTANT = record(
    {
        "role": word("assistant"),
        "content": either(
            text(pattern=r"(?s).*\S.*"),
            listed(
                tagged(
                    "type",
                    {
                        "text": _TEXT,
                        "thinking": _THINKING,
                        "redacted_thinking": _REDACTED,
                        "tool_use": _TOOL_USE,
                    },
                ),
                least=1,
            ),
        ),
    }
)
_CUSTOM_TOOL = record(
    {"name": TOOL_NAME, "input_schema": object_schema},
    {
        "type": maybe(word("custom")),
        "description": text(),
        "cache_control": CACHE,
        "strict": flag,
        "defer_loading": flag,
        "eager_input_streaming": maybe(flag),
        "allowed_callers": listed(text()),
        "input_examples": listed(json_object),
    },
)
# https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool
_SEARCH_TOOL = record({"type": text(pattern=r"tool_search_tool_.*"), "name": text()})
_DISPLAY = {"display": maybe(word("summarized", "omitted"))}
_PARALLEL = {"disable_parallel_tool_use": flag}

REQUEST = record(
    {
        "model": text(least=1),
        "max_tokens": whole(1),
        "messages": listed(tagged("role", {"user": _USER, "assistant": _ASSISTANT}), least=1),
    },
    {
        "system": either(text(pattern=r"(?s).*\S.*"), listed(_TEXT)),
        "stream": flag,
        "temperature": number(0, 1),
        "top_p": number(0, 1),
        "top_k": whole(0),
        "stop_sequences": listed(text(least=1)),
        "tools": listed(either(_CUSTOM_TOOL, _SEARCH_TOOL)),
        "tool_choice": tagged(
            "type",
            {
                "auto": record({"type": word("auto")}, _PARALLEL),
                "any": record({"type": word("any")}, _PARALLEL),
                "tool": record({"type": word("tool"), "name": TOOL_NAME}, _PARALLEL),
                "none": record({"type": word("none")}),
            },
        ),
        "thinking": tagged(
            "type",
            {
                "enabled": record(
                    {"type": word("enabled"), "budget_tokens": whole(1024)}, _DISPLAY
                ),
                "adaptive": record({"type": word("adaptive")}, _DISPLAY),
                "disabled": record({"type": word("disabled")}),
            },
        ),
        "output_config": record(
            {},
            {
                "effort": maybe(word("low", "medium", "high", "xhigh", "max")),
                "format": maybe(record({"type": word("json_schema"), "schema": claude_output})),
            },
        ),
        "metadata": record({}, {"user_id": maybe(text(most=256))}),
        "cache_control": CACHE,
        "container": maybe(text()),
        "inference_geo": maybe(text()),
        "service_tier": word("auto", "standard_only"),
        # https://platform.claude.com/docs/en/agents-and-tools/mcp-connector
        "mcp_servers": listed(mapping(anything)),
    },
)

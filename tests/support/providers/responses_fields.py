"""The published fields of OpenAI's Responses API.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

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

NAME = text(pattern=r"[a-zA-Z0-9_-]{1,64}")
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_STATUS = word("in_progress", "completed", "incomplete")
_BREAK = {"prompt_cache_breakpoint": maybe(record({"mode": word("explicit")}))}
# https://platform.openai.com/docs/guides/images-vision#image-input-requirements
_DETAIL = maybe(word("low", "high", "auto", "original"))


def _strict_parameters(value: object, where: str) -> list[str]:
    """A function; the reference asks it to say `strict`, for else strict mode is tried."""
    faults = _FUNCTION(value, where)
    if not faults and isinstance(value, dict) and value["strict"] is not False:
        faults = openai_strict(value["parameters"], f"{where}.parameters")
    return faults


def _strict_answer(value: object, where: str) -> list[str]:
    faults = _ANSWER(value, where)
    if not faults and isinstance(value, dict) and value.get("strict"):
        faults = openai_strict(value["schema"], f"{where}.schema")
    return faults


_FUNCTION = record(
    {"type": word("function"), "name": NAME, "parameters": object_schema, "strict": maybe(flag)},
    {
        "description": maybe(text()),
        "defer_loading": flag,
        "allowed_callers": maybe(listed(text())),
        "output_schema": maybe(json_object),
    },
)
_ANSWER = record(
    {"type": word("json_schema"), "name": NAME, "schema": json_object},
    {"description": text(), "strict": maybe(flag)},
)
_TEXT = record({"type": word("input_text"), "text": text()}, _BREAK)
_IMAGE = record(
    {"type": word("input_image")},
    {"image_url": data_url(*_IMAGES, links=True), "file_id": text(), "detail": _DETAIL, **_BREAK},
)
# https://platform.openai.com/docs/guides/pdf-files
_FILE = record(
    {"type": word("input_file")},
    {
        "file_data": data_url(r"application/.+", r"text/.+"),
        "filename": text(least=1),
        "file_url": text(pattern=r"https?://\S+"),
        "file_id": text(),
        "detail": word("auto", "low", "high"),
        **_BREAK,
    },
)
_PARTS = listed(
    tagged("type", {"input_text": _TEXT, "input_image": _IMAGE, "input_file": _FILE}), least=1
)
_SAID = listed(
    tagged(
        "type",
        {
            "output_text": record(
                {"type": word("output_text"), "text": text()},
                {"annotations": listed(json_object), "logprobs": maybe(listed(json_object))},
            ),
            "refusal": record({"type": word("refusal"), "refusal": text()}),
        },
    ),
    least=1,
)
_MESSAGE_MORE: dict[str, Shape] = {"type": word("message"), "status": _STATUS}


def _message(role: str, content: Shape) -> Shape:
    return record({"role": word(role), "content": either(text(least=1), content)}, _MESSAGE_MORE)


_MESSAGE = tagged(
    "role",
    {
        "user": _message("user", _PARTS),
        "system": _message("system", _PARTS),
        "developer": _message("developer", _PARTS),
        "assistant": record(
            {"role": word("assistant"), "content": either(text(least=1), _SAID)},
            {
                **_MESSAGE_MORE,
                "id": text(least=1),
                "phase": maybe(word("commentary", "final_answer")),
            },
        ),
    },
)
_REASONING = record(
    {
        "type": word("reasoning"),
        "id": text(least=1),
        "summary": listed(record({"type": word("summary_text"), "text": text()})),
    },
    {
        "encrypted_content": maybe(text(least=1)),
        "content": listed(record({"type": word("reasoning_text"), "text": text()})),
        "status": maybe(_STATUS),
    },
)
_CALL = record(
    {
        "type": word("function_call"),
        "call_id": text(least=1, most=64),
        "name": NAME,
        "arguments": text(),
    },
    {"id": text(least=1), "status": _STATUS, "caller": json_object, "namespace": text()},
)
_OUTPUT = record(
    {
        "type": word("function_call_output"),
        "call_id": text(least=1, most=64),
        "output": either(text(), _PARTS),
    },
    {"id": maybe(text(least=1)), "status": maybe(_STATUS), "name": maybe(text())},
)
_ITEM = tagged(
    "type",
    {
        "message": _MESSAGE,
        "reasoning": _REASONING,
        "function_call": _CALL,
        "function_call_output": _OUTPUT,
        "item_reference": record({"id": text(least=1)}, {"type": word("item_reference")}),
    },
    default="message",
)
# https://platform.openai.com/docs/guides/tools-web-search, …/tools-tool-search
_TOOL = tagged(
    "type",
    {
        "function": _strict_parameters,
        "web_search": record(
            {"type": word("web_search")},
            {
                "search_context_size": word("low", "medium", "high"),
                "filters": maybe(json_object),
                "user_location": maybe(json_object),
                "external_web_access": flag,
            },
        ),
        "tool_search": record(
            {"type": word("tool_search")},
            {
                "description": maybe(text()),
                "execution": word("server", "client"),
                "parameters": maybe(json_object),
            },
        ),
    },
)
_CHOICE = either(
    word("none", "auto", "required"),
    record({"type": word("function"), "name": NAME}),
    record(
        {
            "type": word("allowed_tools"),
            "mode": word("auto", "required"),
            "tools": listed(json_object, least=1),
        }
    ),
)
_INCLUDE = word(
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)

REQUEST = record(
    {"model": text(least=1), "input": either(text(least=1), listed(_ITEM, least=1))},
    {
        "background": maybe(flag),
        "context_management": maybe(listed(json_object)),
        "conversation": maybe(either(text(), json_object)),
        "include": maybe(listed(_INCLUDE)),
        "instructions": maybe(text()),
        # https://platform.openai.com/docs/api-reference/responses/create: 16 is its least value
        "max_output_tokens": maybe(whole(16)),
        "max_tool_calls": maybe(whole(1)),
        "metadata": maybe(mapping(text(most=512))),
        "moderation": maybe(json_object),
        "parallel_tool_calls": maybe(flag),
        "previous_response_id": maybe(text(least=1)),
        "prompt": maybe(json_object),
        "prompt_cache_key": maybe(text(least=1)),
        "prompt_cache_options": record(
            {}, {"mode": word("implicit", "explicit"), "ttl": word("30m")}
        ),
        "prompt_cache_retention": maybe(word("in_memory", "24h")),
        "reasoning": maybe(
            record(
                {},
                {
                    "effort": maybe(
                        word("none", "minimal", "low", "medium", "high", "xhigh", "max")
                    ),
                    "summary": maybe(word("auto", "concise", "detailed")),
                    "context": maybe(word("auto", "current_turn", "all_turns")),
                    "mode": text(),
                },
            )
        ),
        "safety_identifier": maybe(text(most=64)),
        "service_tier": maybe(text()),
        "store": maybe(flag),
        "stream": maybe(flag),
        "stream_options": maybe(record({}, {"include_obfuscation": flag})),
        "temperature": maybe(number(0, 2)),
        "text": record(
            {},
            {
                "format": tagged(
                    "type",
                    {
                        "text": record({"type": word("text")}),
                        "json_object": record({"type": word("json_object")}),
                        "json_schema": _strict_answer,
                    },
                ),
                "verbosity": maybe(word("low", "medium", "high")),
            },
        ),
        "tool_choice": _CHOICE,
        "tools": listed(_TOOL, least=1),
        "top_logprobs": maybe(whole(0, 20)),
        "top_p": maybe(number(0, 1)),
        "truncation": maybe(word("auto", "disabled")),
        "user": text(),
    },
)

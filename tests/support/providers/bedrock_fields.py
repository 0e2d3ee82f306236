"""The published fields of Bedrock's Converse and ConverseStream.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and the types it
links; the same in the service's own model, botocore/data/bedrock-runtime.
"""

from __future__ import annotations

import json

from .media import judge_base64
from .schemas import claude_output, object_schema
from .shapes import (
    Shape,
    flag,
    json_object,
    listed,
    mapping,
    number,
    one_of,
    record,
    text,
    whole,
    word,
)

NAME = text(pattern=r"[a-zA-Z0-9_-]{1,64}")
_ID = text(pattern=r"[a-zA-Z0-9_.:-]{1,64}")
_WORDS = text(pattern=r"(?s).*\S.*")
_CACHE = record({"type": word("default")}, {"ttl": word("5m", "1h")})
_S3 = record({"uri": text(pattern=r"s3://.+")}, {"bucketOwner": text(pattern=r"\d{12}")})
_IMAGES = {f"{kind}": f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp")}
_DOCUMENTS = ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")


def _base64(value: object, where: str) -> list[str]:
    return judge_base64(value, "", where)


def _checked(shape: Shape, kinds: dict[str, str]) -> Shape:
    """The bytes of a source are what the format says."""

    def check(value: object, where: str) -> list[str]:
        faults = shape(value, where)
        if faults or not isinstance(value, dict) or "bytes" not in value["source"]:
            return faults
        kind = kinds.get(value.get("format", ""), "")
        return judge_base64(value["source"]["bytes"], kind, f"{where}.source.bytes")

    return check


_IMAGE = _checked(
    record(
        {"format": word(*_IMAGES), "source": one_of({"bytes": _base64, "s3Location": _S3})},
    ),
    _IMAGES,
)
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html: letters,
# digits, single blanks, hyphens, parentheses and square brackets
_DOCUMENT_NAME = text(most=200, pattern=r"(?!.*\s\s)[A-Za-z0-9\s\-()\[\]]+")
_DOCUMENT = _checked(
    record(
        {
            "name": _DOCUMENT_NAME,
            "source": one_of(
                {
                    "bytes": _base64,
                    "text": _WORDS,
                    "s3Location": _S3,
                    "content": listed(one_of({"text": _WORDS}), least=1),
                }
            ),
        },
        {"format": word(*_DOCUMENTS), "context": text(), "citations": record({"enabled": flag})},
    ),
    {"pdf": "application/pdf"},
)
_TOOL_USE = record(
    {"toolUseId": _ID, "name": NAME, "input": json_object}, {"type": word("server_tool_use")}
)
_TOOL_RESULT = record(
    {
        "toolUseId": _ID,
        "content": listed(
            one_of({"text": _WORDS, "json": json_object, "image": _IMAGE, "document": _DOCUMENT}),
            least=1,
        ),
    },
    {"status": word("success", "error")},
)
_REASONING = one_of(
    {
        "reasoningText": record({"text": text()}, {"signature": text(least=1)}),
        "redactedContent": _base64,
    }
)
_USER = {
    "text": _WORDS,
    "image": _IMAGE,
    "document": _DOCUMENT,
    "toolResult": _TOOL_RESULT,
    "cachePoint": _CACHE,
}
_ASSISTANT = {
    "text": _WORDS,
    "toolUse": _TOOL_USE,
    "reasoningContent": _REASONING,
    "cachePoint": _CACHE,
}


def _message(value: object, where: str) -> list[str]:
    role = value.get("role") if isinstance(value, dict) else None
    blocks = _ASSISTANT if role == "assistant" else _USER
    content = listed(one_of(blocks), least=1)
    return record({"role": word("user", "assistant"), "content": content})(value, where)


def _schema_text(value: object, where: str) -> list[str]:
    """A schema as the text of its JSON.

    https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
    """
    try:
        schema = json.loads(str(value))
    except ValueError:
        return [f"{where}: not the text of a JSON schema"]
    return claude_output(schema, where) if isinstance(value, str) else [f"{where}: not a text"]


_SPEC = record(
    {"name": NAME, "inputSchema": record({"json": object_schema})},
    {"description": text(least=1), "strict": flag},
)
_TOOL = one_of({"toolSpec": _SPEC, "systemTool": record({"name": NAME}), "cachePoint": _CACHE})
_CHOICE = one_of({"auto": record(), "any": record(), "tool": record({"name": NAME})})
_FORMAT = record(
    {
        "type": word("json_schema"),
        "structure": one_of(
            {"jsonSchema": record({"schema": _schema_text}, {"name": NAME, "description": text()})}
        ),
    }
)

REQUEST = record(
    {"messages": listed(_message, least=1)},
    {
        "system": listed(one_of({"text": _WORDS, "cachePoint": _CACHE})),
        "inferenceConfig": record(
            {},
            {
                "maxTokens": whole(1),
                "temperature": number(0, 1),
                "topP": number(0, 1),
                "stopSequences": listed(text(least=1)),
            },
        ),
        "toolConfig": record({"tools": listed(_TOOL, least=1)}, {"toolChoice": _CHOICE}),
        "guardrailConfig": json_object,
        "additionalModelRequestFields": json_object,
        "additionalModelResponseFieldPaths": listed(text(least=1, most=256), most=10),
        "promptVariables": json_object,
        "requestMetadata": mapping(text(most=256)),
        "performanceConfig": record({}, {"latency": word("standard", "optimized")}),
        "serviceTier": record({"type": word("priority", "default", "flex", "reserved")}),
        "outputConfig": record({}, {"textFormat": _FORMAT, "effort": text(most=16)}),
    },
)

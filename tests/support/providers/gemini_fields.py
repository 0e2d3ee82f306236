"""The published fields of Gemini's generateContent, at AI Studio and at Vertex.

https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching#Content and
https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .media import base64_of
from .schemas import object_schema
from .shapes import (
    Shape,
    either,
    flag,
    json_object,
    listed,
    mapping,
    maybe,
    number,
    one_of,
    record,
    text,
    whole,
    word,
)

# https://ai.google.dev/api/caching#FunctionDeclaration
NAME = text(pattern=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
# https://ai.google.dev/gemini-api/docs/image-understanding, …/document-processing, …/audio, …
_KINDS = (
    "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf",
    r"text/.+", r"audio/.+", r"video/.+", "application/json",
)  # fmt: skip
_TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_OPAQUE = ("args", "response", "parametersJsonSchema", "responseJsonSchema", "labels")


def camel(value: Any) -> Any:
    """Give a body with its fields in camel case: the JSON form of protocol buffers takes both.

    https://protobuf.dev/programming-guides/json/: what a caller names itself stays.
    """
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {_camel(key): item for key, item in value.items()}
    return {
        key: _kept(item) if key == "properties" else item if key in _OPAQUE else camel(item)
        for key, item in named.items()
    }


def _kept(properties: Any) -> Any:
    if not isinstance(properties, dict):
        return properties
    return {key: camel(item) for key, item in properties.items()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _type(value: object, where: str) -> list[str]:
    if isinstance(value, str) and value.upper() in _TYPES:
        return []
    return [f"{where}: {value!r} is none of {', '.join(_TYPES)}"]


def _schema(value: Any, where: str) -> list[str]:
    """The subset of OpenAPI 3.0 that https://ai.google.dev/api/caching#Schema names."""
    count = either(whole(0), text(pattern=r"\d+"))
    return record(
        {"type": _type},
        {
            "format": text(),
            "title": text(),
            "description": text(),
            "nullable": flag,
            "enum": listed(text()),
            "properties": mapping(_schema),
            "required": listed(text()),
            "items": _schema,
            "anyOf": listed(_schema),
            "propertyOrdering": listed(text()),
            "default": lambda value, where: [],
            "example": lambda value, where: [],
            "minimum": number(),
            "maximum": number(),
            "pattern": text(),
            **dict.fromkeys(
                ("minItems", "maxItems", "minLength", "maxLength", "minProperties"), count
            ),
            "maxProperties": count,
        },
    )(value, where)


_BLOB = record({"mimeType": text(), "data": text(least=1)})
_NAMED_BLOB = record({"mimeType": text(), "data": text(least=1)}, {"displayName": text()})
_LEVEL = word("MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM", "MEDIA_RESOLUTION_HIGH")


def _part(vertex: bool) -> Shape:
    blob = base64_of("mimeType", "data", _NAMED_BLOB if vertex else _BLOB, _KINDS)
    link = {"fileUri": text(pattern=r"(https?|gs)://\S+")}
    kind: dict[str, Shape] = {"mimeType": text(pattern=r"[\w.+-]+/[\w.+-]+")}
    file = record({**link, **kind}) if vertex else record(link, kind)
    parts: dict[str, Shape] = {"parts": listed(one_of({"inlineData": blob, "fileData": file}))}
    response = {"name": NAME, "response": json_object}
    return one_of(
        {
            "text": text(),
            "inlineData": blob,
            "fileData": file,
            "functionCall": record({"name": NAME}, {"args": json_object, "id": text(least=1)}),
            "functionResponse": record(response, {"id": text(least=1), **parts}),
            "executableCode": json_object,
            "codeExecutionResult": json_object,
        },
        {
            "thought": flag,
            "thoughtSignature": text(least=1, pattern=r"[A-Za-z0-9+/_=-]+"),
            "videoMetadata": json_object,
            "mediaResolution": record({"level": _LEVEL}),
        },
    )


def _function(value: Any, where: str) -> list[str]:
    faults = record(
        {"name": NAME, "description": text()},
        {
            "parameters": _schema,
            "parametersJsonSchema": object_schema,
            "response": _schema,
            "responseJsonSchema": json_object,
            "behavior": word("BLOCKING", "NON_BLOCKING"),
        },
    )(value, where)
    if isinstance(value, dict) and {"parameters", "parametersJsonSchema"} <= value.keys():
        faults.append(f"{where}: parameters and parametersJsonSchema exclude one another")
    return faults


_TOOL = record(
    {},
    {
        "functionDeclarations": listed(_function, least=1),
        "googleSearch": json_object,
        "codeExecution": json_object,
        "urlContext": json_object,
    },
)
_CALLING = record(
    {},
    {
        "mode": word("AUTO", "ANY", "NONE", "VALIDATED"),
        "allowedFunctionNames": listed(NAME, least=1),
    },
)
_THINKING = record(
    {},
    {
        "includeThoughts": flag,
        "thinkingBudget": whole(-1),
        "thinkingLevel": text(pattern=r"(?i)minimal|low|medium|high"),
    },
)
_GENERATION = record(
    {},
    {
        "stopSequences": listed(text(least=1), most=5),
        "responseMimeType": word("text/plain", "application/json", "text/x.enum"),
        "responseSchema": _schema,
        "responseJsonSchema": json_object,
        "responseModalities": listed(word("TEXT", "IMAGE", "AUDIO")),
        "candidateCount": whole(1, 8),
        "maxOutputTokens": whole(1),
        "temperature": number(0, 2),
        "topP": number(0, 1),
        "topK": number(1),
        "seed": maybe(whole()),
        "presencePenalty": number(-2, 2),
        "frequencyPenalty": number(-2, 2),
        "responseLogprobs": flag,
        "logprobs": whole(0, 20),
        "thinkingConfig": _THINKING,
        "mediaResolution": _LEVEL,
        "speechConfig": json_object,
        "imageConfig": json_object,
    },
)


@cache
def request(vertex: bool) -> Shape:
    """Give the closed shape of a request, at Vertex or at AI Studio."""
    parts = listed(_part(vertex), least=1)
    words = record({"parts": listed(record({"text": text(least=1)}), least=1)}, {"role": text()})
    more: dict[str, Shape] = {"serviceTier": text()}
    if vertex:
        more = {"labels": mapping(text()), "modelArmorConfig": json_object}
    return record(
        {"contents": listed(record({"role": word("user", "model"), "parts": parts}), least=1)},
        {
            "systemInstruction": words,
            # A repeated field may be given as one value.
            "tools": either(listed(_TOOL), _TOOL),
            "toolConfig": record({}, {"functionCallingConfig": _CALLING}),
            "safetySettings": listed(record({"category": text(), "threshold": text()})),
            "generationConfig": _GENERATION,
            "cachedContent": text(least=1),
            **more,
        },
    )

"""Gemini's judge: a request that keeps the rules passes, and each broken rule is told."""

import base64
import json

import pytest

from tests.support.providers.changes import all_of, drop, judged, put
from tests.support.providers.gemini import Gemini

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CLOSED = {**SCHEMA, "additionalProperties": False}

FLASH = "/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"
GEMINI = {
    "systemInstruction": {"parts": [{"text": "Help."}]},
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "Add 1"},
                {"inlineData": {"mimeType": "image/png", "data": PNG}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {
                    "functionCall": {"name": "add", "args": {"a": 1}, "id": "c1"},
                    "thoughtSignature": "c2ln",
                },
                {"functionCall": {"name": "add", "args": {"a": 2}, "id": "c2"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "add", "id": "c1", "response": {"output": 2}}},
                {"functionResponse": {"name": "add", "id": "c2", "response": {"output": 3}}},
            ],
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "add", "description": "Adds", "parametersJsonSchema": SCHEMA}
            ]
        }
    ],
    "generationConfig": {
        "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
        "temperature": 1.0,
        "maxOutputTokens": 900,
    },
}
CONFIG = "generationConfig"
OLDER = "/v1beta/models/gemini-2.5-flash:generateContent"
ON_25 = all_of(drop("generationConfig.thinkingConfig"), drop("contents.1.parts.0.thoughtSignature"))
JSON_ANSWER = put(
    "generationConfig", {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}
)
GEMINI_FAULTS = [
    (FLASH, put("messages", []), "$.messages: unknown field"),
    (FLASH, put("contents.0.parts.0.type", "text"), "parts[0].type: unknown field"),
    (FLASH, put("contents.1.parts.0.text", "x"), "needs exactly one of text"),
    (FLASH, put("contents.0.role", "assistant"), "$.contents[0].role: must be 'user' or 'model'"),
    (FLASH, put("contents.0.parts.0.text", ""), "$.contents[0].parts[0].text: is empty"),
    (FLASH, drop("contents.0"), "the first turn is the user's"),
    (FLASH, drop("contents.1"), "two user turns follow one another"),
    (FLASH, drop("contents.2"), "the last turn is the user's"),
    (FLASH, drop("contents.2.parts.0"), "1 functionResponse parts for 2 functionCall parts"),
    (FLASH, put("contents.2.parts.0.functionResponse.name", "sub"), "names or ids"),
    (FLASH, put("contents.2.parts.0.functionResponse.id", "c9"), "names or ids"),
    (FLASH, put("contents.2.parts.0.functionResponse.response", "2"), "response: must be an ob"),
    (FLASH, drop("contents.1.parts.0.thoughtSignature"), "'add' misses its thoughtSignature"),
    (FLASH, put("generationConfig.thinkingConfig.thinkingBudget", 9), "exclude one another"),
    (FLASH, put("generationConfig.maxTokens", 9), "generationConfig.maxTokens: unknown field"),
    (OLDER, lambda body: None, "thinkingLevel: gemini-2.5-flash takes a thinkingBudget"),
    (OLDER, all_of(ON_25, JSON_ANSWER), "gives no JSON while it has tools"),
    (
        OLDER.replace("flash", "pro"),
        all_of(ON_25, put(f"{CONFIG}.thinkingConfig", {"thinkingBudget": 0})),
        "gemini-2.5-pro takes 128 to 32768, not 0",
    ),
    (
        OLDER.replace("2.5", "2.0"),
        all_of(ON_25, put(f"{CONFIG}.thinkingConfig", {"includeThoughts": True})),
        "gemini-2.0-flash does not think",
    ),
    (FLASH, put(f"{CONFIG}.responseJsonSchema", SCHEMA), "a schema needs application/json"),
    (FLASH, put("contents.0.parts.1.inlineData.mimeType", "image/gif"), "'image/gif' is none of"),
    (FLASH, put("contents.0.parts.1.inlineData.displayName", "x"), "displayName: unknown field"),
    (FLASH, put("contents.0.parts.1.inlineData.data", "*"), "inlineData.data: not valid base64"),
    (
        FLASH,
        put("tools.0.functionDeclarations.0.parameters", SCHEMA),
        "parameters and parametersJsonSchema exclude one another",
    ),
    (
        FLASH,
        all_of(
            drop("tools.0.functionDeclarations.0.parametersJsonSchema"),
            put("tools.0.functionDeclarations.0.parameters", CLOSED),
        ),
        "functionDeclarations[0].parameters.additionalProperties: unknown field",
    ),
    (FLASH, put("tools.0.functionDeclarations.0.name", "1 a"), "name: '1 a' does not fit"),
    (
        FLASH,
        put("toolConfig", {"functionCallingConfig": {"allowedFunctionNames": ["add"]}}),
        "only with the mode ANY or VALIDATED",
    ),
    (
        FLASH,
        put(
            "toolConfig",
            {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["sub"]}},
        ),
        "there is no function 'sub'",
    ),
]


def test_gemini_good():
    assert judged(Gemini(), GEMINI, path=FLASH) == []
    assert judged(Gemini("vertex"), GEMINI, path=FLASH) == []
    assert judged(Gemini(), GEMINI, ON_25, OLDER) == []
    shaped = all_of(JSON_ANSWER, drop("tools"), drop("contents.2"), drop("contents.1"))
    assert judged(Gemini(), GEMINI, shaped, OLDER) == []
    snake = json.loads(json.dumps(GEMINI).replace("functionCall", "function_call"))
    assert judged(Gemini(), snake, path=FLASH) == []


@pytest.mark.parametrize(("path", "change", "fault"), GEMINI_FAULTS)
def test_gemini_faults(path, change, fault):
    assert any(fault in found for found in judged(Gemini(), GEMINI, change, path))

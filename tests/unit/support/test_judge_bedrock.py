"""Bedrock's judge: a request that keeps the rules passes, and each broken rule is told."""

import base64
import json

import pytest

from tests.support.providers.bedrock import Bedrock
from tests.support.providers.changes import drop, judged, put

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
PDF = base64.b64encode(b"%PDF-1.7\n").decode()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CLOSED = {**SCHEMA, "additionalProperties": False}

CLAUDE = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
BEDROCK = {
    "system": [{"text": "Help."}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"text": "Add 1"},
                {"image": {"format": "png", "source": {"bytes": PNG}}},
                {"document": {"format": "pdf", "name": "my file (1)", "source": {"bytes": PDF}}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
                {"toolUse": {"toolUseId": "tooluse_1", "name": "add", "input": {"a": 1}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "2"}]}}],
        },
    ],
    "inferenceConfig": {"maxTokens": 4_000},
    "toolConfig": {
        "tools": [
            {
                "toolSpec": {
                    "name": "add",
                    "description": "Adds",
                    "inputSchema": {"json": SCHEMA},
                }
            }
        ]
    },
    "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2_000}},
}
SPEC = "toolConfig.tools.0.toolSpec"
BEDROCK_FAULTS = [
    (put("model", "x"), "$.model: unknown field"),
    (put("messages.0.content.0.type", "text"), "content[0].type: unknown field"),
    (put("messages.1.content.1.text", "x"), "needs exactly one of"),
    (put("messages.0.role", "system"), "role: must be 'user' or 'assistant'"),
    (drop("messages.0"), "a conversation must start with a user message"),
    (drop("messages.2"), "a conversation must end with a user message"),
    (drop("messages.1"), "roles must alternate"),
    (put("messages.0.content.0.text", " "), "content[0].text: ' ' does not fit"),
    (put("messages.2.content.0.toolResult.toolUseId", "x"), "the toolResult ids ['x']"),
    (put("messages.2.content.0", {"text": "2"}), "has the toolUse ids ['tooluse_1'], this one"),
    (drop("toolConfig"), "$.toolConfig: must be there when messages hold toolUse"),
    (put("toolConfig.tools", []), "$.toolConfig.tools: has 0 items"),
    (put(f"{SPEC}.description", ""), "toolSpec.description: has 0 characters"),
    (put(f"{SPEC}.inputSchema", SCHEMA), "inputSchema.json: missing"),
    (put(f"{SPEC}.name", "a.b"), "toolSpec.name: 'a.b' does not fit"),
    (put("toolConfig.toolChoice", {"tool": {"name": "sub"}}), "there is no tool 'sub'"),
    (put("toolConfig.toolChoice", {"any": {}}), "tool_choice: only auto or none"),
    (put("inferenceConfig.maxTokens", 2_000), "max_tokens: must be greater than thinking"),
    (put("inferenceConfig.temperature", 0.3), "temperature: may only be 1 while"),
    (put("inferenceConfig.topK", 3), "$.inferenceConfig.topK: unknown field"),
    (put("messages.0.content.2.document.name", "a.pdf"), "document.name: 'a.pdf' does not fit"),
    (put("messages.0.content.2.document.name", "a  b"), "document.name: 'a  b' does not fit"),
    (put("messages.0.content.2.document.format", "png"), "document.format: must be"),
    (drop("messages.0.content.0"), "a document needs a text beside it"),
    (put("messages.0.content.1.image.format", "jpeg"), "bytes: the bytes are not image/jpeg"),
    (put("messages.0.content.1.image.source.bytes", "!"), "source.bytes: not valid base64"),
    (
        lambda body: body["system"].extend([{"cachePoint": {"type": "default"}}] * 4),
        "5 cache points, at most 4",
    ),
    (
        put(
            "outputConfig",
            {
                "textFormat": {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"schema": json.dumps(SCHEMA)}},
                }
            },
        ),
        "schema.additionalProperties: must be false",
    ),
    (
        put(
            "outputConfig",
            {
                "textFormat": {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"schema": CLOSED}},
                }
            },
        ),
        "structure.jsonSchema.schema: not",
    ),
]


def test_bedrock_good():
    assert judged(Bedrock(), BEDROCK, path=CLAUDE) == []
    shaped = put(
        "outputConfig",
        {
            "textFormat": {
                "type": "json_schema",
                "structure": {"jsonSchema": {"schema": json.dumps(CLOSED), "name": "answer"}},
            }
        },
    )
    assert judged(Bedrock(), BEDROCK, shaped, CLAUDE) == []


@pytest.mark.parametrize(("change", "fault"), BEDROCK_FAULTS)
def test_bedrock_faults(change, fault):
    assert any(fault in found for found in judged(Bedrock(), BEDROCK, change, CLAUDE))


def test_nova_with_high_effort_takes_no_sampling():
    nova = put(
        "additionalModelRequestFields",
        {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}},
    )
    path = "/model/us.amazon.nova-2-lite-v1%3A0/converse"
    [fault] = judged(Bedrock(), BEDROCK, nova, path)
    assert fault == "$.inferenceConfig.maxTokens: not with the reasoning effort high"

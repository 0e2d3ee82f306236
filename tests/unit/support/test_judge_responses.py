"""The judge of the Responses API: a good request passes, and each broken rule is told."""

import base64

import pytest

from tests.support.providers.changes import all_of, drop, judged, put
from tests.support.providers.openai_responses import OpenAIResponses

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
PDF = base64.b64encode(b"%PDF-1.7\n").decode()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CLOSED = {**SCHEMA, "additionalProperties": False}

RESPONSES = {
    "model": "gpt-5",
    "instructions": "Help.",
    "stream": True,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low", "summary": "auto"},
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Add 1"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
                {
                    "type": "input_file",
                    "filename": "a.pdf",
                    "file_data": f"data:application/pdf;base64,{PDF}",
                },
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "add",
            "arguments": "{}",
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "2"},
    ],
    "tools": [{"type": "function", "name": "add", "parameters": SCHEMA, "strict": False}],
}
RESPONSES_FAULTS = [
    (put("messages", []), "$.messages: unknown field"),
    (put("input.3.name_", "x"), "$.input[3].name_: unknown field"),
    (put("max_output_tokens", 8), "$.max_output_tokens: 8 is not between 16"),
    (put("temperature", 0.5), "$.temperature: not for the reasoning model gpt-5"),
    (put("max_tokens", 50), "$.max_tokens: unknown field"),
    (put("reasoning.effort", "none"), "$.reasoning.effort: gpt-5 takes"),
    (put("model", "gpt-4o"), "$.reasoning.effort: gpt-4o is no reasoning model"),
    (drop("include"), "$.include: needs reasoning.encrypted_content"),
    (drop("input.1.encrypted_content"), "$.input[1].encrypted_content: missing"),
    (
        all_of(drop("input.3"), drop("input.2")),
        "$.input[1]: without its required following item, but nothing",
    ),
    (drop("input.3"), "no tool output found for ['call_1']"),
    (drop("input.2"), "$.input[2].call_id: answers no open call"),
    (
        lambda body: body["input"].insert(3, {"role": "user", "content": "?"}),
        "$.input[3]: no tool output found for ['call_1'] before it",
    ),
    (drop("input.0"), "the first turn is the user's"),
    (put("input.2.arguments", "{"), "$.input[2].arguments: not the text of a JSON object"),
    (put("input.2.id", "call_9"), "$.input[2].id: must begin with 'fc'"),
    (put("input.2.id", "rs_1"), "the item rs_1 comes twice"),
    (
        lambda body: body["input"].append({"type": "item_reference", "id": "msg_1"}),
        "nothing is stored that it could refer to",
    ),
    (drop("tools.0.strict"), "$.tools[0].strict: missing"),
    (put("tools.0.strict", True), "$.tools[0].parameters.additionalProperties: must be false"),
    (
        put("tools.0", {"type": "function", "function": {"name": "add"}}),
        "$.tools[0].function: unknown field",
    ),
    (put("tool_choice", {"type": "function", "name": "sub"}), "there is no tool 'sub'"),
    (
        put("input.0.content.0", {"type": "text", "text": "x"}),
        "$.input[0].content[0].type: 'text' is none of",
    ),
    (put("input.0.content.1.image_url", {"url": "x"}), "image_url: must be a base64 data URL"),
    (
        lambda body: body["input"].append(
            {"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}
        ),
        "$.input[4].content[0].type: 'input_text' is none of output_text, refusal",
    ),
    (
        put(
            "text",
            {
                "format": {
                    "type": "json_schema",
                    "name": "answer",
                    "schema": SCHEMA,
                    "strict": True,
                }
            },
        ),
        "$.text.format.schema.additionalProperties: must be false",
    ),
]


def test_responses_good():
    assert judged(OpenAIResponses(), RESPONSES) == []
    shaped = {"format": {"type": "json_schema", "name": "answer", "schema": CLOSED}}
    assert judged(OpenAIResponses("azure"), RESPONSES, put("text", shaped)) == []


@pytest.mark.parametrize(("change", "fault"), RESPONSES_FAULTS)
def test_responses_faults(change, fault):
    assert any(fault in found for found in judged(OpenAIResponses(), RESPONSES, change))

"""Anthropic's judge: a request that keeps the rules passes, and each broken rule is told."""

import base64

import pytest

from tests.support.providers.anthropic import Anthropic
from tests.support.providers.changes import all_of, drop, judged, put

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CLOSED = {**SCHEMA, "additionalProperties": False}

ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4_000,
    "stream": True,
    "system": [{"type": "text", "text": "Help.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Add 1"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
                },
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "2"},
                {"type": "text", "text": "And?", "cache_control": {"type": "ephemeral"}},
            ],
        },
    ],
    "tools": [{"name": "add", "description": "Adds", "input_schema": SCHEMA}],
    "thinking": {"type": "enabled", "budget_tokens": 2_000},
}
NO_THINKING = all_of(drop("thinking"), drop("messages.1.content.0"))
ANTHROPIC_FAULTS = [
    (put("top_x", 1), "$.top_x: unknown field"),
    (put("messages.0.name", "me"), "$.messages[0].name: unknown field"),
    (put("messages.1.content.1.extra", 1), "$.messages[1].content[1].extra: unknown field"),
    (drop("max_tokens"), "$.max_tokens: missing"),
    (put("max_tokens", "9"), "$.max_tokens: must be an integer"),
    (put("messages.0.role", "system"), "$.messages[0].role: 'system' is none of"),
    (drop("messages.0"), "$.messages[0].role: the first turn is the user's"),
    (drop("messages.1"), "two user turns follow one another"),
    (put("messages.0.content.0.text", ""), "$.messages[0].content[0].text: '' does not fit"),
    (put("messages.0.content.0.text", " \n"), "$.messages[0].content[0].text: "),
    (put("messages.0.content", []), "$.messages[0].content: has 0 items"),
    (put("system.0.text", ""), "$.system[0].text: "),
    (put("messages.2.content.0.tool_use_id", "toolu_2"), "the tool_result ids ['toolu_2']"),
    (drop("messages.2.content.0"), "has the tool_use ids ['toolu_1'], this one"),
    (lambda body: body["messages"][2]["content"].reverse(), "tool_result blocks must come first"),
    (put("messages.1.content.1.id", "a b"), "$.messages[1].content[1].id: 'a b' does not fit"),
    (put("messages.1.content.1.input", "{}"), "content[1].input: must be an object"),
    (drop("messages.1.content.0"), "must be a thinking block, is tool_use"),
    (drop("messages.1.content.0.signature"), "content[0].signature: missing"),
    (put("thinking.budget_tokens", 4_000), "$.max_tokens: must be greater than thinking.budget"),
    (put("thinking.budget_tokens", 100), "$.thinking.budget_tokens: 100 is not between"),
    (put("temperature", 0.5), "$.temperature: may only be 1 while the model thinks"),
    (put("top_k", 5), "$.top_k: not while the model thinks"),
    (put("tool_choice", {"type": "any"}), "$.tool_choice: only auto or none"),
    (put("thinking", {"type": "adaptive"}), "$.thinking.type: claude-sonnet-4-5 does not think"),
    (put("model", "claude-opus-4-7"), "$.thinking.type: claude-opus-4-7 only thinks adaptively"),
    (put("output_config", {"effort": "low"}), "$.effort: claude-sonnet-4-5 does not take it"),
    (all_of(NO_THINKING, put("temperature", 0.5), put("top_p", 0.9)), "$.top_p: not beside"),
    (
        all_of(NO_THINKING, put("model", "claude-opus-4-7"), put("temperature", 1)),
        "$.temperature: claude-opus-4-7 does not take it",
    ),
    (
        lambda body: [mark(body, index) for index in range(4)],
        "5 cache_control marks, at most 4",
    ),
    (
        put("messages.2.content.1.cache_control", {"type": "ephemeral", "ttl": "1h"}),
        "a cache_control mark of 1h comes after one of 5m",
    ),
    (
        put("messages.1.content.0.cache_control", {"type": "ephemeral"}),
        "$.messages[1].content[0].cache_control: unknown field",
    ),
    (put("tools.0.name", "ad d"), "$.tools[0].name: 'ad d' does not fit"),
    (put("tools.0.input_schema", {"type": "array"}), "$.tools[0].input_schema.type: must be"),
    (put("tools.0.input_schema.anyOf", []), "$.tools[0].input_schema.anyOf: not at the top"),
    (
        put("tools.0.input_schema.properties.a", {"$ref": "#/$defs/No"}),
        "properties.a.$ref: '#/$defs/No' leads nowhere",
    ),
    (lambda body: body["tools"].append(body["tools"][0]), "the name 'add' is not unique"),
    (
        all_of(NO_THINKING, put("tool_choice", {"type": "tool", "name": "sub"})),
        "$.tool_choice.name: there is no tool 'sub'",
    ),
    (
        put("output_config", {"format": {"type": "json_schema", "schema": SCHEMA}}),
        "$.output_config.format.schema.additionalProperties: must be false",
    ),
    (
        put(
            "output_config",
            {
                "format": {
                    "type": "json_schema",
                    "schema": {**CLOSED, "properties": {"a": {"type": "string", "minLength": 1}}},
                }
            },
        ),
        "properties.a.minLength: not supported",
    ),
    (put("messages.0.content.1.source.media_type", "image/bmp"), "'image/bmp' is none of"),
    (put("messages.0.content.1.source.media_type", "image/jpeg"), "the bytes are not image/jpeg"),
    (put("messages.0.content.1.source.data", "§§"), "source.data: not valid base64"),
    (
        lambda body: body["messages"].append({"role": "assistant", "content": "So"}),
        "the last turn must be the user's",
    ),
]


def mark(body, index):
    body["tools"].append(
        {
            "name": f"t{index}",
            "input_schema": {"type": "object"},
            "cache_control": {"type": "ephemeral"},
        }
    )
    if index == 3:
        del body["system"][0]["cache_control"]


def test_anthropic_good():
    assert judged(Anthropic(), ANTHROPIC) == []
    assert judged(Anthropic(), ANTHROPIC, NO_THINKING) == []
    adaptive = all_of(
        put("model", "claude-opus-4-7"),
        put("thinking", {"type": "adaptive", "display": "summarized"}),
        put("output_config", {"effort": "xhigh"}),
    )
    assert judged(Anthropic(), ANTHROPIC, adaptive) == []
    shaped = put("output_config", {"format": {"type": "json_schema", "schema": CLOSED}})
    assert judged(Anthropic(), ANTHROPIC, shaped) == []


@pytest.mark.parametrize(("change", "fault"), ANTHROPIC_FAULTS)
def test_anthropic_faults(change, fault):
    assert any(fault in found for found in judged(Anthropic(), ANTHROPIC, change))

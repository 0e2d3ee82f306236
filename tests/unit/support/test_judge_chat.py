"""The judge of chat completions: good requests pass in each dialect, broken rules are told."""

import base64
import copy

import pytest

from tests.support.providers.changes import all_of, drop, judged, put
from tests.support.providers.openai_chat import OpenAIChat

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CLOSED = {**SCHEMA, "additionalProperties": False}

CHAT = {
    "model": "gpt-4o",
    "stream": True,
    "stream_options": {"include_usage": True},
    "messages": [
        {"role": "system", "content": "Help."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Add 1"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"call0000{index}",
                    "type": "function",
                    "function": {"name": "add", "arguments": '{"a": 1}'},
                }
                for index in range(2)
            ],
        },
        {"role": "tool", "tool_call_id": "call00000", "content": "2"},
        {"role": "tool", "tool_call_id": "call00001", "content": "2"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "add", "description": "Adds", "parameters": SCHEMA},
        }
    ],
}
STRICT = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "schema": CLOSED, "strict": True},
}


def many_tools(body):
    body["tools"] = [
        {"type": "function", "function": {"name": f"t{index}", "parameters": SCHEMA}}
        for index in range(129)
    ]


CHAT_FAULTS = [
    (put("top_k", 1), "$.top_k: unknown field"),
    (put("messages.2.reasoning_content", "x"), "messages[2].reasoning_content: unknown field"),
    (put("messages.3.name", "add"), "$.messages[3].name: unknown field"),
    (put("tools.0.function.x", 1), "$.tools[0].function.x: unknown field"),
    (drop("model"), "$.model: missing"),
    (put("temperature", 3), "$.temperature: 3 is not between 0 and 2"),
    (drop("messages.1"), "$.messages: the first turn is the user's, not ['assistant']"),
    (drop("messages.4"), "the calls ['call00001'] have no answer"),
    (
        lambda body: body["messages"].insert(4, {"role": "user", "content": "?"}),
        "$.messages[4]: the calls ['call00001'] have no answer before it",
    ),
    (put("messages.3.tool_call_id", "x"), "$.messages[3].tool_call_id: 'x' answers no open call"),
    (put("messages.2.tool_calls.1.id", "call00000"), "an id comes twice"),
    (
        put("messages.2.tool_calls.0.function.arguments", "{a"),
        "tool_calls[0].function.arguments: not the text of a JSON object",
    ),
    (
        lambda body: body["messages"].append({"role": "assistant", "content": ""}),
        "neither content nor tool_calls",
    ),
    (put("messages.0.role", "developer"), None),
    (
        lambda body: body["messages"].insert(0, {"role": "developer", "content": "x"}),
        "system and developer messages in one request",
    ),
    (many_tools, "129 tools, at most 128"),
    (put("tools.0.function.name", "a.b"), "$.tools[0].function.name: 'a.b' does not fit"),
    (put("tools.0.function.parameters", {}), "function.parameters.type: must be 'object'"),
    (put("tools.0.function.strict", True), "parameters.additionalProperties: must be false"),
    (put("tools", []), "$.tools: is empty"),
    (all_of(drop("tools"), put("tool_choice", "auto")), "$.tool_choice: not without tools"),
    (
        put("tool_choice", {"type": "function", "function": {"name": "sub"}}),
        "there is no tool 'sub'",
    ),
    (put("response_format", STRICT), None),
    (
        all_of(
            put("response_format", copy.deepcopy(STRICT)),
            put("response_format.json_schema.schema", SCHEMA),
        ),
        "$.response_format.json_schema.schema.additionalProperties: must be false in strict mode",
    ),
    (put("stream", False), "$.stream_options: only with stream"),
    (put("messages.1.content.1.image_url.url", "data:image/png;base64,%%"), "not valid base64"),
    (
        put("messages.1.content.1.image_url.url", f"data:image/bmp;base64,{PNG}"),
        "image/bmp is none of",
    ),
    (put("messages.1.content.1.image_url.url", "https://x.test/a.png"), None),
    (put("reasoning_effort", "low"), "$.reasoning_effort: gpt-4o is no reasoning model"),
    (all_of(put("model", "gpt-5"), put("temperature", 0)), "$.temperature: not for the reasoning"),
    (all_of(put("model", "o3"), put("max_tokens", 9)), "$.max_tokens: o3 takes max_completion"),
    (all_of(put("model", "o3"), put("reasoning_effort", "minimal")), "o3 takes low medium high"),
    (all_of(put("model", "gpt-5"), put("max_completion_tokens", 99)), None),
    (
        all_of(put("model", "gpt-5.2"), put("reasoning_effort", "none"), put("temperature", 0.5)),
        None,
    ),
]


def test_chat_good():
    assert judged(OpenAIChat(), CHAT) == []


@pytest.mark.parametrize(("change", "fault"), CHAT_FAULTS)
def test_chat_faults(change, fault):
    faults = judged(OpenAIChat(), CHAT, change)
    assert faults == [] if fault is None else any(fault in found for found in faults)


NO_IMAGE = put("messages.1.content", "Add 1")
NO_OPTIONS = drop("stream_options")
DIALECT_CASES = [
    ("deepseek", all_of(NO_IMAGE, put("model", "deepseek-chat")), None),
    ("deepseek", put("model", "deepseek-chat"), "messages[1].content[1].type: 'image_url' is none"),
    (
        "deepseek",
        all_of(NO_IMAGE, put("model", "deepseek-reasoner")),
        "$.messages[2].reasoning_content: a turn that called tools must bring its thought back",
    ),
    (
        "deepseek",
        all_of(
            NO_IMAGE,
            put("model", "deepseek-reasoner"),
            put("messages.2.reasoning_content", "One."),
            lambda body: body["messages"].extend(
                [{"role": "assistant", "content": "2"}, {"role": "user", "content": "And 2?"}]
            ),
        ),
        None,
    ),
    (
        "deepseek",
        lambda body: body.update(
            model="deepseek-reasoner",
            messages=[
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hi!", "reasoning_content": "They greet."},
                {"role": "user", "content": "And?"},
            ],
        ),
        "$.messages[1].reasoning_content: the thought of a finished turn is not sent again",
    ),
    (
        "deepseek",
        all_of(NO_IMAGE, put("model", "deepseek-chat"), put("response_format", STRICT)),
        "$.response_format.type: json_schema is not available here",
    ),
    ("deepseek", all_of(NO_IMAGE, put("messages.0.role", "developer")), "'developer' is none of"),
    ("mistral", NO_OPTIONS, None),
    ("mistral", lambda body: None, "$.stream_options: unknown field"),
    ("mistral", all_of(NO_OPTIONS, put("max_completion_tokens", 9)), "unknown field"),
    (
        "mistral",
        all_of(
            NO_OPTIONS,
            put("messages.2.tool_calls.0.id", "call_1"),
            put("messages.3.tool_call_id", "call_1"),
        ),
        "the call id 'call_1' is not nine letters or digits",
    ),
    (
        "mistral",
        all_of(
            NO_OPTIONS,
            lambda body: body["messages"].append({"role": "assistant", "content": "2"}),
        ),
        "the last turn must be user or tool",
    ),
    ("groq", put("model", "openai/gpt-oss-20b"), None),
    ("groq", put("n", 2), "$.n: only 1"),
    ("groq", put("messages.1.name", "me"), "$.messages[1].name: unknown field"),
    ("groq", put("reasoning_format", "raw"), "raw is not possible with tools"),
    (
        "groq",
        all_of(put("model", "qwen/qwen3-32b"), put("reasoning_effort", "low")),
        "takes none or default",
    ),
    ("xai", put("model", "grok-4"), None),
    ("xai", all_of(put("model", "grok-4"), put("stop", "x")), "$.stop: not for a reasoning model"),
    (
        "xai",
        all_of(put("model", "grok-4"), put("reasoning_effort", "low")),
        "$.reasoning_effort: grok-4 does not take it",
    ),
    ("openrouter", put("model", "openai/gpt-4o"), None),
    ("openrouter", lambda body: None, "$.model: 'gpt-4o' is not author/model"),
    (
        "openrouter",
        all_of(put("model", "a/b"), put("reasoning", {"effort": "low", "max_tokens": 9})),
        "$.reasoning: effort or max_tokens, not both",
    ),
    ("gateway", put("model", "openai/gpt-4o"), None),
    ("gateway", all_of(put("model", "a/b"), put("usage", {"include": True})), "unknown field"),
    ("cloudflare", put("model", "@cf/meta/llama-4-scout-17b-16e-instruct"), None),
    ("cloudflare", lambda body: None, "is not @cf/author/model"),
    ("ollama", drop("tools.0.function.description"), None),
    (
        "ollama",
        put("messages.1.content.1.image_url.url", "https://x.test/a.png"),
        "must be a base64 data URL",
    ),
    ("lm-studio", lambda body: None, None),
    ("llama.cpp", lambda body: None, None),
    ("openai-compatible", lambda body: None, None),
    ("azure", lambda body: None, None),
]


@pytest.mark.parametrize(("dialect", "change", "fault"), DIALECT_CASES)
def test_chat_dialects(dialect, change, fault):
    faults = judged(OpenAIChat(dialect), CHAT, change)
    assert faults == [] if fault is None else any(fault in found for found in faults)

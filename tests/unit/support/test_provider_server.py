"""The scripted providers: recorded requests pass their judges, and answers are the wire's own."""

import base64
import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.support.providers import answers
from tests.support.providers.anthropic import Anthropic
from tests.support.providers.bedrock import Bedrock
from tests.support.providers.eventstream import frame
from tests.support.providers.gemini import Gemini
from tests.support.providers.openai_chat import OpenAIChat
from tests.support.providers.openai_responses import OpenAIResponses
from tests.support.providers.server import ProviderServer
from tests.support.providers.wire import KEY

CHAT_DIALECTS = {"huggingface": "openai-compatible"}


def wire_of(protocol, provider):
    if protocol == "anthropic-messages":
        return Anthropic()
    if protocol == "openai-responses":
        return OpenAIResponses(provider)
    if protocol == "gemini":
        return Gemini("vertex" if provider == "vertex" else "studio")
    if protocol == "bedrock-converse":
        return Bedrock()
    return OpenAIChat(CHAT_DIALECTS.get(provider, provider))


def recorded(material):
    """Give every recorded request with its file, its wire, its path and the answer's status."""
    for file in sorted(material.glob("traffic/*/*.json")):
        entry = json.loads(file.read_text())
        if not entry.get("request") or entry["protocol"] == "cohere-chat":
            continue
        url = urlsplit(entry["url"])
        path = f"{url.path}?{url.query}" if url.query else url.path
        yield file, wire_of(entry["protocol"], file.parent.name), path, entry


def test_recorded_requests_that_were_answered_break_no_rule(material):
    faults = {}
    count = 0
    for file, wire, path, entry in recorded(material):
        if entry["status"] == 200:
            count += 1
            if found := wire.judge(path, entry["request"]):
                faults[file.name] = found
    assert faults == {}
    assert count >= 30


def test_recorded_requests_that_were_refused_for_their_form_break_a_rule(material):
    refused = {
        file.name: wire.judge(path, entry["request"])
        for file, wire, path, entry in recorded(material)
        if entry["status"] == 400
    }
    negative = next(name for name in refused if "responses-model-http-error" in name)
    assert refused[negative] == ["$.temperature: -1 is not between 0 and 2"]
    apart = next(name for name in refused if "rejects-interleaved" in name)
    assert any("no tool output found for ['call-a']" in fault for fault in refused[apart])


def test_frames_are_byte_for_byte_those_of_a_recorded_stream(material):
    folder = material / "traffic" / "bedrock"
    [file] = folder.glob("*code-execution-tool-stream*.json")
    raw = base64.b64decode(json.loads(file.read_text())["body_base64"])
    count = 0
    while raw:
        length, headers_length = (int.from_bytes(raw[at : at + 4], "big") for at in (0, 4))
        headers, rest = {}, raw[12 : 12 + headers_length]
        while rest:
            name_end = 1 + rest[0]
            value_start = name_end + 3
            value_end = value_start + int.from_bytes(rest[name_end + 1 : value_start], "big")
            headers[rest[1:name_end].decode()] = rest[value_start:value_end].decode()
            rest = rest[value_end:]
        value = json.loads(raw[12 + headers_length : length - 4])
        assert frame(value, headers) == raw[:length]
        raw, count = raw[length:], count + 1
    assert count > 5


TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CITY = {"city": "Zürich"}

# Each wire with a request that makes its model think, the path it goes to, and its auth header.
THINKING = {
    "anthropic": (
        Anthropic(),
        "/messages",
        {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 4_000,
            "messages": [{"role": "user", "content": "Weather?"}],
            "thinking": {"type": "enabled", "budget_tokens": 2_000},
            "tools": [{"name": "weather", "input_schema": TOOL}],
        },
    ),
    "openai-responses": (
        OpenAIResponses(),
        "/responses",
        {"authorization": f"Bearer {KEY}"},
        {
            "model": "gpt-5",
            "input": "Weather?",
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "low", "summary": "auto"},
            "tools": [{"type": "function", "name": "weather", "parameters": TOOL, "strict": False}],
        },
    ),
    "gemini": (
        Gemini(),
        "/models/gemini-3-flash-preview:generateContent",
        {"x-goog-api-key": KEY},
        {
            "contents": [{"role": "user", "parts": [{"text": "Weather?"}]}],
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "weather", "description": "", "parametersJsonSchema": TOOL}
                    ]
                }
            ],
        },
    ),
    "bedrock": (
        Bedrock(),
        "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
        {"authorization": f"Bearer {KEY}"},
        {
            "messages": [{"role": "user", "content": [{"text": "Weather?"}]}],
            "inferenceConfig": {"maxTokens": 4_000},
            "toolConfig": {
                "tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": TOOL}}}]
            },
            "additionalModelRequestFields": {
                "thinking": {"type": "enabled", "budget_tokens": 2_000}
            },
        },
    ),
}
MODELS = {
    "deepseek": "deepseek-reasoner",
    "xai": "grok-3-mini",
    "groq": "openai/gpt-oss-20b",
    "mistral": "magistral-medium-latest",
    "openrouter": "anthropic/claude-sonnet-4.5",
    "gateway": "anthropic/claude-sonnet-4.5",
    "cloudflare": "@cf/openai/gpt-oss-20b",
}
for dialect in (*MODELS, "ollama", "lm-studio", "llama.cpp", "openai-compatible"):
    request = {
        "model": MODELS.get(dialect, "qwen3"),
        "messages": [{"role": "user", "content": "Weather?"}],
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}],
    }
    if dialect in ("openrouter", "gateway"):
        request["reasoning"] = {"effort": "high"}
    bearer = {"authorization": f"Bearer {KEY}"}
    THINKING[dialect] = (OpenAIChat(dialect), "/chat/completions", bearer, request)


def post(server, path, headers, body):
    """Give status, headers and bytes of an answer."""
    sent = {"content-type": "application/json", **headers}
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), sent)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def streamed(path, body):
    """Give the same request, asking for a stream."""
    if "contents" in body:
        return path.replace(":generateContent", ":streamGenerateContent?alt=sse"), body
    if "/converse" in path:
        return path.replace("/converse", "/converse-stream"), body
    return path, body | {"stream": True}


@pytest.mark.parametrize("name", THINKING)
def test_an_answer_is_given_streamed_or_whole_as_it_was_asked_for(name):
    wire, path, headers, body = THINKING[name]
    told = answers.thinking_then_text("First the sky.", "Grüße aus Zürich!")
    with ProviderServer(wire, [told, told], step=5) as server:
        status, kind, whole = post(server, path, headers, body)
        assert (status, kind["content-type"]) == (200, "application/json")
        status, kind, stream = post(server, *_between(*streamed(path, body), headers))
    assert server.faults == [] and status == 200
    assert "Grüße aus Zürich!".encode() in whole and b"First the sky." in whole
    assert "stream" in kind["content-type"] and "Grü".encode() in stream and b"First" in stream
    assert kind["access-control-allow-origin"] == "*"


def _between(path, body, headers):
    return path, headers, body


def history(name, body, answer):
    """Give the request that follows an answer with a call: history must bring the turn back."""
    if name == "anthropic":
        ids = [block["id"] for block in answer["content"] if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": id, "content": "Sun"} for id in ids]
        turns = [
            {"role": "assistant", "content": answer["content"]},
            {"role": "user", "content": results},
        ]
        return body | {"messages": body["messages"] + turns}
    if name == "openai-responses":
        items = [{"role": "user", "content": "Weather?"}, *answer["output"]]
        for item in answer["output"]:
            if item["type"] == "function_call":
                output = {"type": "function_call_output", "output": "Sun"}
                items.append({**output, "call_id": item["call_id"]})
        return body | {"input": items}
    if name == "gemini":
        content = answer["candidates"][0]["content"]
        given = [
            {
                "functionResponse": {
                    "name": part["functionCall"]["name"],
                    "id": part["functionCall"]["id"],
                    "response": {"output": "Sun"},
                }
            }
            for part in content["parts"]
            if "functionCall" in part
        ]
        return body | {"contents": [*body["contents"], content, {"role": "user", "parts": given}]}
    if name == "bedrock":
        message = answer["output"]["message"]
        given = [
            {
                "toolResult": {
                    "toolUseId": block["toolUse"]["toolUseId"],
                    "content": [{"text": "Sun"}],
                }
            }
            for block in message["content"]
            if "toolUse" in block
        ]
        return body | {"messages": [*body["messages"], message, {"role": "user", "content": given}]}
    message = answer["choices"][0]["message"]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": "Sun"}
        for call in message["tool_calls"]
    ]
    return body | {"messages": [*body["messages"], message, *results]}


def thought_of(name, body):
    """Give the assistant's turn and the place in it where the thought, or its signature, is."""
    if name == "openai-responses":
        return body["input"], 1
    if name == "gemini":
        parts = body["contents"][1]["parts"]
        return next(part for part in parts if "functionCall" in part), "thoughtSignature"
    if name in ("anthropic", "bedrock"):
        return body["messages"][1]["content"], 0
    key = "reasoning_content" if name == "deepseek" else "reasoning_details"
    return body["messages"][1], key


REPLAYED = ["anthropic", "openai-responses", "gemini", "bedrock", "deepseek", "openrouter"]


@pytest.mark.parametrize("name", [*REPLAYED, "gateway"])
def test_a_turn_that_comes_back_without_its_thought_is_a_fault(name):
    wire, path, headers, body = THINKING[name]
    asked = answers.calls([("weather", CITY), ("weather", {"city": "Bern"})], "Two cities.")
    with ProviderServer(wire, [asked, answers.text("Sun.")]) as server:
        answer = json.loads(post(server, path, headers, body)[2])
        following = history(name, body, answer)
        assert post(server, path, headers, following)[0] == 200 and server.faults == []
        turn, place = thought_of(name, following)
        del turn[place]
        status, _, refusal = post(server, path, headers, following)
    assert status == 400 and b"$." in refusal
    assert server.faults and all(fault.startswith("request 2: $") for fault in server.faults)


@pytest.mark.parametrize("name", REPLAYED)
def test_a_thought_that_comes_back_changed_is_a_fault(name):
    wire, path, headers, body = THINKING[name]
    asked = answers.calls([("weather", CITY)], "One city.")
    with ProviderServer(wire, [asked, answers.text("Sun.")]) as server:
        answer = json.loads(post(server, path, headers, body)[2])
        following = history(name, body, answer)
        turn, place = thought_of(name, following)
        changed = json.dumps(turn[place]).replace("One city", "Any city").replace("==", "A==")
        turn[place] = json.loads(changed)
        assert post(server, path, headers, following)[0] == 400
    assert server.faults


def test_a_fault_names_no_key_and_takes_no_answer_of_the_script():
    wire, path, headers, body = THINKING["anthropic"]
    with ProviderServer(wire, [answers.text("Hello")]) as server:
        bad = post(server, path, {**headers, "x-api-key": "canary-wrong-key"}, body)
        elsewhere = post(server, "/complete", headers, body)
        good = post(server, path, headers, body)
    assert (bad[0], elsewhere[0], good[0]) == (401, 404, 200)
    assert server.faults[0] == "request 0: x-api-key: not the key of this provider"
    assert "canary" not in "".join(server.faults) + bad[2].decode()


def test_an_answer_too_many_is_a_fault():
    wire, path, headers, body = THINKING["ollama"]
    with ProviderServer(wire, []) as server:
        post(server, path, headers, body)
    assert server.faults == ["request 0: the script has no answer left"]


def test_a_page_without_the_browser_header_is_a_fault():
    headers = {"content-type": "application/json", "x-api-key": KEY, "origin": "https://x.test"}
    headers["anthropic-version"] = "2023-06-01"
    [fault] = Anthropic().judge_call("/v1/messages", headers, b"{}")
    assert "direct-browser-access" in fault
    headers["anthropic-dangerous-direct-browser-access"] = "true"
    assert Anthropic().judge_call("/v1/messages", headers, b"{}") == []


@pytest.mark.parametrize("name", THINKING)
def test_an_error_comes_instead_of_an_answer_or_inside_its_stream(name):
    wire, path, headers, body = THINKING[name]
    script = [
        answers.error(529, "overloaded", "Too busy", retry_after="7"),
        answers.error(529, "overloaded", "Too busy", inside=True, after="Well begun"),
    ]
    with ProviderServer(wire, script) as server:
        status, head, raw = post(server, path, headers, body)
        assert (status, head["retry-after"]) == (529, "7") and b"Too busy" in raw
        status, _, raw = post(server, *_between(*streamed(path, body), headers))
    assert status == 200 and b"Well" in raw and b"Too busy" in raw
    assert server.faults == []


def test_details_of_a_thought_may_come_back_in_the_pieces_of_the_stream():
    wire, path, headers, body = THINKING["openrouter"]
    asked = answers.calls([("weather", CITY)], "One city.", redacted=True)
    with ProviderServer(wire, [asked, answers.text("Sun.")]) as server:
        _, _, stream = post(server, path, headers, body | {"stream": True})
        lines = [line[6:] for line in stream.decode().split("\n") if line.startswith("data: {")]
        deltas = [json.loads(line)["choices"] for line in lines]
        deltas = [choices[0]["delta"] for choices in deltas if choices]
        details = [each for delta in deltas for each in delta.get("reasoning_details", [])]
        calls = next(delta["tool_calls"] for delta in deltas if "tool_calls" in delta)
        call = {"id": calls[0]["id"], "type": "function"}
        call["function"] = {"name": "weather", "arguments": json.dumps(CITY)}
        turn = {"role": "assistant", "tool_calls": [call], "reasoning_details": details}
        result = {"role": "tool", "tool_call_id": call["id"], "content": "Sun"}
        following = body | {"messages": [*body["messages"], turn, result]}
        assert len(details) > 3 and post(server, path, headers, following)[0] == 200
        del details[0]
        assert post(server, path, headers, following)[0] == 400
    assert [fault.split(":")[0] for fault in server.faults] == ["request 2"]


def test_groq_tells_the_thought_of_some_models_inside_the_text():
    body = {"model": "qwen/qwen3-32b", "messages": [{"role": "user", "content": "Hi"}]}
    told = answers.thinking_then_text("They greet.", "Hello")
    parsed = body | {"reasoning_format": "parsed"}
    with ProviderServer(OpenAIChat("groq"), [told, told]) as server:
        texts = []
        for request in (body, parsed):
            bearer = {"authorization": f"Bearer {KEY}"}
            answer = json.loads(post(server, "/chat/completions", bearer, request)[2])
            texts.append(answer["choices"][0]["message"])
    assert texts[0]["content"] == "<think>\nThey greet.\n</think>\n\nHello"
    assert texts[1]["content"] == "Hello" and texts[1]["reasoning"] == "They greet."

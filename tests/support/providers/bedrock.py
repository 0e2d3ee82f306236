"""Bedrock's Converse and ConverseStream: what a request must keep to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from . import bedrock_answers
from .answers import Answer
from .bedrock_fields import REQUEST
from .claude_rules import Asked, judge_thinking
from .sigv4 import AwsKeys, judge_signature
from .wire import KEY, Rendered, judge_json_header

Block = dict[str, Any]
Turns = list[tuple[str, list[Block]]]


@dataclass(frozen=True)
class Bedrock:
    """The wire. It takes its bearer `key`, and requests signed with its `aws` keys."""

    key: str = KEY
    aws: AwsKeys = field(default_factory=AwsKeys)
    base: str = ""

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break."""
        faults = [*judge_json_header(headers), *_judge_path(path)]
        if headers.get("authorization", "").startswith("AWS4-"):
            return faults + judge_signature(path, headers, raw, self.aws, "bedrock")
        # https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
        if headers.get("authorization") != f"Bearer {self.key}":
            faults.append("authorization: neither this provider's API key nor a signature")
        return faults

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks."""
        faults = REQUEST(body, "$")
        if faults:
            return faults
        turns = [(message["role"], message["content"]) for message in body["messages"]]
        model = bedrock_answers.model_of(path)
        return [
            *_judge_roles(turns),
            *_judge_calls(turns),
            *_judge_tools(body, turns),
            *_judge_attached(turns),
            *_judge_cache(body),
            *_judge_model(body, model),
            *(_judge_replay(body, turns, issued) if "anthropic.claude" in model else ()),
        ]

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer, streamed if the address says so."""
        if answer.fault and not answer.fault.inside:
            fault = answer.fault
            return bedrock_answers.refuse(fault.status, fault.kind, fault.message, **fault.headers)
        return bedrock_answers.render(answer, path, body, serial)

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer."""
        return bedrock_answers.refuse(status, kind, message)


# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
def _judge_path(path: str) -> Iterator[str]:
    parts = urlsplit(path)
    found = re.fullmatch(r"/model/([^/]+)/(converse|converse-stream)", parts.path)
    if found is None or parts.query:
        yield f"path: {path} is not /model/{{id}}/converse or …/converse-stream"
        return
    # A model id is one part of the path: its colons and slashes are quoted.
    # https://smithy.io/2.0/spec/http-bindings.html#httplabel-trait
    model = unquote(found[1])
    if found[1] != quote(model, safe=""):
        yield f"path: the model id {model} is not quoted"
    if not re.fullmatch(r"arn:aws[^\s]*|[a-zA-Z0-9:._-]+", model):
        yield f"path: {model!r} is no model id"


# https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html
def _judge_roles(turns: Turns) -> Iterator[str]:
    if turns[0][0] != "user":
        yield "$.messages[0].role: a conversation must start with a user message"
    if turns[-1][0] != "user":
        yield f"$.messages[{len(turns) - 1}].role: a conversation must end with a user message"
    for index in range(1, len(turns)):
        if turns[index][0] == turns[index - 1][0]:
            yield f"$.messages[{index}].role: roles must alternate"


# https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
def _judge_calls(turns: Turns) -> Iterator[str]:
    for index, (role, blocks) in enumerate(turns):
        before = turns[index - 1][1] if index else []
        asked = [block["toolUse"]["toolUseId"] for block in before if "toolUse" in block]
        given = [block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block]
        if role == "user" and sorted(asked) != sorted(given):
            yield (
                f"$.messages[{index}]: the turn before has the toolUse ids {asked}, this one the "
                f"toolResult ids {given}"
            )
        ids = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
        if len(set(ids)) != len(ids):
            yield f"$.messages[{index}]: a toolUse id comes twice"


# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
def _judge_tools(body: dict[str, Any], turns: Turns) -> Iterator[str]:
    used = any("toolUse" in block or "toolResult" in block for _, all in turns for block in all)
    config = body.get("toolConfig")
    if config is None:
        if used:
            yield "$.toolConfig: must be there when messages hold toolUse or toolResult blocks"
        return
    specs = [tool["toolSpec"]["name"] for tool in config["tools"] if "toolSpec" in tool]
    for name in {name for name in specs if specs.count(name) > 1}:
        yield f"$.toolConfig.tools: the name {name!r} is not unique"
    chosen = config.get("toolChoice", {}).get("tool", {}).get("name")
    if chosen is not None and chosen not in specs:
        yield f"$.toolConfig.toolChoice.tool.name: there is no tool {chosen!r}"


# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
def _judge_attached(turns: Turns) -> Iterator[str]:
    for index, (_, blocks) in enumerate(turns):
        documents = [block["document"] for block in blocks if "document" in block]
        if documents and not any("text" in block for block in blocks):
            yield f"$.messages[{index}]: a document needs a text beside it"
        if len(documents) > 5:
            yield f"$.messages[{index}]: {len(documents)} documents, at most 5"
        if len([block for block in blocks if "image" in block]) > 20:
            yield f"$.messages[{index}]: at most 20 images"
        names = [document["name"] for document in documents]
        if len(set(names)) != len(names):
            yield f"$.messages[{index}]: two documents of one name"


# https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
def _judge_cache(body: dict[str, Any]) -> Iterator[str]:
    blocks = [*body.get("toolConfig", {}).get("tools", []), *body.get("system", [])]
    blocks += [block for message in body["messages"] for block in message["content"]]
    marks = [block["cachePoint"] for block in blocks if "cachePoint" in block]
    if len(marks) > 4:
        yield f"$: {len(marks)} cache points, at most 4"
    times = [mark.get("ttl", "5m") for mark in marks]
    if "5m" in times and "1h" in times[times.index("5m") :]:
        yield "$: a cache point of 1h comes after one of 5m"


def _judge_model(body: dict[str, Any], model: str) -> Iterator[str]:
    extra = body.get("additionalModelRequestFields", {})
    config = body.get("inferenceConfig", {})
    choice = body.get("toolConfig", {}).get("toolChoice", {})
    if "anthropic.claude" in model:
        # https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
        asked = Asked(
            model=model,
            thinking=extra.get("thinking", extra.get("reasoning_config", {})),
            effort=(extra.get("output_config") or {}).get("effort"),
            max_tokens=config.get("maxTokens"),
            temperature=config.get("temperature"),
            top_p=config.get("topP"),
            top_k=extra.get("top_k"),
            forced=bool({"any", "tool"} & choice.keys()),
        )
        yield from (f"$: {fault}" for fault in judge_thinking(asked))
    # https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
    effort = extra.get("reasoningConfig", {})
    if effort.get("type") == "enabled" and effort.get("maxReasoningEffort") == "high":
        for key in ("maxTokens", "temperature", "topP"):
            if key in config:
                yield f"$.inferenceConfig.{key}: not with the reasoning effort high"


# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningTextBlock.html
def _judge_replay(body: dict[str, Any], turns: Turns, issued: Sequence[Any]) -> Iterator[str]:
    given = [block for turn in issued for block in turn if "reasoningContent" in block]
    thinks = bedrock_answers.thinks(body)
    for index, (role, blocks) in enumerate(turns):
        for place, block in enumerate(blocks):
            if issued and "reasoningContent" in block and block not in given:
                yield f"$.messages[{index}].content[{place}]: not a block that was given"
        turn = _issued_turn(blocks, issued)
        if role != "assistant" or turn is None or not thinks or index not in _current(turns):
            continue
        wanted = [(at, block) for at, block in enumerate(turn) if "reasoningContent" in block]
        found = [(at, block) for at, block in enumerate(blocks) if "reasoningContent" in block]
        if wanted != found:
            yield f"$.messages[{index}]: its reasoning is not the one given, in its place"


def _current(turns: Turns) -> range:
    """Give the places of the tool loop that goes on: what follows the user's last own words."""
    for index in range(len(turns) - 1, -1, -1):
        role, blocks = turns[index]
        if role == "user" and not any("toolResult" in block for block in blocks):
            return range(index + 1, len(turns))
    return range(len(turns))


def _issued_turn(blocks: list[Block], issued: Sequence[Any]) -> Any:
    ids = {block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block}
    for turn in issued:
        if ids & {block["toolUse"]["toolUseId"] for block in turn if "toolUse" in block}:
            return turn
    return None

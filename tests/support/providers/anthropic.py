"""Anthropic's Messages API: what a request must keep to, and its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from . import anthropic_answers
from .answers import Answer
from .anthropic_answers import THOUGHTS
from .anthropic_fields import REQUEST
from .claude_rules import Asked, adaptive, judge_thinking
from .wire import KEY, Rendered, judge_json_header


@dataclass(frozen=True)
class Anthropic:
    """The wire. `key` is the API key that it takes."""

    key: str = KEY
    base: str = "/v1"

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break."""
        faults = judge_json_header(headers)
        if urlsplit(path).path != f"{self.base}/messages":
            faults.append(f"path: {urlsplit(path).path} is not {self.base}/messages")
        # https://platform.claude.com/docs/en/api/overview#authentication
        if headers.get("x-api-key") != self.key:
            faults.append("x-api-key: not the key of this provider")
        if "authorization" in headers:
            faults.append("authorization: not beside x-api-key")
        # https://platform.claude.com/docs/en/api/versioning
        if headers.get("anthropic-version") != "2023-06-01":
            faults.append("anthropic-version: must be 2023-06-01")
        # https://github.com/anthropics/anthropic-sdk-typescript#browser-support
        browser = "origin" in headers
        if browser and headers.get("anthropic-dangerous-direct-browser-access") != "true":
            faults.append("anthropic-dangerous-direct-browser-access: a page must send true")
        return faults

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks."""
        faults = REQUEST(body, "$")
        if faults:
            return faults
        messages = [(message["role"], _blocks(message)) for message in body["messages"]]
        return [
            *_judge_roles(body, messages),
            *_judge_calls(messages),
            *_judge_tools(body),
            *_judge_thinking(body, messages),
            *_judge_cache(body),
            *_judge_replay(body, messages, issued),
        ]

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer, streamed if the request says so."""
        if answer.fault and not answer.fault.inside:
            fault = answer.fault
            return anthropic_answers.refuse(
                fault.status, fault.kind, fault.message, **fault.headers
            )
        return anthropic_answers.render(answer, body, serial)

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer."""
        return anthropic_answers.refuse(status, kind, message)


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


Turns = list[tuple[str, list[dict[str, Any]]]]


# https://platform.claude.com/docs/en/api/messages/create: models are trained on alternating turns
def _judge_roles(body: dict[str, Any], messages: Turns) -> Iterator[str]:
    if messages[0][0] != "user":
        yield "$.messages[0].role: the first turn is the user's"
    for index in range(1, len(messages)):
        if messages[index][0] == messages[index - 1][0]:
            yield f"$.messages[{index}].role: two {messages[index][0]} turns follow one another"
    # https://platform.claude.com/docs/en/build-with-claude/working-with-messages: no prefill
    thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    if messages[-1][0] == "assistant" and (thinks or adaptive(body["model"])):
        yield f"$.messages[{len(messages) - 1}].role: the last turn must be the user's"


# https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
def _judge_calls(messages: Turns) -> Iterator[str]:
    known: set[str] = set()
    for index, (role, blocks) in enumerate(messages):
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        given = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        yield from (
            f"$.messages[{index}]: the tool_use id {id} is not unique" for id in known & {*asked}
        )
        known |= {*asked}
        before = messages[index - 1][1] if index else []
        open_calls = [block["id"] for block in before if block["type"] == "tool_use"]
        if role == "user" and sorted(given) != sorted(open_calls):
            yield (
                f"$.messages[{index}]: the turn before has the tool_use ids {open_calls}, this one "
                f"the tool_result ids {given}"
            )
        kinds = [block["type"] for block in blocks]
        if "tool_result" in kinds[len(given) :]:
            yield f"$.messages[{index}].content: the tool_result blocks must come first"
        if role == "assistant" and asked and index == len(messages) - 1:
            yield f"$.messages[{index}]: its tool_use blocks have no tool_result"


# https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
def _judge_tools(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    names = [tool["name"] for tool in tools]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"$.tools: the name {name!r} is not unique"
    for index, tool in enumerate(tools):
        for key in ("oneOf", "anyOf", "allOf"):
            if key in tool.get("input_schema", {}):
                yield f"$.tools[{index}].input_schema.{key}: not at the top of a schema"
    choice = body.get("tool_choice")
    if choice and not tools:
        yield "$.tool_choice: not without tools"
    elif choice and choice["type"] == "tool" and choice["name"] not in names:
        yield f"$.tool_choice.name: there is no tool {choice['name']!r}"


# https://platform.claude.com/docs/en/build-with-claude/extended-thinking
def _judge_thinking(body: dict[str, Any], messages: Turns) -> Iterator[str]:
    asked = Asked(
        model=body["model"],
        thinking=body.get("thinking", {}),
        effort=(body.get("output_config") or {}).get("effort"),
        max_tokens=body["max_tokens"],
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        top_k=body.get("top_k"),
        forced=body.get("tool_choice", {}).get("type") in ("any", "tool"),
    )
    yield from (f"$.{fault}" for fault in judge_thinking(asked))
    if asked.thinking.get("type") != "enabled":
        return
    for index in _loop(messages):
        kinds = [block["type"] for block in messages[index][1]]
        if "tool_use" in kinds and kinds[0] not in THOUGHTS:
            yield f"$.messages[{index}].content[0]: must be a thinking block, is {kinds[0]}"


# https://platform.claude.com/docs/en/build-with-claude/prompt-caching
def _judge_cache(body: dict[str, Any]) -> Iterator[str]:
    marks = list(_marks([body.get("tools"), body.get("system"), body["messages"]]))
    if body.get("cache_control"):
        marks.append(body["cache_control"])
    if len(marks) > 4:
        yield f"$: {len(marks)} cache_control marks, at most 4"
    times = [mark.get("ttl", "5m") for mark in marks]
    if "5m" in times and "1h" in times[times.index("5m") :]:
        yield "$: a cache_control mark of 1h comes after one of 5m"


def _marks(value: Any) -> Iterator[dict[str, Any]]:
    """Give the marks in the order of the prompt; a schema's own properties are none."""
    if isinstance(value, list):
        for item in value:
            yield from _marks(item)
    elif isinstance(value, dict):
        yield from _marks(value.get("content"))
        if value.get("cache_control"):
            yield value["cache_control"]


# https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
def _judge_replay(body: dict[str, Any], messages: Turns, issued: Sequence[Any]) -> Iterator[str]:
    given = [block for turn in issued for block in turn if block["type"] in THOUGHTS]
    loop = _loop(messages)
    for index, (_, blocks) in enumerate(messages):
        for place, block in enumerate(blocks):
            if issued and block["type"] in THOUGHTS and block not in given:
                yield f"$.messages[{index}].content[{place}]: not a block that was given"
        turn = _issued_turn(blocks, issued)
        if turn is None or index not in loop or body.get("thinking", {}).get("type") == "disabled":
            continue
        wanted = [(at, block) for at, block in enumerate(turn) if block["type"] in THOUGHTS]
        found = [(at, block) for at, block in enumerate(blocks) if block["type"] in THOUGHTS]
        if "thinking" in body and wanted != found:
            yield f"$.messages[{index}]: its thinking blocks are not those given, in their places"


def _loop(messages: Turns) -> list[int]:
    """Give the assistant's turns since the user's last words: the tool loop that goes on."""
    results = [
        role == "user" and any(block["type"] == "tool_result" for block in blocks)
        for role, blocks in messages
    ]
    spoken = [at for at, (role, _) in enumerate(messages) if role == "user" and not results[at]]
    last = spoken[-1] if spoken else -1
    return [at for at, (role, _) in enumerate(messages) if role == "assistant" and at > last]


def _issued_turn(blocks: list[dict[str, Any]], issued: Sequence[Any]) -> Any:
    ids = {block["id"] for block in blocks if block["type"] == "tool_use"}
    for turn in issued:
        if ids & {block.get("id") for block in turn}:
            return turn
    return None

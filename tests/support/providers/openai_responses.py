"""OpenAI's Responses API, at OpenAI and at Azure: what a request must keep to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from . import responses_answers
from .answers import Answer
from .azure import judge_azure
from .openai_models import judge_effort, judge_sampling, reasons
from .responses_fields import REQUEST
from .wire import KEY, Rendered, judge_json_header


@dataclass(frozen=True)
class OpenAIResponses:
    """The wire. `at` is "openai", "azure", or another host that copies it ("deepseek")."""

    at: str = "openai"
    key: str = KEY

    @property
    def base(self) -> str:
        """The path that a client's base URL ends in."""
        return {"openai": "/v1", "azure": "/openai/v1"}.get(self.at, "")

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break."""
        faults = judge_json_header(headers)
        if self.at == "azure":
            return faults + judge_azure(path, headers, self.key, "responses")
        if path != f"{self.base}/responses":
            faults.append(f"path: {urlsplit(path).path} is not {self.base}/responses")
        # https://platform.openai.com/docs/api-reference/authentication
        if headers.get("authorization") != f"Bearer {self.key}":
            faults.append("authorization: not the key of this provider as a bearer token")
        return faults

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks."""
        faults = REQUEST(body, "$")
        if faults:
            return faults
        items = body["input"] if isinstance(body["input"], list) else []
        own = self.at in ("openai", "azure")
        return [
            *_judge_calls(items),
            *_judge_tools(body),
            *_judge_state(body, items),
            *_judge_reasoning(body, items, own=own),
            *(_judge_model(body) if own else ()),
            *(_judge_ids(items) if own else ()),
            *_judge_replay(items, issued),
        ]

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer, streamed if the request says so."""
        if answer.fault and not answer.fault.inside:
            fault = answer.fault
            return responses_answers.refuse(
                fault.status, fault.kind, fault.message, **fault.headers
            )
        return responses_answers.render(answer, body, serial)

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer."""
        return responses_answers.refuse(status, kind, message)


def _kind(item: dict[str, Any]) -> str:
    return str(item.get("type", "message"))


def _is_users(item: dict[str, Any]) -> bool:
    return _kind(item) == "message" and item["role"] == "user"


# https://platform.openai.com/docs/guides/function-calling#handling-function-calls
def _judge_calls(items: list[dict[str, Any]]) -> Iterator[str]:
    open_ids: list[str] = []
    said = [item for item in items if item.get("role") not in ("system", "developer")]
    if said and not _is_users(said[0]):
        yield f"$.input: the first turn is the user's, not {_kind(said[0])}"
    for index, item in enumerate(items):
        kind = _kind(item)
        if kind == "function_call":
            if item["call_id"] in open_ids:
                yield f"$.input[{index}].call_id: comes twice"
            open_ids.append(item["call_id"])
            if not _is_object(item["arguments"]):
                yield f"$.input[{index}].arguments: not the text of a JSON object"
        elif kind == "function_call_output":
            if item["call_id"] not in open_ids:
                yield f"$.input[{index}].call_id: answers no open call before it"
            else:
                open_ids.remove(item["call_id"])
        elif kind == "message" and open_ids:
            yield f"$.input[{index}]: no tool output found for {open_ids} before it"
    if open_ids:
        yield f"$.input: no tool output found for {open_ids}"


def _is_object(raw: str) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


# https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
def _judge_tools(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    names = [tool.get("name") for tool in tools]
    if len(tools) > 128:
        yield f"$.tools: {len(tools)} tools, at most 128"
    choice = body.get("tool_choice")
    if not tools and choice not in (None, "none", "auto"):
        yield "$.tool_choice: not without tools"
    if isinstance(choice, dict) and choice["type"] == "function" and choice["name"] not in names:
        yield f"$.tool_choice.name: there is no tool {choice['name']!r}"
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "$.stream_options: only with stream"


# https://platform.openai.com/docs/guides/conversation-state
def _judge_state(body: dict[str, Any], items: list[dict[str, Any]]) -> Iterator[str]:
    if body.get("previous_response_id") and body.get("conversation"):
        yield "$.conversation: not beside previous_response_id"
    ids = [item["id"] for item in items if item.get("id")]
    for id in {id for id in ids if ids.count(id) > 1}:
        yield f"$.input: the item {id} comes twice"
    if body.get("store") is False:
        for index, item in enumerate(items):
            if _kind(item) == "item_reference":
                yield f"$.input[{index}]: nothing is stored that it could refer to"


# https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
def _judge_reasoning(
    body: dict[str, Any], items: list[dict[str, Any]], *, own: bool
) -> Iterator[str]:
    stateless = own and body.get("store") is False
    included = "reasoning.encrypted_content" in (body.get("include") or [])
    if stateless and reasons(body["model"]) and not included:
        yield "$.include: needs reasoning.encrypted_content, for nothing is stored"
    for index, item in enumerate(items):
        if _kind(item) != "reasoning":
            continue
        if stateless and not item.get("encrypted_content"):
            yield f"$.input[{index}].encrypted_content: missing, and nothing is stored"
        following = _kind(items[index + 1]) if index + 1 < len(items) else "nothing"
        if following == "message" and items[index + 1]["role"] != "assistant":
            following = items[index + 1]["role"]
        if following not in ("message", "function_call", "reasoning"):
            yield f"$.input[{index}]: without its required following item, but {following}"


# https://platform.openai.com/docs/guides/reasoning
def _judge_model(body: dict[str, Any]) -> Iterator[str]:
    yield from judge_sampling(body)
    reasoning = body.get("reasoning") or {}
    yield from judge_effort(body["model"], reasoning.get("effort"), "$.reasoning.effort")
    if reasoning.get("summary") and not reasons(body["model"]):
        yield f"$.reasoning.summary: {body['model']} is no reasoning model"


# https://platform.openai.com/docs/api-reference/responses/object
_PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc", "function_call_output": "fc"}


def _judge_ids(items: list[dict[str, Any]]) -> Iterator[str]:
    for index, item in enumerate(items):
        prefix = _PREFIX.get(_kind(item), "")
        if item.get("id") and not item["id"].startswith(prefix):
            yield f"$.input[{index}].id: must begin with {prefix!r}"


# https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
def _judge_replay(items: list[dict[str, Any]], issued: Sequence[Any]) -> Iterator[str]:
    spoken = [index for index, item in enumerate(items) if _is_users(item)]
    last = spoken[-1] if spoken else -1
    given = {item["id"]: item for turn in issued for item in turn if _kind(item) == "reasoning"}
    for index, item in enumerate(items):
        if _kind(item) == "reasoning" and issued:
            original = given.get(item["id"])
            if original is None or not _same(item, original):
                yield f"$.input[{index}]: not a reasoning item that was given"
        if _kind(item) == "function_call" and index > last:
            yield from _judge_before(items, index, issued)


def _judge_before(items: list[dict[str, Any]], index: int, issued: Sequence[Any]) -> Iterator[str]:
    """A call of the tool loop that goes on stands behind the reasoning it was given with."""
    call_id = items[index]["call_id"]
    for turn in issued:
        if any(item.get("call_id") == call_id for item in turn):
            wanted = [item["id"] for item in turn if _kind(item) == "reasoning"]
            found = [item.get("id") for item in items[:index] if _kind(item) == "reasoning"]
            for id in wanted:
                if id not in found:
                    yield f"$.input[{index}]: without its required reasoning item {id}"


def _same(item: dict[str, Any], original: dict[str, Any]) -> bool:
    keys = ("summary", "encrypted_content", "content")
    return all(item[key] == original.get(key) for key in keys if item.get(key))

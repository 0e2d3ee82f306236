"""The chat completions wire and its dialects: what a request must keep to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from . import chat_answers, chat_fields
from .answers import Answer
from .azure import judge_azure
from .chat_dialects import DIALECTS, Dialect
from .openai_models import judge_effort, judge_sampling, thinks
from .wire import KEY, Rendered, judge_json_header


@dataclass(frozen=True)
class OpenAIChat:
    """The wire. `dialect` says who speaks it; `key` is the API key that is taken."""

    dialect: str = "openai"
    key: str = KEY

    @property
    def facts(self) -> Dialect:
        """What the dialect's reference says."""
        return DIALECTS[self.dialect]

    @property
    def base(self) -> str:
        """The path that a client's base URL ends in."""
        return self.facts.base

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break."""
        faults = judge_json_header(headers)
        if self.dialect == "azure":
            return faults + judge_azure(path, headers, self.key, "chat/completions")
        parts = urlsplit(path)
        if parts.path != f"{self.base}/chat/completions" or parse_qs(parts.query):
            faults.append(f"path: {path} is not {self.base}/chat/completions")
        # https://platform.openai.com/docs/api-reference/authentication
        given = headers.get("authorization")
        if given != f"Bearer {self.key}" and (given or self.facts.needs_key):
            faults.append("authorization: not the key of this provider as a bearer token")
        return faults

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks."""
        faults = chat_fields.request(self.dialect)(body, "$")
        if faults:
            return faults
        return [
            *_judge_order(body["messages"], self.dialect),
            *_judge_calls(body["messages"]),
            *_judge_tools(body, self.dialect),
            *_judge_stream(body),
            *(_judge_model(body) if self.dialect in ("openai", "azure") else ()),
            *_RULES.get(self.dialect, _no_rules)(body),
            *_judge_replay(body, self.facts, issued),
        ]

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer, streamed if the request says so."""
        if answer.fault and not answer.fault.inside:
            fault = answer.fault
            return chat_answers.refuse(
                self.dialect, fault.status, fault.kind, fault.message, **fault.headers
            )
        return chat_answers.render(answer, body, serial, self.dialect)

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer."""
        return chat_answers.refuse(self.dialect, status, kind, message)


# https://platform.openai.com/docs/guides/text#message-roles-and-instruction-following
def _judge_order(messages: list[dict[str, Any]], dialect: str) -> Iterator[str]:
    roles = [message["role"] for message in messages]
    spoken = [role for role in roles if role not in ("system", "developer")]
    if spoken[:1] != ["user"]:
        yield f"$.messages: the first turn is the user's, not {spoken[:1]}"
    if "system" in roles and "developer" in roles:
        # https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning
        yield "$.messages: system and developer messages in one request"
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and not _says(message):
            yield f"$.messages[{index}]: neither content nor tool_calls"
    # https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct
    last = messages[-1]
    if dialect == "mistral" and roles[-1] == "assistant" and not last.get("prefix"):
        yield f"$.messages[{len(messages) - 1}].role: the last turn must be user or tool"


def _says(message: dict[str, Any]) -> bool:
    return bool(message.get("content") or message.get("tool_calls") or message.get("refusal"))


# https://platform.openai.com/docs/guides/function-calling#handling-function-calls
def _judge_calls(messages: list[dict[str, Any]]) -> Iterator[str]:
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            id = message["tool_call_id"]
            if id in open_ids:
                open_ids.remove(id)
            else:
                yield f"$.messages[{index}].tool_call_id: {id!r} answers no open call before it"
            continue
        if open_ids:
            yield f"$.messages[{index}]: the calls {open_ids} have no answer before it"
        calls = message.get("tool_calls", [])
        open_ids = [call["id"] for call in calls]
        if len(set(open_ids)) != len(open_ids):
            yield f"$.messages[{index}].tool_calls: an id comes twice"
        for place, call in enumerate(calls):
            if not _is_object(call["function"]["arguments"]):
                where = f"$.messages[{index}].tool_calls[{place}].function.arguments"
                yield f"{where}: not the text of a JSON object"
    if open_ids:
        yield f"$.messages: the calls {open_ids} have no answer"


def _is_object(raw: str) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


# https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
def _judge_tools(body: dict[str, Any], dialect: str) -> Iterator[str]:
    tools = body.get("tools", [])
    names = [tool["function"]["name"] for tool in tools]
    if dialect in ("openai", "azure", "groq") and len(tools) > 128:
        yield f"$.tools: {len(tools)} tools, at most 128"
    if dialect != "openai-compatible" and "tools" in body and not tools:
        yield "$.tools: is empty"
    if not tools:
        for key in ("tool_choice", "parallel_tool_calls"):
            if body.get(key) not in (None, "none"):
                yield f"$.{key}: not without tools"
    choice = body.get("tool_choice")
    if choice == "any" and dialect != "mistral":
        yield "$.tool_choice: 'any' is Mistral's word"
    if isinstance(choice, dict) and choice["type"] == "function":
        name = choice["function"]["name"]
        if name not in names:
            yield f"$.tool_choice.function.name: there is no tool {name!r}"
    kind = body.get("response_format", {}).get("type")
    if kind == "json_schema" and not DIALECTS[dialect].json_schema:
        yield "$.response_format.type: json_schema is not available here"


# https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options
def _judge_stream(body: dict[str, Any]) -> Iterator[str]:
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "$.stream_options: only with stream"
    if body.get("top_logprobs") and not body.get("logprobs"):
        yield "$.top_logprobs: only with logprobs"


# https://platform.openai.com/docs/guides/reasoning
def _judge_model(body: dict[str, Any]) -> Iterator[str]:
    yield from judge_sampling(body)
    yield from judge_effort(body["model"], body.get("reasoning_effort"), "$.reasoning_effort")


# https://api-docs.deepseek.com/guides/thinking_mode
def _judge_deepseek(body: dict[str, Any]) -> Iterator[str]:
    messages = body["messages"]
    last_user = max(at for at, message in enumerate(messages) if message["role"] == "user")
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        where = f"$.messages[{index}].reasoning_content"
        if message.get("tool_calls"):
            if thinks("deepseek", body) and message.get("reasoning_content") is None:
                yield f"{where}: a turn that called tools must bring its thought back"
            continue
        finished = index < last_user and not _used_tools(messages, index)
        if finished and message.get("reasoning_content"):
            yield f"{where}: the thought of a finished turn is not sent again"


def _used_tools(messages: list[dict[str, Any]], index: int) -> bool:
    """Whether the turn that this message ends, back to the user's words, called tools."""
    while index and messages[index - 1]["role"] != "user":
        index -= 1
        if messages[index].get("tool_calls"):
            return True
    return False


# https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct
def _judge_mistral(body: dict[str, Any]) -> Iterator[str]:
    for index, message in enumerate(body["messages"]):
        ids = [call["id"] for call in message.get("tool_calls", [])]
        ids += [message["tool_call_id"]] if message["role"] == "tool" else []
        for id in ids:
            if not re.fullmatch(r"[a-zA-Z0-9]{9}", id):
                yield f"$.messages[{index}]: the call id {id!r} is not nine letters or digits"
    if body.get("reasoning_effort") not in (None, "none", "high"):
        # https://docs.mistral.ai/capabilities/reasoning/adjustable
        yield "$.reasoning_effort: only none or high"


# https://console.groq.com/docs/reasoning
def _judge_groq(body: dict[str, Any]) -> Iterator[str]:
    if body.get("n") not in (None, 1):
        yield "$.n: only 1"
    style, model = body.get("reasoning_format"), body["model"]
    if style not in (None, "hidden", "raw", "parsed"):
        yield f"$.reasoning_format: {style!r} is none of hidden, raw, parsed"
    if style and "include_reasoning" in body:
        yield "$.include_reasoning: not beside reasoning_format"
    structured = body.get("response_format", {}).get("type", "text") != "text"
    if style == "raw" and (body.get("tools") or structured):
        yield "$.reasoning_format: raw is not possible with tools or JSON"
    effort = body.get("reasoning_effort")
    if "gpt-oss" in model and effort not in (None, "low", "medium", "high"):
        yield f"$.reasoning_effort: {model} takes low, medium or high"
    if "qwen" in model and effort not in (None, "none", "default"):
        yield f"$.reasoning_effort: {model} takes none or default"


# https://docs.x.ai/docs/guides/reasoning
def _judge_xai(body: dict[str, Any]) -> Iterator[str]:
    if not thinks("xai", body):
        return
    for key in ("presence_penalty", "frequency_penalty", "stop"):
        if body.get(key) is not None:
            yield f"$.{key}: not for a reasoning model"
    if "reasoning_effort" in body and re.match(r"grok-4(?!\.\d|-\d-)", body["model"]):
        yield f"$.reasoning_effort: {body['model']} does not take it"


# https://openrouter.ai/docs/use-cases/reasoning-tokens
def _judge_routed(body: dict[str, Any]) -> Iterator[str]:
    if "/" not in body["model"]:
        yield f"$.model: {body['model']!r} is not author/model"
    reasoning = body.get("reasoning") or {}
    if reasoning.get("effort") is not None and reasoning.get("max_tokens") is not None:
        yield "$.reasoning: effort or max_tokens, not both"


# https://developers.cloudflare.com/workers-ai/models/
def _judge_cloudflare(body: dict[str, Any]) -> Iterator[str]:
    if not re.match(r"@(cf|hf)/[^/]+/[^/]+", body["model"]):
        yield f"$.model: {body['model']!r} is not @cf/author/model"


def _no_rules(body: dict[str, Any]) -> Iterator[str]:
    return iter(())


_RULES = {
    "deepseek": _judge_deepseek,
    "mistral": _judge_mistral,
    "groq": _judge_groq,
    "xai": _judge_xai,
    "openrouter": _judge_routed,
    "gateway": _judge_routed,
    "cloudflare": _judge_cloudflare,
}


def _judge_replay(body: dict[str, Any], facts: Dialect, issued: Sequence[Any]) -> Iterator[str]:
    """What a provider gave with a call and wants back with it, unchanged.

    https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning and
    https://api-docs.deepseek.com/guides/thinking_mode
    """
    key = facts.wants_back
    turns = {call["id"]: turn for turn in issued for call in turn.get("tool_calls", [])}
    for index, message in enumerate(body["messages"]):
        for call in message.get("tool_calls", []):
            turn = turns.get(call["id"])
            if turn and turn.get(key) and _joined(message.get(key)) != turn[key]:
                yield f"$.messages[{index}].{key}: not what came with the call {call['id']}"
                break


def _joined(thought: Any) -> Any:
    """Give a thought as it was; the details of a stream may come back in the pieces they came in.

    https://openrouter.ai/docs/use-cases/reasoning-tokens#streaming-mode
    """
    if not isinstance(thought, list):
        return thought
    joined: list[dict[str, Any]] = []
    for detail in thought:
        last = joined[-1] if joined else {}
        if (last.get("type"), last.get("index")) == (detail["type"], detail.get("index")):
            more = {key: last.get(key, "") + detail[key] for key in ("text",) if key in detail}
            joined[-1] = {**last, **detail, **more}
        else:
            joined.append(detail)
    return joined

"""Gemini's generateContent, at AI Studio and at Vertex: what a request must keep to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from . import gemini_answers
from .answers import Answer
from .gemini_fields import camel, request
from .gemini_models import is_3, judge_thinking
from .wire import KEY, Rendered, judge_json_header

# https://ai.google.dev/gemini-api/docs/thought-signatures: stand-ins for a turn of another model
_STAND_INS = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")

Part = dict[str, Any]
Turns = list[tuple[str, list[Part]]]


@dataclass(frozen=True)
class Gemini:
    """The wire. `key` is an API key at AI Studio, an access token at Vertex."""

    at: Literal["studio", "vertex"] = "studio"
    key: str = KEY
    project: str = "demo-project"
    location: str = "europe-west1"

    @property
    def base(self) -> str:
        """The path that a client's base URL ends in."""
        if self.at == "studio":
            return "/v1beta"
        where = f"/projects/{self.project}/locations/{self.location}"
        return f"/v1{where}/publishers/google"

    def judge_call(self, path: str, headers: Mapping[str, str], raw: bytes) -> list[str]:
        """Give what the address and the headers break."""
        faults = judge_json_header(headers)
        parts = urlsplit(path)
        query = parse_qs(parts.query, keep_blank_values=True)
        wanted = rf"{re.escape(self.base)}/models/[\w.-]+:(generateContent|streamGenerateContent)"
        found = re.fullmatch(wanted, parts.path)
        if found is None:
            faults.append(f"path: {parts.path} does not fit {wanted}")
        elif found[1] == "streamGenerateContent" and query != {"alt": ["sse"]}:
            faults.append("path: a stream of events needs the query alt=sse, and no other")
        elif found[1] == "generateContent" and query:
            faults.append(f"path: unknown query parameters {', '.join(query)}")
        # https://ai.google.dev/gemini-api/docs/api-key
        if self.at == "studio" and headers.get("x-goog-api-key") != self.key:
            faults.append("x-goog-api-key: not the key of this provider")
        # https://cloud.google.com/docs/authentication/rest
        if self.at == "vertex" and headers.get("authorization") != f"Bearer {self.key}":
            faults.append("authorization: not this provider's token as a bearer token")
        return faults

    def judge(self, path: str, body: Any, issued: Sequence[Any] = ()) -> list[str]:
        """Give what the body breaks."""
        body = camel(body)
        faults = request(self.at == "vertex")(body, "$")
        if faults:
            return faults
        turns = [(content["role"], content["parts"]) for content in body["contents"]]
        model = gemini_answers.model_of(path)
        return [
            *_judge_roles(turns),
            *_judge_calls(turns),
            *_judge_parts(turns, model),
            *_judge_tools(body),
            *_judge_output(body, model),
            *judge_thinking(body, model),
            *(_judge_signatures(turns) if is_3(model) else ()),
            *_judge_replay(turns, issued),
        ]

    def render(self, answer: Answer, path: str, body: Any, serial: int) -> Rendered:
        """Give the answer, streamed if the address says so."""
        if answer.fault and not answer.fault.inside:
            fault = answer.fault
            return gemini_answers.refuse(fault.status, fault.kind, fault.message, **fault.headers)
        return gemini_answers.render(answer, path, camel(body), serial)

    def refuse(self, status: int, kind: str, message: str) -> Rendered:
        """Give an error answer."""
        return gemini_answers.refuse(status, kind, message)


# https://ai.google.dev/gemini-api/docs/text-generation#multi-turn-conversations
def _judge_roles(turns: Turns) -> Iterator[str]:
    if turns[0][0] != "user":
        yield "$.contents[0].role: the first turn is the user's"
    if turns[-1][0] != "user":
        yield f"$.contents[{len(turns) - 1}].role: the last turn is the user's"
    for index in range(1, len(turns)):
        if turns[index][0] == turns[index - 1][0]:
            yield f"$.contents[{index}].role: two {turns[index][0]} turns follow one another"


# https://ai.google.dev/gemini-api/docs/function-calling
def _judge_calls(turns: Turns) -> Iterator[str]:
    for index, (role, parts) in enumerate(turns):
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        given = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if calls and role != "model":
            yield f"$.contents[{index}]: a functionCall is the model's"
        if given and role != "user":
            yield f"$.contents[{index}]: a functionResponse is the user's"
        before = turns[index - 1][1] if index else []
        asked = [part["functionCall"] for part in before if "functionCall" in part]
        if role != "user":
            continue
        if len(asked) != len(given):
            yield (
                f"$.contents[{index}]: {len(given)} functionResponse parts for {len(asked)} "
                "functionCall parts of the turn before"
            )
        elif sorted(map(_key, asked)) != sorted(map(_key, given)):
            yield f"$.contents[{index}]: the names or ids of its functionResponse parts differ"


def _key(call: Part) -> tuple[str, str]:
    return call["name"], call.get("id", "")


# https://ai.google.dev/api/caching#Part
def _judge_parts(turns: Turns, model: str) -> Iterator[str]:
    for index, (_, parts) in enumerate(turns):
        for place, part in enumerate(parts):
            where = f"$.contents[{index}].parts[{place}]"
            if part.get("text") == "" and "thoughtSignature" not in part:
                yield f"{where}.text: is empty"
            if part.get("thoughtSignature") in _STAND_INS and not is_3(model):
                yield f"{where}.thoughtSignature: a stand-in is only for Gemini 3"
            # https://ai.google.dev/gemini-api/docs/function-calling#multimodal
            if part.get("functionResponse", {}).get("parts") and not is_3(model):
                yield f"{where}.functionResponse.parts: only Gemini 3 takes them"


# https://ai.google.dev/api/caching#ToolConfig
def _judge_tools(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    tools = tools if isinstance(tools, list) else [tools]
    names = [each["name"] for tool in tools for each in tool.get("functionDeclarations", [])]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"$.tools: the function {name!r} is declared twice"
    calling = body.get("toolConfig", {}).get("functionCallingConfig", {})
    allowed = calling.get("allowedFunctionNames", [])
    where = "$.toolConfig.functionCallingConfig"
    if calling.get("mode") in ("ANY", "VALIDATED") and not names:
        yield f"{where}: no function is declared"
    if allowed and calling.get("mode") not in ("ANY", "VALIDATED"):
        yield f"{where}.allowedFunctionNames: only with the mode ANY or VALIDATED"
    for name in set(allowed) - set(names):
        yield f"{where}.allowedFunctionNames: there is no function {name!r}"


# https://ai.google.dev/gemini-api/docs/structured-output
def _judge_output(body: dict[str, Any], model: str) -> Iterator[str]:
    config = body.get("generationConfig", {})
    schemas = [key for key in ("responseSchema", "responseJsonSchema") if key in config]
    if len(schemas) > 1:
        yield "$.generationConfig: responseSchema and responseJsonSchema exclude one another"
    if schemas and config.get("responseMimeType") != "application/json":
        yield "$.generationConfig.responseMimeType: a schema needs application/json"
    structured = schemas or config.get("responseMimeType") == "application/json"
    if structured and body.get("tools") and not is_3(model):
        yield f"$.generationConfig: {model} gives no JSON while it has tools"


# https://ai.google.dev/gemini-api/docs/thought-signatures
def _judge_signatures(turns: Turns) -> Iterator[str]:
    """In each step of the turn that goes on, the first call bears a signature."""
    for index in _current(turns):
        role, parts = turns[index]
        calls = [part for part in parts if "functionCall" in part]
        if role == "model" and calls and not calls[0].get("thoughtSignature"):
            name = calls[0]["functionCall"]["name"]
            yield f"$.contents[{index}]: the call of {name!r} misses its thoughtSignature"


def _current(turns: Turns) -> range:
    """Give the places of the turn that goes on: what follows the user's last own words."""
    for index in range(len(turns) - 1, -1, -1):
        role, parts = turns[index]
        if role == "user" and not any("functionResponse" in part for part in parts):
            return range(index + 1, len(turns))
    return range(len(turns))


# https://ai.google.dev/gemini-api/docs/thought-signatures
def _judge_replay(turns: Turns, issued: Sequence[Any]) -> Iterator[str]:
    given = {
        part["thoughtSignature"]: part
        for turn in issued
        for part in turn
        if "thoughtSignature" in part
    }
    for index, (role, parts) in enumerate(turns):
        for place, part in enumerate(parts):
            signature = part.get("thoughtSignature")
            if not issued or signature is None or signature in _STAND_INS:
                continue
            original = given.get(signature)
            if original is None:
                yield f"$.contents[{index}].parts[{place}].thoughtSignature: was never given"
            elif _data(original) != _data(part):
                yield f"$.contents[{index}].parts[{place}].thoughtSignature: of another part"
        if role == "model" and index in _current(turns):
            yield from _judge_missing(index, parts, issued)


def _judge_missing(index: int, parts: list[Part], issued: Sequence[Any]) -> Iterator[str]:
    """The signatures and ids of the turn that goes on come back, each on its part."""
    calls = _calls(parts)
    same = [turn for turn in issued if calls and calls == _calls(turn)]
    signed = [turn for turn in same if _signatures(turn) <= _signatures(parts)]
    if same and not signed:
        yield f"$.contents[{index}]: a thoughtSignature that was given is missing"
    if signed and not any(_ids(turn) == _ids(parts) for turn in signed):
        yield f"$.contents[{index}]: the ids of its functionCall parts are not those given"


def _calls(parts: list[Part]) -> list[tuple[str, Any]]:
    return [_call(part) for part in parts if "functionCall" in part]


def _signatures(parts: list[Part]) -> set[str]:
    return {part["thoughtSignature"] for part in parts if "thoughtSignature" in part}


def _ids(parts: list[Part]) -> list[Any]:
    return [part["functionCall"].get("id") for part in parts if "functionCall" in part]


def _call(part: Part) -> tuple[str, Any]:
    call = part["functionCall"]
    return call["name"], call.get("args", {})


def _data(part: Part) -> Any:
    """What a signature signs: the text may be joined of pieces, so only its kind is compared."""
    return _call(part) if "functionCall" in part else "text" in part

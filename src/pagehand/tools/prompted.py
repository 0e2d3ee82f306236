"""Tool calls for models without native ones: a JSON envelope `{reply, actions}` in plain text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import MalformedResponseError
from ..jsonio import repair_container
from ..models.base import ToolCall
from .results import model_text
from .tool import Tool

_NAME_KEYS = ("tool", "name", "action", "function")
_REPLY_KEYS = ("reply", "answer", "text", "message", "response")
_ARGUMENT_KEYS = ("args", "arguments", "parameters", "input")


# A decoder that is held to a schema may repeat itself for ever inside a string.
_LONGEST_REPORT = 200

_RULES = """\
Answer with one JSON object and nothing else:
{"reply": "what you did or found", "actions": [{"tool": "tool_name", "args": {"name": "value"}}]}
The actions run at once and you get TOOL RESULTS. When the work is done, give an empty `actions` \
list and the report in `reply`."""

_RULES_COMPACT = """\
Answer with JSON only, {"actions": [{"tool": "...", "args": {...}}]} to call tools, whose TOOL \
RESULTS you get, or {"reply": "..."} when the work is done."""

LAST_ROUND = "Now report in one short sentence what was done and found; no more calls."
"""Added to the results before the last round: a step should end with words."""


def envelope_rules(compact: bool) -> str:
    """Give the text that tells a model how to call tools in an envelope."""
    return _RULES_COMPACT if compact else _RULES


@dataclass(slots=True)
class Envelope:
    """What a round of a prompted model said and wants done."""

    reply: str
    calls: list[ToolCall] = field(default_factory=list)


def envelope_schema(
    tools: Sequence[Tool], *, act: bool, report: bool, most: int = 4
) -> dict[str, Any]:
    """Give the JSON Schema that a decoder is held to for one round.

    `act` allows calls of these tools, at most `most` in a round; `report` allows a reply that ends
    the step. With both, the model chooses one: a reply beside calls would tell of results that are
    not there yet.
    """
    reply = _object({"reply": {"type": "string", "maxLength": _LONGEST_REPORT}})
    if not act:
        return reply
    calls = [_object({"tool": {"const": tool.name}, "args": tool.input_schema}) for tool in tools]
    actions = {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": most}
    wanted = _object({"actions": actions})
    return {"anyOf": [wanted, reply]} if report else wanted


def fillable(tools: Sequence[Tool], text: str) -> list[Tool]:
    """Give the tools that can be filled in from a text: those that need no number, or all where
    a digit stands in it. A model that only copies would else take any number for one."""
    if any(character.isdigit() for character in text):
        return list(tools)
    return [tool for tool in tools if not _needs_number(tool.input_schema)]


def _needs_number(schema: dict[str, Any]) -> bool:
    properties = schema.get("properties") or {}
    return any(
        isinstance(properties.get(name), dict)
        and properties[name].get("type") in ("integer", "number")
        for name in schema.get("required") or ()
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_envelope(text: str, *, round_number: int) -> Envelope:
    """Read a round's text. Text without JSON is a reply and asks for nothing."""
    try:
        value = repair_container(text)
    except MalformedResponseError:
        return Envelope(text.strip())
    if isinstance(value, list):
        value = {"actions": value}
    said = next((value[key] for key in _REPLY_KEYS if isinstance(value.get(key), str)), "")
    actions = value.get("actions")
    if _call_name(value) is not None:
        actions = [value]
    elif isinstance(actions, dict):
        actions = [actions]
    calls = [
        call
        for index, action in enumerate(actions if isinstance(actions, list) else ())
        if (call := _read_action(action, f"call_{round_number}_{index}")) is not None
    ]
    if not calls and not said and (value.get("actions") or "actions" not in value):
        said = "" if "reply" in value else text  # brackets in prose: the words are what there is
    return Envelope(said.strip(), calls)


def _call_name(value: Any) -> str | None:
    if not isinstance(value, dict) or "actions" in value:
        return None
    return next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)


def _read_action(action: Any, id: str) -> ToolCall | None:
    name = _call_name(action)
    if name is None:
        return None
    arguments: Any = next((action[key] for key in _ARGUMENT_KEYS if key in action), {})
    raw = json.dumps(arguments, ensure_ascii=False)
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return ToolCall(id, name, {}, raw, broken=True)
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return ToolCall(id, name, {}, raw, broken=True)
    return ToolCall(id, name, arguments, raw)


def batch_key(calls: Iterable[ToolCall]) -> str:
    """Give what makes a batch of calls the same as another."""
    return json.dumps([[call.name, call.arguments, call.raw] for call in calls], sort_keys=True)


def results_text(outcomes: Iterable[tuple[ToolCall, Any, bool]], *, max_chars: int) -> str:
    """Give the TOOL RESULTS turn: a line for each call with what came out of it."""
    lines = [
        f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)}) "
        f"{'→' if ok else 'failed:'} {model_text(output, max_chars=max_chars)}"
        for call, output, ok in outcomes
    ]
    return "TOOL RESULTS:\n" + "\n".join(lines)


def catalogue(tools: Iterable[Tool], *, description_chars: int = 240) -> str:
    """Give the tools as lines a model reads: name, argument hints, description."""
    return "\n".join(
        f"- {tool.name}{hint(tool)}: {_line(tool.description, description_chars)}" for tool in tools
    )


def hint(tool: Tool) -> str:
    """Give a tool's arguments in short: its own `prompt_hint`, else what its schema says."""
    if tool.prompt_hint:
        return f" {tool.prompt_hint}"
    properties = tool.input_schema.get("properties")
    if not isinstance(properties, dict):
        return "{}"
    required = tool.input_schema.get("required") or ()
    fields = [
        f"{name}{'' if name in required else '?'}: {_type(schema)}"
        for name, schema in properties.items()
    ]
    return "{" + ", ".join(fields) + "}"


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema:
        return "|".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"{_type(schema.get('items'))}[]"
    return "|".join(kind) if isinstance(kind, list) else str(kind)


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"

"""How a model without native tool calls is told to call, and what it is told of the results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..models.base import ToolCall
from .results import model_text
from .tool import Tool

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

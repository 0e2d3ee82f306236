"""How a model without native tool calls is told to call, and what it is told of the results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..messages import Message, system, user
from ..models.base import ToolCall
from .results import model_text
from .tool import Tool

# A decoder that is held to a schema may repeat itself for ever inside a string.
_LONGEST_REPORT = 200

# By format, in two sizes.
_RULES = {
    "envelope": (
        """\
Answer with one JSON object and nothing else:
{"reply": "what you did or found", "actions": [{"tool": "tool_name", "args": {"name": "value"}}]}
The actions run at once and you get TOOL RESULTS. When the work is done, give an empty `actions` \
list and the report in `reply`.""",
        """\
Answer with JSON only, {"actions": [{"tool": "...", "args": {...}}]} to call tools, whose TOOL \
RESULTS you get, or {"reply": "..."} when the work is done.""",
    ),
    "fenced": (
        """\
To call a tool, write a fenced block, one for each call:
```tool_call
{"name": "tool_name", "arguments": {"name": "value"}}
```
The calls run at once and you get TOOL RESULTS. When the work is done, report in plain words \
without a block.""",
        """\
To call a tool, write:
```tool_call
{"name": "...", "arguments": {...}}
```
You get TOOL RESULTS. When the work is done, report without a block.""",
    ),
    "tags": (
        """\
To call a tool, write its call between tags, one pair for each call:
<tool_call>
{"name": "tool_name", "arguments": {"name": "value"}}
</tool_call>
The calls run at once and you get TOOL RESULTS. When the work is done, report in plain words \
without tags.""",
        """\
To call a tool, write:
<tool_call>{"name": "...", "arguments": {...}}</tool_call>
You get TOOL RESULTS. When the work is done, report without tags.""",
    ),
}
CALL_FORMATS = tuple(_RULES)
"""How a model without native calls may be told to write them."""

_REASK = """\
You mend one tool call. Answer with the right call as one JSON object and nothing else: \
{"name": "tool_name", "arguments": {"name": "value"}}. Keep what was meant; change only what is \
wrong."""
_MOST_SHOWN = 8  # tools
_LONGEST_SHOWN = 4_000  # characters

LAST_ROUND = "Now report in one short sentence what was done and found; no more calls."
"""Added to the results before the last round: a step should end with words."""


def call_rules(call_format: str, *, compact: bool) -> str:
    """Give the text that tells a model how to call tools."""
    return _RULES[call_format][compact]


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


def written_call(call: ToolCall) -> str:
    """Give a call as the model wrote it, as JSON text as far as it was such."""
    name = json.dumps(call.written_name or call.name, ensure_ascii=False)
    written = call.raw or json.dumps(call.arguments, ensure_ascii=False)
    return f'{{"name": {name}, "arguments": {written}}}'


def reask_turns(call: ToolCall, fault: Exception, tools: Sequence[Tool]) -> list[Message]:
    """Give the conversation that asks for a broken call once more."""
    shown = [
        json.dumps({"name": tool.name, "parameters": tool.input_schema}, ensure_ascii=False)
        for tool in tools[:_MOST_SHOWN]
    ]
    return [
        system(_REASK),
        user(
            f"The call:\n{written_call(call)[:_LONGEST_SHOWN]}\n\nWhat is wrong: {fault}\n\n"
            "Tools:\n" + "\n".join(shown)
        ),
    ]

"""Tool calls for models without native ones: a JSON envelope `{reply, actions}` in plain text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..errors import MalformedResponseError
from ..jsonio import repair_container
from ..models.base import ToolCall

_NAME_KEYS = ("tool", "name", "action", "function")
_REPLY_KEYS = ("reply", "answer", "text", "message", "response")
_ARGUMENT_KEYS = ("args", "arguments", "parameters", "input")


@dataclass(slots=True)
class Envelope:
    """What a round of a prompted model said and wants done."""

    reply: str
    calls: list[ToolCall] = field(default_factory=list)


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

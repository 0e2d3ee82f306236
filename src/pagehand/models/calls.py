"""Reading a tool call from the text that a model wrote for its arguments."""

from __future__ import annotations

import json

from ..schema import is_endless
from .base import ToolCall


def read_call(id: str, name: str, raw: str) -> ToolCall:
    """Give a call of its text: `""` means no arguments; what is not an object is `broken`."""
    try:
        arguments = json.loads(raw, strict=False) if raw.strip() else {}
        json.dumps(arguments, allow_nan=False)  # an infinity has no JSON form anywhere else
        if isinstance(arguments, dict) and is_endless(arguments):  # nobody could write it again
            arguments = None
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(id, name, arguments, raw)
    if arguments is None and raw.strip() == "null":
        return ToolCall(id, name, {}, raw)
    return ToolCall(id, name, {}, raw, broken=True)

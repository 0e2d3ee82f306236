"""What tools return, made fit for the trace and for the model's eyes."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ..errors import ToolError


def json_value(value: Any, *, name: str) -> Any:
    """Give a result as plain JSON data; dataclasses and pydantic models become dicts.

    Raises ToolError for what has no JSON form, such as bytes or a cycle.
    """
    try:
        return json.loads(json.dumps(value, default=_plain, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        raise ToolError(
            f"The tool {name!r} returned something without a JSON form: {fault}. Return texts, "
            "numbers, lists or dicts."
        ) from fault


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON")


def model_text(output: Any, *, max_chars: int) -> str:
    """Give a result as the text a model reads, clipped at `max_chars` characters (0 = never)."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return clip(text, max_chars)


def clip(text: str, max_chars: int) -> str:
    """Cut a text at `max_chars` characters and say how much is gone (0 = never)."""
    if not max_chars or len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}… [truncated {len(text) - max_chars} chars]"

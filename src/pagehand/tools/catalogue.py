"""The tools as lines that a model reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .tool import Tool


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

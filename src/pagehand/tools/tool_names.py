"""Which tool a name means that a model wrote."""

from __future__ import annotations

from collections.abc import Iterable

from .tool import Tool


def match_tool(name: str, tools: Iterable[Tool]) -> Tool | None:
    """Give the tool that a written name means, None when that is not certain."""
    return next((tool for tool in tools if tool.name == name), None)

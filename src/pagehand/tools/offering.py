"""Which tools a model is offered: a small one chooses better among few."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..models.profiles import ModelProfile
from .tool import Tool


def offered(tools: Sequence[Tool], task: str, profile: ModelProfile) -> list[Tool]:
    """Give the tools that a model is offered for a task, in their order.

    A model that only copies gets no tool that needs a number where none is in sight.
    """
    usable = list(tools)
    if profile.only_copies:
        usable = fillable(usable, task) or usable
    return likeliest(usable, task, profile.tools_at_once)


def likeliest(tools: Sequence[Tool], task: str, most: int | None) -> list[Tool]:
    """Give at most `most` tools, those that a task is likeliest for, in their order."""
    if most is None or len(tools) <= most:
        return list(tools)
    best = {tool.name for tool, _ in _ranked(task, tools)[:most]}
    return [tool for tool in tools if tool.name in best]


def words_fit(tools: Sequence[Tool], task: str) -> dict[str, float]:
    """Give how well each tool's words fit a task, from 0 to 1 for the one that fits best."""
    scores = {tool.name: score for tool, score in _ranked(task, tools)}
    most = max(scores.values(), default=0.0)
    return {name: score / most for name, score in scores.items()} if most else scores


def _ranked(task: str, tools: Sequence[Tool]) -> list[tuple[Tool, float]]:
    """Ranking is loaded when it is first needed."""
    ranked: list[tuple[Tool, float]] = import_module(".search", __package__).rank_tools(task, tools)
    return ranked


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

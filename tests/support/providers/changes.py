"""Requests broken on purpose, to prove the judges: each change breaks one thing in a copy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .wire import Wire

Change = Callable[[Any], Any]


def judged(wire: Wire, body: Any, change: Change | None = None, path: str = "") -> list[str]:
    """Give the faults of a copy of a request, after a change."""
    body = copy.deepcopy(body)
    if change is not None:
        change(body)
    return wire.judge(path, body)


def _at(body: Any, path: str) -> tuple[Any, Any]:
    """Give the holder and the last key of a place such as `messages.1.content.0.text`."""
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        body = body[step]
    return body, last


def put(path: str, value: Any) -> Change:
    """A change: put a value in a place."""

    def change(body: Any) -> None:
        holder, key = _at(body, path)
        holder[key] = value

    return change


def drop(path: str) -> Change:
    """A change: take a place away."""

    def change(body: Any) -> None:
        holder, key = _at(body, path)
        del holder[key]

    return change


def all_of(*changes: Change) -> Change:
    """Several changes."""

    def change(body: Any) -> None:
        for each in changes:
            each(body)

    return change

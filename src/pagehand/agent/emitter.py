"""Hands a run's events to its handlers, in order; what a handler raises is logged."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..events import Event
from .logging import RunLog

Handler = Callable[[Event], Any]


class Emitter:
    """Stamps events with their run and gives them to sync and async handlers."""

    def __init__(self, run_id: str, handlers: Sequence[Handler], log: RunLog) -> None:
        self._run_id = run_id
        self._handlers = handlers
        self._log = log
        self._tasks: set[asyncio.Future[Any]] = set()

    def __call__(self, event: Event) -> None:
        event.run_id = self._run_id
        for handler in self._handlers:
            try:
                answer = handler(event)
            except Exception as fault:  # the host's own function may raise anything
                self._log.error(f"An event handler failed: {fault!r}")
                continue
            if inspect.isawaitable(answer):
                task = asyncio.ensure_future(answer)
                self._tasks.add(task)
                task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._log.error(f"An event handler failed: {fault!r}")

    async def drain(self) -> None:
        """Wait until async handlers are through."""
        if self._tasks:
            await asyncio.wait(self._tasks)

"""Hands a run's events to its handlers, in order; what a handler raises is logged."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..events import Event, RunComplete
from .logging import RunLog

Handler = Callable[[Event], Any]

_DRAIN_SECONDS = 5.0


class Emitter:
    """Stamps events with their run and gives them to sync and async handlers."""

    def __init__(self, run_id: str, handlers: Sequence[Handler], log: RunLog) -> None:
        self._run_id = run_id
        self._handlers = handlers
        self._log = log
        self._tasks: set[asyncio.Future[Any]] = set()
        self._over = False

    def __call__(self, event: Event) -> None:
        if self._over:  # a tool that left something running tells of it too late
            return
        self._over = isinstance(event, RunComplete)
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
        """Wait until async handlers are through; one that takes seconds is given up."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=_DRAIN_SECONDS)
        for task in late:
            task.cancel()
            self._log.warn("An event handler did not return after the run and was cancelled.")

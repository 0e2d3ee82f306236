"""Signals that stop work, as in JavaScript, and the scope that obeys them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from .errors import AgentAborted

T = TypeVar("T")


class AbortSignal:
    """Tells whether and why work is to stop. Made by an AbortController."""

    def __init__(self) -> None:
        self.aborted = False
        self.reason: str | None = None
        self._listeners: dict[int, Callable[[], None]] = {}
        self._last_key = 0

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` once when the signal fires (at once if it has). Gives the way out."""
        if self.aborted:
            listener()
            return lambda: None
        self._last_key = key = self._last_key + 1
        self._listeners[key] = listener

        def remove() -> None:
            self._listeners.pop(key, None)

        return remove

    def _fire(self, reason: str | None) -> None:
        if self.aborted:
            return
        self.aborted, self.reason = True, reason
        listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            listener()


class AbortController:
    """Owns a signal and fires it."""

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str | None = None) -> None:
        """Fire the signal. A second call does nothing."""
        self.signal._fire(reason)


@asynccontextmanager
async def abort_scope(signal: AbortSignal | None) -> AsyncIterator[None]:
    """Cancel what runs inside when the signal fires, and raise AgentAborted then.

    Works like `asyncio.timeout`: a cancellation from elsewhere stays a CancelledError, so the
    two are never confused.
    """
    if signal is None:
        yield
        return
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("abort_scope needs a running task")
    loop = asyncio.get_running_loop()
    asked: list[asyncio.Handle] = []

    def cancel() -> None:
        # Not at once: the signal may fire inside this very task, and a task that cancels itself
        # and then ends its body carries the cancellation out of the scope.
        asked.append(loop.call_soon(task.cancel))

    if signal.aborted:
        raise AgentAborted(_message(signal))
    cancelling = task.cancelling()
    remove = signal.on_abort(cancel)
    try:
        yield
    except asyncio.CancelledError:
        if asked and task.uncancel() <= cancelling:
            raise AgentAborted(_message(signal)) from None
        raise
    finally:
        remove()
        for handle in asked:
            handle.cancel()
    if asked:
        raise AgentAborted(_message(signal))


@asynccontextmanager
async def closing(items: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Close an async iterator on the way out, where it can be closed: leaving early stops it."""
    try:
        yield items
    finally:
        if isinstance(items, AsyncGenerator):
            await items.aclose()


def _message(signal: AbortSignal) -> str:
    return f"Stopped: {signal.reason}." if signal.reason else "Stopped."

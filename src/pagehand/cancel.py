"""Signals that stop work, as in JavaScript, and the scope that obeys them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

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
    delivered = False

    def cancel() -> None:
        # Not at once: the signal may fire inside this very task, and a task that cancels itself
        # and then ends its body carries the cancellation out of the scope.
        asked.append(loop.call_soon(deliver))

    def deliver() -> None:
        nonlocal delivered
        delivered = True
        task.cancel()

    if signal.aborted:
        raise AgentAborted(_message(signal))
    cancelling = task.cancelling()
    remove = signal.on_abort(cancel)
    try:
        yield
    except asyncio.CancelledError:
        if delivered and task.uncancel() <= cancelling:
            raise AgentAborted(_message(signal)) from None
        raise
    finally:
        remove()
        for handle in asked:
            handle.cancel()
    if asked:
        raise AgentAborted(_message(signal))


class Watchdog:
    """A deadline for waiting, cheap enough for every token: one timer a call, not one a wait.

    It counts only while `wait` waits: what happens between two waits takes as long as it likes.
    `limit` is in seconds; None means no limit. `start` begins (or begins anew), `pause` takes the
    deadline away.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._left: float | None = None  # seconds of waiting that are left when nobody waits
        self._due: float | None = None  # when they are over while somebody waits
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._struck = False

    def start(self) -> None:
        """Count from now."""
        if self._limit is None:
            return
        self._left = self._limit
        if self._task is not None:
            self._wind()

    def pause(self) -> None:
        """Stop counting until the next `start`."""
        self._left = self._due = None

    def close(self) -> None:
        """Take the timer away."""
        if self._timer is not None:
            self._timer.cancel()

    def _wind(self) -> None:
        if self._left is None:
            return
        self._due = self._loop.time() + self._left
        if self._timer is None:
            self._timer = self._loop.call_at(self._due, self._strike)

    def _strike(self) -> None:
        self._timer = None
        if self._due is None or self._task is None:  # paused, or nobody waits
            return
        if self._loop.time() < self._due:  # somebody waited less than the timer thought
            self._timer = self._loop.call_at(self._due, self._strike)
            return
        self._struck = True
        self._task.cancel()

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Wait. Raises TimeoutError when the deadline passes first."""
        task = self._task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        self._wind()
        try:
            return await awaitable
        except asyncio.CancelledError:
            if self._struck and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        finally:
            self._task = None
            if self._due is not None:
                self._left, self._due = max(0.0, self._due - self._loop.time()), None


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

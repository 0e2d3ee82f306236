"""A run as an async iterator over its events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from ..cancel import AbortController
from ..errors import ConfigError
from ..events import Event
from ..plan import RunResult


class RunStream:
    """The events of one run; `.result` is there afterwards. Leaving early stops the run."""

    def __init__(
        self,
        run: Callable[..., Coroutine[Any, Any, RunResult]],
        input: str,
        options: dict[str, Any],
    ) -> None:
        self._run = run
        self._input = input
        self._options = options
        self._controller = AbortController()
        self._started = False
        self.result: RunResult | None = None

    def stop(self) -> None:
        """Stop the run; the iteration ends with its last events."""
        self._controller.abort("the host stopped it")

    def __aiter__(self) -> AsyncIterator[Event]:
        if self._started:
            raise ConfigError(
                "A RunStream is one run: iterate over it once, or call stream() again."
            )
        self._started = True
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[Event]:
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        on_event = self._options.pop("on_event", None)
        outer = self._options.pop("signal", None)
        unlink = outer.on_abort(self.stop) if outer is not None else None

        def take(event: Event) -> Any:
            events.put_nowait(event)
            return on_event(event) if on_event is not None else None

        async def work() -> RunResult:
            try:
                return await self._run(
                    self._input, on_event=take, signal=self._controller.signal, **self._options
                )
            finally:
                events.put_nowait(None)

        task = asyncio.ensure_future(work())
        try:
            while (event := await events.get()) is not None:
                yield event
            self.result = await task
        finally:
            self.stop()
            if unlink is not None:
                unlink()
            if not task.done():
                await asyncio.wait([task])

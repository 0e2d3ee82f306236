"""Calls between threads of execution, over a Channel: the peer of the site's rpc.js.

    request       {v, id, method, params}
    cancel        {v, id, cancel: true}
    answer        {v, re, result} or {v, re, error}
    progress      {v, re, progress}
    notification  {v, method, params}

Each end numbers its own requests; an answer names the request as `re`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ..cancel import AbortController, AbortSignal
from ..errors import PagehandError, error_data
from ..ports import Channel

PROTOCOL = 1


class RemoteError(PagehandError):
    """A fault of the other end, by its own name."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(str(data.get("message", "")), details=data.get("details"))
        self.name = str(data.get("name", "Error"))
        self.retryable = bool(data.get("retryable", False))

    def to_dict(self) -> dict[str, Any]:
        """Give the fault as the other end told it."""
        return error_data(self) | {"name": self.name}


@dataclass(slots=True)
class CallContext:
    """What a handler gets beside the parameters. `progress` reaches the caller."""

    signal: AbortSignal
    progress: Callable[[Any], None]


Handler = Callable[[Any, CallContext], Awaitable[Any]]


@dataclass(slots=True)
class _Waiting:
    answer: asyncio.Future[Any]
    on_progress: Callable[[Any], None] | None


class RpcPeer:
    """One end of a channel. `handlers` maps a method to an async function of its parameters."""

    def __init__(self, channel: Channel, handlers: dict[str, Handler] | None = None) -> None:
        self._channel = channel
        self._handlers = handlers or {}
        self._last_id = 0
        self._waiting: dict[int, _Waiting] = {}
        self._running: dict[int, AbortController] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        channel.receive(self._receive)

    async def call(
        self,
        method: str,
        params: Any = None,
        *,
        on_progress: Callable[[Any], None] | None = None,
    ) -> Any:
        """Call the other end. Cancelling this cancels there too. Raises RemoteError."""
        self._last_id = id = self._last_id + 1
        waiting = _Waiting(asyncio.get_running_loop().create_future(), on_progress)
        self._waiting[id] = waiting
        try:
            self._send({"id": id, "method": method, "params": params or {}})
            return await waiting.answer
        except asyncio.CancelledError:
            self._send({"id": id, "cancel": True})
            raise
        finally:
            self._waiting.pop(id, None)

    def notify(self, method: str, params: Any = None) -> None:
        """Tell the other end something that has no answer."""
        self._send({"method": method, "params": params or {}})

    def _send(self, message: dict[str, Any]) -> None:
        message = {"v": PROTOCOL, **message}
        try:
            text = json.dumps(message, ensure_ascii=False, allow_nan=False)
        except ValueError:  # JSON has no infinity: what is none becomes null
            loose = json.loads(json.dumps(message), parse_constant=lambda _name: None)
            text = json.dumps(loose, ensure_ascii=False)
        self._channel.send(text)

    def _receive(self, text: str) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return
        if not isinstance(message, dict) or message.get("v") != PROTOCOL:
            return
        if "re" in message:
            self._settle(message)
        elif message.get("cancel"):
            if running := self._running.get(_number(message.get("id")) or 0):
                running.abort()
        else:
            id, controller = _number(message.get("id")), AbortController()
            if id is not None:  # at once: a cancel may come in the same turn
                self._running[id] = controller
            task = asyncio.ensure_future(self._answer(message, id, controller))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _settle(self, message: dict[str, Any]) -> None:
        waiting = self._waiting.get(_number(message["re"]) or 0)
        if waiting is None or waiting.answer.done():
            return  # an answer that comes after its call was given up
        if "progress" in message:
            if waiting.on_progress is not None:
                waiting.on_progress(message["progress"])
        elif error := message.get("error"):
            data = error if isinstance(error, dict) else {"message": str(error)}
            waiting.answer.set_exception(RemoteError(data))
        else:
            waiting.answer.set_result(message.get("result"))

    async def _answer(
        self, message: dict[str, Any], id: int | None, controller: AbortController
    ) -> None:
        method = message.get("method")

        def progress(value: Any) -> None:
            if id in self._running:
                self._send({"re": id, "progress": value})

        try:
            handler = self._handlers.get(str(method))
            if handler is None:
                raise PagehandError(f"There is no method {method!r} at this end.")
            result = await handler(
                message.get("params") or {}, CallContext(controller.signal, progress)
            )
            if id is not None:
                self._send({"re": id, "result": result})
        except asyncio.CancelledError:
            self._fail(id, {"name": "Error", "message": "It was cancelled.", "retryable": False})
            raise
        except RemoteError as fault:
            self._fail(id, fault.to_dict())
        except Exception as fault:  # whatever went wrong belongs to the caller
            self._fail(id, error_data(fault))
        finally:
            if id is not None and self._running.get(id) is controller:
                del self._running[id]

    def _fail(self, id: int | None, error: dict[str, Any]) -> None:
        if id is not None:
            self._send({"re": id, "error": error})


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None

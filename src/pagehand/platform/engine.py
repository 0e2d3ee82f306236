"""The Engine port over RPC: models that an engine worker has loaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from .. import errors
from ..errors import EngineError, ModelError
from ..models.overflow import overflow
from ..ports import EngineAnswer, EngineInfo, EngineProgress, EngineRequest
from .rpc import RemoteError, RpcPeer


class RpcEngine:
    """An engine at the other end of a channel. `peer` gives it, once it is there."""

    def __init__(self, peer: Callable[[], RpcPeer]) -> None:
        self._peer = peer

    async def load(self, model: str, on_progress: Callable[[float, str], None]) -> EngineInfo:
        """Load a model. Raises EngineError."""

        def tell(news: dict[str, Any]) -> None:
            on_progress(news["progress"], news["text"])

        try:
            info = await self._peer().call("engine.load", {"model": model}, on_progress=tell)
        except RemoteError as fault:
            raise _fault(fault, model) from fault
        return EngineInfo(info["model"], info["contextWindow"], tuple(info.get("constraints", ())))

    async def generate(
        self, request: EngineRequest
    ) -> AsyncIterator[EngineProgress | EngineAnswer]:
        """Write. Raises EngineError, ContextWindowExceededError."""
        news: asyncio.Queue[EngineProgress | None] = asyncio.Queue()

        def tell(value: dict[str, Any]) -> None:
            news.put_nowait(
                EngineProgress(
                    value["kind"],
                    value.get("text", ""),
                    value.get("done", 0),
                    value.get("total", 0),
                )
            )

        async def work() -> dict[str, Any]:
            try:
                answer: dict[str, Any] = await self._peer().call(
                    "engine.generate", _params(request), on_progress=tell
                )
                return answer
            finally:
                news.put_nowait(None)

        working = asyncio.ensure_future(work())
        try:
            while (item := await news.get()) is not None:
                yield item
            answer = await working
        except RemoteError as fault:
            raise _fault(fault, "the model on this device") from fault
        finally:
            working.cancel()
        usage = answer.get("usage", {})
        yield EngineAnswer(
            answer["text"],
            answer["finishReason"],
            usage.get("inputTokens", 0),
            usage.get("outputTokens", 0),
        )


def _params(request: EngineRequest) -> dict[str, Any]:
    params: dict[str, Any] = {
        "messages": request.messages,
        "maxOutputTokens": request.max_output_tokens,
        "temperature": request.temperature,
        "jsonSchema": request.json_schema,
        "thinking": request.thinking,
    }
    return {name: value for name, value in params.items() if value is not None}


def _fault(fault: RemoteError, model: str) -> ModelError:
    details = fault.details or {}
    if fault.name == "ContextWindowExceededError":
        return overflow(
            model,
            tokens=details.get("tokens"),
            window=details.get("window"),
            provider="on this device",
        )
    kind = getattr(errors, fault.name, EngineError)
    if not (isinstance(kind, type) and issubclass(kind, EngineError)):
        kind = EngineError
    return kind(fault.message, provider="on this device", model=model, details=details or None)

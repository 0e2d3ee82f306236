"""The Engine port over RPC: models that an engine worker has loaded, or the page's browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

from .. import errors
from ..errors import EngineError, ModelError
from ..models.overflow import overflow
from ..models.registry import BROWSER
from ..names import to_wire
from ..ports import Engine, EngineAnswer, EngineInfo, EngineOptions, EngineProgress, EngineRequest
from .rpc import RemoteError, RpcPeer


class SiteEngines:
    """The engines of a site: the browser's own model, which only the page reaches, and the worker
    that runs all others.
    """

    def __init__(self, page: Engine, worker: Engine) -> None:
        self._page = page
        self._worker = worker

    async def load(
        self,
        model: str,
        on_progress: Callable[[float, str], None],
        options: EngineOptions | None = None,
    ) -> EngineInfo:
        """Load a model. Raises EngineError."""
        return await self._of(model).load(model, on_progress, options)

    def generate(self, request: EngineRequest) -> AsyncIterator[EngineProgress | EngineAnswer]:
        """Write. Raises EngineError, ContextWindowExceededError."""
        return self._of(request.model).generate(request)

    def _of(self, model: str | None) -> Engine:
        return self._page if model == BROWSER else self._worker


class RpcEngine:
    """An engine at the other end of a channel. `peer` gives it, once it is there."""

    def __init__(self, peer: Callable[[], RpcPeer]) -> None:
        self._peer = peer

    async def load(
        self,
        model: str,
        on_progress: Callable[[float, str], None],
        options: EngineOptions | None = None,
    ) -> EngineInfo:
        """Load a model. Raises EngineError."""

        def tell(news: dict[str, Any]) -> None:
            on_progress(news["progress"], news["text"])

        params = {"model": model, **_options(options)}
        try:
            info = await self._peer().call("engine.load", params, on_progress=tell)
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
                    value.get("ahead", value.get("done", 0)),
                    value.get("total", 0),
                    value.get("progress", 0.0),
                )
            )

        async def work() -> dict[str, Any]:
            answer: dict[str, Any] = await self._peer().call(
                "engine.generate", request_params(request), on_progress=tell
            )
            return answer

        working = asyncio.ensure_future(work())
        # A callback, since Pyodide takes a fault for unhandled while nobody listens to its task.
        working.add_done_callback(lambda _: news.put_nowait(None))
        try:
            while (item := await news.get()) is not None:
                yield item
            answer = await working
        except RemoteError as fault:
            raise _fault(fault, request.model or "the model on this device") from fault
        finally:
            working.cancel()
        yield read_answer(answer)


def read_answer(answer: dict[str, Any]) -> EngineAnswer:
    """Read an answer in the words of the engine worker."""
    usage = answer.get("usage", {})
    return EngineAnswer(
        answer["text"],
        answer["finishReason"],
        usage.get("inputTokens", 0),
        usage.get("outputTokens", 0),
        usage.get("cachedInputTokens"),
        answer.get("likelihood"),
    )


def request_params(request: EngineRequest) -> dict[str, Any]:
    """Give a request in the words of the engine worker."""
    params: dict[str, Any] = {
        "model": request.model,
        **_options(request.options),
        "messages": request.messages,
        "maxOutputTokens": request.max_output_tokens,
        "temperature": request.temperature,
        "jsonSchema": request.json_schema,
        "thinking": request.thinking,
        "grammar": request.grammar,
        "stop": list(request.stop) or None,
        "prompt": request.prompt,
    }
    return _given(params)


def _options(options: EngineOptions | None) -> dict[str, Any]:
    if options is None:
        return {}
    return {"options": {to_wire(name): value for name, value in _given(asdict(options)).items()}}


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


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
    return kind(
        fault.message,
        provider="on this device",
        model=model,
        retryable=fault.retryable,
        details=details or None,
    )

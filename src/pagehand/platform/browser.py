"""Pyodide: `fetch` for requests, the page's clock and crypto.

In our own worker the site's pump reads an answer ahead, so that few awaits are needed; in any
other Pyodide (a notebook, a playground) the stream is read directly. No JavaScript object is kept
at import time, so that a memory snapshot stays possible.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any

import js
from pyodide.ffi import JsException, run_sync, to_js

from ..errors import ConfigError, CorsError, NetworkError, StreamInterruptedError
from ..ports import Engine, HttpRequest, HttpResponse, Platform

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


class BrowserHttp:
    """Requests through `fetch`. `pump` is the site's stream pump where it is there."""

    def __init__(self, pump: Any = None) -> None:
        self._pump = pump

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send a request. Raises CorsError or NetworkError."""
        controller = js.AbortController.new()
        options = {
            "method": request.method,
            "headers": request.headers,
            "signal": controller.signal,
            "credentials": "omit",
            "referrerPolicy": "no-referrer",
        }
        if request.method == "GET":
            # Nothing else is stored anyway, and with it a browser would ask the server for its
            # permission (a preflight) before every request instead of once.
            options["cache"] = "no-store"
        if request.body is not None:
            options["body"] = request.body
        init = to_js(options, dict_converter=js.Object.fromEntries)
        asked = js.fetch(request.url, init)
        pumped = self._pump(asked) if self._pump else None
        try:
            response = await (pumped.response if pumped else asked)
        except asyncio.CancelledError:
            controller.abort()
            raise
        except JsException as fault:
            raise await _unreachable(request.url) from fault
        return BrowserResponse(response, controller, pumped)


class BrowserResponse:
    """An answer of `fetch`; `pumped` where the site's pump reads its body ahead."""

    def __init__(self, response: Any, controller: Any, pumped: Any) -> None:
        self._response = response
        self._controller = controller
        self._pumped = pumped
        self.status: int = response.status
        self.headers: Mapping[str, str] = json.loads(
            js.JSON.stringify(js.Object.fromEntries(response.headers))
        )

    async def batches(self) -> AsyncIterator[bytes]:
        """Give the body as it arrives."""
        batches = _ahead(self._pumped) if self._pumped else _direct(self._response.body)
        try:
            async for batch in batches:
                yield batch
        except JsException as fault:
            raise StreamInterruptedError(
                f"{_origin(self._response.url)} broke the connection in the middle of its "
                "answer. Try again."
            ) from fault

    async def read(self) -> bytes:
        """Give the whole body."""
        return b"".join([batch async for batch in self.batches()])

    async def close(self) -> None:
        """Stop the transfer."""
        self._controller.abort()


async def _ahead(pumped: Any) -> AsyncIterator[bytes]:
    """Give a body that is read ahead; what is at hand costs no await."""
    while not pumped.over:
        if pumped.ready:
            yield pumped.take().to_bytes()
        else:
            await pumped.news()


async def _direct(body: Any) -> AsyncIterator[bytes]:
    """Give a body chunk by chunk."""
    if body is None:
        return
    reader = body.getReader()
    while not (chunk := await reader.read()).done:
        yield chunk.value.to_bytes()


async def _unreachable(url: str) -> NetworkError:
    """Tell a server that is not there from one that refuses this page.

    `fetch` says the same for both, so the server is asked once more without reading the answer:
    that succeeds for any server that is up.
    """
    origin = _origin(url)
    probe = to_js(
        {"mode": "no-cors", "credentials": "omit", "cache": "no-store"},
        dict_converter=js.Object.fromEntries,
    )
    try:
        await js.fetch(url, probe)
    except JsException:
        return NetworkError(
            f"{origin} could not be reached. Check the address, that the server is running, and "
            "that this page may connect to it."
        )
    return CorsError(
        f"{origin} answers, but does not allow pages of {js.location.origin} to read it (CORS). "
        "Allow this origin on the server, or go through a proxy that does. Some servers allow it "
        "only for good answers: then a wrong key or path looks like this too."
    )


def _origin(url: str) -> str:
    """Give what of an address may stand in a message: no path, no query, no credentials."""
    try:
        return str(js.URL.new(url).origin)
    except JsException:
        return "The address"


class BrowserClock:
    """The browser's clock."""

    def now(self) -> float:
        """Seconds since 1970."""
        milliseconds: float = js.Date.now()
        return milliseconds / 1000

    def monotonic(self) -> float:
        """Seconds on a clock that only goes forward."""
        now: float = js.performance.now()
        return now / 1000

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class BrowserEntropy:
    """The browser's randomness. Python's own was made before a snapshot and would repeat."""

    def token(self) -> str:
        """A fresh random name."""
        return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in _random_bytes(16))

    def random(self) -> float:
        """A number in [0, 1)."""
        return int.from_bytes(_random_bytes(6)) / 2**48


def _random_bytes(count: int) -> bytes:
    return bytes(js.crypto.getRandomValues(js.Uint8Array.new(count)).to_bytes())


def _run_sync(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return run_sync(work)
    except RuntimeError as fault:
        work.close()
        raise ConfigError(
            f"run_sync cannot block here ({fault}): use `await agent.run(…)`."
        ) from fault


def browser_platform(*, pump: Any = None, engine: Engine | None = None) -> Platform:
    """Give the platform of Pyodide."""
    return Platform(
        "browser", BrowserHttp(pump), BrowserClock(), BrowserEntropy(), _run_sync, engine
    )

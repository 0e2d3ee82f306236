"""CPython: httpx2 for requests, the operating system for time and randomness."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import httpx2

from ..errors import ConfigError, NetworkError, StreamInterruptedError
from ..ports import HttpRequest, HttpResponse, Platform
from .google_adc import GoogleCredentials

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


class NativeHttp:
    """Requests through httpx2; one client for each event loop, kept open for reuse."""

    def __init__(self) -> None:
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = (
            WeakKeyDictionary()
        )

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            # Deadlines belong to the caller; redirects would carry keys to other hosts.
            client = self._clients[loop] = httpx2.AsyncClient(timeout=None)
        return client

    async def aclose(self) -> None:
        """Close the client of the running loop; the next request opens a new one."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send a request. Raises NetworkError."""
        client = self._client()
        try:
            built = client.build_request(
                request.method, request.url, headers=request.headers, content=request.body
            )
            return NativeResponse(await client.send(built, stream=True))
        except (httpx2.LocalProtocolError, httpx2.InvalidURL, ValueError):
            # What is wrong may stand beside the key: neither its words nor its trace are kept.
            raise NetworkError(
                f"The request to {_origin(request.url)} could not be built: check the address and "
                "the headers.",
                retryable=False,
            ) from None
        except httpx2.HTTPError as fault:
            raise NetworkError(
                f"{_origin(request.url)} could not be reached: "
                f"{str(fault) or type(fault).__name__}. Check the address and that the server "
                "is running."
            ) from fault


class NativeResponse:
    """An answer of httpx2."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Mapping[str, str] = {
            name.lower(): value for name, value in response.headers.items()
        }

    async def batches(self) -> AsyncIterator[bytes]:
        """Give the body as it arrives."""
        try:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        except httpx2.HTTPError as fault:
            raise StreamInterruptedError(
                f"{_origin(str(self._response.url))} broke the connection in the middle of its "
                f"answer: {str(fault) or type(fault).__name__}. Try again."
            ) from fault

    async def read(self) -> bytes:
        """Give the whole body."""
        return b"".join([chunk async for chunk in self.batches()])

    async def close(self) -> None:
        """Stop the transfer."""
        await self._response.aclose()


def _origin(url: str) -> str:
    """Give what of an address may stand in a message: no path, no query, no credentials."""
    try:
        parsed = httpx2.URL(url)
        return f"{parsed.scheme}://{parsed.netloc.decode().rpartition('@')[2]}"
    except (httpx2.InvalidURL, ValueError):
        return "The address"


class NativeClock:
    """The system's clock."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds on a clock that only goes forward."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class SystemEntropy:
    """The system's randomness for names, a fast generator for jitter."""

    def token(self) -> str:
        """A fresh random name."""
        return "".join(secrets.choice(_ALPHABET) for _ in range(16))

    def random(self) -> float:
        """A number in [0, 1)."""
        return random.random()  # noqa: S311 (jitter, not a secret)


def _run_sync(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigError("run_sync cannot block a running event loop: use `await agent.run(…)`.")


def native_platform() -> Platform:
    """Give the platform of CPython."""
    http, clock = NativeHttp(), NativeClock()
    google = GoogleCredentials(http, clock)
    return Platform("native", http, clock, SystemEntropy(), _run_sync, google=google)

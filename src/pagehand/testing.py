"""Public doubles: models that follow a script, and a platform without a network."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any

from .errors import NetworkError
from .models.base import (
    Finish,
    GenerateResult,
    ModelPart,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCallEnd,
)
from .models.profiles import ModelProfile
from .ports import HttpRequest, HttpResponse, Platform
from .usage import Usage

Script = str | BaseException | Sequence[ModelPart] | Callable[[ModelRequest], Any]


class ScriptedModel:
    """A model that answers from a script, one item a call.

    An item is a text, a list of parts, an exception to raise, or a function (sync or async) of
    the request that gives one of these. `requests` keeps what was asked, `unused` what of the
    script was never used. `chunk` is the number of characters a text delta has.
    """

    def __init__(
        self,
        script: Sequence[Script],
        *,
        profile: ModelProfile | None = None,
        provider: str = "scripted",
        name: str = "script",
        chunk: int = 8,
    ) -> None:
        self.provider = provider
        self.name = name
        self.profile = profile or ModelProfile()
        self.requests: list[ModelRequest] = []
        self._script = list(script)
        self._chunk = chunk

    @property
    def unused(self) -> list[Script]:
        """What of the script no call has used."""
        return self._script[len(self.requests) :]

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer with the next item. Raises AssertionError when the script is used up."""
        position = len(self.requests)
        self.requests.append(request)
        if position >= len(self._script):
            raise AssertionError(f"The script has {len(self._script)} items; call {position + 1}.")
        item: Any = self._script[position]
        if callable(item):
            item = item(request)
            if inspect.isawaitable(item):
                item = await item
        if isinstance(item, BaseException):
            raise item
        for part in self._text(item) if isinstance(item, str) else _finished(item):
            if isinstance(part, BaseException):
                raise part
            yield part

    def _text(self, text: str) -> list[ModelPart]:
        deltas = [
            TextDelta(text[start : start + self._chunk])
            for start in range(0, len(text), self._chunk)
        ]
        return _finished(deltas)


def _finished(parts: Sequence[ModelPart]) -> list[ModelPart]:
    """Give parts with a `Finish` that fits them, where the script has none."""
    if any(isinstance(part, Finish | BaseException) for part in parts):
        return list(parts)
    text = "".join(part.text for part in parts if isinstance(part, TextDelta))
    reasoning = "".join(part.text for part in parts if isinstance(part, ReasoningDelta))
    calls = [part.call for part in parts if isinstance(part, ToolCallEnd)]
    result = GenerateResult(
        text=text,
        reasoning=reasoning,
        tool_calls=calls,
        finish_reason="tool-calls" if calls else "stop",
        usage=Usage(10, 5, 15),
    )
    return [*parts, Finish(result)]


class InstantClock:
    """A clock on which sleeping takes no time: `slept` keeps the seconds that were asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 0.0

    def now(self) -> float:
        """Seconds since 1970: the beginning of 2025, and what was slept since."""
        return 1_735_689_600.0 + self._now

    def monotonic(self) -> float:
        """Seconds; they only pass while somebody sleeps."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Note the wish and go on at the next turn of the loop."""
        self.slept.append(seconds)
        self._now += seconds
        await asyncio.sleep(0)


class CountingEntropy:
    """Names that count up and a jitter of zero."""

    def __init__(self) -> None:
        self._count = 0

    def token(self) -> str:
        """The next name."""
        self._count += 1
        return f"run-{self._count}"

    def random(self) -> float:
        """Zero."""
        return 0.0


class NoHttp:
    """A network that reaches nothing."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Raise NetworkError."""
        raise NetworkError(f"There is no network in this test: {request.method} {request.url}")


def _no_sync(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def scripted_platform(**ports: Any) -> Platform:
    """Give a platform for tests: no network, no waiting, names that count up.

    `ports` replaces single ports (`http=`, `engine=`, …).
    """
    made: dict[str, Any] = {
        "name": "test",
        "http": NoHttp(),
        "clock": InstantClock(),
        "entropy": CountingEntropy(),
        "run_sync": _no_sync,
    }
    return Platform(**{**made, **ports})

"""Reading one provider's answer: its bytes, its events, and the faults it tells of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..cancel import closing
from ..errors import MalformedResponseError, ModelError, StreamInterruptedError
from ..ports import HttpResponse
from ..secret import Secret, scrub
from ..sse import SSEDecoder
from .base import ModelPart, ReasoningDelta, TextDelta
from .faults import error_words, fault_of_words

# What a field of an unexpected kind makes a reader stumble over.
_ODD = (TypeError, AttributeError, ValueError, KeyError, IndexError)
_SAMPLE_BYTES = 1_000
_AFTER_END_SECONDS = 5.0
_AFTER_DONE_SECONDS = 0.2


class Decoder(Protocol):
    """Takes the bytes of a stream and gives its events: JSON texts, or objects already read."""

    def feed(self, batch: bytes) -> list[str | dict[str, Any]]:
        """Give the events that are whole. Raises MalformedResponseError."""
        ...


class Reader(Protocol):
    """Reads one answer. `over` says that its end was seen."""

    over: bool

    def take(self, value: dict[str, Any]) -> list[ModelPart]:
        """Read one event of a stream."""
        ...

    def whole(self, value: dict[str, Any]) -> list[ModelPart]:
        """Read an answer that came in one piece."""
        ...

    def end(self) -> list[ModelPart]:
        """Give the ends of the calls, and the result last."""
        ...


class EventTexts:
    """Server-sent events as the texts of their data."""

    def __init__(self) -> None:
        self._decoder = SSEDecoder()

    def feed(self, batch: bytes) -> list[str | dict[str, Any]]:
        """Give the texts that are whole; an event named `error` is one, whatever its data."""
        return [
            event.data if event.event != "error" else _framed(event.data)
            for event in self._decoder.feed(batch)
        ]


def _framed(data: str) -> str | dict[str, Any]:
    """Give the data of an error event in the frame that errors have elsewhere."""
    return data if '"error"' in data else {"error": parsed(data) or data}


@dataclass(slots=True, frozen=True)
class Speaker:
    """Who answers. For people, `where` names it with its host and `answers` what it gives."""

    provider: str
    model: str
    where: str
    answers: str


class Answer:
    """One answer on its way. `error_in` finds the error that an event carries."""

    def __init__(
        self,
        speaker: Speaker,
        reader: Reader,
        decoder: Decoder,
        error_in: Callable[[dict[str, Any]], Any],
        secrets: Sequence[Secret],
    ) -> None:
        self._speaker = speaker
        self._reader = reader
        self._decoder = decoder
        self._error_in = error_in
        self._secrets = secrets
        self._done = False
        self._until: float | None = None  # on the loop's clock, once the answer has ended

    def parts(self, response: HttpResponse, *, streamed: bool) -> AsyncIterator[list[ModelPart]]:
        """Give the parts as they arrive, those of one batch of bytes together, the result last.

        Raises ModelError: what the answer tells of, what cannot be read, and an end that is none.
        """
        whole = not streamed or "json" in response.headers.get("content-type", "").casefold()
        return self._whole(response) if whole else self._events(response)

    async def _whole(self, response: HttpResponse) -> AsyncIterator[list[ModelPart]]:
        text = (await response.read()).decode("utf-8", "replace")
        value = parsed(text)
        if isinstance(value, list) and value:  # a stream asked for without events is one list
            parts = [part for item in value for part in self._taken(item, text, self._reader.take)]
        else:
            parts = self._taken(value, text, self._reader.whole)
        if not self._reader.over and not parts:
            raise self._malformed(text)  # JSON, but nothing was said in it
        yield parts
        yield self._end()  # it came whole, whether it names its end or not

    async def _events(self, response: HttpResponse) -> AsyncIterator[list[ModelPart]]:
        """Give the parts of each batch of bytes together: an async step a token would cost more
        than reading it. Texts that arrived together are one part."""
        spoke = False
        beginning = b""
        async with closing(response.batches()) as batches:
            while (batch := await self._next(batches)) is not None:
                parts: list[ModelPart] = []
                if not spoke and len(beginning) < _SAMPLE_BYTES:
                    beginning += batch[:_SAMPLE_BYTES]
                for event in () if self._done else self._decoder.feed(batch):
                    spoke = True
                    if isinstance(event, str) and event[:6] == "[DONE]":
                        self._reader.over = self._done = True
                        self._until = asyncio.get_running_loop().time() + _AFTER_DONE_SECONDS
                        break
                    parts += self._event(event)
                if parts:
                    yield _joined(parts)
        if not spoke and beginning.lstrip()[:1] in (b"<", b"{", b"["):  # a page, or JSON
            raise self._malformed(beginning.decode("utf-8", "replace"))
        if not self._reader.over:
            raise StreamInterruptedError(
                f"The stream of {self._speaker.where} ended in the middle of the answer of "
                f"{self._speaker.model!r}. Try again."
            )
        yield self._end()

    async def _next(self, batches: AsyncIterator[bytes]) -> bytes | None:
        """Give more of the stream, None at its end.

        Behind the end of an answer there may still be counters, and a connection that is read to
        its end is used again; but some servers keep it open for ever.
        """
        if not self._reader.over:
            return await anext(batches, None)
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + _AFTER_END_SECONDS
        try:
            async with asyncio.timeout_at(self._until):
                return await anext(batches, None)
        except (TimeoutError, StreamInterruptedError):  # the answer itself is there
            return None

    def _event(self, event: str | dict[str, Any]) -> list[ModelPart]:
        if not event:
            return []
        value = parsed(event) if isinstance(event, str) else event
        if value is None and self._reader.over:  # a ping, in words of its own
            return []
        return self._taken(value, event, self._reader.take)

    def _taken(
        self, value: Any, source: Any, take: Callable[[dict[str, Any]], list[ModelPart]]
    ) -> list[ModelPart]:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            raise self._malformed(source)
        try:
            error = self._error_in(value)
            if not error:
                return take(value)
        except _ODD:
            raise self._malformed(source) from None
        raise self._told(error)

    def _end(self) -> list[ModelPart]:
        try:
            return self._reader.end()
        except _ODD:
            raise self._malformed("an end that does not fit what came before") from None

    def _told(self, error: Any) -> ModelError:
        """Give the fault that an answer tells of although its status was fine."""
        return fault_of_words(
            scrub(error_words({"error": error}), self._secrets),
            status=None,
            error=error,
            provider=self._speaker.provider,
            where=self._speaker.where,
            model=self._speaker.model,
        )

    def _malformed(self, source: Any) -> MalformedResponseError:
        text = source if isinstance(source, str) else json.dumps(source, default=str)
        return MalformedResponseError(
            f"{self._speaker.where} sent something that is not {self._speaker.answers}: "
            f"{scrub(text, self._secrets)[:200]!r}. Check the provider and the base URL."
        )


def parsed(text: str) -> Any:
    """Give the value of a JSON text, None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _joined(parts: list[ModelPart]) -> list[ModelPart]:
    """Give the same parts with texts that follow one another joined: each part has its price on
    the way to the page, and with a fast model few arrive alone."""
    joined: list[ModelPart] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(last, TextDelta | ReasoningDelta) and isinstance(part, type(last)):
            last.text += part.text
        else:
            joined.append(part)
    return joined

"""The chat completions wire of OpenAI and of everything that speaks it.

Source: OpenAI's API reference, "Chat Completions", and what compatible servers do differently:
no index on tool call deltas, arguments as an object, reasoning under several names, usage only in
the last chunk or not at all.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator
from typing import Any

from ..cancel import closing
from ..errors import MalformedResponseError, NetworkError, StreamInterruptedError
from ..messages import FilePart, ImagePart, Message, TextPart, ToolCallPart, ToolResultPart
from ..ports import Http, HttpRequest, HttpResponse
from ..secret import Secret, scrub
from ..sse import SSEDecoder
from ..usage import Usage
from .base import (
    Finish,
    FinishReason,
    GenerateResult,
    ModelPart,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .faults import error_words, fault_of_answer, fault_of_words
from .profiles import ModelProfile

_SAMPLE_BYTES = 1_000

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content-filter",
}


class OpenAIChatModel:
    """A model behind a chat completions endpoint. `base_url` ends before `/chat/completions`."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        http: Http,
        profile: ModelProfile,
        provider: str = "openai-compatible",
        api_key: Secret | None = None,
        headers: dict[str, str] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.provider = provider
        self.profile = profile
        self._url = base_url.rstrip("/") + "/chat/completions"
        host = re.sub(r"^\w+://(?:[^/@]*@)?([^/?#]*).*", r"\1", base_url)
        self._where = f"{provider} ({host})"
        self._http = http
        self._key = api_key
        self._headers = dict(headers or {})
        self._options = dict(options or {})

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer one request. Raises a ModelError that says what to do."""
        try:
            response = await self._http.send(self._http_request(request))
        except NetworkError as fault:
            fault.provider, fault.model = self.provider, self.name
            raise
        try:
            if response.status >= 400:
                raise fault_of_answer(
                    response.status,
                    response.headers,
                    self._clean((await response.read()).decode("utf-8", "replace")),
                    provider=self.provider,
                    where=self._where,
                    model=self.name,
                )
            reader = _Reader()
            whole = not request.stream or "json" in response.headers.get("content-type", "")
            steps = self._whole(response, reader) if whole else self._events(response, reader)
            async with closing(steps):
                async for parts in steps:
                    for part in parts:
                        yield part
        finally:
            await response.close()

    async def _whole(
        self, response: HttpResponse, reader: _Reader
    ) -> AsyncIterator[list[ModelPart]]:
        text = (await response.read()).decode("utf-8", "replace")
        parts = self._read(reader, text)
        if reader.finish is None and not parts:
            raise self._malformed(text)  # JSON, but nothing was said in it
        yield parts
        yield reader.end()

    async def _events(
        self, response: HttpResponse, reader: _Reader
    ) -> AsyncIterator[list[ModelPart]]:
        """Give the parts of each batch of bytes together: an async step a token would cost more
        than reading it. Texts that arrived together are one part."""
        decoder = SSEDecoder()
        done = spoke = False
        beginning = b""
        async with closing(response.batches()) as batches:
            async for batch in batches:
                parts: list[ModelPart] = []
                if not spoke and len(beginning) < _SAMPLE_BYTES:
                    beginning += batch[:_SAMPLE_BYTES]
                for event in decoder.feed(batch):
                    spoke = True
                    done = done or event.data == "[DONE]"
                    if not done:
                        parts += self._read(reader, event.data)
                yield _joined(parts)
        if not spoke and beginning.strip():  # a page, or JSON under another name
            raise self._malformed(beginning.decode("utf-8", "replace"))
        if not done and reader.finish is None:
            raise StreamInterruptedError(
                f"The stream of {self._where} ended in the middle of the answer of "
                f"{self.name!r}. Try again.",
                provider=self.provider,
                model=self.name,
            )
        yield reader.end()

    def _read(self, reader: _Reader, text: str) -> list[ModelPart]:
        value = self._object(text)
        try:
            return reader.take(value)
        except (TypeError, AttributeError, ValueError, KeyError, IndexError):
            raise self._malformed(text) from None  # a field is not of the kind it should be

    def _malformed(self, text: str) -> MalformedResponseError:
        return MalformedResponseError(
            f"{self._where} sent something that is not a chat completion: "
            f"{self._clean(text)[:200]!r}. Check that the base URL names an OpenAI-compatible "
            "endpoint.",
            provider=self.provider,
            model=self.name,
        )

    def _object(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self._malformed(text)
        if error := value.get("error"):
            status = error.get("code") if isinstance(error, dict) else None
            raise fault_of_words(
                self._clean(error_words(value)),
                status=status if isinstance(status, int) and status >= 400 else None,
                provider=self.provider,
                where=self._where,
                model=self.name,
            )
        return value

    def _http_request(self, request: ModelRequest) -> HttpRequest:
        headers = {"content-type": "application/json", **self._headers}
        if self._key:
            headers["authorization"] = f"Bearer {self._key.reveal()}"
        body = json.dumps(self._body(request), ensure_ascii=False)
        if not body.isascii():  # half a character, as a model or a tool may give, has no UTF-8
            body = body.encode("utf-8", "replace").decode()
        return HttpRequest("POST", self._url, headers, body)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [wire for message in request.messages for wire in _messages(message)],
            "stream": request.stream,
        }
        if request.stream:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.input_schema,
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice != "auto":
                body["tool_choice"] = _tool_choice(request.tool_choice)
        if request.output_schema is not None and self.profile.output_schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": request.output_schema},
            }
        if request.max_output_tokens is not None:
            body["max_tokens"] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return body | self._options

    def _clean(self, words: str) -> str:
        """Give what a server said without the key and the headers, should it repeat them."""
        secrets = [Secret(value) for value in self._headers.values()]
        return scrub(words, [*secrets, self._key] if self._key else secrets)


class _Call:
    """A tool call that is being written."""

    __slots__ = ("id", "name", "pieces", "started")

    def __init__(self, id: str) -> None:
        self.id = id
        self.name = ""
        self.pieces: list[str] = []
        self.started = False


class _Reader:
    """Gathers chunks into parts; a whole answer is read as one chunk that has `message`."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._usage = Usage()
        self.finish: str | None = None

    def take(self, chunk: dict[str, Any]) -> list[ModelPart]:
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = read_usage(usage)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return []
        choice = choices[0]
        delta = choice.get("delta") or choice.get("message") or {}
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self.finish = reason
        parts: list[ModelPart] = []
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str) and thought:
            self._reasoning.append(thought)
            parts.append(ReasoningDelta(thought))
        if text := _text(delta.get("content")):
            self._text.append(text)
            parts.append(TextDelta(text))
        if isinstance(refusal := delta.get("refusal"), str):
            self._refusal.append(refusal)
        for call in delta.get("tool_calls") or ():
            parts += self._call(call)
        return parts

    def _call(self, wire: dict[str, Any]) -> list[ModelPart]:
        index = wire.get("index")
        if not isinstance(index, int):
            # Some servers leave the index out: a new id is a new call, none continues the last.
            known = {call.id: key for key, call in self._calls.items()}
            last = max(self._calls, default=-1)
            index = known.get(wire["id"], last + 1) if wire.get("id") else max(last, 0)
        call = self._calls.get(index)
        if call is None:
            call = self._calls[index] = _Call(wire.get("id") or f"call_{index}")
        function = wire.get("function") or {}
        call.name = call.name or function.get("name") or ""
        parts: list[ModelPart] = []
        if call.name and not call.started:
            call.started = True
            parts.append(ToolCallStart(call.id, call.name))
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        if isinstance(arguments, str) and arguments:
            call.pieces.append(arguments)
            parts.append(ToolCallDelta(call.id, arguments))
        return parts

    def end(self) -> list[ModelPart]:
        calls = [read_call(call.id, call.name, "".join(call.pieces)) for call in self._ordered()]
        finish = _FINISH.get(self.finish or "stop", "other")
        if calls and finish in ("stop", "other"):
            finish = "tool-calls"  # several servers say `stop` although they ask for tools
        result = GenerateResult(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            tool_calls=calls,
            finish_reason=finish,
            raw_finish_reason=self.finish,
            usage=self._usage,
            refusal="".join(self._refusal) or None,
        )
        return [*(ToolCallEnd(call) for call in calls), Finish(result)]

    def _ordered(self) -> list[_Call]:
        return [self._calls[index] for index in sorted(self._calls)]


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


def read_call(id: str, name: str, raw: str) -> ToolCall:
    """Give a call of its text: `""` means no arguments; what is not an object is `broken`."""
    try:
        arguments = json.loads(raw, strict=False) if raw.strip() else {}
        json.dumps(arguments, allow_nan=False)  # an infinity has no JSON form anywhere else
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(id, name, arguments, raw)
    if arguments is None and raw.strip() == "null":
        return ToolCall(id, name, {}, raw)
    return ToolCall(id, name, {}, raw, broken=True)


def read_usage(wire: dict[str, Any]) -> Usage:
    """Read the wire's counters; DeepSeek reports its cache beside, not inside, the details."""
    prompt_details = _dict(wire.get("prompt_tokens_details"))
    output_details = _dict(wire.get("completion_tokens_details"))
    cached = prompt_details.get("cached_tokens", wire.get("prompt_cache_hit_tokens"))
    input_tokens = _count(wire.get("prompt_tokens"))
    output_tokens = _count(wire.get("completion_tokens"))
    total = _count(wire.get("total_tokens"))
    if total is None and input_tokens is not None and output_tokens is not None:
        total = input_tokens + output_tokens
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=total,
        reasoning_tokens=_count(output_details.get("reasoning_tokens")),
        cached_input_tokens=_count(cached),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # Mistral and others send parts
        return "".join(
            part.get("text", "")
            for part in content
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def _tool_choice(choice: str) -> Any:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _messages(message: Message) -> list[dict[str, Any]]:
    """Give the wire's messages for one of ours: tool results are messages of their own there."""
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    if results:
        return [
            {"role": "tool", "tool_call_id": part.id, "content": part.output} for part in results
        ]
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    attached = [part for part in message.parts if isinstance(part, ImagePart | FilePart)]
    wire: dict[str, Any] = {"role": message.role}
    if attached:
        wire["content"] = [
            _content(part)
            for part in message.parts
            if isinstance(part, TextPart | ImagePart | FilePart)
        ]
    else:
        wire["content"] = message.text or (None if calls else "")
    if calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for call in calls
        ]
    return [wire]


def _content(part: TextPart | ImagePart | FilePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    data = part.data
    url = (
        f"data:{part.media_type};base64,{base64.b64encode(data).decode()}"
        if isinstance(data, bytes)
        else data
    )
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {"filename": part.name or "file", "file_data": url}}

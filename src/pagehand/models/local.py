"""A model on this device, behind the Engine port.

It takes plain turns of text. Where the engine's decoder can be held to a JSON Schema and the
caller gives one, it is: from the first token for models that do not think, and after free text
for models that do (reason first, constrain late).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from ..cancel import closing
from ..errors import ConfigError
from ..messages import Message, ToolCallPart, ToolResultPart
from ..ports import Engine, EngineAnswer, EngineInfo, EngineRequest
from ..usage import Usage
from .attachments import attached, kind_of, refusal
from .base import (
    Alive,
    Finish,
    FinishReason,
    GenerateResult,
    LoadProgress,
    ModelPart,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
)
from .profiles import ModelProfile
from .thinking import stops

_FINISH: dict[str, FinishReason] = {"stop": "stop", "length": "length"}
_HAND_OVER = "Now give the answer as JSON."


class LocalModel:
    """A model of the engine, named as the engine knows it (`embedded`, `wllama:<URL>`)."""

    def __init__(
        self, name: str, *, engine: Engine, profile: ModelProfile, provider: str = "on this device"
    ) -> None:
        self.name = name
        self.provider = provider
        self.profile = profile
        self._engine = engine
        self._info: EngineInfo | None = None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer one request; loads the model first when it is not.

        Raises EngineError, and AttachmentsNotSupportedError: these engines read text.
        """
        if request.tools:
            raise ConfigError(
                "A model on this device has no native tool calls; use tool_mode='prompted'."
            )
        for part in attached(request.messages):
            raise refusal(self.name, kind_of(part), "the engines here read text only")
        async with closing(self._load()) as loading:
            async for progress in loading:
                yield progress
        messages = [_plain(message) for message in request.messages]
        schema = request.output_schema if self._constrains() else None
        cap = request.max_output_tokens or self.profile.max_output_tokens
        temperature = request.temperature
        if temperature is None:
            temperature = self.profile.temperature
        thinks = None if request.thinking is None else not stops(request.thinking)
        asked = EngineRequest(messages, cap, temperature, json_schema=schema, thinking=thinks)
        thought = ""
        spent = Usage()
        if schema is not None and self.profile.thinks_first and thinks is not False:
            async with closing(self._engine.generate(replace(asked, json_schema=None))) as steps:
                async for step in steps:
                    if isinstance(step, EngineAnswer):
                        thought, spent = step.text, _usage(step)
                    elif step.kind == "text":
                        yield ReasoningDelta(step.text)
                    else:
                        yield Alive()
            asked.messages = [
                *messages,
                {"role": "assistant", "content": thought},
                {"role": "user", "content": _HAND_OVER},
            ]
        async with closing(self._engine.generate(asked)) as steps:
            async for step in steps:
                if isinstance(step, EngineAnswer):
                    yield Finish(
                        GenerateResult(
                            text=step.text,
                            reasoning=thought,
                            finish_reason=_FINISH.get(step.finish_reason, "other"),
                            raw_finish_reason=step.finish_reason,
                            usage=spent + _usage(step),
                        )
                    )
                elif step.kind == "text":
                    yield TextDelta(step.text)
                else:
                    yield Alive()

    async def _load(self) -> AsyncIterator[LoadProgress]:
        if self._info is not None:
            return
        news: asyncio.Queue[LoadProgress | None] = asyncio.Queue()

        def tell(progress: float, text: str) -> None:
            news.put_nowait(LoadProgress(progress, text))

        async def load() -> EngineInfo:
            try:
                return await self._engine.load(self.name, tell)
            finally:
                news.put_nowait(None)

        loading = asyncio.ensure_future(load())
        try:
            while (progress := await news.get()) is not None:
                yield progress
            self._info = await loading
        finally:
            loading.cancel()
        self.profile = replace(
            self.profile,
            context_window=self._info.context_window,
            constrains=bool(self._info.constraints),
        )

    def _constrains(self) -> bool:
        return self._info is not None and "json-schema" in self._info.constraints


def _usage(answer: EngineAnswer) -> Usage:
    return Usage(
        answer.input_tokens, answer.output_tokens, answer.input_tokens + answer.output_tokens
    )


def _plain(message: Message) -> dict[str, str]:
    """Give a message as text; calls and results of other models become what they said."""
    pieces = [message.text]
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            pieces.append(f"{part.name}({part.arguments})")
        elif isinstance(part, ToolResultPart):
            pieces.append(f"{part.name}: {part.output}")
    role = "user" if message.role == "tool" else message.role
    return {"role": role, "content": "\n".join(piece for piece in pieces if piece)}

"""A turn of a model that is asked small questions: one call, or none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from ..ports import Engine, EngineOptions, EngineProgress
from ..usage import Usage
from .base import (
    Alive,
    Finish,
    GenerateResult,
    LoadProgress,
    ModelPart,
    ModelRequest,
    Queued,
    ToolCall,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .choosing import Chooser
from .filling import Filler
from .judge import EngineJudge


class SmallTurn:
    """Finds the call that a request asks for. `call` is None when it asks for none."""

    def __init__(
        self, engine: Engine, model: str, options: EngineOptions | None, chooser: Chooser
    ) -> None:
        self.call: ToolCall | None = None
        self._signs: asyncio.Queue[ModelPart | None] = asyncio.Queue()
        self._judge = EngineJudge(engine, model, options, self._hear)
        self._chooser = chooser

    @property
    def usage(self) -> Usage:
        """What the questions took."""
        return self._judge.usage

    async def take(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Ask the questions; what comes until they are answered are signs of life, then the call.

        Raises EngineError.
        """
        asking = asyncio.ensure_future(self._ask(request))
        asking.add_done_callback(lambda _: self._signs.put_nowait(None))
        try:
            while (sign := await self._signs.get()) is not None:
                yield sign
            self.call = call = await asking
        finally:
            asking.cancel()
        if call is not None:
            yield ToolCallStart(call.id, call.name)
            yield ToolCallDelta(call.id, call.raw)
            yield ToolCallEnd(call)
            yield Finish(
                GenerateResult(tool_calls=[call], finish_reason="tool-calls", usage=self.usage)
            )

    async def _ask(self, request: ModelRequest) -> ToolCall | None:
        must = request.tool_choice == "required"
        tool = await self._chooser.choose(
            self._judge, request.task, request.tools, must=must, words=request.words_fit
        )
        if tool is None:
            return None
        arguments = await Filler(self._judge, request.task, tool).fill()
        raw = json.dumps(arguments, ensure_ascii=False)
        return ToolCall(f"call_{len(request.messages)}", tool.name, arguments, raw)

    def _hear(self, sign: EngineProgress) -> None:
        self._signs.put_nowait(sign_of_life(sign))


def sign_of_life(step: EngineProgress) -> ModelPart:
    """Give what an engine tells on its way as a part."""
    if step.kind == "queued":
        return Queued(step.done)
    if step.kind == "load":
        return LoadProgress(step.progress, step.text)
    return Alive()

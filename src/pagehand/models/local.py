"""A model on this device, behind the Engine port.

It takes plain turns of text. Where the engine's decoder can be held to a JSON Schema and the
caller gives one, it is: from the first token for models that do not think, and after free text
for models that do (reason first, constrain late). Thoughts written into the text come out as
reasoning.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from ..cancel import closing
from ..errors import ConfigError
from ..ports import Engine, EngineAnswer, EngineInfo, EngineOptions, EngineRequest
from ..usage import Usage
from .attachments import attached, kind_of, refusal
from .base import (
    Finish,
    FinishReason,
    GenerateResult,
    LoadProgress,
    ModelPart,
    ModelRequest,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
)
from .choosing import Chooser
from .judge import LIKELIHOOD
from .plain_turns import plain_turns
from .profiles import ModelProfile
from .small_turn import SmallTurn, sign_of_life
from .thinking import stops
from .thoughts import ThoughtPart, ThoughtSplitter

_FINISH: dict[str, FinishReason] = {"stop": "stop", "length": "length"}
_HAND_OVER = "Now give the answer as JSON."


class LocalModel:
    """A model of the engine, named as the engine knows it (`embedded`, `wllama:<URL>`)."""

    def __init__(
        self,
        name: str,
        *,
        engine: Engine,
        profile: ModelProfile,
        provider: str = "on this device",
        options: EngineOptions | None = None,
    ) -> None:
        self.name = name
        self.provider = provider
        self.profile = profile
        self._engine = engine
        self._options = options
        self._info: EngineInfo | None = None
        self._chooser = Chooser()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer one request; loads the model first when it is not.

        Raises EngineError, and AttachmentsNotSupportedError: these engines read text.
        """
        for file in attached(request.messages):
            raise refusal(self.name, kind_of(file), "the engines here read text only")
        async with closing(self._load()) as loading:
            async for progress in loading:
                yield progress
        if request.tools and not self._can_be_asked():
            raise ConfigError(
                "A model on this device has no native tool calls; use tool_mode='prompted'."
            )
        asked_before = Usage()
        if request.tools and request.tool_choice != "none":
            turn = SmallTurn(self._engine, self.name, self._options, self._chooser)
            async with closing(turn.take(request)) as parts:
                async for part in parts:
                    yield part
            if turn.call is not None:
                return
            asked_before = turn.usage
        asked = self._asked(request)
        thought = _Written()
        if asked.json_schema is not None and self._thinks_first(asked):
            async with closing(self._write(replace(asked, json_schema=None), thought)) as parts:
                async for part in parts:
                    if isinstance(part, TextDelta):
                        yield ReasoningDelta(part.text)
                    elif not isinstance(part, ModelWarning):
                        yield part
            asked = _handed_over(asked, thought)
        answer = _Written()
        async with closing(self._write(asked, answer)) as parts:
            async for part in parts:
                yield part
        yield Finish(
            GenerateResult(
                text=answer.text,
                reasoning=thought.whole + answer.reasoning,
                finish_reason=_FINISH.get(answer.finish_reason, "other"),
                raw_finish_reason=answer.finish_reason,
                usage=asked_before + thought.usage + answer.usage,
            )
        )

    async def _load(self) -> AsyncIterator[LoadProgress]:
        if self._info is not None:
            return
        news: asyncio.Queue[LoadProgress | None] = asyncio.Queue()

        def tell(progress: float, text: str) -> None:
            news.put_nowait(LoadProgress(progress, text))

        loading = asyncio.ensure_future(self._engine.load(self.name, tell, self._options))
        loading.add_done_callback(lambda _: news.put_nowait(None))
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

    def _asked(self, request: ModelRequest) -> EngineRequest:
        """Give the request in the engine's words."""
        cap = request.max_output_tokens or self.profile.max_output_tokens
        window = self.profile.context_window
        temperature = request.temperature
        if temperature is None:
            temperature = self.profile.temperature
        return EngineRequest(
            plain_turns(request.messages),
            min(cap, window) if cap and window else cap,
            temperature,
            json_schema=request.output_schema if self._constrains() else None,
            grammar=request.output_grammar if self._constrains() else None,
            thinking=None if request.thinking is None else not stops(request.thinking),
            model=self.name,
            options=self._options,
        )

    async def _write(self, asked: EngineRequest, written: _Written) -> AsyncIterator[ModelPart]:
        """Let the engine write; pass the parts on, and gather them in `written`."""
        splitter = ThoughtSplitter(starts_inside=self._starts_inside(asked))
        came = ""
        async with closing(self._engine.generate(asked)) as steps:
            async for step in steps:
                if isinstance(step, EngineAnswer):
                    written.close(step)
                    rest = step.text.removeprefix(came)
                    parts = [*splitter.feed(rest), *splitter.finish()]
                elif step.kind == "text":
                    came += step.text
                    parts = splitter.feed(step.text)
                else:
                    yield sign_of_life(step)
                    continue
                for part in parts:
                    written.take(part)
                    yield part

    def _can_be_asked(self) -> bool:
        able = self._info is not None and LIKELIHOOD in self._info.constraints
        return able and self.profile.small_questions

    def _constrains(self) -> bool:
        return self._info is not None and "json-schema" in self._info.constraints

    def _thinks_first(self, asked: EngineRequest) -> bool:
        return self.profile.thinks_first and asked.thinking is not False

    def _starts_inside(self, asked: EngineRequest) -> bool:
        """Whether the model's template opens a thought: those of models that always think do."""
        knob = self.profile.thinking
        always = knob is not None and knob.kind == "always"
        return always and asked.thinking is not False and asked.json_schema is None


@dataclass(slots=True)
class _Written:
    """What one call of the engine wrote."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish_reason: str = "cancelled"
    usage: Usage = field(default_factory=Usage)

    def take(self, part: ThoughtPart) -> None:
        """Gather a part; a warning that the answer begins anew makes a thought of what came."""
        if isinstance(part, TextDelta):
            self.texts.append(part.text)
        elif isinstance(part, ReasoningDelta):
            self.thoughts.append(part.text)
        elif part.anew:
            self.thoughts += self.texts
            self.texts = []

    def close(self, answer: EngineAnswer) -> None:
        """Note how it ended."""
        self.finish_reason = answer.finish_reason
        total = answer.input_tokens + answer.output_tokens
        self.usage = Usage(
            answer.input_tokens,
            answer.output_tokens,
            total,
            cached_input_tokens=answer.cached_input_tokens,
        )

    @property
    def text(self) -> str:
        """The answer, without thoughts."""
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        """The thoughts."""
        return "".join(self.thoughts)

    @property
    def whole(self) -> str:
        """Thoughts and answer."""
        return "\n\n".join(piece for piece in (self.reasoning, self.text) if piece)


def _handed_over(asked: EngineRequest, thought: _Written) -> EngineRequest:
    """Ask for the answer to what was thought; it is held to the schema, so no thought may come."""
    turns = [*asked.messages]
    if thought.whole:
        turns += [
            {"role": "assistant", "content": thought.whole},
            {"role": "user", "content": _HAND_OVER},
        ]
    return replace(asked, messages=turns, thinking=False)

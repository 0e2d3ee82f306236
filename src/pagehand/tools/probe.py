"""A short self-test: what a model can do with tools, and how it had best be asked.

Ten everyday requests are put to the model in every way of writing calls that it may use, one round
each, just as an agent would ask. A way that cannot win any more is given up at once, so that a slow
device is not kept busy for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import ports
from ..cancel import AbortSignal
from ..errors import ContentRefusedError, MalformedResponseError
from ..models.base import Model, ReasoningDelta, TextDelta, supports_native_tools
from ..models.resolve import resolve_model
from ..models.spec import ModelInput, ModelSettings
from ..ports import CredentialStore, Platform
from .formats import CALL_FORMATS
from .loop import LoopEvent
from .probe_tasks import PROBE_TASKS, PROBE_TOOLS, ProbeTask, is_right
from .standalone import run_tool_loop

NATIVE = "native"
# A way in which the first calls all went wrong is given up, whatever the others gave.
_HOPELESS = 5
_FEW_TOOLS = 5


@dataclass(slots=True)
class FormatScore:
    """How a way of writing calls did: `right` answers of `asked` questions.

    `as_told` of them were written in the very form that was asked for; the others came in another
    that could be read. Fewer than ten were asked where the way could not win any more.
    """

    format: str
    right: int = 0
    asked: int = 0
    as_told: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {
            "format": self.format,
            "right": self.right,
            "asked": self.asked,
            "asTold": self.as_told,
        }


@dataclass(slots=True, frozen=True)
class ProbeProgress:
    """How far a probe is: `done` questions, `most` if none can be spared; `format` is being tried
    and has `right` right answers so far."""

    done: int
    most: int
    format: str
    right: int

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {
            "done": self.done,
            "most": self.most,
            "format": self.format,
            "right": self.right,
        }


@dataclass(slots=True)
class ProbeResult:
    """What a probe found, and what it proposes.

    `call_format` is native, fenced, tags or envelope; None when no call came out right. `thinking`
    False proposes to turn thoughts off, True that they cannot be; None leaves it as it is.
    `tools_at_once` is how many tools should be offered; None means all. `thinks` says that thoughts
    were seen. `tokens_per_second` is how fast it writes; None when that could not be seen. `advice`
    is a sentence for people.
    """

    scores: list[FormatScore] = field(default_factory=list)
    call_format: str | None = None
    thinking: bool | None = None
    tools_at_once: int | None = None
    thinks: bool = False
    tokens_per_second: float | None = None
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {
            "scores": [score.to_dict() for score in self.scores],
            "callFormat": self.call_format,
            "thinking": self.thinking,
            "toolsAtOnce": self.tools_at_once,
            "thinks": self.thinks,
            "tokensPerSecond": self.tokens_per_second,
            "advice": self.advice,
        }


async def probe_model(
    model: ModelInput,
    *,
    platform: Platform | None = None,
    signal: AbortSignal | None = None,
    on_progress: Callable[[ProbeProgress], None] | None = None,
    credentials: CredentialStore | None = None,
    timeout_ms: float = 120_000,
) -> ProbeResult:
    """Find out how a model calls tools best: with which format, with or without thoughts.

    Asks at most ten questions for each format, and ten more for a model whose thoughts can be
    turned off; no tool of the host's is run. `timeout_ms` (milliseconds) bounds each question.
    Raises ConfigError, ModelError, and AgentAborted when `signal` fires.
    """
    here = platform or ports.platform()
    made = resolve_model(model, here, ModelSettings(credentials=credentials))
    return await _Probe(made, here, signal, on_progress, timeout_ms).run()


@dataclass(slots=True)
class _Trial:
    """All answers in one format, in the order of the tasks."""

    score: FormatScore
    answers: list[bool] = field(default_factory=list)

    @property
    def key(self) -> tuple[int, int]:
        return self.score.right, self.score.as_told

    @property
    def hopeless(self) -> bool:
        return len(self.answers) >= _HOPELESS and not self.score.right

    def can_beat(self, best: _Trial | None) -> bool:
        """Whether the questions that are left suffice; what is equal does not win."""
        left = len(PROBE_TASKS) - self.score.asked
        most = (self.score.right + left, self.score.as_told + left)
        return not self.hopeless and (best is None or most > best.key)


class _Probe:
    """One run of the questions."""

    def __init__(
        self,
        model: Model,
        platform: Platform,
        signal: AbortSignal | None,
        on_progress: Callable[[ProbeProgress], None] | None,
        timeout_ms: float,
    ) -> None:
        self._model = model
        self._platform = platform
        self._signal = signal
        self._on_progress = on_progress
        self._timeout_ms = timeout_ms
        self._speed = _Speed(platform)
        self._thinks = False
        self._done = 0

    async def run(self) -> ProbeResult:
        """Try all formats, then whether thoughts help."""
        best: _Trial | None = None
        scores: list[FormatScore] = []
        formats = _formats_of(self._model)
        for place, name in enumerate(formats):
            trial = _Trial(FormatScore(name))
            scores.append(trial.score)
            for task in PROBE_TASKS:
                if not trial.can_beat(best):
                    break
                await self._ask(trial, task, None, len(formats) - place - 1)
            if best is None or trial.key > best.key:
                best = trial
        assert best is not None  # there is always a format
        result = ProbeResult(scores, thinks=self._thinks)
        result.tools_at_once = self._model.profile.tools_at_once
        if best.score.right:
            result.call_format = best.score.format
            result.thinking = await self._thinking(best)
            result.tools_at_once = self._tools_at_once(best)
        result.tokens_per_second = self._speed.tokens_per_second
        result.advice = _advice(best.score)
        return result

    async def _thinking(self, best: _Trial) -> bool | None:
        """Give whether the model should think; thoughts cost time, so they must earn it."""
        knob = self._model.profile.thinking
        if not self._thinks:
            return None
        if knob is None or not knob.can_stop:
            return True
        without = _Trial(FormatScore(best.score.format))
        for task in PROBE_TASKS:
            left = len(PROBE_TASKS) - without.score.asked
            if without.hopeless or without.score.right + left < best.score.right:
                return None
            await self._ask(without, task, "none", 0)
        return False if without.score.right >= best.score.right else None

    def _tools_at_once(self, best: _Trial) -> int | None:
        """Give how many tools to offer: few, where more of them confused the model."""
        few = [
            right
            for task, right in zip(PROBE_TASKS, best.answers, strict=False)
            if len(task.tools) <= _FEW_TOOLS
        ]
        right_with_few = sum(few)
        right_with_many = sum(best.answers) - right_with_few
        most = self._model.profile.tools_at_once
        if right_with_many + 1 < right_with_few:
            return _FEW_TOOLS if most is None else min(most, _FEW_TOOLS)
        return most

    async def _ask(
        self, trial: _Trial, task: ProbeTask, thinking: str | None, formats: int
    ) -> None:
        """Ask one question; `formats` more are still to be tried."""
        tools = [PROBE_TOOLS[name] for name in task.tools]
        native = trial.score.format == NATIVE
        self._speed.start()
        try:
            answer = await run_tool_loop(
                self._model,
                tools,
                task.request,
                platform=self._platform,
                mode=NATIVE if native else "prompted",
                call_format="auto" if native else trial.score.format,
                max_steps=1,
                on_event=self._hear,
                thinking=thinking,
                signal=self._signal,
                timeout_ms=self._timeout_ms,
            )
        except (ContentRefusedError, MalformedResponseError):
            right = as_told = False
        else:
            self._speed.stop(answer.usage.output_tokens)
            self._thinks = self._thinks or bool(answer.reasoning)
            right = is_right(answer.tool_calls, task)
            written = NATIVE if native or not task.calls else _form_of(answer.result.text)
            as_told = right and written in (NATIVE, trial.score.format)
        trial.answers.append(right)
        trial.score.asked += 1
        trial.score.right += right
        trial.score.as_told += as_told
        self._done += 1
        if self._on_progress is not None:
            left = len(PROBE_TASKS) - trial.score.asked + formats * len(PROBE_TASKS)
            self._on_progress(
                ProbeProgress(self._done, self._done + left, trial.score.format, trial.score.right)
            )

    def _hear(self, event: LoopEvent) -> None:
        if isinstance(event, ReasoningDelta):
            self._thinks = True
        if isinstance(event, TextDelta | ReasoningDelta):
            self._speed.hear()


class _Speed:
    """How fast a model writes: from its first word on, so that its loading and its reading of the
    prompt do not count."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._began: float | None = None
        self._tokens = 0
        self._seconds = 0.0

    def start(self) -> None:
        self._began = None

    def hear(self) -> None:
        if self._began is None:
            self._began = self._clock.monotonic()

    def stop(self, tokens: int | None) -> None:
        if self._began is not None and tokens:
            self._tokens += tokens
            self._seconds += self._clock.monotonic() - self._began

    @property
    def tokens_per_second(self) -> float | None:
        return self._tokens / self._seconds if self._seconds > 0 else None


def _formats_of(model: Model) -> list[str]:
    """Give the ways of a model, its own first: of equals the first wins."""
    own = [NATIVE] if supports_native_tools(model) else []
    written = [model.profile.call_format, *CALL_FORMATS]
    return [*own, *dict.fromkeys(name for name in written if name in CALL_FORMATS)]


def _form_of(text: str) -> str:
    """Give the format that a text with calls is written in, "" for another one."""
    bare = text.lstrip().casefold()
    if "```tool_call" in bare:
        return "fenced"
    if "<tool_call" in bare:
        return "tags"
    return "envelope" if bare.startswith(("{", "[{", "```")) else ""


def _advice(best: FormatScore) -> str:
    right = f"{best.right} of {len(PROBE_TASKS)} requests were answered with the right calls"
    if best.right >= 8:
        return f"This model calls tools well: {right}."
    if best.right >= 5:
        return f"This model calls tools fairly: {right}. Let it ask before it changes anything."
    if best.right:
        return f"This model calls tools poorly: {right}. Take a larger one where you can."
    return "This model made no usable call in any format: take another one for work with tools."

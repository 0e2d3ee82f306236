"""What the stages of one run share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..cancel import AbortSignal
from ..errors import error_data
from ..events import Event, ModelLoad, Retry, UsageReported
from ..messages import Message
from ..models.base import GenerateResult, LoadProgress, Model, ModelRequest, ModelWarning
from ..models.profiles import COMPACT_BELOW
from ..models.retry import CallPolicy, Retrying
from ..plan import StepResult
from ..tools.calling import CallBudget
from ..tools.loop import LoopEvent, Spent, ask
from ..tools.prompted import catalogue
from ..tools.results import clip, model_text
from ..tools.tool import Tool
from ..usage import Usage
from .config import AgentConfig
from .logging import RunLog
from .prompts import Prompt, PromptContext, build

# Characters of a step's summary and of one tool result that later stages read (full, compact).
_SUMMARY_CHARS = (4_000, 600)
_FINDING_CHARS = (1_500, 400)


@dataclass(slots=True)
class StageModels:
    """The models of a run. The replanner shares the planner's."""

    planner: Model
    executor: Model
    synthesizer: Model


@dataclass(slots=True)
class RunScope:
    """One run: what it was asked, what it works with, and what it has done so far."""

    run_id: str
    goal: str
    config: AgentConfig
    models: StageModels
    tools: Sequence[Tool]
    policy: CallPolicy
    emit: Callable[[Event], None]
    log: RunLog
    count: Callable[[Usage], None]
    signal: AbortSignal
    history: Sequence[Message] = ()
    budget: CallBudget = field(default_factory=CallBudget)
    usage: Usage = field(default_factory=Usage)
    trace: list[StepResult] = field(default_factory=list)
    phase: str = "run"
    _catalogues: dict[bool, str] = field(default_factory=dict, init=False)

    def compact(self, model: Model) -> bool:
        """Whether a model gets the short prompts: its window in use is small."""
        window = self.config.context_window_tokens
        profile = model.profile
        if window is None or (profile.context_window and profile.context_window < window):
            return profile.compact
        return window < COMPACT_BELOW

    def native(self, model: Model) -> bool:
        """Whether a model gets native tool calls."""
        mode = self.config.tool_mode
        return mode == "native" or (mode == "auto" and model.profile.native_tools)

    async def context(self, model: Model) -> PromptContext:
        """Give the part of a stage's prompt context that all stages share."""
        compact = self.compact(model)
        return PromptContext(
            goal=self.goal,
            state=await self._state(),
            catalogue=self.catalogue(compact),
            mode="native" if self.native(model) else "prompted",
            compact=compact,
            done=[done_line(result, compact) for result in self.trace],
            max_plan_steps=self.config.max_plan_steps,
        )

    async def _state(self) -> str | None:
        describe = self.config.describe_state
        if describe is None:
            return None
        try:
            state = describe()
            if inspect.isawaitable(state):
                state = await state
        except Exception as fault:  # the host's own function may raise anything
            self.log.warn(f"describe_state failed, the stage goes on without it: {fault}")
            return None
        return None if state is None else str(state)

    def catalogue(self, compact: bool) -> str:
        """Give the tools as a model reads them in a text; they stay the same for a run."""
        if compact not in self._catalogues:
            chars = 80 if compact else 240
            self._catalogues[compact] = catalogue(self.tools, description_chars=chars)
        return self._catalogues[compact]

    def prompt(
        self,
        stage: str,
        context: PromptContext,
        default: Callable[[PromptContext], Prompt],
    ) -> Prompt:
        """Give a stage's texts, the host's own where it has them."""
        override = self.config.prompts.get(stage)
        return build(stage, context, default, override, self.config.system_prompt)

    async def ask(
        self,
        model: Model,
        request: ModelRequest,
        phase: str,
        on_part: Callable[[LoopEvent], None] = lambda _part: None,
    ) -> GenerateResult:
        """Make one model call of a phase; what all stages report alike is reported here."""
        request.temperature = self.config.temperature
        request.signal = self.signal
        request.stage = phase

        def emit(part: LoopEvent) -> None:
            if not self.report(part, phase, model) or isinstance(part, Retrying):
                on_part(part)

        return await ask(model, request, self.policy, emit)

    def report(self, part: LoopEvent, phase: str, model: Model) -> bool:
        """Emit what is told alike in every stage. Gives whether the part was such."""
        if isinstance(part, Spent):
            self.usage = self.usage + part.usage
            self.count(part.usage)
            self.emit(UsageReported(phase, part.usage, model.provider, model.name))
        elif isinstance(part, Retrying):
            self.emit(Retry(phase, part.attempt, error_data(part.fault)))
        elif isinstance(part, LoadProgress):
            self.emit(ModelLoad(part.progress, part.text))
        elif isinstance(part, ModelWarning):
            self.log.warn(part.message)
        else:
            return False
        return True


def done_line(result: StepResult, compact: bool) -> str:
    """Give a finished step as one entry for later stages."""
    mark = "blocked" if result.blocked else "done"
    summary = clip(result.summary, _SUMMARY_CHARS[compact])
    return f"[{mark}] {result.step.description}: {summary}"


def findings(trace: Sequence[StepResult], compact: bool) -> list[str]:
    """Give clipped excerpts of what tools returned, for the answer."""
    return [
        f"{call.name}: {model_text(call.output, max_chars=_FINDING_CHARS[compact])}"
        for result in trace
        for call in result.tool_calls
        if call.ok
    ]

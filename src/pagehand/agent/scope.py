"""What the stages of one run share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..cancel import AbortSignal
from ..errors import error_data
from ..events import Event, ModelLoad, Retry, UsageReported
from ..messages import Message, Part, TextPart, system
from ..models.attachments import refuse_known
from ..models.base import (
    GenerateResult,
    LoadProgress,
    Model,
    ModelRequest,
    ModelWarning,
    Queued,
    supports_native_tools,
)
from ..models.caching import PromptCaching, resolve_prompt_caching
from ..models.links import Downloads
from ..models.prices import Cost, Price, cost_of
from ..models.profiles import COMPACT_BELOW
from ..models.retry import CallPolicy, Retrying
from ..models.thinking import Thinking, resolve_thinking
from ..plan import StepResult
from ..tools.calling import CallBudget
from ..tools.catalogue import catalogue
from ..tools.loop import LoopEvent, Spent, ask
from ..tools.offering import likeliest
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
    count: Callable[[Usage, Cost], None]
    signal: AbortSignal
    prices: Mapping[str, Price]
    downloads: Downloads
    attachments: Sequence[Part] = ()
    history: Sequence[Message] = ()
    budget: CallBudget = field(default_factory=CallBudget)
    usage: Usage = field(default_factory=Usage)
    cost: Cost = field(default_factory=Cost)
    trace: list[StepResult] = field(default_factory=list)
    phase: str = "run"
    repairs: int = 0
    _catalogues: dict[tuple[bool, int | None], str] = field(default_factory=dict, init=False)

    def compact(self, model: Model) -> bool:
        """Whether a model gets the short prompts: its window in use is small."""
        window = self.config.context_window_tokens
        profile = model.profile
        if window is None or (profile.context_window and profile.context_window < window):
            return profile.compact
        return window < COMPACT_BELOW

    def refuse_attachments(self) -> None:
        """Raise AttachmentsNotSupportedError for a kind that a stage is known not to take."""
        for model in (self.models.planner, self.models.executor, self.models.synthesizer):
            refuse_known(self.attachments, model.name, model.profile)

    def native(self, model: Model) -> bool:
        """Whether a model gets native tool calls."""
        mode = self.config.tool_mode
        return mode == "native" or (mode == "auto" and supports_native_tools(model))

    def call_format(self, model: Model) -> str:
        """Give how a model without native calls is told to write them."""
        wanted = self.config.tool_format
        return model.profile.call_format if wanted == "auto" else wanted

    async def context(self, model: Model) -> PromptContext:
        """Give the part of a stage's prompt context that all stages share."""
        compact = self.compact(model)
        return PromptContext(
            goal=self.goal,
            state=await self._state(),
            catalogue=self.catalogue(compact, model.profile.tools_at_once),
            mode="native" if self.native(model) else "prompted",
            call_format=self.call_format(model),
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

    def catalogue(self, compact: bool, most: int | None = None) -> str:
        """Give the tools as a model reads them in a text, at most `most`, the likeliest ones; they
        stay the same for a run."""
        key = compact, most
        if key not in self._catalogues:
            chars = 80 if compact else 240
            tools = likeliest(self.tools, self.goal, most)
            self._catalogues[key] = catalogue(tools, description_chars=chars)
        return self._catalogues[key]

    def prompt(
        self,
        stage: str,
        context: PromptContext,
        default: Callable[[PromptContext], Prompt],
    ) -> Prompt:
        """Give a stage's texts, the host's own where it has them."""
        override = self.config.prompts.get(stage)
        return build(stage, context, default, override, self.config.system_prompt)

    def thinking(self, stage: str) -> Thinking | None:
        """Give how much a stage thinks; an entry of its own, even false, wins."""
        return resolve_thinking(self.config.stage_thinking.get(stage, self.config.thinking))

    def caching(self, stage: str) -> PromptCaching | None:
        """Give a stage's marks for the provider's prompt cache."""
        return resolve_prompt_caching(
            self.config.prompt_caching, client_name=self.config.client_name, stage=stage
        )

    def turns(self, prompt: Prompt, *, attached: bool = True) -> list[Message]:
        """Give a stage's two messages, with the run's attachments in the second."""
        parts: list[Part] = [TextPart(prompt.prompt), *(self.attachments if attached else ())]
        return [system(prompt.system), Message("user", parts)]

    def request(self, stage: str, prompt: Prompt, *, attached: bool = True) -> ModelRequest:
        """Give a stage's request."""
        return ModelRequest(
            self.turns(prompt, attached=attached),
            thinking=self.thinking(stage),
            cache=self.caching(stage),
            downloads=self.downloads,
            temperature=self.config.temperature,
            signal=self.signal,
        )

    async def ask(
        self,
        model: Model,
        request: ModelRequest,
        phase: str,
        on_part: Callable[[LoopEvent], None] = lambda _part: None,
    ) -> GenerateResult:
        """Make one model call of a phase; what all stages report alike is reported here."""
        request.stage = phase

        def emit(part: LoopEvent) -> None:
            if not self.report(part, phase) or isinstance(part, Retrying):
                on_part(part)

        return await ask(model, request, self.policy, emit)

    def report(self, part: LoopEvent, phase: str) -> bool:
        """Emit what is told alike in every stage. Gives whether the part was such."""
        if isinstance(part, Spent):
            self._spend(part, phase)
        elif isinstance(part, Retrying):
            self.emit(Retry(phase, part.attempt, error_data(part.fault)))
        elif isinstance(part, LoadProgress):
            self.emit(ModelLoad(part.progress, part.text))
        elif isinstance(part, Queued):
            others = "1 request" if part.ahead == 1 else f"{part.ahead} requests"
            self.emit(ModelLoad(1.0, f"Waiting: the model is busy, {others} ahead"))
        elif isinstance(part, ModelWarning):
            self.log.warn(part.message)
        else:
            return False
        return True

    def _spend(self, spent: Spent, phase: str) -> None:
        provider, name = spent.provider, spent.model
        caching = self.caching("executor")  # how long tokens are kept is the same in all stages
        ttl = caching.ttl if caching else "5m"
        dollars = cost_of(spent.usage, provider, name, self.prices, cache_ttl=ttl)
        if spent.on_device:
            dollars = 0.0
        unknown = (f"{provider}:{name}",) if dollars is None else ()
        cost = Cost(dollars or 0.0, unknown)
        self.usage, self.cost = self.usage + spent.usage, self.cost + cost
        self.count(spent.usage, cost)
        self.emit(UsageReported(phase, spent.usage, provider, name, dollars))


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

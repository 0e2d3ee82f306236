"""The seam: what every model is asked, and the typed parts that it answers with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from ..cancel import AbortSignal
from ..messages import Message, Part
from ..usage import Usage
from .caching import PromptCaching
from .links import Downloads
from .profiles import ModelProfile
from .thinking import Thinking

FinishReason = Literal["stop", "tool-calls", "length", "content-filter", "error", "other"]


@dataclass(slots=True, frozen=True)
class ToolDefinition:
    """A tool as a model sees it."""

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(slots=True)
class ModelRequest:
    """One call. `stage` names who asks (plan, execute, …); adapters may key caches by it.

    `output_grammar` (GBNF) holds a decoder on this device; others ignore it.
    `thinking` None sends nothing, so the provider's default applies; `cache` None marks nothing.
    `task` says in the user's words what the call is about, `words_fit` how well each tool's words
    fit it (0 to 1): some models are asked small questions.
    `downloads` fetches links for a provider that takes none. `stream=False` asks for one whole
    answer; the parts are the same, only fewer.
    """

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list)
    tool_choice: str = "auto"
    output_schema: dict[str, Any] | None = None
    output_grammar: str | None = None
    thinking: Thinking | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    cache: PromptCaching | None = None
    stage: str | None = None
    signal: AbortSignal | None = None
    stream: bool = True
    downloads: Downloads | None = None
    task: str = ""
    words_fit: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class ToolCall:
    """A call as the model wrote it: `arguments` is always a dict, `raw` the text it came from.

    `broken` is true where `raw` is not a JSON object; the call is then not run as it stands.
    `by_provider` marks a call that the provider has run itself: it is told, and not run again.
    `cut` marks a call that the output ended in: it is never run and never repaired. `repairs` names
    the steps (json, name, coerce, reask, hook) that made it what it is; `written_name` is then the
    name as the model wrote it. `problem` says why a call cannot be run.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    raw: str = ""
    broken: bool = False
    by_provider: bool = False
    cut: bool = False
    repairs: tuple[str, ...] = ()
    written_name: str = ""
    problem: str = ""


@dataclass(slots=True)
class GenerateResult:
    """A whole answer. `raw_finish_reason` is the provider's own word.

    `provider` and `model` say who answered, `on_device` that nobody is paid for it. `parts` is the
    same answer as the turn that history keeps: in the order it came, with what the provider wants
    back.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    finish_reason: FinishReason = "stop"
    raw_finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    refusal: str | None = None
    warnings: list[str] = field(default_factory=list)
    provider: str = ""
    model: str = ""
    on_device: bool = False


@dataclass(slots=True)
class TextDelta:
    """More text."""

    type: ClassVar[str] = "text-delta"
    text: str


@dataclass(slots=True)
class ReasoningDelta:
    """More thought."""

    type: ClassVar[str] = "reasoning-delta"
    text: str


@dataclass(slots=True)
class ToolCallStart:
    """A call's name is known."""

    type: ClassVar[str] = "tool-call-start"
    id: str
    name: str


@dataclass(slots=True)
class ToolCallDelta:
    """More of a call's arguments, as text."""

    type: ClassVar[str] = "tool-call-delta"
    id: str
    arguments_delta: str


@dataclass(slots=True)
class ToolCallEnd:
    """A call is whole."""

    type: ClassVar[str] = "tool-call-end"
    call: ToolCall


@dataclass(slots=True)
class ModelWarning:
    """Something a person may want to know; the answer goes on.

    `anew` says that it begins from the start: what was said before counts no more.
    """

    type: ClassVar[str] = "warning"
    message: str
    anew: bool = False


@dataclass(slots=True)
class LoadProgress:
    """A model on this device is being fetched or loaded, from 0 to 1."""

    type: ClassVar[str] = "load-progress"
    progress: float
    text: str


@dataclass(slots=True)
class Alive:
    """Nothing to show, but the model is at work: a local one reads its prompt."""

    type: ClassVar[str] = "alive"


@dataclass(slots=True)
class Queued:
    """The engine is at work for others: so many tasks come first."""

    type: ClassVar[str] = "queued"
    ahead: int


@dataclass(slots=True)
class Finish:
    """The last part: the whole result."""

    type: ClassVar[str] = "finish"
    result: GenerateResult


ModelPart = (
    TextDelta
    | ReasoningDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | ModelWarning
    | LoadProgress
    | Alive
    | Queued
    | Finish
)


@runtime_checkable
class Model(Protocol):
    """Anything that answers. `provider` and `name` say who; `profile` says what it can do."""

    provider: str
    name: str

    @property
    def profile(self) -> ModelProfile:
        """What the model can do, as far as is known by now."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer in parts, `Finish` last. Raises a ModelError; leaving early stops the call."""
        ...


# Parts of the names under which adapters for models on the device go.
_ON_DEVICE_WORDS = ("web-llm", "mlc", "browser-ai", "transformers", "nano", "built-in")


def supports_native_tools(model: Model) -> bool:
    """Whether a model gets its tools natively, rather than in the prompt."""
    provider = model.provider.casefold()
    profile = model.profile
    native = profile.native_tools and not any(word in provider for word in _ON_DEVICE_WORDS)
    return native or profile.small_questions


def supports_structured_output(model: Model) -> bool:
    """Whether a model can be held to a JSON Schema, by its provider or by its decoder."""
    profile = model.profile
    return profile.constrains or (profile.output_schema and not profile.json_only)

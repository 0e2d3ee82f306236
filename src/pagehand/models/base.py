"""The seam: what every model is asked, and the typed parts that it answers with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from ..cancel import AbortSignal
from ..messages import Message
from ..usage import Usage
from .profiles import ModelProfile

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

    `stream=False` asks for one whole answer; the parts are the same, only fewer.
    """

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list)
    tool_choice: str = "auto"
    output_schema: dict[str, Any] | None = None
    thinking: Any = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    cache: Any = None
    stage: str | None = None
    signal: AbortSignal | None = None
    stream: bool = True


@dataclass(slots=True)
class ToolCall:
    """A call as the model wrote it: `arguments` is always a dict, `raw` the text it came from.

    `broken` is true where `raw` is not a JSON object; the call is then not run as it stands.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    raw: str = ""
    broken: bool = False


@dataclass(slots=True)
class GenerateResult:
    """A whole answer. `raw_finish_reason` is the provider's own word."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    finish_reason: FinishReason = "stop"
    raw_finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    refusal: str | None = None
    warnings: list[str] = field(default_factory=list)


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
    """Something a person may want to know; the answer goes on."""

    type: ClassVar[str] = "warning"
    message: str


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
    | Finish
)


@runtime_checkable
class Model(Protocol):
    """Anything that answers. `provider` and `name` say who; `profile` says what it can do."""

    provider: str
    name: str
    profile: ModelProfile

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer in parts, `Finish` last. Raises a ModelError; leaving early stops the call."""
        ...

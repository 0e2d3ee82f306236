"""Everything an agent tells while it works: one small slotted dataclass an event.

`type` is the event's name on the wire; `run_id` is stamped by the run that emits it. The classes
are made for `match`; `to_dict()` gives the wire form (camelCase, empty optionals left out) and
`event_from_dict` reads it. Nothing is validated on this path.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from .names import to_wire
from .plan import Plan, PlanStep, StepResult
from .usage import Usage


@dataclass(slots=True)
class Event:
    """The base of all events."""

    type: ClassVar[str] = ""
    run_id: str = field(default="", kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        data: dict[str, Any] = {"type": self.type, "runId": self.run_id}
        for name, wire in _wire_fields(type(self)):
            value = getattr(self, name)
            if value is not None:
                data[wire] = value.to_dict() if isinstance(value, _RECORDS) else value
        return data


_RECORDS = (PlanStep, Plan, StepResult, Usage)


# The run


@dataclass(slots=True)
class RunStart(Event):
    """A run began. `goal` is the request."""

    type: ClassVar[str] = "run.start"
    goal: str


@dataclass(slots=True)
class RunComplete(Event):
    """The last event of every run. `status`: complete, failed or cancelled."""

    type: ClassVar[str] = "run.complete"
    status: str


@dataclass(slots=True)
class Stopped(Event):
    """A signal stopped the run."""

    type: ClassVar[str] = "stopped"


@dataclass(slots=True)
class ModelLoad(Event):
    """A model on this device is being fetched or loaded. `progress` runs from 0 to 1."""

    type: ClassVar[str] = "model.load"
    progress: float
    text: str


@dataclass(slots=True)
class Failed(Event):
    """A stage failed for good. `phase`: init, plan, execute, replan, synthesize or run."""

    type: ClassVar[str] = "error"
    phase: str
    error: dict[str, Any]


@dataclass(slots=True)
class Retry(Event):
    """A model call failed and is made again; drop what the stage streamed so far."""

    type: ClassVar[str] = "retry"
    phase: str
    attempt: int
    error: dict[str, Any]


@dataclass(slots=True)
class Log(Event):
    """A log line, the same that the logger gets. `level`: error, warn, info or debug."""

    type: ClassVar[str] = "log"
    level: str
    message: str


@dataclass(slots=True)
class UsageReported(Event):
    """Tokens of one model call. `phase`: plan, execute, replan, synthesize, compact, subagent.

    `cost_usd` is what it cost in US dollars; without it the model's price is not known.
    """

    type: ClassVar[str] = "usage"
    phase: str
    usage: Usage
    provider: str | None = None
    model: str | None = None
    cost_usd: float | None = None


# The plan


@dataclass(slots=True)
class PlanThoughtDelta(Event):
    """More of the planner's thought."""

    type: ClassVar[str] = "plan.thought-delta"
    delta: str


@dataclass(slots=True)
class PlanStepAdded(Event):
    """A step can be shown. A hint: it may still change before `plan.created`."""

    type: ClassVar[str] = "plan.step-added"
    step: PlanStep
    index: int


@dataclass(slots=True)
class PlanCreated(Event):
    """The plan as it will be run."""

    type: ClassVar[str] = "plan.created"
    plan: Plan


@dataclass(slots=True)
class PlanRevised(Event):
    """The replanner replaced the steps that were left."""

    type: ClassVar[str] = "plan.revised"
    plan: Plan
    reason: str


@dataclass(slots=True)
class ReplanDecision(Event):
    """What happens after a step. `mode`: continue, revise, finish.

    `cause`: last-step, clean-step, llm-decision or user-message.
    """

    type: ClassVar[str] = "replan.decision"
    mode: str
    reason: str
    cause: str


@dataclass(slots=True)
class RevisionsExceeded(Event):
    """The plan was revised as often as it may be; the answer is written now."""

    type: ClassVar[str] = "revisions.exceeded"
    cap: int


# A step


@dataclass(slots=True)
class StepStart(Event):
    """A step began. `index` counts from 0; `total` is the number of steps known now."""

    type: ClassVar[str] = "step.start"
    step: PlanStep
    index: int
    total: int


@dataclass(slots=True)
class StepTextDelta(Event):
    """More of the executor's text."""

    type: ClassVar[str] = "step.text-delta"
    step: PlanStep
    delta: str


@dataclass(slots=True)
class StepReasoningDelta(Event):
    """More of the executor's thoughts."""

    type: ClassVar[str] = "step.reasoning-delta"
    step: PlanStep
    delta: str


@dataclass(slots=True)
class StepToolCall(Event):
    """A tool is called. `input` is what it runs with."""

    type: ClassVar[str] = "step.tool-call"
    step: PlanStep
    id: str
    name: str
    input: Any


@dataclass(slots=True)
class StepToolProgress(Event):
    """A running tool tells how far it is."""

    type: ClassVar[str] = "step.tool-progress"
    step: PlanStep
    id: str
    name: str
    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(slots=True)
class StepToolResult(Event):
    """A tool returned (`ok`) or failed (`error` holds the fault). `duration_ms`: milliseconds."""

    type: ClassVar[str] = "step.tool-result"
    step: PlanStep
    id: str
    name: str
    output: Any
    ok: bool
    duration_ms: float
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class ToolRepaired(Event):
    """A call was not right as the model wrote it and was mended. `steps` names the repairs."""

    type: ClassVar[str] = "tool.repaired"
    id: str
    name: str
    raw: str
    repaired: dict[str, Any]
    steps: list[str]
    step: PlanStep | None = None


@dataclass(slots=True)
class StepComplete(Event):
    """A step is over."""

    type: ClassVar[str] = "step.complete"
    step: PlanStep
    result: StepResult


# The answer


@dataclass(slots=True)
class FinalTextDelta(Event):
    """More of the answer."""

    type: ClassVar[str] = "final.text-delta"
    delta: str


@dataclass(slots=True)
class FinalReasoningDelta(Event):
    """More of the synthesizer's thoughts."""

    type: ClassVar[str] = "final.reasoning-delta"
    delta: str


@dataclass(slots=True)
class Final(Event):
    """The answer, whole."""

    type: ClassVar[str] = "final"
    text: str


# Budgets and context


@dataclass(slots=True)
class BudgetExceeded(Event):
    """A cap of the run was crossed. `kind`: input, output, reasoning, total or tool-calls."""

    type: ClassVar[str] = "budget.exceeded"
    kind: str
    tokens: int
    cap: int


_EVENTS = {event.type: event for event in Event.__subclasses__()}
_FIELDS: dict[type[Event], tuple[tuple[str, str], ...]] = {}


def _wire_fields(event: type[Event]) -> tuple[tuple[str, str], ...]:
    if event not in _FIELDS:
        names = [each.name for each in fields(event) if each.name != "run_id"]
        _FIELDS[event] = tuple((name, to_wire(name)) for name in names)
    return _FIELDS[event]


_READERS = {
    "step": PlanStep.from_dict,
    "plan": Plan.from_dict,
    "result": StepResult.from_dict,
    "usage": Usage.from_dict,
}


def event_from_dict(data: dict[str, Any]) -> Event:
    """Read the wire form of an event.

    Raises KeyError for a type that this version does not know; fields it does not know are left
    out, so that a newer peer can be read.
    """
    event = _EVENTS[data["type"]]
    values: dict[str, Any] = {"run_id": data.get("runId", "")}
    for name, wire in _wire_fields(event):
        if wire in data:
            value = data[wire]
            reader = _READERS.get(name) if isinstance(value, dict) else None
            values[name] = reader(value) if reader else value
    return event(**values)

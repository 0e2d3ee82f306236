"""Plans, what became of their steps, and the result of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .usage import Usage


@dataclass(slots=True)
class PlanStep:
    """One step of a plan. Only `description` is needed; `id` is filled in by the planner.

    `requires_tools` is set when every suggested name was unknown, so that a narrowed choice of
    tools falls back to all of them.
    """

    description: str
    id: str = ""
    expected_outcome: str | None = None
    suggested_tools: tuple[str, ...] = ()
    requires_tools: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form, without empty fields."""
        data: dict[str, Any] = {"id": self.id, "description": self.description}
        if self.expected_outcome:
            data["expectedOutcome"] = self.expected_outcome
        if self.suggested_tools:
            data["suggestedTools"] = list(self.suggested_tools)
        if self.requires_tools:
            data["requiresTools"] = True
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PlanStep:
        """Read the wire form."""
        return cls(
            description=data["description"],
            id=data.get("id", ""),
            expected_outcome=data.get("expectedOutcome"),
            suggested_tools=tuple(data.get("suggestedTools", ())),
            requires_tools=data.get("requiresTools", False),
        )


@dataclass(slots=True)
class Plan:
    """A thought and the steps that follow from it. `skills` are names of skills that apply."""

    thought: str = ""
    steps: list[PlanStep] = field(default_factory=list)
    skills: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        data: dict[str, Any] = {
            "thought": self.thought,
            "steps": [step.to_dict() for step in self.steps],
        }
        if self.skills:
            data["skills"] = list(self.skills)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Plan:
        """Read the wire form."""
        return cls(
            thought=data.get("thought", ""),
            steps=[PlanStep.from_dict(step) for step in data.get("steps", ())],
            skills=tuple(data.get("skills", ())),
        )


@dataclass(slots=True)
class ToolCallRecord:
    """One tool call of a step: the arguments it ran with, what came out, and whether it worked."""

    id: str
    name: str
    input: Any
    output: Any
    ok: bool

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form; input and output are data and pass as they are."""
        return {
            "id": self.id,
            "name": self.name,
            "input": self.input,
            "output": self.output,
            "ok": self.ok,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ToolCallRecord:
        """Read the wire form."""
        return cls(data["id"], data["name"], data.get("input"), data.get("output"), data["ok"])


@dataclass(slots=True)
class StepResult:
    """What an executed step gave: the summary later stages read, its calls, its time (ms)."""

    step: PlanStep
    summary: str
    tool_calls: list[ToolCallRecord] = field(default_factory=list)
    duration_ms: float = 0.0
    blocked: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {
            "step": self.step.to_dict(),
            "summary": self.summary,
            "toolCalls": [call.to_dict() for call in self.tool_calls],
            "durationMs": self.duration_ms,
            "blocked": self.blocked,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StepResult:
        """Read the wire form."""
        return cls(
            step=PlanStep.from_dict(data["step"]),
            summary=data["summary"],
            tool_calls=[ToolCallRecord.from_dict(call) for call in data.get("toolCalls", ())],
            duration_ms=data.get("durationMs", 0.0),
            blocked=data.get("blocked", False),
        )


@dataclass(slots=True)
class RunResult:
    """Everything a run leaves behind.

    `iterations` counts executed steps, `applied` the tool calls that worked, `repairs` those that
    were mended before they ran. `stopped` is true
    for a run that a signal ended. `cost_usd` (US dollars) is None where a price is not known.
    `budget_exceeded` names the cap that ended the run early. `undelivered` holds steering messages
    that no stage got to see.
    """

    run_id: str
    text: str
    plan: Plan
    goal: str = ""
    trace: list[StepResult] = field(default_factory=list)
    iterations: int = 0
    applied: int = 0
    repairs: int = 0
    stopped: bool = False
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    budget_exceeded: dict[str, Any] | None = None
    skills: list[str] = field(default_factory=list)
    compacted_history: list[dict[str, Any]] | None = None
    undelivered: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form, with the second names `final` and `steps` that pages know."""
        data: dict[str, Any] = {
            "runId": self.run_id,
            "goal": self.goal,
            "text": self.text,
            "final": self.text,
            "plan": self.plan.to_dict(),
            "trace": [result.to_dict() for result in self.trace],
            "iterations": self.iterations,
            "steps": self.iterations,
            "applied": self.applied,
            "repairs": self.repairs,
            "stopped": self.stopped,
            "usage": self.usage.to_dict(),
            "skills": list(self.skills),
            "undelivered": list(self.undelivered),
        }
        if self.cost_usd is not None:
            data["costUsd"] = self.cost_usd
        if self.budget_exceeded is not None:
            data["budgetExceeded"] = self.budget_exceeded
        if self.compacted_history is not None:
            data["compactedHistory"] = self.compacted_history
        return data

"""The replanner: decides after a step whether the plan still holds."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field
from typing import Any

from ..errors import MalformedResponseError, ModelError
from ..jsonio import repair_container
from ..plan import PlanStep, StepResult
from .planner import STEP_SCHEMA, read_steps
from .prompts import replanner_prompt
from .scope import RunScope

_MODES = ("continue", "revise", "finish")

DECISION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "decision": {"enum": list(_MODES)},
        "steps": {"type": "array", "items": STEP_SCHEMA},
    },
    "required": ["reason", "decision"],
}


@dataclass(slots=True)
class Decision:
    """How a run goes on. `steps` replace the remaining ones when `mode` is revise."""

    mode: str
    reason: str
    cause: str
    steps: list[PlanStep] = field(default_factory=list)


def step_failed(result: StepResult) -> bool:
    """Whether a step was blocked, or a tool failed that no later call to it made good."""
    mended: set[str] = set()
    for call in reversed(result.tool_calls):
        if call.ok:
            mended.add(call.name)
        elif call.name not in mended:
            return True
    return result.blocked


async def replan_wanted(scope: RunScope, result: StepResult) -> bool:
    """Whether `replan_after` asks for the replanner after this step.

    A predicate that raises or does not answer within the model's deadline counts as 'failure'.
    """
    trigger = scope.config.replan_after
    if not scope.config.replan:
        return False
    if trigger == "always":
        return True
    if not callable(trigger):
        return step_failed(result)
    limit = scope.config.llm_timeout_ms / 1000 or None
    try:
        async with asyncio.timeout(limit):
            wanted = trigger(result)
            return bool(await wanted if inspect.isawaitable(wanted) else wanted)
    except Exception as fault:  # the host's own function may raise anything
        scope.log.warn(f"replan_after failed, 'failure' is used instead: {fault}")
        return step_failed(result)


async def decide(scope: RunScope, remaining: list[PlanStep]) -> Decision:
    """Ask how to go on. A replanner that fails means: continue, with a warning."""
    model = scope.models.planner
    context = await scope.context(model)
    context.remaining = [step.description for step in remaining]
    prompt = scope.prompt("replanner", context, replanner_prompt)
    request = scope.request("replanner", prompt, attached=False)
    cap = scope.config.max_plan_steps
    if model.profile.output_schema or model.profile.constrains:
        request.output_schema = DECISION_SCHEMA
    try:
        result = await scope.ask(model, request, "replan")
        return read_decision(result.text, [tool.name for tool in scope.tools], cap)
    except ModelError as fault:
        scope.log.warn(f"The replanner failed, the plan goes on: {fault}")
        return Decision("continue", "the replanner failed", "llm-decision")


def read_decision(text: str, tool_names: list[str], cap: int) -> Decision:
    """Read a decision as a model wrote it; a revision without steps is a continuation.

    Raises MalformedResponseError when there is no decision in it.
    """
    value = repair_container(text)
    if isinstance(value, list):
        value = {}
    mode = value.get("decision") or value.get("mode")
    if mode not in _MODES:
        raise MalformedResponseError(f"The replanner's answer has no decision: {text[:120]!r}")
    reason = value.get("reason")
    steps = read_steps(value.get("steps") or value.get("plan"), tool_names, cap=cap)
    if mode == "revise" and not steps:
        mode = "continue"
    return Decision(
        mode,
        reason if isinstance(reason, str) else "",
        "llm-decision",
        steps if mode == "revise" else [],
    )

"""The planner: turns a request into a thought and ordered steps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..errors import (
    AuthenticationError,
    ContentRefusedError,
    ContextWindowExceededError,
    EngineError,
    MalformedResponseError,
    ModelError,
    ModelNotFoundError,
    NetworkError,
    PermissionDeniedError,
    QuotaExceededError,
)
from ..events import PlanStepAdded, PlanThoughtDelta
from ..jsonio import JsonWatcher, iter_json, repair_container
from ..models.base import Model, TextDelta
from ..models.retry import Retrying
from ..plan import Plan, PlanStep
from ..tools.loop import LoopEvent
from .prompts import NUDGE, planner_prompt
from .scope import RunScope

# A second try with other words cannot help against these.
_FINAL_FAULTS = (
    AuthenticationError,
    PermissionDeniedError,
    ModelNotFoundError,
    QuotaExceededError,
    ContentRefusedError,
    ContextWindowExceededError,
    NetworkError,
    EngineError,
    MalformedResponseError,  # of the wire: what answers there is no model
)
_GREETING_WORDS = 2

# A decoder that is held to a schema may repeat itself for ever inside a string.
_SHORT = {"type": "string", "maxLength": 160}

STEP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "description": {"type": "string"},
        "expectedOutcome": {"type": "string"},
        "suggestedTools": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["description"],
}


def plan_schema(tool_names: Iterable[str], max_steps: int, *, compact: bool) -> dict[str, Any]:
    """Give the JSON Schema of a plan: the thought first, then the steps.

    A decoder that is held to it (`compact`) writes only names that exist.
    """
    step = STEP_SCHEMA
    names = list(tool_names)
    if compact:
        suggested = {"type": "array", "maxItems": 1, "items": {"enum": names}}
        step = {
            "type": "object",
            "properties": {
                "description": _SHORT,
                **({"suggestedTools": suggested} if names else {}),
            },
            "required": ["description", *(["suggestedTools"] if names else [])],
            "additionalProperties": False,
        }
    return {
        "type": "object",
        "properties": {
            "thought": _SHORT if compact else {"type": "string"},
            "steps": {
                "type": "array",
                "items": step,
                **({"maxItems": max_steps} if compact else {}),
            },
        },
        "required": ["thought", "steps"],
    }


async def make_plan(scope: RunScope) -> Plan:
    """Give the plan of a run; an empty one carries the answer as its thought.

    What fails in the asking is tried again without a schema and in the end replaced by one step
    with the request itself; only faults that no other wording mends are raised. A model that is
    asked small questions is not asked for a plan: it would put the request into worse words.
    """
    model = scope.models.planner
    if model.profile.small_questions:
        return _in_its_own_words(scope)
    plan = await _plan_or_salvage(scope, model, "")
    wordy = len(scope.goal.split()) > _GREETING_WORDS
    if not plan.steps and scope.tools and wordy:
        scope.log.debug("The plan is empty although there are tools; the planner is asked again.")
        plan = await _plan_or_salvage(scope, model, NUDGE)
    if not plan.steps and not plan.thought.strip():
        return _fallback(scope)
    return plan


async def _plan_or_salvage(scope: RunScope, model: Model, nudge: str) -> Plan:
    for schema in (True, False):
        if schema and not (model.profile.output_schema or model.profile.constrains):
            continue
        try:
            text = await _ask_for_plan(scope, model, nudge, schema=schema)
        except _FINAL_FAULTS:
            raise
        except ModelError as fault:
            scope.log.warn(f"The planner failed: {fault}")
            continue
        try:
            names = [tool.name for tool in scope.tools]
            return read_plan(text, names, scope.config.max_plan_steps)
        except MalformedResponseError as fault:
            scope.log.warn(f"The planner failed: {fault}")
    scope.log.warn("No plan could be read; the request itself becomes the only step.")
    return _fallback(scope)


def _in_its_own_words(scope: RunScope) -> Plan:
    """Give a plan that takes a request as it stands, cut where it says "then" or at a semicolon."""
    parts = re.split(r",?\s+(?:and\s+)?then\s+|;\s+", scope.goal)
    told = [part.strip() for part in parts if part.strip()] or [scope.goal]
    steps = read_steps(told, (), cap=scope.config.max_plan_steps)
    for index, step in enumerate(steps):
        scope.emit(PlanStepAdded(step, index))
    return Plan("", steps)


def _fallback(scope: RunScope) -> Plan:
    return Plan("", [PlanStep(scope.goal, "step-1")])


async def _ask_for_plan(scope: RunScope, model: Model, nudge: str, *, schema: bool) -> str:
    context = await scope.context(model)
    context.history = scope.history
    context.nudge = nudge
    cap = scope.config.max_plan_steps
    prompt = scope.prompt("planner", context, planner_prompt)
    names = [tool.name for tool in scope.tools]
    request = scope.request("planner", prompt)
    if schema:
        request.output_schema = plan_schema(names, cap, compact=model.profile.constrains)
    watch = _PlanWatcher(scope, names, cap)
    result = await scope.ask(model, request, "plan", watch.take)
    if result.finish_reason == "length":
        scope.log.warn("The planner's answer was cut off at its token cap.")
    return result.text


class _PlanWatcher:
    """Shows a plan while it is written."""

    def __init__(self, scope: RunScope, names: list[str], cap: int) -> None:
        self._scope = scope
        self._names = names
        self._cap = cap
        self._start()

    def _start(self) -> None:
        self._count = 0
        self._json = JsonWatcher(
            texts={("thought",): lambda delta: self._scope.emit(PlanThoughtDelta(delta))},
            values={("steps", "*"): self._step},
            on_again=self._rewritten,
        )

    def _rewritten(self) -> None:
        self._scope.log.warn(
            "The planner began its plan anew while writing it: what follows is shown when the plan "
            "is whole."
        )

    def _step(self, value: Any) -> None:
        for step in read_steps([value], self._names, cap=1):
            if self._count < self._cap:
                step.id = f"step-{self._count + 1}"
                self._scope.emit(PlanStepAdded(step, self._count))
                self._count += 1

    def take(self, part: LoopEvent) -> None:
        if isinstance(part, TextDelta):
            self._json.feed(part.text)
        elif isinstance(part, Retrying):
            self._start()


def read_plan(text: str, tool_names: Iterable[str], cap: int) -> Plan:
    """Read a plan as a model wrote it, mended where it is broken.

    Raises MalformedResponseError when there is no plan in it.
    """
    whole = [value for value in iter_json(text) if isinstance(value, dict) and "steps" in value]
    value = whole[-1] if whole else repair_container(text)  # of a plan begun anew the last counts
    if isinstance(value, list):
        value = {"steps": value}
    if "steps" not in value and "plan" in value:
        value = value | {"steps": value["plan"]}
    if not isinstance(value.get("steps") or [], list):
        raise MalformedResponseError(f"The planner's steps are no list: {text[:120]!r}")
    thought = value.get("thought") or value.get("reply") or value.get("answer") or ""
    if "steps" not in value and not thought:
        raise MalformedResponseError(f"The planner's answer has no steps: {text[:120]!r}")
    return Plan(
        thought if isinstance(thought, str) else "",
        read_steps(value.get("steps"), tool_names, cap=cap),
    )


def read_steps(value: Any, tool_names: Iterable[str], *, cap: int) -> list[PlanStep]:
    """Read steps given as texts or objects: without empty ones and repetitions, at most `cap`.

    Suggested tools that do not exist are dropped; a step that had only such is marked
    `requires_tools`, so that a narrowed choice falls back to all tools.
    """
    known = set(tool_names)
    steps: list[PlanStep] = []
    seen: set[str] = set()
    for item in value if isinstance(value, list) else ():
        item = {"description": item} if isinstance(item, str) else item
        if not isinstance(item, dict):
            continue
        description = item.get("description") or item.get("step") or item.get("task")
        if not isinstance(description, str):
            continue
        description = re.sub(r"^\s*(?:\d+[.)]|[-*])\s+", "", description).strip()
        if not description or description.casefold() in seen or len(steps) == cap:
            continue
        seen.add(description.casefold())
        suggested = item.get("suggestedTools") or item.get("suggested_tools") or ()
        suggested = [suggested] if isinstance(suggested, str) else suggested
        if not isinstance(suggested, list | tuple):
            suggested = ()
        named = tuple(dict.fromkeys(name for name in suggested if isinstance(name, str)))
        existing = tuple(name for name in named if name in known)
        outcome = item.get("expectedOutcome") or item.get("expected_outcome")
        steps.append(
            PlanStep(
                description,
                f"step-{len(steps) + 1}",
                outcome if isinstance(outcome, str) else None,
                existing,
                requires_tools=bool(named) and not existing,
            )
        )
    return steps

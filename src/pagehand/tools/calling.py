"""The one place where a tool is executed: every call of every mode passes through here."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import (
    ToolBudgetError,
    ToolError,
    ToolInputError,
    ToolTimeoutError,
    error_data,
)
from ..models.base import ToolCall
from ..names import nearest
from ..plan import ToolCallRecord
from ..ports import Clock
from .results import json_value
from .tool import Tool, ToolContext


@dataclass(slots=True)
class CallBudget:
    """How many tool calls a run may still make; `cap` None means any number."""

    cap: int | None = None
    used: int = 0
    exceeded: bool = False  # a call was refused

    def take(self) -> None:
        """Count a call. Raises ToolBudgetError when none is left."""
        if self.cap is not None and self.used >= self.cap:
            self.exceeded = True
            raise ToolBudgetError(
                "tool-call budget exhausted: make no further calls, answer with what is known."
            )
        self.used += 1


@dataclass(slots=True)
class Outcome:
    """What became of one call. `error` is the wire form of the fault of a call that failed."""

    record: ToolCallRecord
    duration_ms: float
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class Caller:
    """Executes calls for one step of a run."""

    tools: Mapping[str, Tool]
    clock: Clock
    budget: CallBudget = field(default_factory=CallBudget)

    def find(self, call: ToolCall) -> Tool:
        """Give the tool that a call names. Raises ToolInputError with the nearest name."""
        tool = self.tools.get(call.name)
        if tool is None:
            hint = nearest(call.name, self.tools)
            known = ", ".join(self.tools) or "none"
            raise ToolInputError(
                f"There is no tool {call.name!r}."
                + (f" Did you mean {hint!r}?" if hint else f" The tools are: {known}.")
            )
        return tool

    async def execute(self, call: ToolCall, context: ToolContext) -> Outcome:
        """Run one call and give its outcome: a tool's failure is an outcome, never an exception."""
        started = self.clock.monotonic()
        error = None
        try:
            output = await self._run(call, context)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Nobody stopped this call: the tool waited for something that was cancelled.
            error = error_data(ToolError(f"The tool {call.name!r} was cancelled inside."))
            output = error["message"]
        except Exception as fault:  # a tool may raise anything; the model reads what it said
            error = error_data(fault)
            output = error["message"]
        duration_ms = (self.clock.monotonic() - started) * 1000
        record = ToolCallRecord(call.id, call.name, call.arguments, output, ok=error is None)
        return Outcome(record, duration_ms, error)

    async def _run(self, call: ToolCall, context: ToolContext) -> Any:
        tool = self.find(call)
        if call.problem:
            raise ToolInputError(call.problem)
        if call.broken:
            raise ToolInputError(
                f"The arguments of {call.name!r} are not a whole JSON object, so it was not run. "
                f"They came as: {call.raw[:200]}"
            )
        self.budget.take()
        arguments = tool.check_input(json.loads(json.dumps(call.arguments)))
        limit = tool.timeout_ms / 1000 if tool.timeout_ms else None
        try:
            async with asyncio.timeout(limit) as scope:
                value = tool.execute(arguments, context)
                if inspect.isawaitable(value):
                    value = await value
        except TimeoutError as fault:
            if not scope.expired():
                raise ToolError(str(fault) or "The tool timed out inside.") from fault
            raise ToolTimeoutError(
                f"The tool {call.name!r} did not return within {tool.timeout_ms / 1000:g} s."
            ) from fault
        return json_value(value, name=tool.name)

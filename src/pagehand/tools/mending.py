"""The calls of one turn, made such that they can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module

from ..errors import ToolInputError
from ..models.base import ReasoningDelta, TextDelta, ToolCall
from .formats import reask_turns, written_call
from .loop import CallRepaired, LoopEvent, LoopOutcome, LoopSettings, ask, request_of
from .tool import Tool
from .validity import is_valid


async def mended(
    calls: Sequence[ToolCall], outcome: LoopOutcome, settings: LoopSettings
) -> list[ToolCall]:
    """Give the calls as they can run; one that cannot says why, and the model will read it.

    A model with native calls reads that beside its own call in the next round, which is the better
    way to ask it again; one that writes its calls is asked for this one call alone.
    """

    async def reask(call: ToolCall, fault: ToolInputError, tool: Tool | None) -> str:
        request = request_of(outcome, settings)
        request.messages = reask_turns(call, fault, [tool] if tool else settings.tools)
        result = await ask(settings.model, request, settings.policy, _quietly(settings.emit))
        outcome.usage = outcome.usage + result.usage
        return result.text

    named = {tool.name: tool for tool in settings.tools}
    again = None if settings.native else reask
    ladder = None
    whole_calls: list[ToolCall] = []
    for written in calls:
        whole = written
        if not (written.by_provider or _runs(written, named.get(written.name))):
            # What repairs is loaded when a call first needs it.
            ladder = ladder or import_module(".repair", __package__).RepairLadder(
                settings.tools, reask=again, hook=settings.repair_hook
            )
            try:
                whole = await ladder.repair(written)
            except ToolInputError as fault:
                whole = replace(written, broken=True, problem=str(fault))
        if whole.repairs and not whole.broken:
            settings.emit(CallRepaired(whole, written_call(whole)))
        whole_calls.append(whole)
    return whole_calls


def _runs(call: ToolCall, tool: Tool | None) -> bool:
    return tool is not None and not (call.broken or call.cut) and is_valid(call.arguments, tool)


def _quietly(emit: Callable[[LoopEvent], None]) -> Callable[[LoopEvent], None]:
    """Pass on what a call costs and meets, and not what it says."""

    def filtered(event: LoopEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta):
            emit(event)

    return filtered

"""How Claude is told to think, wherever it is served.

Source: Anthropic's documentation, "Thinking", "Extended thinking" and "Preserved thinking".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..messages import ReasoningPart
from .base import ModelRequest
from .blocks import lacks_thought
from .profiles import ModelProfile, ThinkingKnob
from .thinking import Thinking, budget_for, level_for, stops
from .turns import Turn

_USUAL_LIMIT = 4_096
_ANSWER_ROOM = 1_024  # tokens that thinking leaves to the answer, where the limit is near

# From 5.1 on a thought is bound to the conversation before it.
_BINDS = re.compile(r"claude-[a-z]+-(?:5[-.][1-9]|[6-9])(?!\d)")
BINDING_BETA = "thinking-binding-controls-2026-08-01"
"""The beta that lets a request say what becomes of a thought whose conversation has changed."""


@dataclass(slots=True, frozen=True)
class ClaudeSettings:
    """What a request says of thinking. `max_tokens` holds the answer and the thoughts.

    `thinks` says that the model will think: it then takes no temperature and no forced call.
    """

    max_tokens: int
    thinking: dict[str, Any] | None = None
    effort: str | None = None
    thinks: bool = False


def claude_settings(
    request: ModelRequest, profile: ModelProfile, turns: Sequence[Turn]
) -> ClaudeSettings:
    """Give the settings for a request whose conversation is `turns`."""
    limit = profile.output_limit
    room = request.max_output_tokens or limit or _USUAL_LIMIT
    room = min(room, limit or room)
    knob, wish = profile.thinking, request.thinking
    if knob is None or knob.kind not in ("adaptive", "budget"):
        return ClaudeSettings(room)
    if wish is None:
        return ClaudeSettings(room, thinks=not knob.can_stop)
    if stops(wish) and knob.can_stop:
        return ClaudeSettings(room, {"type": "disabled"})
    if knob.kind == "adaptive":
        display = "summarized" if wish.include_thoughts else "omitted"
        # Where thinking cannot be stopped, the least of it is the nearest to that.
        effort = level_for(wish, knob) or next(iter(knob.levels), None)
        return ClaudeSettings(room, {"type": "adaptive", "display": display}, effort, thinks=True)
    if lacks_thought(turns):  # a tool loop that another model began cannot go on thinking
        return ClaudeSettings(room)
    return _with_budget(wish, knob, room, limit)


def _with_budget(
    wish: Thinking, knob: ThinkingKnob, room: int, limit: int | None
) -> ClaudeSettings:
    budget = budget_for(wish, knob)
    total = min(room + budget, limit or room + budget)
    budget = min(budget, total - min(room, _ANSWER_ROOM))
    if budget < knob.least:
        return ClaudeSettings(room)
    thinking: dict[str, Any] = {"type": "enabled", "budget_tokens": budget}
    if not wish.include_thoughts:
        thinking["display"] = "omitted"
    return ClaudeSettings(total, thinking, thinks=True)


def replays_bound_thoughts(name: str, request: ModelRequest) -> bool:
    """Whether a request brings thoughts back to a model that refuses them once anything before
    them has changed."""
    return _BINDS.search(name.casefold()) is not None and any(
        isinstance(part, ReasoningPart) and part.provider_data
        for message in request.messages
        for part in message.parts
    )


def forgiving(thinking: dict[str, Any] | None) -> dict[str, Any] | None:
    """Give the setting so that thoughts whose conversation has changed are dropped, not refused.

    In a long run old results are shortened and tools come and go; it needs `BINDING_BETA`.
    """
    if thinking is not None and thinking["type"] != "adaptive":
        return thinking
    drop = {"prefix_mismatch_behavior": "drop_block"}
    return {"type": "adaptive", **(thinking or {}), "block_binding": drop}

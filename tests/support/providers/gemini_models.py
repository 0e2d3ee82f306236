"""What is known of Gemini models by their names.

https://ai.google.dev/gemini-api/docs/thinking
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# Least and most tokens of thought, and whether 0 turns it off.
_BUDGETS = (
    (r"gemini-2\.5-pro", 128, 32_768, False),
    (r"gemini-2\.5-flash-lite", 512, 24_576, True),
    (r"gemini-2\.5-flash|gemini-robotics", 0, 24_576, True),
)
# https://ai.google.dev/gemini-api/docs/gemini-3#thinking-level
_LEVELS = (
    (r"gemini-3-pro", "low high"),
    (r"gemini-3\.\d+-pro", "low medium high"),
    (r"gemini-[3-9].*", "minimal low medium high"),
)


def is_3(model: str) -> bool:
    """Whether the model is of the third generation or later."""
    return bool(re.match(r"gemini-([3-9]|flash-latest|pro-latest)", model))


def can_think(model: str) -> bool:
    """Whether the model thinks at all."""
    return is_3(model) or any(re.match(pattern, model) for pattern, *_ in _BUDGETS)


def thinks(body: dict[str, Any], model: str) -> bool:
    """Whether the model thinks about such a request."""
    config = body.get("generationConfig", {}).get("thinkingConfig", {})
    return can_think(model) and config.get("thinkingBudget") != 0


def judge_thinking(body: dict[str, Any], model: str) -> Iterator[str]:
    """Give what is wrong with a request's thinking for its model."""
    where = "$.generationConfig.thinkingConfig"
    config = body.get("generationConfig", {}).get("thinkingConfig")
    if config is None:
        return
    if not can_think(model):
        yield f"{where}: {model} does not think"
        return
    budget, level = config.get("thinkingBudget"), config.get("thinkingLevel")
    if budget is not None and level is not None:
        yield f"{where}: thinkingBudget and thinkingLevel exclude one another"
    if level is not None and not is_3(model):
        yield f"{where}.thinkingLevel: {model} takes a thinkingBudget"
    for pattern, levels in _LEVELS:
        if level is not None and re.match(pattern, model):
            if level.lower() not in levels.split():
                yield f"{where}.thinkingLevel: {model} takes {levels}, not {level}"
            break
    for pattern, least, most, can_stop in _BUDGETS:
        if budget not in (None, -1) and re.match(pattern, model):
            if not (least <= budget <= most or (budget == 0 and can_stop)):
                yield f"{where}.thinkingBudget: {model} takes {least} to {most}, not {budget}"
            break

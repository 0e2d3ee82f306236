"""How much a model should think: one portable setting, and what each family's own knob gets of it.

Source of the settings: true, a level, or an exact budget in tokens; a level that a family does not
have becomes the nearest that it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest
from .profiles import ThinkingKnob

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh")
_DEFAULT = "provider-default"
_FIELDS = ("level", "budget_tokens", "include_thoughts")
# Tokens of thought for a level, for families that take a number.
_BUDGETS = {
    "none": 0,
    "minimal": 1_024,
    "low": 4_096,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 32_768,
}


@dataclass(slots=True, frozen=True)
class Thinking:
    """A resolved setting. `budget_tokens` wins over `level` where a family takes a number."""

    level: str | None = None
    budget_tokens: int | None = None
    include_thoughts: bool = True


def resolve_thinking(setting: Any, *, where: str = "thinking") -> Thinking | None:
    """Give what a setting stands for; None sends nothing, so the provider's default applies.

    A setting is a bool, a level, a Thinking, or a dict of `level`, `budget_tokens` and
    `include_thoughts` in either spelling. Raises ConfigError naming `where`.
    """
    if setting is None or setting is False or setting == _DEFAULT:
        return None
    if isinstance(setting, Thinking):
        return setting
    if setting is True:
        return Thinking("medium")
    if isinstance(setting, str):
        return Thinking(_level(setting, where))
    if isinstance(setting, Mapping):
        return _of_mapping(setting, where)
    raise ConfigError(
        f"{where} must be true, false, a level ({', '.join(LEVELS)}) or a dict of "
        f"{', '.join(_FIELDS)}, got {setting!r}."
    )


def _of_mapping(setting: Mapping[str, Any], where: str) -> Thinking | None:
    values = {from_wire(str(key)): value for key, value in setting.items()}
    for name in values:
        if name not in _FIELDS:
            hint = nearest(name, _FIELDS)
            raise ConfigError(
                f"{where} has no field {name!r}." + (f" Did you mean {hint!r}?" if hint else "")
            )
    level, budget = values.get("level"), values.get("budget_tokens")
    if level == _DEFAULT:
        level = None
    if level is not None:
        level = _level(level, where)
    if budget is not None and (
        isinstance(budget, bool) or not isinstance(budget, int) or budget < 0
    ):
        raise ConfigError(
            f"{where}: budget_tokens must be a whole number of tokens, got {budget!r}."
        )
    thoughts = values.get("include_thoughts", True)
    if not isinstance(thoughts, bool):
        raise ConfigError(f"{where}: include_thoughts must be true or false, got {thoughts!r}.")
    if level is None and budget is None:
        level = "medium" if "level" not in values else None
        if level is None:
            return None
    return Thinking(level, budget, thoughts)


def _level(level: Any, where: str) -> str:
    if level in LEVELS:
        return str(level)
    hint = nearest(str(level), LEVELS)
    raise ConfigError(
        f"{where}: there is no level {level!r}; known: {', '.join(LEVELS)}."
        + (f" Did you mean {hint!r}?" if hint else "")
    )


def level_for(thinking: Thinking, knob: ThinkingKnob) -> str | None:
    """Give the level of the knob that is nearest to the wished one, the higher of two.

    A budget without a level counts as the smallest level that allows it. None where the knob has
    no levels, or where thinking should stop and cannot.
    """
    level = thinking.level or _level_of(thinking.budget_tokens or 0)
    if level == "none":
        return "none" if "none" in knob.levels else None
    levels = [each for each in knob.levels if each != "none"]
    wish = LEVELS.index(level)
    return min(
        levels,
        key=lambda each: (abs(LEVELS.index(each) - wish), -LEVELS.index(each)),
        default=None,
    )


def budget_for(thinking: Thinking, knob: ThinkingKnob) -> int:
    """Give the tokens a model may think, within what the knob takes."""
    budget = thinking.budget_tokens
    if budget is None:
        budget = _BUDGETS[thinking.level or "medium"]
    return max(knob.least, min(budget, knob.most))


def _level_of(budget: int) -> str:
    return next((level for level, tokens in _BUDGETS.items() if tokens >= budget), "xhigh")


def stops(thinking: Thinking) -> bool:
    """Whether a setting says: do not think."""
    return thinking.level == "none" and not thinking.budget_tokens


def merge_provider_options(*layers: Mapping[str, Any] | None) -> dict[str, Any]:
    """Lay provider options over one another, object by object; the last layer wins."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in (layer or {}).items():
            below = merged.get(key)
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                value = merge_provider_options(below, value)
            merged[key] = value
    return merged

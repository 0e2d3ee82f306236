"""Counts of tokens, as providers report them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .names import to_wire

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "reasoning_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
)


@dataclass(slots=True, frozen=True)
class Usage:
    """Tokens of one call or of many. None means: not reported.

    `reasoning_tokens` are part of `output_tokens`; `cached_input_tokens` and
    `cache_write_tokens` are parts of `input_tokens`.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(_sum(getattr(self, name), getattr(other, name)) for name in _COUNTS))

    def to_dict(self) -> dict[str, int]:
        """Give the wire form: camelCase, without what was not reported."""
        return {
            to_wire(name): value for name in _COUNTS if (value := getattr(self, name)) is not None
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Usage:
        """Read the wire form; unknown keys are left out."""
        return cls(**{name: data.get(to_wire(name)) for name in _COUNTS})


def read_count(value: Any) -> int | None:
    """Give a counter of a provider's. What counts nothing (a text, a part, less than none, more
    than JSON numbers hold exactly) counts as not reported."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**53 else None


def _sum(left: int | None, right: int | None) -> int | None:
    if left is None:
        return right
    return left if right is None else left + right

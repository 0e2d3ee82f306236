"""What tokens cost, where a price is known.

A price is listed only with the page it was read from and the day it was read; a model without one
costs "unknown", never zero. A host lays its own prices over the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest
from ..usage import Usage

_MILLION = 1_000_000
# What may stand behind a model's name without making it another model: a date, `latest`.
_SNAPSHOT = re.compile(r"(-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-\d{4}|-latest|-\d{3})?")


@dataclass(slots=True, frozen=True)
class Price:
    """US dollars for a million tokens. A cached or written token without a price of its own costs
    as much as any other input; `cache_write` is for tokens that are kept five minutes. `up_to` is
    the longest prompt (tokens) that the price holds for. `source` is the page, `read` the day
    (ISO 8601)."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    up_to: int | None = None
    source: str = ""
    read: str = ""


_OPENAI = "https://developers.openai.com/api/docs/models/"
_CLAUDE = "https://platform.claude.com/docs/en/about-claude/pricing"
_SONNET_5 = "https://platform.claude.com/docs/zh-CN/models/sonnet-5/overview"
_READ = "2026-11-30"
_LONG = 272_000

PRICES: dict[str, Price] = {
    # OpenAI: a longer prompt costs more.
    "openai:gpt-6.2-sol": Price(2, 10, 0.1, 2.5, _LONG, _OPENAI + "gpt-6.2-sol", _READ),
    "openai:gpt-6-sol": Price(2, 10, 0.2, 2.5, _LONG, _OPENAI + "gpt-6-sol", _READ),
    "openai:gpt-6-luna": Price(0.1, 0.5, 0.01, 0.125, _LONG, _OPENAI + "gpt-6-luna", _READ),
    "openai:gpt-5.6-luna": Price(0.2, 1.2, 0.02, 0.25, _LONG, _OPENAI + "gpt-5.6-luna", _READ),
    # Anthropic: written for five minutes; an hour costs more.
    "anthropic:claude-fable-5-1": Price(10, 50, 0.25, 12.5, None, _CLAUDE, _READ),
    "anthropic:claude-fable-5": Price(10, 50, 1, 12.5, None, _CLAUDE, _READ),
    "anthropic:claude-opus-5": Price(5, 25, 0.5, 6.25, None, _CLAUDE, _READ),
    "anthropic:claude-opus-4-8": Price(5, 25, 0.5, 6.25, None, _CLAUDE, _READ),
    "anthropic:claude-opus-4-7": Price(5, 25, 0.5, 6.25, None, _CLAUDE, _READ),
    "anthropic:claude-opus-4-6": Price(5, 25, 0.5, 6.25, None, _CLAUDE, _READ),
    "anthropic:claude-opus-4-5": Price(5, 25, 0.5, 6.25, None, _CLAUDE, _READ),
    "anthropic:claude-sonnet-5": Price(2, 10, 0.2, 2.5, None, _SONNET_5, _READ),
}
"""By `provider:model`."""


def read_prices(prices: Mapping[str, Any]) -> dict[str, Price]:
    """Give the table with a host's own prices laid over it.

    `prices` maps `provider:model` to a Price or a dict of its fields in either spelling. Raises
    ConfigError.
    """
    return {**PRICES, **{name: _price(name, value) for name, value in prices.items()}}


def _price(name: str, value: Any) -> Price:
    if isinstance(value, Price):
        return value
    if not isinstance(value, Mapping) or ":" not in str(name):
        raise ConfigError(
            f"prices[{name!r}]: a price is kept under 'provider:model' as a dict of input and "
            "output, in US dollars for a million tokens."
        )
    known = tuple(each.name for each in fields(Price))
    given = {from_wire(str(key)): item for key, item in value.items()}
    for key, item in given.items():
        if key not in known:
            hint = nearest(key, known)
            raise ConfigError(
                f"prices[{name!r}] has no field {key!r}."
                + (f" Did you mean {hint!r}?" if hint else "")
            )
        number = isinstance(item, int | float) and not isinstance(item, bool) and item >= 0
        if key not in ("source", "read") and item is not None and not number:
            raise ConfigError(f"prices[{name!r}]: {key} must be a number of dollars, got {item!r}.")
    if "input" not in given or "output" not in given:
        raise ConfigError(f"prices[{name!r}] needs input and output.")
    return Price(**given)


def cost_of(
    usage: Usage,
    provider: str,
    model: str,
    prices: Mapping[str, Price] = PRICES,
    *,
    cache_ttl: str = "5m",
) -> float | None:
    """Give what one call cost in US dollars, None where that is not known.

    It is not where the model has no price, nothing was counted, the prompt is longer than the price
    holds for, or tokens were written to a cache for longer than the price says.
    """
    price = _found(provider, model, prices)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    if price.up_to is not None and usage.input_tokens > price.up_to:
        return None
    if usage.cache_write_tokens and price.cache_write is not None and cache_ttl != "5m":
        return None
    cached = usage.cached_input_tokens or 0
    written = usage.cache_write_tokens or 0
    plain = max(0, usage.input_tokens - cached - written)
    dollars = (
        plain * price.input
        + cached * _or(price.cached_input, price.input)
        + written * _or(price.cache_write, price.input)
        + usage.output_tokens * price.output
    )
    return dollars / _MILLION


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def _found(provider: str, model: str, prices: Mapping[str, Price]) -> Price | None:
    whole = f"{provider}:{model}"
    if whole in prices:
        return prices[whole]
    known = sorted((name for name in prices if whole.startswith(name)), key=len, reverse=True)
    return next((prices[name] for name in known if _SNAPSHOT.fullmatch(whole[len(name) :])), None)


@dataclass(slots=True, frozen=True)
class Cost:
    """Money of many calls: `usd` is the known part, `unknown` the models without a price."""

    usd: float = 0.0
    unknown: tuple[str, ...] = ()

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.usd + other.usd, tuple(dict.fromkeys((*self.unknown, *other.unknown))))

    def __str__(self) -> str:
        known = f"${self.usd:.4f}"
        if not self.unknown:
            return known
        return f"{known} and unknown ({', '.join(self.unknown)})" if self.usd else "unknown"

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {"usd": self.usd, "unknown": list(self.unknown)}

"""Marks that let a provider keep the beginning of a prompt, so that it is not paid for twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError
from ..names import nearest

_TTLS = ("5m", "1h")
_FIELDS = ("ttl", "key")


@dataclass(slots=True, frozen=True)
class PromptCaching:
    """`ttl` is how long the provider keeps a prefix, where it lets one choose; `key` groups the
    requests that share one (OpenAI's `prompt_cache_key`)."""

    ttl: str = "5m"
    key: str | None = None


def resolve_prompt_caching(
    setting: Any, *, client_name: str = "pagehand", stage: str | None = None
) -> PromptCaching | None:
    """Give what `prompt_caching` stands for in a stage; None marks nothing.

    A setting is a bool (None counts as true), or a dict of `ttl` ("5m" or "1h") and `key`. Without
    a key of its own a stage's key is `<client_name>:<stage>`. Raises ConfigError.
    """
    if setting is False:
        return None
    if isinstance(setting, PromptCaching):
        return setting
    own = f"{client_name}:{stage}" if stage else client_name
    if setting is None or setting is True:
        return PromptCaching(key=own)
    if not isinstance(setting, Mapping):
        raise ConfigError(
            f"prompt_caching must be true, false or a dict of ttl and key, got {setting!r}."
        )
    for name in setting:
        if name not in _FIELDS:
            hint = nearest(str(name), _FIELDS)
            raise ConfigError(
                f"prompt_caching has no field {name!r}."
                + (f" Did you mean {hint!r}?" if hint else "")
            )
    ttl, key = setting.get("ttl", "5m"), setting.get("key")
    if ttl not in _TTLS:
        raise ConfigError(f"prompt_caching: ttl must be '5m' or '1h', got {ttl!r}.")
    if key is not None and (not isinstance(key, str) or not key):
        raise ConfigError(f"prompt_caching: key must be a text, got {key!r}.")
    return PromptCaching(ttl, key or own)


def with_rolling_breakpoint(
    messages: list[dict[str, Any]], mark: Mapping[str, Any], *, skip: frozenset[str] = frozenset()
) -> list[dict[str, Any]]:
    """Give Anthropic-shaped messages whose newest one ends in a cache breakpoint, and no other.

    Each round of a tool loop reads all earlier rounds from the cache and writes only its own.
    `mark` is the `cache_control` to set; blocks of a type in `skip` cannot carry one. Neither the
    messages nor their blocks are changed.
    """
    cleaned = [{**message, "content": _unmarked(message["content"])} for message in messages]
    for block in reversed(cleaned[-1]["content"] if cleaned else []):
        if block.get("type") not in skip:
            block["cache_control"] = dict(mark)
            break
    return cleaned


def _unmarked(content: Any) -> list[dict[str, Any]]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [
        {key: value for key, value in block.items() if key != "cache_control"} for block in blocks
    ]


def build_instructions(system: str, caching: PromptCaching | None) -> list[dict[str, Any]]:
    """Give a system prompt as Anthropic-shaped blocks, the last with a cache breakpoint."""
    if not system:
        return []
    block: dict[str, Any] = {"type": "text", "text": system}
    if caching is not None:
        block["cache_control"] = cache_control(caching)
    return [block]


def cache_control(caching: PromptCaching) -> dict[str, str]:
    """Give Anthropic's form of a breakpoint; five minutes are its default and stay unsaid."""
    if caching.ttl == "5m":
        return {"type": "ephemeral"}
    return {"type": "ephemeral", "ttl": caching.ttl}

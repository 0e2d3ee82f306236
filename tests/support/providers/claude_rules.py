"""What Claude models ask of a request that makes them think, at Anthropic and at Bedrock.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7
_ADAPTIVE_ONLY = re.compile(r"claude-(opus-4-[7-9]|mythos-preview|[a-z]+-[5-9]\b)")
# https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#supported-models
_ADAPTIVE = re.compile(r"claude-([a-z]+-4-[6-9]|mythos-preview|[a-z]+-[5-9]\b)")
# https://platform.claude.com/docs/en/build-with-claude/effort
_EFFORT = re.compile(r"claude-(opus-4-5|[a-z]+-4-[6-9]|mythos-preview|[a-z]+-[5-9]\b)")


@dataclass(frozen=True)
class Asked:
    """What a request asks of a Claude model; `forced` says that a tool must be called."""

    model: str
    thinking: dict[str, Any]
    effort: str | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    forced: bool

    @property
    def thinks(self) -> bool:
        """Whether thinking is on."""
        return self.thinking.get("type") in ("enabled", "adaptive")


def adaptive(model: str) -> bool:
    """Whether a model thinks adaptively; such models take no words put in their mouth either."""
    return bool(_ADAPTIVE.search(model))


def hides_thoughts(model: str, thinking: dict[str, Any]) -> bool:
    """Whether a thought comes without its text.

    https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#display
    """
    usual = "omitted" if _ADAPTIVE_ONLY.search(model) else "summarized"
    return (thinking.get("display") or usual) == "omitted"


def judge_thinking(asked: Asked) -> Iterator[str]:
    """Give what the request breaks; the names of fields are Anthropic's."""
    model, kind = asked.model, asked.thinking.get("type")
    if asked.effort and not _EFFORT.search(model):
        yield f"effort: {model} does not take it"
    if asked.effort == "xhigh" and not _ADAPTIVE_ONLY.search(model):
        yield f"effort: {model} has no xhigh"
    if kind == "adaptive" and not _ADAPTIVE.search(model):
        yield f"thinking.type: {model} does not think adaptively"
    if kind == "enabled" and _ADAPTIVE_ONLY.search(model):
        yield f"thinking.type: {model} only thinks adaptively"
    budget = asked.thinking.get("budget_tokens", 0)
    if kind == "enabled" and budget < 1024:
        yield "thinking.budget_tokens: at least 1024"
    if kind == "enabled" and asked.max_tokens is not None and budget >= asked.max_tokens:
        yield "max_tokens: must be greater than thinking.budget_tokens"
    if asked.thinks and asked.forced:
        yield "tool_choice: only auto or none while the model thinks"
    yield from _judge_sampling(asked)


def _judge_sampling(asked: Asked) -> Iterator[str]:
    # https://platform.claude.com/docs/en/about-claude/models/migration-guide
    given = {"temperature": asked.temperature, "top_p": asked.top_p, "top_k": asked.top_k}
    used = [name for name, value in given.items() if value is not None]
    if _ADAPTIVE_ONLY.search(asked.model):
        yield from (f"{name}: {asked.model} does not take it" for name in used)
        return
    if "temperature" in used and "top_p" in used:
        yield "top_p: not beside temperature"
    if not asked.thinks:
        return
    if asked.temperature not in (None, 1):
        yield "temperature: may only be 1 while the model thinks"
    if asked.top_k is not None:
        yield "top_k: not while the model thinks"
    if asked.top_p is not None and not 0.95 <= asked.top_p <= 1:
        yield "top_p: only 0.95 to 1 while the model thinks"

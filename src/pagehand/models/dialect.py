"""Where servers that speak the chat completions wire depart from it, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True, frozen=True)
class ChatDialect:
    """Where a server departs from the plain wire.

    `max_tokens` is its name for the cap of an answer. `thinking` is how it is told to think:
    `effort` (reasoning_effort, for families with levels), `any-effort` (the same for all), `type`
    (thinking.type), `reasoning` (OpenRouter's object), `template` (effort, and a switch of the chat
    template for families that have one). `thoughts_back` names the field in which the thoughts of a
    tool loop must come back. `stream_usage` says that usage must be asked for, `cache_key` that it
    takes a prompt_cache_key, `developer` that it knows that role, `document_url` that a PDF goes
    under that name, `short_ids` that a call's id must be nine letters and digits.
    """

    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    thinking: Literal["effort", "any-effort", "type", "reasoning", "template"] = "effort"
    thoughts_back: Literal["reasoning_content", "reasoning_details"] | None = None
    stream_usage: bool = True
    cache_key: bool = False
    developer: bool = False
    document_url: bool = False
    short_ids: bool = False

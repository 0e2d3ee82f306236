"""What wires share whose turns are lists of blocks: Anthropic's Messages and Amazon's Converse."""

from __future__ import annotations

from collections.abc import Sequence

from ..messages import (
    FilePart,
    Message,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
)
from .base import ModelRequest, ToolDefinition
from .turns import Turn, merged

_TEXTS = frozenset({"json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-ndjson", "sql"})


def block_turns(messages: Sequence[Message]) -> list[Turn]:
    """Give turns that alternate and have results before all else.

    A thought without the proof of its maker is left out, for no provider takes it back.
    """
    return [
        (side, sorted(parts, key=lambda part: not isinstance(part, ToolResultPart)))
        for side, parts in merged([_proven(message) for message in messages])
    ]


def _proven(message: Message) -> Message:
    return Message(
        message.role,
        [
            part
            for part in message.parts
            if not isinstance(part, ReasoningPart) or part.provider_data
        ],
    )


def lacks_thought(turns: Sequence[Turn]) -> bool:
    """Whether a turn with calls in the tool loop that goes on does not begin with a thought."""
    loop: list[Turn] = []
    for side, parts in turns:
        if side == "user" and not any(isinstance(part, ToolResultPart) for part in parts):
            loop = []
        loop.append((side, parts))
    return any(
        not isinstance(parts[0], ReasoningPart)
        and any(isinstance(part, ToolCallPart) for part in parts)
        for _, parts in loop
    )


def declared_tools(request: ModelRequest) -> list[ToolDefinition]:
    """Give the tools to declare: where a request has none, those that its history has called, for
    calls of undeclared tools are refused."""
    if request.tools:
        return request.tools
    called = {
        part.name: None
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }
    return [
        ToolDefinition(name, "No longer available: do not call it.", {"type": "object"})
        for name in called
    ]


def plain_type(media_type: str) -> str:
    """Give a media type in lower case and without parameters."""
    return media_type.partition(";")[0].strip().casefold()


def text_of(part: FilePart) -> str | None:
    """Give the text of a file that holds text, None for any other and for links."""
    family, _, name = plain_type(part.media_type).partition("/")
    is_text = family == "text" or (family == "application" and name.split("+")[-1] in _TEXTS)
    if not is_text or not isinstance(part.data, bytes):
        return None
    return part.data.decode("utf-8", "replace")

"""Conversations as plain text, in an order that every chat template takes.

Templates of small models refuse what their training did not show: a system turn that is not the
first, an assistant's turn before a user's, two turns of one role (Gemma's, Mistral's). WebLLM
refuses most of it too.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..messages import Message, ToolCallPart, ToolResultPart

Turn = dict[str, str]
_GAP = "\n\n"


def plain_turns(messages: Iterable[Message]) -> list[Turn]:
    """Give a conversation as `{"role", "content"}`: system once and first, then user and
    assistant in turn, a user first. Turns of one role become one.
    """
    turns: list[Turn] = []
    for message in messages:
        text = _text_of(message)
        if not text:
            continue
        role = _role(message.role, turns)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += _GAP + text
        else:
            turns.append({"role": role, "content": text})
    return turns


def _role(role: str, before: list[Turn]) -> str:
    if role == "assistant":
        # What stands before a user's first turn, such as a summary, is told by the user.
        return "assistant" if any(turn["role"] == "user" for turn in before) else "user"
    if role == "system":
        return "system" if all(turn["role"] == "system" for turn in before) else "user"
    return "user"


def _text_of(message: Message) -> str:
    """Give a message as text; calls and results of other models become what they said."""
    pieces = [message.text]
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            pieces.append(f"{part.name}({part.arguments})")
        elif isinstance(part, ToolResultPart):
            pieces.append(f"{part.name}: {part.output}")
    return "\n".join(piece for piece in pieces if piece)

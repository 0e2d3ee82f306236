"""A conversation made sound before it goes to a provider.

Histories are trimmed, resumed and handed from one provider to another; what no provider accepts is
mended here, once for all wires: calls without a result, results without a call, ids and data of
another provider.
"""

from __future__ import annotations

import json
import re
from binascii import crc32
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Literal

from ..messages import Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from .base import GenerateResult, ModelRequest

INTERRUPTED = "The call was interrupted; its outcome is not known."
MAKER = "by"
"""The key of `provider_data` that says which model made it."""

_OPENING = "(The conversation began earlier.)"
_BETWEEN = "\n\n"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

Side = Literal["user", "assistant"]
Turn = tuple[Side, list[Part]]


def sound(messages: Sequence[Message], maker: str, fit_id: Callable[[str], str]) -> list[Message]:
    """Give the messages as a provider may take them; the given ones stay as they are.

    The user begins, turns in which nothing is said are left out, and neighbours of one side are
    one. `maker` names the model that is asked: provider data of any other is left out. `fit_id`
    gives an id that the provider takes, the same for the same id.
    """
    ids = _Ids(fit_id)
    made: list[Message] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.role == "tool":  # not behind the calls it answers: nothing asked for it
            continue
        turn = _own(message, maker, ids)
        if not any(map(says_something, turn.parts)):
            continue
        _add(made, turn)
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if not calls:
            continue
        found: defaultdict[str, deque[ToolResultPart]] = defaultdict(deque)
        while position < len(messages) and messages[position].role == "tool":
            for part in messages[position].parts:
                if isinstance(part, ToolResultPart):
                    found[part.id].append(part)
            position += 1
        sent = [part for part in turn.parts if isinstance(part, ToolCallPart)]
        made.append(
            Message("tool", [_answer(*pair, found) for pair in zip(calls, sent, strict=True)])
        )
    return made


def says_something(part: Part) -> bool:
    """Whether a part is more than a thought, a blank or an echo of a call."""
    if isinstance(part, TextPart):
        return bool(part.text.strip())
    return not isinstance(part, ReasoningPart | ToolResultPart)


def _add(made: list[Message], turn: Message) -> None:
    """Add a turn: to the one before, where that is of the same side."""
    last = made[-1] if made else None
    spoken = any(message.role != "system" for message in made)
    if turn.role == "assistant" and not spoken:
        made.append(Message("user", [TextPart(_OPENING)]))
    if last is not None and last.role == turn.role != "system":
        last.parts += [TextPart(_BETWEEN)] if isinstance(last.parts[-1], TextPart) else []
        last.parts += turn.parts
    else:
        made.append(turn)


def _answer(
    call: ToolCallPart, sent: ToolCallPart, found: Mapping[str, deque[ToolResultPart]]
) -> ToolResultPart:
    """Give the result of a call: of calls with one id, each has the next result with it."""
    if results := found[call.id]:
        return replace(results.popleft(), id=sent.id, name=sent.name)
    return ToolResultPart(sent.id, sent.name, INTERRUPTED, False)


class _Ids:
    """Ids that fit, each only once: some servers number their calls anew in each turn."""

    def __init__(self, fit: Callable[[str], str]) -> None:
        self._fit = fit
        self._times: dict[str, int] = {}
        self._used: set[str] = set()

    def fresh(self, id: str) -> str:
        made = self._fit(id)
        while made in self._used:
            self._times[id] = self._times.get(id, 1) + 1
            made = self._fit(f"{id}_{self._times[id]}")
        self._used.add(made)
        return made


def _own(message: Message, maker: str, ids: _Ids) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, TextPart | ReasoningPart | ToolCallPart) and part.provider_data:
            mine = part.provider_data.get(MAKER) == maker
            part = replace(part, provider_data=_unsigned(part.provider_data) if mine else None)
        if isinstance(part, ToolCallPart):
            part = replace(part, id=ids.fresh(part.id))
            if (name := _fit_name(part.name)) != part.name:  # no seal of its maker's fits it now
                part = replace(part, name=name, provider_data=None)
        if isinstance(part, ToolResultPart):
            continue  # results stand in messages of their own
        if isinstance(part, TextPart) and not part.text and not part.provider_data:
            continue
        parts.append(part)
    return Message(message.role, parts)


def _fit_name(name: str) -> str:
    """Give a tool's name as every provider takes it; models make up some that none does."""
    if _ID.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64] or "unknown"


def _unsigned(data: dict[str, Any]) -> dict[str, Any] | None:
    return {key: value for key, value in data.items() if key != MAKER} or None


def sign(result: GenerateResult, maker: str) -> None:
    """Note in the provider data of an answer which model made it."""
    for part in result.parts:
        if isinstance(part, TextPart | ReasoningPart | ToolCallPart) and part.provider_data:
            part.provider_data = {**part.provider_data, MAKER: maker}


def safe_id(id: str) -> str:
    """Give an id of the letters that every provider takes."""
    if _ID.fullmatch(id):
        return id
    return "call_" + (re.sub(r"[^A-Za-z0-9]+", "_", id)[-40:] + f"_{_digest(id)}")


def short_id(id: str) -> str:
    """Give an id of nine letters and digits, as Mistral wants them."""
    return id if re.fullmatch(r"[A-Za-z0-9]{9}", id) else _digest(id)


def _digest(text: str) -> str:
    return f"c{crc32(text.encode('utf-8', 'replace')):08x}"


def with_schema_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """Give the messages with the shape of the answer told in the system text, for providers that
    do not take it otherwise."""
    words = "Answer with JSON and nothing else. It must fit this JSON Schema:\n" + json.dumps(
        schema, ensure_ascii=False
    )
    heads = [message for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    before = "\n\n".join(message.text for message in heads)
    return [Message("system", [TextPart(f"{before}\n\n{words}" if before else words)]), *rest]


def split_system(messages: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """Give the texts of the system messages, and the other messages."""
    texts = [message.text for message in messages if message.role == "system" and message.text]
    return texts, [message for message in messages if message.role != "system"]


def merged(messages: Sequence[Message]) -> list[Turn]:
    """Give turns that alternate: neighbours of one side are one; results are the user's side.

    System messages are left out, and so are turns in which nothing is said.
    """
    turns: list[Turn] = []
    for message in messages:
        if message.role == "system":
            continue
        side: Side = "assistant" if message.role == "assistant" else "user"
        parts = [part for part in message.parts if not _says_nothing(part)]
        if not parts:
            continue
        if turns and turns[-1][0] == side:
            turns[-1][1].extend(parts)
        else:
            turns.append((side, parts))
    return turns


def _says_nothing(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip() and not part.provider_data


def fresh_ids(request: ModelRequest) -> Iterator[str]:
    """Give ids for calls whose provider names none: `call_0`, `call_1`, … not used before."""
    used = {
        part.id
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }
    return (id for number in count(len(used)) if (id := f"call_{number}") not in used)


class CallIds:
    """Ids for the calls of one answer: the provider's own, unless it gives none or one twice."""

    def __init__(self, request: ModelRequest) -> None:
        self._fresh = fresh_ids(request)
        self._used: set[str] = set()

    def take(self, given: str) -> str:
        """Give the id for one more call."""
        id = given
        while not id or id in self._used:
            id = next(self._fresh)
        self._used.add(id)
        return id

    def forget(self) -> None:
        """Begin anew, for an answer that does."""
        self._used.clear()

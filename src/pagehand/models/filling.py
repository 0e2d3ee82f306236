"""The arguments of a call, filled in by a very small model: one small question for each.

Whatever can be read off the request is not asked for: numbers that stand in it, a value of an
enumeration that is named in it. A text is a piece of the request. No piece is used twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema import inlined
from .base import ToolDefinition
from .judge import Judge
from .spans import Request

_END = '"\n'
# Argument by argument, in requests that no tool of a user's is likely to be for.
_EXAMPLES = """\
Request: Tell me how tall the Eiffel Tower is
Tool: find_height
building: "Eiffel Tower"

Request: Ask Ben whether he comes to dinner
Tool: ask_person
person: "Ben"

Request: Ask Ben whether he comes to dinner
Tool: ask_person
question: "he comes to dinner"

Request: Make a list called spring cleaning
Tool: create_list
name: "spring cleaning"

Request: Book a room in Bergen for Saturday
Tool: book_hotel
day: "Saturday"

Request: Do not let me forget that the car needs oil
Tool: keep_in_mind
text: "the car needs oil"

Request: Is there a green sofa?
Tool: find_furniture
query: "green sofa"

"""
# What takes the rest of a sentence is asked for last, when the other pieces have been taken.
_TAKES_THE_REST = ("text", "body", "message", "content", "note", "description")
_LAST = (*_TAKES_THE_REST, "title", "subject", "query")
_LONGEST_TASK = 400


class Filler:
    """Fills in the arguments of one call."""

    def __init__(self, judge: Judge, task: str, tool: ToolDefinition) -> None:
        self._judge = judge
        self._tool = tool
        self._request = Request(task[:_LONGEST_TASK])
        said = f"{tool.name.replace('_', ' ')} {tool.description}".casefold()
        self._commands = frozenset(word.strip(".,") for word in said.split())

    async def fill(self) -> dict[str, Any]:
        """Give the arguments; what cannot be found in the request is left out."""
        filled: dict[str, Any] = await self._object(inlined(self._tool.input_schema))
        return filled

    async def _object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        properties, needed = schema.get("properties"), schema.get("required")
        if not isinstance(properties, Mapping) or not isinstance(needed, list):
            return {}
        required = [name for name in needed if name in properties]
        values: dict[str, Any] = {}
        for name in sorted(required, key=lambda each: _turn(each, properties[each])):
            value = await self._value(name, properties[name])
            if value is not None:
                values[name] = value
        return {name: values[name] for name in required if name in values}

    async def _value(self, name: str, schema: Any) -> Any:
        if not isinstance(schema, Mapping):
            return None
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return await self._one_of(name, list(schema["enum"]))
        match _kind(schema):
            case "integer" | "number":
                return await self._number(name, schema)
            case "boolean":
                return await self._one_of(name, [True, False])
            case "array":
                return await self._list(name, schema.get("items"))
            case "object":
                return await self._object(schema)
            case _:
                return await self._text(name)

    async def _one_of(self, name: str, values: list[Any]) -> Any:
        shown = {str(value): value for value in values}
        words = {word.bare.casefold() for word in self._request.words}
        named = [text for text in shown if text.casefold() in words]
        if len(named) == 1:
            self._request.take(named[0])
            return shown[named[0]]
        return shown[await self._judge.pick(self._question(name), list(shown), _END)]

    async def _number(self, name: str, schema: Mapping[str, Any]) -> int | float | None:
        numbers = [
            (place, number)
            for place, number in self._request.numbers()
            if schema.get("type") != "integer" or isinstance(number, int)
        ]
        if not numbers:
            return None
        place, number = numbers[0]
        if len(numbers) > 1:
            picked = await self._judge.pick(
                self._question(name), [str(value) for _, value in numbers], _END
            )
            place, number = next(each for each in numbers if str(each[1]) == picked)
        self._request.taken.add(place)
        return number

    async def _list(self, name: str, items: Any) -> list[Any] | None:
        kind = _kind(items) if isinstance(items, Mapping) else "string"
        if kind == "string":
            text = await self._text(name)
            return None if text is None else _split(text)
        value = await self._value(name, items)
        return None if value is None else [value]

    async def _text(self, name: str) -> str | None:
        pieces = self._request.pieces(self._commands)
        texts = pieces.texts() if pieces.first else []
        if not texts:
            return None
        text = texts[0]
        if len(texts) > 1:
            text = await self._judge.copy(self._question(name), pieces, _END)
            if _ends_in(name, _TAKES_THE_REST):
                text = pieces.longest(text)
        self._request.take(text)
        return text

    def _question(self, name: str) -> str:
        return f'{_EXAMPLES}Request: {self._request.text}\nTool: {self._tool.name}\n{name}: "'


def _turn(name: str, schema: Any) -> int:
    """Give when an argument has its turn: what is surest first."""
    if not isinstance(schema, Mapping):
        return 3
    if "enum" in schema or "const" in schema or _kind(schema) in ("integer", "number", "boolean"):
        return 0
    return 2 if _ends_in(name, _LAST) else 1


def _ends_in(name: str, words: tuple[str, ...]) -> bool:
    return name.casefold().rpartition("_")[2] in words


def _kind(schema: Mapping[str, Any]) -> str:
    """Give a schema's type; of several, the first that is not null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if kind is None:
        for branch in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
            if isinstance(branch, Mapping) and branch.get("type") not in (None, "null"):
                return _kind(branch)
    return kind if isinstance(kind, str) else "string"


def _split(text: str) -> list[str]:
    """Give the parts of an enumeration in words."""
    parts = text.replace(" and ", ", ").replace(" & ", ", ").split(",")
    return [part.strip() for part in parts if part.strip()]

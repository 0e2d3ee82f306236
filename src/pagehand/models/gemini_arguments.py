"""Arguments of a Gemini call that arrive value by value, each with a JSON path to its place.

Source: Vertex AI's reference, "FunctionCall" and "PartialArg". Only a request that asks for it
(`streamFunctionCallArguments`) is answered so.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from .fields import joined

Step = str | int

# One step of a path as RFC 9535 writes it: .name, [0], ['a name'], ["a name"]
_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,9})\]|\[(['"])((?:\\.|(?!\3).)*)\3\]""", re.DOTALL)
_DEEPEST = 64
_VALUES = ("stringValue", "numberValue", "boolValue")


class PartialArguments:
    """Gathers the pieces into `value`."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}

    @property
    def value(self) -> dict[str, Any]:
        """What has gathered so far."""
        made: dict[str, Any] = _plain(self._root)
        return made

    def add(self, piece: dict[str, Any]) -> None:
        """Put one piece in its place; a text that stands there already goes on.

        Raises ValueError, LookupError or TypeError for a piece that has no place.
        """
        steps = _steps(piece["jsonPath"])
        found = _value(piece)
        if not found:
            return
        [value] = found
        place: Any = self._root
        for step, following in pairwise(steps):
            inner = _at(place, step)
            if inner is None:
                inner = [] if isinstance(following, int) else {}
                _put(place, step, inner)
            place = inner
        if not isinstance(value, str):
            _put(place, steps[-1], value)
        elif isinstance(before := _at(place, steps[-1]), _Text):
            before.pieces.append(value)
        else:
            _put(place, steps[-1], _Text(value))


class _Text:
    """A text in its pieces: to join it with each costs the square."""

    def __init__(self, piece: str) -> None:
        self.pieces = [piece]


def _plain(node: Any) -> Any:
    if isinstance(node, _Text):
        return joined(node.pieces)
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items()}
    return [_plain(item) for item in node] if isinstance(node, list) else node


def _steps(path: str) -> list[Step]:
    """Give the steps of a path behind its root `$`."""
    steps: list[Step] = []
    position = 1
    while match := _STEP.match(path, position):
        name, index, _, quoted = match.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(name if name is not None else re.sub(r"\\(.)", r"\1", quoted))
        position = match.end()
    whole = path.startswith("$") and position == len(path)
    if not whole or not 0 < len(steps) <= _DEEPEST:
        raise ValueError(f"no path to an argument: {path[:200]!r}")
    return steps


def _value(piece: dict[str, Any]) -> list[Any]:
    """Give the value of a piece in a list, which is empty where the piece brings none."""
    if "nullValue" in piece:
        return [None]
    return [piece[key] for key in _VALUES if piece.get(key) is not None][:1]


def _at(place: Any, step: Step) -> Any:
    """Give what stands at a step, None where nothing stands there yet."""
    if isinstance(place, dict) and isinstance(step, str):
        return place.get(step)
    if isinstance(place, list) and isinstance(step, int):
        return place[step] if step < len(place) else None
    raise ValueError(f"no place for an argument at {step!r}")


def _put(place: Any, step: Step, value: Any) -> None:
    if isinstance(place, list) and step == len(place):
        place.append(value)
    else:
        place[step] = value

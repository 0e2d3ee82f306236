"""JSON as models write it: strict first, partial while it streams, repaired at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .errors import MalformedResponseError

_TOKEN = re.compile(
    r'[ \t\n\r]+|[{}\[\],:]|"(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|[a-z]+', re.DOTALL | re.IGNORECASE
)
_STRING_BODY = re.compile(  # whole characters only: escaped surrogate pairs stay together
    r'(?:[^"\\]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}'
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u]"
    # and what is no character, once that is certain: half a pair, or `\u` without its digits
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?=[^\\]|\\[^u]|\\u[^dD]|\\u[dD][^c-fC-F])"
    r"|\\u[0-9a-fA-F]{0,3}(?=[^0-9a-fA-F]))*",
    re.DOTALL,
)
_LONGEST_CHARACTER = 12  # an escaped surrogate pair
_DEEPEST = 64  # no answer that is followed nests deeper, and each level has its price
_BROKEN = (ValueError, RecursionError)
_FENCE = re.compile(r"```[a-zA-Z_]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}


def parse_partial(text: str) -> Any:
    """Give the value that the beginning of a JSON text already says, or None for nothing yet.

    What is not certain is left out: a key without its value, a number or a word that may go on.
    A string that is still open counts as far as it goes.
    """
    try:
        return json.loads(text)
    except _BROKEN:
        pass
    closed = _close(text)
    if closed is None:
        return None
    try:
        return json.loads(closed, strict=False)
    except _BROKEN:
        return None


def _close(text: str) -> str | None:
    """Cut an unfinished JSON text after its last certain value and close what is open."""
    stack: list[str] = []  # the closers that are due
    keys: list[bool] = []  # by level: the next string is a key
    cut = position = 0  # the text up to `cut`, and then what closes the stack, is a whole value
    while match := _TOKEN.match(text, position):
        mark, position = match.group(), match.end()
        if mark in "{[":
            stack.append(_CLOSER[mark])
            keys.append(mark == "{")
        elif mark in "}]":
            if not stack or stack.pop() != mark:
                return None
            keys.pop()
        elif mark == ":":
            if keys:
                keys[-1] = False
            continue
        elif mark == ",":
            if stack and stack[-1] == "}":
                keys[-1] = True
            continue
        elif mark.isspace() or (mark[0] == '"' and keys and keys[-1]):
            continue
        elif mark[0] != '"' and position == len(text):
            break
        cut = position
        if not stack:
            break
    due = "".join(reversed(stack))
    if text.startswith('"', position) and not (keys and keys[-1]):
        body = _STRING_BODY.match(text, position + 1)
        if body and (stack or position == 0 or not text[:position].strip()):
            return text[: body.end()] + '"' + due
    return text[:cut] + due if cut else None


def repair_json(text: str) -> Any:
    """Give the value of a JSON text that a model wrote, mended where it is broken.

    Strict parsing first; then the first JSON value found inside prose or a code fence; then
    json-repair, once. Raises MalformedResponseError when there is no object or list in it.
    """
    try:
        return json.loads(text)
    except _BROKEN:
        pass
    found = find_json(text)
    if found is not None:
        return found
    start = re.search(r"[{\[]", text)
    if start:
        import json_repair

        try:
            value = json_repair.loads(_fenced(text) or text[start.start() :])
        except _BROKEN:  # nested deeper than any answer
            value = None
        if isinstance(value, dict | list) and value:
            return value
    raise MalformedResponseError(
        f"The model's answer holds no JSON that can be read: {_excerpt(text)}"
    )


def repair_container(text: str) -> dict[str, Any] | list[Any]:
    """Give the object or list that a model wrote, mended where it is broken.

    Raises MalformedResponseError when there is none.
    """
    value = repair_json(text)
    if not isinstance(value, dict | list):
        raise MalformedResponseError(
            f"The model's answer is no JSON object or list: {_excerpt(text)}"
        )
    return value


def find_json(text: str) -> Any:
    """Give the first whole JSON object or list inside a text, or None."""
    return next(iter_json(text), None)


def iter_json(text: str) -> Iterator[Any]:
    """Give every whole JSON object or list inside a text, one behind the other."""
    decoder = json.JSONDecoder()
    position = 0
    # An opening bracket that leads nowhere is passed over; a bound keeps hostile text linear.
    for _ in range(32):
        match = re.compile(r"[{\[]").search(text, position)
        if not match:
            return
        try:
            value, position = decoder.raw_decode(text, match.start())
        except _BROKEN:
            position = match.end()
        else:
            yield value


def _fenced(text: str) -> str | None:
    match = _FENCE.search(text)
    return match.group(1) if match and re.search(r"[{\[]", match.group(1)) else None


def _excerpt(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")


class JsonWatcher:
    """Follows a JSON text while it streams and tells what becomes certain, in one pass.

    `on_text(path, delta)` gets what a string grows by, for paths in `texts`; `on_value(path,
    value)` gets whole values at paths in `values`. A path is a tuple of keys, `*` for any index:
    `("steps", "*")`. A model that begins a text or the whole value anew is told of once through
    `on_again`; what it rewrites is not passed on a second time. Text that is not JSON is passed
    over in silence: the strict reader at the end has the last word.
    """

    def __init__(
        self,
        *,
        texts: dict[tuple[str, ...], Callable[[str], None]] | None = None,
        values: dict[tuple[str, ...], Callable[[Any], None]] | None = None,
        on_again: Callable[[], None] = lambda: None,
    ) -> None:
        self._texts = dict(texts or {})
        self._values = dict(values or {})
        self._on_again = on_again
        self._told: set[tuple[str, ...]] = set()  # texts that are written
        self._again = False
        self._path: list[str] = []
        self._kinds: list[str] = []
        self._key: str | None = None
        self._expects_key = False
        self._string: list[str] | None = None
        self._held = ""  # the beginning of an escape whose rest has not come
        self._open: dict[int, list[str]] = {}  # by depth: the text of a value that is awaited
        self._started = False
        self._over = False  # the whole value was closed

    def feed(self, delta: str) -> None:
        """Take more text."""
        position = 0
        if len(self._kinds) > _DEEPEST:
            return
        if not self._started:
            start = re.search(r"[{\[]", delta)
            if not start:
                return
            self._started, position = True, start.start()
        while position < len(delta) and len(self._kinds) <= _DEEPEST:
            step = self._in_string if self._string is not None else self._outside
            position = step(delta, position)

    def _keep(self, text: str) -> None:
        for pieces in self._open.values():
            pieces.append(text)

    def _outside(self, delta: str, position: int) -> int:
        char = delta[position]
        if char in "{[":
            self._enter(char)
            self._keep(char)
        elif char in "}]":
            self._keep(char)
            self._leave()
        elif char == '"':
            self._keep(char)
            self._string = []
            if not self._expects_key and (here := self._here()) in self._texts:
                self._begin_text(here)
        else:
            if char == ",":
                self._expects_key = bool(self._kinds) and self._kinds[-1] == "{"
            elif char == ":":
                self._expects_key = False
            self._keep(char)
        return position + 1

    def _begin_text(self, path: tuple[str, ...]) -> None:
        if path in self._told:
            del self._texts[path]
            self._rewritten()
        elif "*" not in path:
            self._told.add(path)

    def _rewritten(self) -> None:
        if not self._again:
            self._again = True
            self._on_again()

    def _here(self) -> tuple[str, ...]:
        if not self._kinds:
            return ()
        last = "*" if self._kinds[-1] == "[" else (self._key or "")
        return (*self._path, last)

    def _enter(self, char: str) -> None:
        here = self._here()
        if self._kinds:
            self._path.append(here[-1])
        elif self._over:
            self._texts, self._values = {}, {}
            self._rewritten()
        self._kinds.append(char)
        if here in self._values:
            self._open[len(self._kinds)] = []
        self._expects_key = char == "{"

    def _leave(self) -> None:
        depth = len(self._kinds)
        if not depth:
            return
        pieces = self._open.pop(depth, None)
        self._kinds.pop()
        path = tuple(self._path)
        if self._kinds:
            self._key = self._path.pop()
        self._over = not self._kinds
        self._expects_key = False
        if pieces is not None:
            try:
                value = json.loads("".join(pieces), strict=False)
            except _BROKEN:
                return
            if path in self._values:
                self._values[path](value)

    def _in_string(self, delta: str, position: int) -> int:
        assert self._string is not None
        text = self._held + delta[position:] if self._held else delta
        start = 0 if self._held else position
        body = _STRING_BODY.match(text, start)
        end = body.end() if body else start
        piece, closed = text[start:end], end < len(text) and text[end] == '"'
        fresh = piece + ('"' if closed else "")
        self._held = "" if closed else text[end:]
        if self._held and len(self._held) > _LONGEST_CHARACTER:
            piece, fresh, self._held = piece + self._held, fresh + self._held, ""
        self._keep(fresh)
        self._string.append(piece)
        if not self._expects_key and (sink := self._texts.get(self._here())) and piece:
            sink(_unescape(piece))
        if not closed:
            return len(delta)
        if self._expects_key:
            self._key = _unescape("".join(self._string))
        self._string = None
        return len(delta) - (len(text) - end - 1)


def _unescape(piece: str) -> str:
    if "\\" not in piece:
        return piece
    try:
        text: str = json.loads(f'"{piece}"', strict=False)
    except _BROKEN:
        return piece
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

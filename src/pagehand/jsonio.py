"""JSON as models write it: strict first, partial while it streams, repaired at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .errors import MalformedResponseError
from .lenient import WORDS, DoubtError, read_lenient, skip_between

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
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_MOST_BRACKETS = 32
_MARKS = '"{}[]'
_NO_MARKS = dict.fromkeys(map(ord, _MARKS + "'`“”‘’(),:; \t\r\n"))
_DEAREST_GUESS = 2_000_000  # half a second at most: 10 000 characters with 100 brackets among them
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


@dataclass(slots=True, frozen=True)
class Mended:
    """A value that a model wrote.

    `cut` says that the text ends inside it: in a text, a number or a word, or where a value is due;
    closing brackets that lack alone are no cut. `guessed` says that some of the text is not in the
    value, or a mark of JSON in it may be one of the text: enough to show, too little to act on.
    """

    value: Any
    cut: bool = False
    guessed: bool = False


def repair_json(text: str) -> Any:
    """Give the value of a JSON text that a model wrote, mended where it is broken; see `mend_json`.

    Raises MalformedResponseError when there is none in it.
    """
    return mend_json(text).value


def mend_json(text: str) -> Mended:
    """Read a JSON text that a model wrote, mended where it is broken.

    Strict parsing first; then the text itself, or else the first value inside a code fence or
    prose, read leniently; then, for what lenient reading doubts, json-repair, once. Several values
    with commas or line ends between are a list. NaN and Infinity, which JSON has not, are null.
    Raises MalformedResponseError when there is no value: words alone are none.
    """
    try:
        return Mended(_STRICT.decode(text))
    except _BROKEN:
        pass
    start = skip_between(text, 0)
    try:
        if text[start : start + 1] in ("{", "[") and not text.startswith("```", start + 1):
            found = _mend_at(text, start, alone=True)
        elif fenced := _fenced(text):
            found = _mend_at(fenced, 0, alone=True)
        else:
            found = _mend_scalar(text.strip())
            if found is None and text[start : start + 1] != '"':
                found = _mend_inside(text)
    except _BROKEN:  # nested deeper than any answer
        found = None
    if found is None:
        raise MalformedResponseError(
            f"The model's answer holds no JSON that can be read: {_excerpt(text)}"
        )
    return found


def _mend_at(text: str, start: int, *, alone: bool) -> Mended | None:
    """Read the value at a bracket. `alone` says that the text is meant to be nothing else."""
    if text[start + 1 :].lstrip().startswith('\\"'):  # JSON inside a text, without its quotes
        text, start = _unescaped(text[start:]), 0
    try:
        value, end, cut = _read_at(text, start)
        return Mended(_with_others(text, value, end) if alone else value, cut)
    except DoubtError as doubt:
        return _guess(text[start:], cut=doubt.cut)


def _unescaped(text: str) -> str:
    """Give a text with one level of escapes taken away."""
    signs = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: signs.get(found[1], found[1]), text, flags=re.DOTALL)


def _read_at(text: str, start: int) -> tuple[Any, int, bool]:
    try:
        value, end = _LOOSE.raw_decode(text, start)
    except _BROKEN:
        reading = read_lenient(text, start)
        return reading.value, reading.end, reading.cut
    return value, end, False


def _with_others(text: str, first: Any, end: int) -> Any:
    """Give a value, or a list of it and those that follow with nothing but commas between."""
    values, together = [first], True
    while True:
        at = skip_between(text, end)
        apart = "\n" in text[end:at]
        while text[at : at + 1] in (",", "}", "]", ")", ";") and at < len(text):
            apart = apart or text[at] == ","
            at = skip_between(text, at + 1)
        if at == len(text):
            return _one_of(values) if together else _several(values)
        if text[at] == '"' and apart and isinstance(first, dict):
            raise DoubtError  # the object was closed too early
        if text[at] not in "{[" or not _begins_json(text, at):
            return first  # prose
        value, end, _ = _read_at(text, at)
        values.append(value)
        together = together and not apart


def _several(values: list[Any]) -> Any:
    """Give what values mean that stand apart: an empty one says nothing beside one that is not."""
    full = [value for value in values if value]
    return full[0] if len(full) == 1 else values


def _one_of(values: list[Any]) -> Any:
    """Give what values mean that were written without anything between. Raises ValueError."""
    first, *others = values
    if all(value == first for value in others):
        return first
    if all(type(value) is type(first) for value in others):
        raise ValueError("Which of the values is meant is not certain.")
    return _several(values) if any(values) else first


def _guess(text: str, *, cut: bool) -> Mended | None:
    """Let json-repair guess what a text means: its work grows with length times marks."""
    marks = sum(map(text.count, "{[(")) + text.count('"') // 4
    if len(text) * (100 + marks) > _DEAREST_GUESS:
        return None
    import json_repair

    value = json_repair.loads(text)
    if not isinstance(value, dict | list) or not value or _has_odd_key(value):
        return None
    return Mended(value, cut, guessed=not _keeps(text, value))


def _keeps(text: str, value: Any) -> bool:
    """Whether a guess holds all of a text but its marks, no quote that may be such a mark, and
    nothing of its own."""
    written = json.dumps(value, ensure_ascii=False)
    same = text.translate(_NO_MARKS) == written.translate(_NO_MARKS)
    added = any(written.count(mark) > text.count(mark) for mark in ("{", "[", '""'))
    return same and not added and text.count('\\"') == written.count('\\"')


def _has_odd_key(value: Any) -> bool:
    """Whether a key holds marks of JSON: then a piece of the text was taken for a key."""
    if isinstance(value, dict):
        odd = any(mark in key for key in value for mark in _MARKS)
        return odd or any(map(_has_odd_key, value.values()))
    return isinstance(value, list) and any(map(_has_odd_key, value))


def _mend_scalar(text: str) -> Mended | None:
    """Read a text that is one quoted text, number or word of JSON, or a call around a value."""
    called = text.endswith((")", ");")) and text.partition("(")[0].isidentifier()
    if not (called or text[:1] in "\"'`‘’“”-.0123456789" or text.strip(" ,").casefold() in WORDS):
        return None
    try:
        reading = read_lenient(text)
    except DoubtError:
        return None
    value = reading.value
    if text[reading.end :].strip(" ,;"):
        return None
    if isinstance(value, str):
        odd = any(char < " " and char not in "\b\f\n\r\t" for char in value) or "\\u" in value
        words = len(text) == 1 or (reading.cut and any(quote in value for quote in "\"'“”"))
        if odd or words or text[0] in "-.0123456789":
            return None
    return Mended(value, reading.cut)


def _mend_inside(text: str) -> Mended | None:
    """Read the first value in prose: a bracket that begins none is passed over."""
    position = 0
    for _ in range(_MOST_BRACKETS):
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            return None
        start = min(starts)
        try:
            return Mended(_STRICT.raw_decode(text, start)[0])
        except _BROKEN:
            pass
        if _begins_json(text, start):  # what stands inside is a piece of it
            return _mend_at(text, start, alone=False)
        position = start + 1
    return None


def _begins_json(text: str, start: int) -> bool:
    """Whether a bracket in prose looks like the first of a JSON value."""
    inner = text[start + 1 : start + 80].lstrip()
    if text[start] == "[":
        return inner[:1] in tuple("{[\"'“]-0123456789")
    if inner[:1] in ('"', "'", "“", "}", "\\"):
        return True
    return inner.partition(":")[0].strip().isidentifier() and ":" in inner


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON.")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)
_LOOSE = json.JSONDecoder(parse_constant=_refuse_constant, strict=False)  # raw line ends in texts


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
    position = 0
    # An opening bracket that leads nowhere is passed over; a bound keeps hostile text linear.
    for _ in range(_MOST_BRACKETS):
        match = re.compile(r"[{\[]").search(text, position)
        if not match:
            return
        try:
            value, position = _STRICT.raw_decode(text, match.start())
        except _BROKEN:
            position = match.end()
        else:
            yield value


def _fenced(text: str) -> str | None:
    """Give what stands in a code fence and begins like JSON, up to the last fence."""
    start = text.find("```")
    for _ in range(_MOST_BRACKETS):
        if start < 0:
            break
        inner = text[start + 3 :]
        language = len(inner) - len(inner.lstrip(_LETTERS))
        inner = inner[language:].lstrip()
        if inner[:1] in ("{", "[", "(") or (start == 0 and inner[:1] == '"'):
            end = inner.rfind("```")
            return inner[:end] if end >= 0 else inner
        start = text.find("```", start + 3)
    return None


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

"""Values as models write them, in JSON or in Python, with what is broken about them.

What matters is where a value ends. Brackets inside strings and comments do not count; a string
whose quotes do not pair is never guessed at, for what follows it may still be its content.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from ..models.incoming import Incoming, Marks, Reading
from .call_marks import call_marks

Sink = Callable[[str], None]

_CLOSER = {"{": "}", "[": "]", "(": ")"}
# A typographic quote may be closed by any of its kind.
_QUOTES = {'"': '"', "'": "'", **dict.fromkeys("“”„", "“”„"), **dict.fromkeys("‘’", "‘’")}
_SINGLE = frozenset("'‘’")
_BEFORE_VALUE = frozenset("{[(,:=")
_SCALARS = frozenset(["true", "false", "null", "none", "undefined"])
_AWAITING = frozenset(":=")
_SPACE = " \t\n\r\f\v\u00a0"
_WORD_END = re.compile(r"[\s\u00a0{}\[\](),:=\"“”„<`/#]")
# Tokens that stand for quotes; what is between them has no escapes.
_TOKENS = Marks(['<|"|>', "<escape>"])
_STRING, _WORD, _BRACKETS = "string", "word", "brackets"


class NoCall(Exception):
    """What was read is no call but plain text."""


class CallBroken(Exception):
    """A call cannot be read on: its brackets or commas are wrong."""


class QuotesBroken(CallBroken):
    """A string's quotes do not pair, so what is content and what is not is unknown."""


class CallCut(CallBroken):
    """The output ends inside a call; `in_string`: inside one of its strings."""

    def __init__(self, in_string: bool = False) -> None:
        super().__init__()
        self.in_string = in_string


def read_space(source: Incoming, sink: Sink) -> Reading[str]:
    """Read blank space and comments. Give the next character, "" at the end."""
    while True:
        char = yield from source.peek()
        if char and char in _SPACE:
            end = source.at + 1
            while end < len(source.text) and source.text[end] in _SPACE:
                end += 1
            sink(source.take_to(end))
        elif not char or char not in "/#" or not (yield from _comment(source, sink)):
            return char


def next_inside(source: Incoming, sink: Sink) -> Reading[str]:
    """Read on to the next character of a call that must go on. Raises CallBroken."""
    char = yield from read_space(source, sink)
    if not char:
        raise CallCut
    if char in "<[`" and (yield from call_marks().here(source)):
        raise CallBroken
    return char


def read_blank(source: Incoming, blank: list[str]) -> Reading[str]:
    """Read blank space. Give the next character, "" at the end."""
    while (char := (yield from source.peek())) and char.isspace():
        blank.append(source.take_to(source.at + 1))
    return char


def read_value(
    source: Incoming, sink: Sink, *, begun: bool = False, due: list[str] | None = None
) -> Reading[bool]:
    """Read one value, passing it on as it is written.

    `begun`: with a word that was read; `due`: within brackets, which are to come. Gives whether
    brackets stand inside brackets. Raises CallBroken.
    """
    due = due or []
    before = _WORD if begun else ","
    word = ["0"]  # that of a call in Python is judged by its own rules
    nested = False
    while True:
        char = yield from next_inside(source, sink)
        if before == _WORD and char in ",}])" and not _is_scalar("".join(word)):
            raise CallBroken  # its quotes are missing, and where it ends is a guess
        if char in _CLOSER:
            if before in (_STRING, _WORD, _BRACKETS):
                raise CallBroken
            nested = nested or bool(due)
            due.append(_CLOSER[char])
            sink(source.take_to(source.at + 1))
            before = char
        elif char in "}])":
            if not due:
                return nested
            if due.pop() != char or before in _AWAITING:
                raise CallBroken
            sink(source.take_to(source.at + 1))
            before = _BRACKETS
        elif char in _QUOTES and (char not in _SINGLE or before in _BEFORE_VALUE):
            if before in (_STRING, _WORD):
                raise QuotesBroken
            if before == _BRACKETS:
                raise CallBroken
            yield from read_string(source, sink)
            before = _STRING
        elif char in ",:=;":
            if not due:
                return nested
            if before in _AWAITING:
                raise CallBroken
            sink(source.take_to(source.at + 1))
            before = char
        elif before == _STRING:
            raise QuotesBroken
        elif before == _BRACKETS:
            raise CallBroken
        elif char == "<" and (mark := (yield from _TOKENS.here(source))):
            yield from _read_token_string(source, sink, mark)
            before = _STRING
        else:
            found = _WORD_END.search(source.text, source.at + 1)
            piece = source.take_to(found.start() if found else len(source.text))
            word = [*word, piece] if before == _WORD else [piece]
            sink(piece)
            before = _WORD
        if not due and before in (_STRING, _BRACKETS):
            return nested


def _is_scalar(word: str) -> bool:
    if word.casefold() in _SCALARS:
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def read_string(source: Incoming, sink: Sink) -> Reading[None]:
    """Read a string with its quotes, passing it on as it is written. Raises CallCut."""
    opening = source.text[source.at]
    ending = opening
    if opening in "\"'" and (yield from _is_triple(source)):
        ending = opening * 3
    sink(source.take_to(source.at + len(ending)))
    yield from read_string_on(source, sink, ending)


def read_string_on(source: Incoming, sink: Sink, ending: str) -> Reading[None]:
    """Read a string whose opening quotes were read, to its end. Raises CallCut."""
    pattern = _string_end(ending)
    while True:
        found = pattern.search(source.text, source.at)
        if found and found.group() != "\\":
            sink(source.take_to(found.end()))
            return
        # An escape is passed on whole, and so is a quote that may be the first of three.
        end = found.start() + 2 if found else len(source.text) - len(ending) + 1
        if source.at < end <= len(source.text):
            sink(source.take_to(end))
        elif source.over:
            sink(source.take_to(len(source.text)))
            raise CallCut(in_string=True)
        else:
            if found and found.start() > source.at:
                sink(source.take_to(found.start()))
            yield


def _read_token_string(source: Incoming, sink: Sink, mark: str) -> Reading[None]:
    """Read a string between two tokens, passing it on as JSON. Raises CallCut."""
    source.take_to(source.at + len(mark))
    sink('"')
    while (end := source.text.find(mark, source.at)) < 0 and not source.over:
        sink(_escaped(source.take_to(max(source.at, len(source.text) - len(mark) + 1))))
        yield
    sink(_escaped(source.take_to(end if end >= 0 else len(source.text))))
    if end < 0:
        raise CallCut(in_string=True)
    source.take_to(end + len(mark))
    sink('"')


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _is_triple(source: Incoming) -> Reading[bool]:
    quote = source.text[source.at]
    while source.text[source.at : source.at + 2] != quote + quote:
        if source.over or len(source.text) >= source.at + 2:
            return False
        yield
    while len(source.text) < source.at + 3 and not source.over:
        yield
    return source.text.startswith(quote * 3, source.at)


@cache
def _string_end(ending: str) -> re.Pattern[str]:
    quotes = _QUOTES[ending[0]]
    return re.compile(r"\\|" + (re.escape(ending) if len(ending) > 1 else f"[{quotes}]"))


def _comment(source: Incoming, sink: Sink) -> Reading[bool]:
    """Read a comment, if one begins here."""
    while len(source.text) < source.at + 2 and not source.over:
        yield
    opening = source.text[source.at : source.at + 2]
    if opening == "/*":
        ending = "*/"
    elif opening == "//" or opening[0] == "#":
        ending = "\n"
    else:
        return False
    while True:
        found = source.text.find(ending, source.at + 2)
        mark = source.text.find("</", source.at, found if found >= 0 else len(source.text))
        if mark >= 0:
            sink(source.take_to(mark))
            return True
        if found >= 0:
            sink(source.take_to(found + len(ending)))
            return True
        if source.over:
            sink(source.take_to(len(source.text)))
            return True
        end = len(source.text) - 1
        if end > source.at + 2:
            sink(source.take_to(end - 2))
        yield


class StringText:
    """The text that a string stands for, as its characters come, quotes and all.

    `opening`: the quote that was read before.
    """

    def __init__(self, opening: str = "") -> None:
        self._quotes = opening
        self._held = ""  # an escape that is not whole

    def feed(self, written: str) -> str:
        """Take more of the string; give the text that is certain."""
        if not self._quotes:
            if not written:
                return ""
            self._quotes, written = _QUOTES[written[0]], written[1:]
        written, self._held = self._held + written, ""
        text: list[str] = []
        place = 0
        while (found := written.find("\\", place)) >= 0:
            text.append(written[place:found])
            place = found
            escape = _whole_escape(written, found)
            if not escape:
                self._held = written[found:]
                break
            text.append(_unescaped(escape))
            place += len(escape)
        else:
            rest = written[place:]
            # Where the string ends, its last character is the closing quote.
            text.append(rest[:-1] if rest[-1:] and rest[-1] in self._quotes else rest)
        return "".join(text)


def _whole_escape(text: str, start: int) -> str:
    """Give the escape that begins at a backslash, "" where more of it is to come."""
    kind = text[start + 1 : start + 2]
    if kind != "u":
        return text[start : start + 2] if kind else ""
    digits = text[start + 2 : start + 6]
    if len(digits) < 4:
        return ""
    if digits[:2].lower() in ("d8", "d9", "da", "db"):
        pair = text[start + 6 : start + 12]
        if len(pair) < 6 and "\\u".startswith(pair[:2]):
            return ""
        if pair.startswith("\\u"):
            return text[start : start + 12]
    return text[start : start + 6]


def _unescaped(escape: str) -> str:
    try:
        text: str = json.loads(f'"{escape}"')
    except ValueError:
        return escape[1:]
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unquoted(written: str) -> str:
    """Give the text of a whole string, or of a bare word."""
    if written[:1] not in _QUOTES:
        return written.strip()
    return StringText().feed(written)


def literal(written: str) -> Any:
    """Give the value of a JSON or Python literal. Raises CallBroken for anything else."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python would rather not have
            return _value_of(ast.parse(written.strip(), mode="eval").body)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise CallBroken from fault


def _value_of(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None | str() | int() | float() as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value_of(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key_of(key): _value_of(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id=word) if word in _WORDS:
            return _WORDS[word]
    raise CallBroken


_WORDS = {"true": True, "false": False, "null": None}


def _key_of(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise CallBroken

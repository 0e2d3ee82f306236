"""Calls in JSON: single objects, lists of them, and the wrappers that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..models.incoming import Incoming, Reading
from .call_book import CallBook, OpenCall, properties_of, required_of
from .call_values import (
    CallBroken,
    CallCut,
    NoCall,
    StringText,
    next_inside,
    read_blank,
    read_string,
    read_string_on,
    read_value,
    unquoted,
)

NAMES = frozenset(["tool", "name", "action", "function", "tool_name", "function_name"])
ARGUMENTS = frozenset(
    ["args", "arguments", "parameters", "params", "input", "action_input", "tool_input"]
)
REPLIES = ("reply", "answer", "text", "message", "response")
_LISTS = frozenset(["actions", "tool_calls", "calls", "function_calls"])
_WRAPPERS = frozenset(["function", "tool", "function_call", "tool_call", "call", "action"])
_ASIDE = frozenset(
    ["id", "type", "index", "tool_call_id", "call_id", "role", "thought", "thoughts", "reasoning"]
)
_KNOWN = NAMES | ARGUMENTS | _LISTS | _WRAPPERS | _ASIDE | frozenset([*REPLIES, "content"])
_DEEPEST = 6  # wrappers around wrappers
_QUOTES = frozenset("\"'“”„‘’")


class ObjectReader:
    """Reads one JSON value that holds calls, and tells a CallBook of them.

    `marked`: a mark says that calls stand here; without one only the name of a known tool makes a
    call. `replies`: the keys whose text makes an envelope of it at once; `whole`: it is all of the
    output so far, so a list of calls makes one; `apart`: it stands for itself, so a name alone may
    be a call. `say` gets the reply of an envelope, `commit` is called once the value is certain to
    be no plain text.
    """

    def __init__(
        self,
        source: Incoming,
        book: CallBook,
        *,
        marked: bool,
        replies: Sequence[str],
        whole: bool,
        apart: bool,
        say: Callable[[str], None],
        commit: Callable[[], None],
    ) -> None:
        self._source = source
        self._book = book
        self._marked = marked
        self._replies = replies
        self._whole = whole
        self._apart = apart
        self._say = say
        self._commit = commit
        self._committed = marked
        self._wrapped = False  # an envelope's list was read
        self._replied = False
        self._doubtful = False
        self._seen = False  # a call was read
        self.due: list[str] = []
        """The brackets that are to come."""
        self.keys = 0
        """How many keys were read: text in braces without one is no data."""
        self.call: OpenCall | None = None
        """The call that is being read, or is read and waits for what follows it."""

    def read(self) -> Reading[None]:
        """Read the object, up to its last bracket. Raises NoCall, CallBroken."""
        try:
            yield from self._object(0)
        except CallCut:
            if self.call is None and (self._marked or len(self.due) > 1):
                self.call = OpenCall(self._book)  # not even its name is there
            raise
        if not self._committed:
            if not self._wrapped or not (self._whole or self._replied):
                raise NoCall
            self._certain()

    def _certain(self) -> None:
        if not self._committed:
            self._committed = True
            self._commit()

    def _recognise(self, call: OpenCall) -> None:
        """A name and arguments make a call of an object, where the tool is known or a list says."""
        if call.tool is not None or (self._whole and self._wrapped):
            self._certain()

    def settle(self, problem: str = "") -> None:
        """Tell of the call that was read whole."""
        call, self.call = self.call, None
        if call is not None:
            call.end(problem)

    def _open(self, call: OpenCall) -> None:
        if self.call is not call:
            self.settle()
            self.call, self._seen = call, True
            call.doubtful = self._doubtful

    def _list(self, depth: int) -> Reading[None]:
        self._take()
        self.due.append("]")
        while True:
            char = yield from next_inside(self._source, _drop)
            if char == "{":
                self.settle()
                yield from self._object(depth + 1)
            elif char == ",":
                self._take()
            elif char == "]":
                self._take()
                self.due.pop()
                self.settle()
                return
            elif self._committed:
                raise CallBroken
            else:
                raise NoCall

    def _object(self, depth: int) -> Reading[None]:
        """Read an object that is a call or holds calls."""
        self._take()
        self.due.append("}")
        call = OpenCall(self._book)
        extras: dict[str, str] = {}
        first = True
        while True:
            char = yield from next_inside(self._source, _drop)
            if char == "}":
                self._take()
                self.due.pop()
                break
            if char == ",":
                self._take()
                continue
            key = yield from self._key(char, first)
            first = False
            char = yield from next_inside(self._source, _drop)
            if key in _LISTS and char in "[{" and not call.written and depth < _DEEPEST:
                self._wrapped = True
                yield from self._list(depth) if char == "[" else self._object(depth + 1)
            elif key in _WRAPPERS and char == "{" and not call.written and depth < _DEEPEST:
                yield from self._object(depth + 1)
            elif key in NAMES and char in _QUOTES and not call.written:
                yield from self._name(call)
            elif key in ARGUMENTS and not call.has_arguments:
                yield from self._arguments(call)
            elif depth == 0 and key in REPLIES and char in _QUOTES and not call.written:
                yield from self._reply(key)
            else:
                pieces: list[str] = []
                self._wrapped = self._wrapped or (key in _LISTS and not call.written)
                yield from read_value(self._source, pieces.append)
                if key == "description" and not self._committed:
                    raise NoCall  # it describes a tool
                if key not in _ASIDE:
                    extras[key] = "".join(pieces)
                    call.odd = True
        only_words = self._seen or self._wrapped or (depth == 0 and self._replied)
        if call.written or call.has_arguments or not only_words:
            self._close(call, extras)

    def _key(self, char: str, first: bool) -> Reading[str]:
        if not (char in _QUOTES or char.isalpha() or char == "_"):
            raise CallBroken if self._committed else NoCall
        pieces: list[str] = []
        if char in _QUOTES:
            yield from read_string(self._source, pieces.append)
        else:
            yield from _read_word(self._source, pieces)
        key = unquoted("".join(pieces))
        self.keys += 1
        if first and not self._committed and key not in _KNOWN:
            raise NoCall
        char = yield from next_inside(self._source, _drop)
        if char != ":":
            raise CallBroken if self._committed else NoCall
        self._take()
        return key

    def _name(self, call: OpenCall) -> Reading[None]:
        pieces: list[str] = []
        self._open(call)
        yield from read_string(self._source, pieces.append)
        name = unquoted("".join(pieces))
        if not self._committed and not self._wrapped and self._book.tool(name) is None:
            raise NoCall
        call.named(name)
        if call.has_arguments:
            self._recognise(call)

    def _arguments(self, call: OpenCall) -> Reading[None]:
        self._open(call)
        if call.written:
            self._recognise(call)
        call.nested = yield from read_value(self._source, call.add)
        call.complete = True
        if (yield from next_inside(self._source, _drop)) == "{":
            again: list[str] = []
            yield from read_value(self._source, again.append)
            if not call.is_written_as("".join(again)):
                raise CallBroken
            call.doubled = True

    def _reply(self, key: str) -> Reading[None]:
        if key in self._replies:
            self._certain()
        self._replied = True
        yield from read_string(self._source, self._speaking(StringText()))
        while True:
            blank: list[str] = []
            following = yield from read_blank(self._source, blank)
            if not following or following in ",}":
                return
            if not self._committed:
                raise NoCall
            # Its quotes are not escaped: this one was text, and where strings end is not certain.
            self._doubtful = True
            self._say('"' + "".join(blank))
            yield from read_string_on(self._source, self._speaking(StringText('"')), '"')

    def _speaking(self, text: StringText) -> Callable[[str], None]:
        return lambda piece: self._say(text.feed(piece))

    def _close(self, call: OpenCall, extras: dict[str, str]) -> None:
        """Settle what an object is that ended, from the keys that it had."""
        if not call.has_arguments and extras.keys() <= properties_of(call.tool).keys():
            _write_beside(call, extras)
        if not self._committed:
            wanting = not self._apart or bool(required_of(call.tool))
            if call.tool is None or (wanting and not call.has_arguments):
                raise NoCall
            self._certain()
        self._open(call)
        call.complete = call.whole = True

    def _take(self) -> None:
        self._source.take_to(self._source.at + 1)


def _write_beside(call: OpenCall, extras: dict[str, str]) -> None:
    """Take the keys beside the name as the arguments."""
    if extras:
        call.odd = False
        call.add("{" + ", ".join(f'"{key}": {text}' for key, text in extras.items()) + "}")


def _read_word(source: Incoming, pieces: list[str]) -> Reading[None]:
    while True:
        char = yield from source.peek()
        if not (char.isalnum() or char in ("_", "-", "$")):
            return
        pieces.append(source.take_to(source.at + 1))


def _drop(text: str) -> None:
    """Space between the parts of a call says nothing."""

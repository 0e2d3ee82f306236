"""Places in a text where calls stand: what follows an opening mark, a bracket or a code fence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..models.incoming import Incoming, Marks, Reading
from .call_book import NO_BRACKETS, NO_QUOTES, CallBook, OpenCall
from .call_marks import ENDINGS, FENCE, FUNCTIONS, SILENT, call_marks, openings, separators
from .call_objects import REPLIES, ObjectReader
from .call_python import read_arguments
from .call_tags import NAME_MARKS, read_function, read_header, read_pairs
from .call_values import (
    CallBroken,
    CallCut,
    NoCall,
    QuotesBroken,
    next_inside,
    read_space,
    read_value,
)

_LONGEST_NAME = 256
_PAIRS = Marks(["<arg_key>"])
_DATA = '":'  # no words begin so, but what is left of an object does


class Place:
    """Reads one place where calls may stand.

    `closing`: the mark that ends it ("": none does). `marked`: a mark says that calls stand here;
    else only known tools make calls of what stands here. `format`: what is looked for. `whole`: it
    is all of the output so far. `say` gets an envelope's reply, `commit` is called once it is
    certain that calls stand here.
    """

    def __init__(
        self,
        source: Incoming,
        book: CallBook,
        *,
        closing: str,
        marked: bool,
        format: str,
        whole: bool,
        say: Callable[[str], None],
        commit: Callable[[], None],
    ) -> None:
        self._source = source
        self._book = book
        self._marked = marked
        self._fenced = closing == FENCE
        self._format = format
        self._whole = whole
        self._say = say
        self._commit = commit
        self._committed = False
        self._call: OpenCall | None = None
        self._lists = 0  # square brackets that are open around calls
        self._read_any = False
        self.closings = {closing} - {""}
        """The marks that are still due when the place ends."""
        self.left_over = ""
        """Text behind the last call that was read and is none."""
        self.due: list[str] = []
        """The brackets that are open where the place turned out to hold data, and no calls."""

    def read(self, finished: Callable[[], bool]) -> Reading[None]:
        """Read the place. Raises NoCall where it holds none, with what was read in `kept`.

        `finished` tells at the end of the output whether the model stopped of itself.
        """
        try:
            yield from self._items(finished)
        except CallCut as fault:
            if not self._committed:
                raise NoCall from fault
            self._ended(finished(), fault)
        except CallBroken as fault:
            if not self._committed:
                raise NoCall from fault
            yield from self._broken(fault)
        except NoCall:
            if not self._committed:
                raise
            self.left_over = "".join(self._source.kept or ())

    def _certain(self) -> None:
        self._source.kept = None
        if not self._committed:
            self._committed = True
            self._commit()

    def _settle(self, problem: str = "") -> None:
        """Tell of the call that was read, now that what follows it is known."""
        call, self._call = self._call, None
        if call is not None:
            call.end(problem)
            self._source.kept = []

    def _items(self, finished: Callable[[], bool]) -> Reading[None]:
        source = self._source
        separated = True
        while True:
            char = yield from read_space(source, _drop)
            if not char:
                return self._over(finished())
            mark = ""
            if char in "<[`f":
                mark = yield from call_marks().here(source)
            if mark == FENCE if self._fenced else mark in ENDINGS:
                return self._close(mark)
            if mark in ENDINGS and self._read_any:
                self._close(mark)
                separated = True
            elif mark in SILENT:
                source.take_to(source.at + len(mark))
            elif mark in FUNCTIONS:
                self._settle()
                name = yield from read_header(source, mark)
                call = self._start()
                call.named(name)
                yield from read_function(source, call, mark)
                separated = False
            elif mark in openings("auto"):
                self._settle()
                source.take_to(source.at + len(mark) - (mark[-1] == "[" != mark[0]))
                self.closings |= {openings("auto")[mark].closing} - {""}
                self._marked = separated = True
            elif char == "{" and (separated or self._marked) and self._reads("json", "envelope"):
                yield from self._object()
                separated = False
            elif char == "[" and separated:
                self._lists += 1
                source.take_to(source.at + 1)
            elif char == "]" and self._lists:
                self._lists -= 1
                source.take_to(source.at + 1)
                if self._bare and not self._lists:
                    return self._settle_or_none()
            elif char in ",;" and (self._lists or self._marked) and self._read_any:
                source.take_to(source.at + 1)
                separated = True
            elif char in _DATA and self._call is not None:
                raise CallBroken  # what ended was a part of it
            elif char == ")" and self._call is not None:
                source.take_to(source.at + 1)
            elif char in "}]" and self._call is not None:
                self._call.stray = True
                source.take_to(source.at + 1)
            elif _begins_name(char) and (separated or self._fenced) and self._reads("python"):
                self._settle()
                if not (yield from self._named()):
                    self.left_over = "".join(source.kept or ())
                    return self._settle_or_none()
                separated = False
            elif separated and self._read_any and self._lists:
                raise CallBroken
            else:
                return self._settle_or_none()
            if self._bare and not self._lists and not separated:
                char = yield from source.peek()
                if not char or char not in "}]" + _DATA:
                    return self._settle_or_none()

    def _reads(self, *formats: str) -> bool:
        """Whether what stands here without a mark is looked for."""
        return not self._bare or self._format in ("auto", *formats)

    @property
    def _bare(self) -> bool:
        return not self._marked and not self._fenced

    def _settle_or_none(self) -> None:
        if not self._committed:
            following = self._source.text[self._source.at : self._source.at + 1]
            if self._lists and (following.isdigit() or following in ('"', "-")):
                self.due = ["]"] * self._lists
            raise NoCall
        self._settle()

    def _close(self, mark: str) -> None:
        if not self._committed:
            raise NoCall
        self._source.take_to(self._source.at + len(mark))
        self.closings.discard(mark)
        self._settle()

    def _over(self, finished: bool) -> None:
        """The output ends behind a call, or before any."""
        if not self._committed:
            if not self._marked or self._read_any:
                raise NoCall
            self._start()  # it ends right behind an opening mark
        self._ended(finished, CallCut())

    def _start(self) -> OpenCall:
        self._settle()
        self._certain()
        self._call = OpenCall(self._book)
        self._read_any = True
        return self._call

    def _object(self) -> Reading[None]:
        self._settle()
        if self._marked:
            self._certain()
        self._read_any = True
        reader = ObjectReader(
            self._source,
            self._book,
            marked=self._committed,
            replies=self._replies(),
            whole=self._whole,
            apart=self._whole or self._fenced,
            say=self._say,
            commit=self._certain,
        )
        try:
            yield from reader.read()
        except NoCall:
            self.due = ["]"] * self._lists + (reader.due if reader.keys else [])
            raise
        finally:
            self._call = reader.call

    def _replies(self) -> Sequence[str]:
        """Give the keys that make an envelope of an object by themselves."""
        if self._format == "envelope":
            return REPLIES
        return REPLIES[:1] if self._whole and self._format != "json" else ()

    def _named(self) -> Reading[bool]:
        """Read a name with its arguments behind it; give whether that is what stands here."""
        source = self._source
        written = yield from self._name()
        fenced = False
        while True:
            char = yield from read_space(source, _drop)
            mark = (yield from separators().here(source)) if char and char in "<[" else ""
            if mark:
                source.take_to(source.at + len(mark))
                if mark == "[CALL_ID]":
                    yield from self._name()
            elif char == "`" and (yield from call_marks().here(source)) == FENCE and not fenced:
                source.take_to(source.at + len(FENCE))
                yield from self._name()
                self.closings.add(FENCE)
                self._fenced = fenced = True
            elif written == "function" and char.isalpha():
                written = yield from self._name()
            else:
                break
        name = _clean(written, called=char == "(")
        known = self._book.tool(name) is not None
        if name == "print" and char == "(" and not known:
            source.take_to(source.at + 1)
            return (yield from self._named())
        pairs = self._marked and char == "<" and (yield from _PAIRS.here(source)) != ""
        if not pairs and not (yield from self._may_follow(char, known)):
            return False
        call = self._start()
        if not char:
            call.written = name
            raise CallCut
        call.named(name)
        if char == "(":
            yield from read_arguments(source, call)
        elif pairs:
            yield from read_pairs(source, call)
        elif char == "{":
            yield from self._arguments(call)
        call.complete = call.whole = True
        return True

    def _may_follow(self, char: str, known: bool) -> Reading[bool]:
        """Whether a name with this behind it is a call."""
        if not self._marked:
            return known and char == "("
        if not char:
            return not self._read_any
        if char in "<`" and (yield from call_marks().here(self._source)) in ENDINGS:
            return True
        return char in "({"

    def _arguments(self, call: OpenCall) -> Reading[None]:
        """Read arguments in JSON behind a name; the same once more is the same call."""
        call.nested = yield from read_value(self._source, call.add)
        call.complete = call.whole = True
        if (yield from read_space(self._source, _drop)) == "{":
            again: list[str] = []
            yield from read_value(self._source, again.append)
            if not call.is_written_as("".join(again)):
                raise CallBroken
            call.doubled = True

    def _name(self) -> Reading[str]:
        source, pieces = self._source, list[str]()
        while len(pieces) < _LONGEST_NAME:
            char = yield from source.peek()
            if not (char.isalnum() or char in NAME_MARKS) or not char:
                break
            pieces.append(source.take_to(source.at + 1))
        return "".join(pieces)

    def _ended(self, finished: bool, fault: CallCut) -> None:
        """Settle the call that the output ends in or behind."""
        call, self._call = self._call, None
        if call is None:
            return
        if fault.in_string:
            tail = call.split_off()
            call.end("" if tail is None else NO_QUOTES, cut=tail is None)
            self._say(tail or "")
        else:
            call.end(cut=not (call.whole and (finished or not (self.closings or self._lists))))

    def _broken(self, fault: CallBroken) -> Reading[None]:
        """Read on to the end of a call that cannot be read, and tell of it."""
        source = self._source
        if self._call is None and not self._marked:
            return  # an envelope that is broken behind its reply: what follows is text
        call, self._call = self._call or OpenCall(self._book), None
        if not isinstance(fault, QuotesBroken):
            if call.complete and (yield from _is_mark(source)):
                call.stray = True  # only the closing brackets are missing
                call.end()
                return
            try:
                while not (yield from _is_mark(source)):
                    yield from _pass_over(source, call)
            except (QuotesBroken, CallCut) as worse:
                fault = worse
            except CallBroken:
                pass  # a mark ends it
        if isinstance(fault, (QuotesBroken, CallCut)):
            # Where the strings end is unknown, so only the last mark can be trusted.
            while (yield from source.peek()):
                call.add(source.take_to(len(source.text)))
            tail = call.split_off()
            call.end(NO_QUOTES if isinstance(fault, QuotesBroken) else NO_BRACKETS)
            self._say(tail or "")
        else:
            call.end(NO_BRACKETS)


def _is_mark(source: Incoming) -> Reading[bool]:
    return (yield from source.peek()) != "" and (yield from call_marks().here(source)) != ""


def _pass_over(source: Incoming, call: OpenCall) -> Reading[None]:
    """Read one bit of a broken call: what is no string is as good as any other."""
    if (yield from next_inside(source, call.add)) == '"':
        yield from read_value(source, call.add)
    else:
        call.add(source.take_to(source.at + 1))


def _begins_name(char: str) -> bool:
    return char.isalpha() or char == "_"


def _clean(written: str, *, called: bool) -> str:
    """Give a name without what its format puts around it: `call:name`, `name:0`, `name.call(`."""
    name = written.removeprefix("call:").strip(":")
    head, mark, number = name.rpartition(":")
    if mark and number.isdigit():
        name = head
    return name.removesuffix(".call") if called else name


def _drop(text: str) -> None:
    """Space between calls says nothing."""

"""Tool calls of models that have no native ones: read from the text that they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import ConfigError
from ..models.base import (
    FinishReason,
    ModelPart,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallEnd,
)
from ..models.incoming import Incoming, Reading
from ..models.thoughts import CLOSING, STRAY, TAGS, UNCLOSED, Speech, read_thought
from ..names import nearest
from .call_book import CallBook
from .call_marks import (
    ENDINGS,
    FENCE,
    FORMATS,
    FUNCTIONS,
    fence_kind,
    fence_marks,
    openings,
    text_marks,
)
from .call_places import Place
from .call_values import CallBroken, NoCall, read_value
from .tool import ToolsInput, as_tools

_STOPPED = ("stop", "tool-calls")
# Behind one of these a bracket belongs to what stands before it.
_NOT_BEFORE_CALLS = frozenset("{[(=")


class ToolCallStream:
    """Reads what a model writes, as it comes: text, thoughts and calls, each as soon as certain.

    `tools` is what may be called. `format` names what to look for: `auto` for every format, or one
    of fenced, tags, tokens, envelope, json, python, none. Calls get the ids `id_prefix` + 0, 1, …
    `starts_thinking`: the prompt has opened a thought, so the output begins inside it.

    A call's arguments stream as they are written where that is JSON, else as JSON an argument at a
    time; joined they are the call's `raw`. Every call that was started ends. A call that must not
    run ends `broken`, with the reason in `problems`. A ModelWarning with `anew` says that what
    came so far was thought, calls and all. Raises ConfigError for a format that is none.
    """

    def __init__(
        self,
        tools: ToolsInput | None,
        format: str = "auto",
        *,
        id_prefix: str = "call_",
        starts_thinking: bool = False,
    ) -> None:
        if format not in FORMATS:
            hint = nearest(format, FORMATS)
            raise ConfigError(
                f"A tool call format cannot be {format!r}"
                + (f"; did you mean {hint!r}?" if hint else f": use one of {', '.join(FORMATS)}.")
            )
        self._format = format
        self._source = Incoming()
        self._book = CallBook(as_tools(tools), id_prefix, self._emit)
        self._parts: list[ModelPart] = []
        self._pending: list[ModelPart] | None = None  # parts of what may turn out to be text
        self._speech = Speech(lambda text: self._parts.append(TextDelta(text)))
        self._reason: FinishReason = "stop"
        self._closings: set[str] = set()  # marks whose place has ended without them
        self._called = False  # a call came, or an envelope
        self._unread = 0  # characters behind the last tag that made thought of all before it
        self._reading = self._read(starts_thinking)
        next(self._reading)

    @property
    def problems(self) -> dict[str, str]:
        """What is wrong with each broken call, by its id."""
        return self._book.problems

    def feed(self, text: str) -> list[ModelPart]:
        """Take more text; give what is certain by now."""
        self._source.add(text)
        next(self._reading, None)
        return self._take()

    def finish(self, reason: FinishReason = "stop") -> list[ModelPart]:
        """Give the rest: the output is over. `reason` length says that a cap cut it."""
        self._reason = reason
        self._source.over = True
        next(self._reading, None)
        return self._take()

    def _take(self) -> list[ModelPart]:
        parts, self._parts = _merged(self._parts), []
        return parts

    def _emit(self, part: ModelPart) -> None:
        (self._parts if self._pending is None else self._pending).append(part)

    def _finished(self) -> bool:
        return self._reason in _STOPPED

    def _say(self, text: str) -> None:
        if self._pending is not None:
            self._pending.append(TextDelta(text))
        elif text:
            self._speech.say(text)

    def _think(self, text: str) -> None:
        self._parts.append(ReasoningDelta(text))

    def _read(self, thinking: bool) -> Reading[None]:
        yield
        opening: str | None = None
        while True:
            if thinking:
                if not (yield from read_thought(self._source, self._think, opening)):
                    self._parts.append(ModelWarning(UNCLOSED))
                    return
                self._speech.pass_mark()
            mark = yield from self._text()
            if not mark:
                self._speech.finish()
                return
            thinking, opening = mark in TAGS, mark
            if mark in CLOSING:
                self._restart()
            elif not thinking:
                yield from self._calls(mark)

    def _restart(self) -> None:
        """Take note that all before a closing tag was thought."""
        if self._called or self._speech.last:
            self._unread = len(self._source.text) - self._source.at
            self._parts.append(ModelWarning(STRAY, anew=True))
        self._called = False
        self._speech.begin_anew()

    def _text(self) -> Reading[str]:
        """Read text up to a mark, and the mark unless it is a bracket. Give it, "" at the end."""
        source, marks = self._source, text_marks(self._format)
        while True:
            if self._format == "python" and (yield from self._at_word()):
                return "("
            place = marks.next(source.text, source.at)
            if place > source.at:
                self._say(source.take_to(place))
            if not (yield from source.peek()):
                return ""
            mark = yield from marks.here(source)
            if mark == "`":
                if (yield from self._ticks()):
                    return FENCE
            elif mark in ("{", "["):
                if self._speech.last_solid not in _NOT_BEFORE_CALLS:
                    return mark
                self._say(source.take_to(source.at + 1))
            elif not mark:
                self._say(source.take_to(source.at + 1))
            elif mark in ENDINGS and mark not in self._closings and self._speech.last:
                self._say(source.take_to(source.at + len(mark)))
            elif mark in FUNCTIONS:
                return mark
            else:
                source.take_to(source.at + len(mark))
                if mark in TAGS or mark in CLOSING or mark in openings(self._format):
                    return mark
                self._closings.discard(mark)
                self._speech.pass_mark()

    def _at_word(self) -> Reading[bool]:
        """Whether a name stands where a sole call may begin."""
        if self._speech.last not in ("", "\n"):
            return False
        char = yield from self._source.peek()
        return char.isalpha() or char == "_"

    def _ticks(self) -> Reading[bool]:
        """Read backticks. Give whether they open a code fence; else what they quote is text."""
        source = self._source
        count = 0
        while (yield from source.peek()) == "`" and count < len(FENCE):
            source.take_to(source.at + 1)
            count += 1
        ticks = "`" * count
        if ticks != FENCE:
            self._say(ticks)
            yield from self._code(ticks)
            return False
        if FENCE in self._closings:
            self._closings.discard(FENCE)
            self._speech.pass_mark()
            return False
        return True

    def _code(self, ticks: str) -> Reading[None]:
        """Read code as text, up to the backticks that close it or the end of its line."""
        source = self._source
        seen = ""
        while not seen.endswith(ticks):
            char = yield from source.peek()
            if char in ("", "\n"):
                return
            if char == "`":
                self._say(source.take_to(source.at + 1))
                seen += char
                continue
            seen = ""
            ends = [end for mark in "`\n" if (end := source.text.find(mark, source.at)) >= 0]
            self._say(source.take_to(min(ends, default=len(source.text))))

    def _calls(self, mark: str) -> Reading[None]:
        """Read the place that a mark opens; where no calls stand in it, it is text."""
        if mark == FENCE:
            yield from self._fence()
            return
        opening = openings(self._format).get(mark)
        head, marked = "", True
        if opening is None:
            marked = mark in FUNCTIONS
        elif mark == "functools[":
            self._source.push_back("[")
            head = "functools"
        else:
            head = mark
        closing = opening.closing if opening and opening.closing != "]" else ""
        due = yield from self._place(head, closing, marked)
        if due:
            yield from self._pass_over(due)

    def _fence(self) -> Reading[None]:
        head = [FENCE]
        while (char := (yield from self._source.peek())).isalnum() or char in ("_", "-", "+"):
            head.append(self._source.take_to(self._source.at + 1))
        kind = fence_kind("".join(head[1:])) if self._format in ("auto", "fenced") else "code"
        text = "".join(head)
        if kind == "code":
            self._say(text)
        elif (yield from self._place(text, FENCE, kind == "calls")) is None:
            return
        yield from self._code_block()

    def _code_block(self) -> Reading[None]:
        """Read code as text, up to the fence that closes it."""
        source, fences = self._source, fence_marks()
        while (yield from source.peek()):
            self._say(source.take_to(fences.next(source.text, source.at)))
            fence = yield from fences.here(source)
            self._say(source.take_to(source.at + max(len(fence), 1)))
            if fence:
                return

    def _place(self, head: str, closing: str, marked: bool) -> Reading[list[str] | None]:
        """Read a place. Give None, or where it is text after all the brackets open in it."""
        source, count = self._source, self._book.count
        source.kept, self._pending = [head], []
        place = Place(
            source,
            self._book,
            closing=closing,
            marked=marked,
            format=self._format,
            whole=not (self._called or self._speech.last) or self._format == "envelope",
            say=self._say,
            commit=self._commit,
        )
        try:
            yield from place.read(self._finished)
        except NoCall:
            text = "".join(source.kept)
            source.kept, self._pending, self._book.count = None, None, count
            self._say(text)
            return place.due
        self._called = True
        source.kept = None
        self._closings |= place.closings
        self._speech.pass_mark()
        self._say(place.left_over)
        return None

    def _commit(self) -> None:
        pending, self._pending = self._pending or [], None
        for part in pending:
            if isinstance(part, TextDelta):
                self._say(part.text)
            else:
                self._parts.append(part)

    def _pass_over(self, due: list[str]) -> Reading[None]:
        """Read data as text, up to its last bracket or where it is no data any more."""
        try:
            yield from read_value(self._source, self._say, due=due)
        except CallBroken:
            return


def _merged(parts: list[ModelPart]) -> list[ModelPart]:
    """Give parts with neighbours of one kind joined."""
    if len(parts) < 2:
        return parts
    found: list[ModelPart] = []
    texts: list[str] = []

    def close() -> None:
        if not texts:
            return
        last = found[-1]
        if isinstance(last, TextDelta | ReasoningDelta):
            last.text = "".join(texts)
        elif isinstance(last, ToolCallDelta):
            last.arguments_delta = "".join(texts)
        texts.clear()

    for part in parts:
        same = bool(found) and type(part) is type(found[-1])
        if isinstance(part, TextDelta | ReasoningDelta):
            if not same:
                close()
                found.append(part)
            texts.append(part.text)
        elif isinstance(part, ToolCallDelta):
            last = found[-1] if found else None
            if not (isinstance(last, ToolCallDelta) and last.id == part.id):
                close()
                found.append(part)
            texts.append(part.arguments_delta)
        else:
            close()
            found.append(part)
    close()
    return found


@dataclass(slots=True)
class ParsedOutput:
    """An output read whole. `calls` may run; `errors` tell of those that must not, one each."""

    text: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def extract_tool_calls(
    text: str, tools: ToolsInput | None, format: str = "auto", *, starts_thinking: bool = False
) -> ParsedOutput:
    """Read a whole output as `ToolCallStream` does. What a closing tag of a thought without an
    opening one makes thought is reasoning here, and its calls are none."""
    stream = ToolCallStream(tools, format, starts_thinking=starts_thinking)
    parts: Sequence[ModelPart] = [*stream.feed(text), *stream.finish()]
    found = ParsedOutput()
    for part in parts:
        if isinstance(part, ModelWarning) and part.anew:
            found = ParsedOutput(reasoning=_untagged(text, stream._unread))
        elif isinstance(part, TextDelta):
            found.text += part.text
        elif isinstance(part, ReasoningDelta):
            found.reasoning += part.text
        elif isinstance(part, ToolCallEnd):
            if part.call.broken:
                found.errors.append(_error(part.call, stream.problems[part.call.id]))
            else:
                found.calls.append(part.call)
    return found


def _untagged(text: str, unread: int) -> str:
    thought = text[: len(text) - unread]
    for tag in (*TAGS, *CLOSING):
        thought = thought.replace(tag, "")
    return thought.strip()


def _error(call: ToolCall, problem: str) -> str:
    name = call.written_name or call.name
    which = f"The call of {name!r}" if name else "A call without a name"
    return f"{which} was not run: {problem}."

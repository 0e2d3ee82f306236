"""Thoughts that a model writes into its answer, between tags.

A tag inside a thought is thought: what is called there is not called. Blank space around a thought
is layout and belongs to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .base import ModelWarning, ReasoningDelta, TextDelta
from .incoming import Incoming, Marks, Reading

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "[THINK]": "[/THINK]",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought": "<channel|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""The tags that open a thought, each with the one that closes it."""

CLOSING = frozenset(TAGS.values()) - {"<|end|>"}
"""The tags that close a thought, without those that close other things too."""

UNCLOSED = (
    "The output ends inside a thought, so there is no answer: let the model write more tokens, or "
    "turn its thinking off."
)
STRAY = "What stood before a closing tag of a thought was thought, and no answer."

_QUOTES = frozenset("`'\"“‘")


@cache
def _tags() -> Marks:
    return Marks([*TAGS, *TAGS.values()])


def read_thought(
    source: Incoming, think: Callable[[str], None], opening: str | None = None
) -> Reading[bool]:
    """Read a thought whose opening tag was read, up to and with its closing one.

    `opening` None: the prompt opened it, and any closing tag ends it. A tag inside that opens one
    more wants a closing tag of its own. Where that never comes it was only spoken of: what stands
    behind the last closing tag is then put back, as the answer. Gives whether the thought ends.
    """
    closing = CLOSING if opening is None else {TAGS[opening]}
    openings = TAGS if opening is None else {opening}
    out = _Trimmed(think)
    depth = 1
    held: list[str] | None = None  # what follows a closing tag while another is due
    before = ""
    while True:
        place = _tags().next(source.text, source.at)
        if place > source.at:
            piece = source.take_to(place)
            before = piece[-1]
            held.append(piece) if held is not None else out.add(piece)
        if place == len(source.text):
            if not source.over:
                yield
                continue
            if held is not None:
                source.push_back("".join(held[1:]))
            return held is not None
        mark = yield from _tags().here(source)
        tag = source.take_to(source.at + max(len(mark), 1))
        if mark in closing:
            depth -= 1
            if held is not None:
                out.add("".join(held))
            if depth == 0:
                return True
            held = [tag]
            continue
        if mark in openings and before not in _QUOTES:
            if opening is None and out.empty and held is None:
                opening, closing, openings = mark, {TAGS[mark]}, {mark: ""}
                continue  # the prompt opened it, and the model did once more
            depth += 1
        before = tag[-1]
        held.append(tag) if held is not None else out.add(tag)


class _Trimmed:
    """Passes text on without the blank space at its ends."""

    def __init__(self, sink: Callable[[str], None]) -> None:
        self._sink = sink
        self._blank: list[str] = []
        self.empty = True

    def add(self, text: str) -> None:
        """Take more text."""
        if self.empty:
            text = text.lstrip()
        words = text.rstrip()
        if words:
            self._sink("".join([*self._blank, words]))
            self._blank, self.empty = [], False
        if len(words) < len(text):
            self._blank.append(text[len(words) :])


class Speech:
    """Passes the text of an answer on. Blank space at its start, or behind a mark, waits for words.

    Behind a mark it is layout, and dropped where the text before ends in blank space already.
    """

    def __init__(self, sink: Callable[[str], None]) -> None:
        self._sink = sink
        self._blank: list[str] = []
        self._behind_mark = False
        self.last = ""
        """The last character, "" where nothing was said."""
        self.last_solid = ""
        """The last one that is not blank, "" where none was said since the last mark."""

    def say(self, text: str) -> None:
        """Take more text."""
        if self._behind_mark or not self.last:
            words = text.lstrip()
            self._blank.append(text[: len(text) - len(words)])
            if not words:
                return
            blank, self._blank = "".join(self._blank), []
            layout = self._behind_mark and (not self.last or self.last.isspace())
            text = words if layout else blank + words
            self._behind_mark = False
        if text:
            self.last = text[-1]
            self.last_solid = text.rstrip()[-1:] or self.last_solid
            self._sink(text)

    def pass_mark(self) -> None:
        """Take note that a mark stands here, which is no text."""
        self._behind_mark, self._blank, self.last_solid = True, [], ""

    def begin_anew(self) -> None:
        """Forget what was said: it counts no more."""
        self.last = ""
        self.pass_mark()

    def finish(self) -> None:
        """Pass on what waits in a text that is blank as a whole."""
        if not self._behind_mark and any(self._blank):
            self._sink("".join(self._blank))


ThoughtPart = TextDelta | ReasoningDelta | ModelWarning


class ThoughtSplitter:
    """Splits what a model writes into answer and thoughts, as it comes.

    `starts_inside`: the prompt has opened a thought already. A closing tag without an opening one
    says that all before it was thought: a ModelWarning with `anew` tells that what was passed on
    as text counts no more. A thought that is never closed ends with a ModelWarning.

    Once the answer holds data or code (a brace, a tag, a code fence), a tag in it may be part of
    that, and everything is text. `ToolCallStream` knows more: give it the output as it is.
    """

    def __init__(self, starts_inside: bool = False) -> None:
        self._source = Incoming()
        self._parts: list[ThoughtPart] = []
        self._speech = Speech(lambda text: self._parts.append(TextDelta(text)))
        self._reading = self._read(starts_inside)
        next(self._reading)

    def feed(self, text: str) -> list[ThoughtPart]:
        """Take more text; give what is certain by now."""
        self._source.add(text)
        next(self._reading, None)
        return self._take()

    def finish(self) -> list[ThoughtPart]:
        """Give the rest: the output is over."""
        self._source.over = True
        next(self._reading, None)
        return self._take()

    def _take(self) -> list[ThoughtPart]:
        parts, self._parts = self._parts, []
        return parts

    def _think(self, text: str) -> None:
        self._parts.append(ReasoningDelta(text))

    def _read(self, inside: bool) -> Reading[None]:
        opening: str | None = None
        yield
        while True:
            if inside:
                if not (yield from read_thought(self._source, self._think, opening)):
                    self._parts.append(ModelWarning(UNCLOSED))
                    return
                self._speech.pass_mark()
            opening = yield from self._text()
            if not opening:
                self._speech.finish()
                return
            inside = opening in TAGS
            if not inside:
                if self._speech.last:
                    self._parts.append(ModelWarning(STRAY, anew=True))
                self._speech.begin_anew()

    def _text(self) -> Reading[str]:
        """Read text up to a tag of a thought, and the tag. Give it, "" at the end."""
        source, before, plain = self._source, "", True
        while char := (yield from source.peek()):
            mark = (yield from _tags().here(source)) if plain else ""
            if (mark in TAGS and before not in _QUOTES) or mark in CLOSING:
                source.take_to(source.at + len(mark))
                return mark
            plain = plain and not (yield from self._is_data(char, before))
            start = source.at + max(len(mark), 1)
            piece = source.take_to(_plain_end(source.text, start) if plain else len(source.text))
            before = piece[-1]
            self._speech.say(piece)
        return ""

    def _is_data(self, char: str, before: str) -> Reading[bool]:
        """Whether data or code begins here, rather than a character between words."""
        if char != "<":
            return char == "{" or (char == before == "`")
        source = self._source
        while len(source.text) < source.at + 2 and not source.over:
            yield
        following = source.text[source.at + 1 : source.at + 2]
        return following.isalpha() or following in ("|", "｜", "/")


def _plain_end(text: str, start: int) -> int:
    """Give where the next character stands that may begin a tag, data or a fence."""
    place = _tags().next(text, start)
    for char in "{`":
        found = text.find(char, start, place)
        place = found if found >= 0 else place
    return place

"""Text that comes in pieces of any size, and the marks to find in it.

A reader of such text is a generator: it reads as if all of it were there, and yields where it needs
more to be certain. So what it finds cannot depend on where the pieces are cut.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from functools import cached_property
from typing import TypeVar

T = TypeVar("T")
Reading = Generator[None, None, T]


class Incoming:
    """What has come and is not read yet: `text` from `at` on. `over`: no more will come.

    `kept` gathers what is read while it is a list, for a reader that may have to take it back.
    """

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        self.over = False
        self.kept: list[str] | None = None

    def add(self, text: str) -> None:
        """Take more text."""
        self.text = self.text[self.at :] + text
        self.at = 0

    def push_back(self, text: str) -> None:
        """Take text that was read as not read."""
        self.text = text + self.text[self.at :]
        self.at = 0

    def take_to(self, end: int) -> str:
        """Read up to a place in `text`."""
        piece = self.text[self.at : end]
        self.at = end
        if self.kept is not None:
            self.kept.append(piece)
        return piece

    def peek(self) -> Reading[str]:
        """Give the next character, "" at the end."""
        while self.at >= len(self.text):
            if self.over:
                return ""
            yield
        return self.text[self.at]


class Marks:
    """A set of texts to look for, the longest first where several begin alike."""

    def __init__(self, marks: Iterable[str]) -> None:
        self._marks = sorted(set(marks), key=lambda mark: (-len(mark), mark))

    @cached_property
    def _first(self) -> re.Pattern[str]:
        return re.compile("[" + re.escape("".join({mark[0] for mark in self._marks})) + "]")

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self._marks)))

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(mark[:end] for mark in self._marks for end in range(1, len(mark)))

    def next(self, text: str, start: int) -> int:
        """Give where a mark may begin, from `start` on; the end of the text for nowhere."""
        found = self._first.search(text, start)
        return found.start() if found else len(text)

    def at(self, text: str, place: int, over: bool) -> str | None:
        """Give the mark at a place, "" for none, None while more text has to tell."""
        if not over and len(text) - place < len(self._marks[0]):
            rest = text[place:]
            if not rest or rest in self._beginnings:
                return None
        found = self._any.match(text, place)
        return found.group() if found else ""

    def here(self, source: Incoming) -> Reading[str]:
        """Give the mark that comes next, "" for none."""
        while (found := self.at(source.text, source.at, source.over)) is None:
            yield
        return found

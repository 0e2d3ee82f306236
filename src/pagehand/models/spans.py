"""Pieces of a request that may be an argument, word for word.

What stands in a request is copied, not written anew: a very small model that may write anything
writes something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

_LONGEST_WORDS = 80
_AROUND = " ,.?!:;\"'“”‘’«»"
# Of a sentence, these are neither the first nor the last word of what it is about. A language whose
# words are not here loses nothing: there are only more pieces to choose from.
_JOINTS = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "of", "in", "on", "at", "to", "for"),
        *("from", "by", "with", "about", "into", "onto", "and", "or", "but", "if", "then", "than"),
        *("as", "is", "are", "was", "were", "be", "been", "am", "do", "does", "did", "has", "have"),
        *("had", "can", "could", "will", "would", "shall", "should", "may", "might", "must", "not"),
        *("please", "my", "our", "your", "its", "his", "their", "what", "which", "who", "whom"),
        *("whose", "when", "where", "why", "how", "there", "here", "some", "any", "every", "all"),
    )
)
_PRONOUNS = frozenset(("me", "we", "us", "you", "it", "he", "him", "she", "her", "they", "them"))
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve"),
)


def literal(text: str) -> str:
    """Give a text as a grammar (GBNF) writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


@dataclass(slots=True, frozen=True)
class Word:
    """A word: its text as it stands, without what stands around it, and where it lies."""

    text: str
    bare: str
    start: int  # of the bare word, in characters
    end: int

    @property
    def number(self) -> int | float | None:
        """The number that the word is, None for none."""
        folded = self.bare.casefold()
        if folded in _NUMBER_WORDS:
            return _NUMBER_WORDS.index(folded)
        plain = folded.removesuffix("%").lstrip("#€$£")
        digits = plain.lstrip("+-.")
        if not (plain.isascii() and digits.replace(".", "", 1).isdigit()):
            return None
        try:
            return int(plain)
        except ValueError:
            pass
        try:
            return float(plain)
        except ValueError:
            return None


@dataclass(slots=True)
class Request:
    """A request as words, of which some are already arguments (`taken`: their places)."""

    text: str
    words: list[Word] = field(init=False)
    taken: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.words = list(_words(self.text))[:_LONGEST_WORDS]

    def numbers(self) -> list[tuple[int, int | float]]:
        """Give the numbers that are free, each with its place."""
        return [
            (place, number)
            for place, word in enumerate(self.words)
            if place not in self.taken and (number := word.number) is not None
        ]

    def take(self, text: str) -> None:
        """Mark the words of an argument as taken."""
        at = self.text.find(text)
        for place, word in enumerate(self.words):
            if at <= word.start and word.end <= at + len(text):
                self.taken.add(place)

    def pieces(self, commands: Collection[str]) -> Pieces:
        """Give the pieces that may be an argument. `commands` are words (folded) that, as the
        first one, say what to do rather than with what."""
        free = [place for place in range(len(self.words)) if place not in self.taken]
        first = [place for place in free if self._may_begin(place, commands)]
        last = {place for place in free if self.words[place].bare.casefold() not in _JOINTS}
        return Pieces(self, first, last)

    def _may_begin(self, place: int, commands: Collection[str]) -> bool:
        folded = self.words[place].bare.casefold()
        if folded in _JOINTS or folded in _PRONOUNS:
            return False
        return not (place == 0 and len(self.words) > 2 and (folded in commands or folded.isalpha()))


@dataclass(slots=True, frozen=True)
class Pieces:
    """Runs of words from one of the places `first` to one of `last`, without taken ones."""

    request: Request
    first: list[int]
    last: set[int]

    def texts(self) -> list[str]:
        """Give every piece."""
        words, text = self.request.words, self.request.text
        return list(
            dict.fromkeys(
                text[words[begin].start : words[end].end]
                for begin in self.first
                for end in self._ends(begin)
            )
        )

    def longest(self, text: str) -> str:
        """Give the piece that begins as `text` does and goes on as far as it can."""
        return max((each for each in self.texts() if each.startswith(text)), key=len, default=text)

    def _ends(self, begin: int) -> Iterator[int]:
        for place in range(begin, len(self.request.words)):
            if place in self.request.taken:
                return
            if place in self.last:
                yield place
            if self.request.words[place].text.endswith(":"):
                return

    def grammar(self, end: str) -> str:
        """Give the grammar (GBNF) of a piece followed by `end`; it grows with the words only."""
        words, text = self.request.words, self.request.text
        rules = ["root ::= " + " | ".join(f"w{place}" for place in self.first)]
        begins, taken = set(self.first), self.request.taken
        for place in range(min(self.first), len(words)):
            if place in taken:
                continue
            word = words[place]
            after = [literal(end)] if place in self.last else []
            if place + 1 < len(words) and place + 1 not in taken and not word.text.endswith(":"):
                after.append(f"m{place + 1}")
            after = after or [literal(end)]  # a dead end is a piece all the same
            rest = f"({' | '.join(after)})"
            if place in begins:
                rules.append(f"w{place} ::= {literal(word.bare)} {rest}")
            # A word in the midst has the blank before it, as the model's own tokens do.
            gap = text[words[place - 1].end : word.start] if place else ""
            rules.append(f"m{place} ::= {literal(gap + word.bare)} {rest}")
        return "\n".join(rules)


def _words(text: str) -> Iterator[Word]:
    at = 0
    for piece in text.split():
        start = text.index(piece, at)
        at = start + len(piece)
        bare = piece.strip(_AROUND)
        if bare:
            lead = piece.index(bare)
            yield Word(piece, bare, start + lead, start + lead + len(bare))
        elif any(character.isdigit() for character in piece):
            yield Word(piece, piece, start, at)

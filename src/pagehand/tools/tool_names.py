"""Which tool a name means that a model wrote."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from ..names import letters_of, words_of
from .tool import Tool


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LONGEST = 256  # characters; a tool's own name has at most 64
_ALIKE = 0.85
_AHEAD = 0.1
_SERVER = "__"
_SEPARATORS = (".", "/", ":", "#", _SERVER)
_GENERIC = _words(
    "function functions tool tools mcp api defaultapi namespace server client multitooluse "
    "assistant agent call"
)
READING = _words(
    "get list find search read show view fetch look lookup query check count describe see browse "
    "inspect preview ask scan watch peek"
)
_WRITING = _words(
    "set add put post create make write update edit delete remove send save store move rename "
    "insert append prepend clear reset run execute start stop close enable disable buy pay book "
    "order cancel upload install uninstall drop kill lock unlock push pull merge sell sign submit "
    "approve reject import export encrypt decrypt attach detach archive restore reply"
)
# Words that are near their opposites.
_OPPOSITES = _words(
    "min max minimum maximum minimize maximize minimise maximise increase decrease internal "
    "external include exclude on off in out up down"
)


def match_tool(name: str, tools: Iterable[Tool]) -> Tool | None:
    """Give the tool that a written name means, None when that is not certain.

    In this order: the same name; the same but for case; the same letters, whatever joins the
    words; the same without a prefix in front (`functions.`, `mcp.server.`, `server__`), or without
    the tool's own server where the written name has none. A name written several times over is one
    name. What fits two tools at one of these fits none.

    Last the one name that is at least 0.85 similar and 0.1 ahead of every other. So that no wish to
    read becomes a write, or the other way round, word answers to word there: each is the tool's
    word up to one letter (two in a long word that begins alike), digits and words of two letters
    are the same, and a word that stands for itself is no slip of another: a known verb, or a word
    of another tool's name. A slip that is as near to a verb of the other kind is refused too.
    """
    known = list(tools)
    for tool in known:
        if tool.name == name:
            return tool
    if len(name) > _LONGEST or not letters_of(name):
        return None
    names = _Names(known)
    fitting = names.fitting(name) or _without_prefix(name, names)
    if fitting:
        return fitting[0] if len(fitting) == 1 else None
    return _nearest(_bare(name), known)


class _Names:
    """The tools by the spellings of their names."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._by_case: dict[str, list[Tool]] = {}
        self._by_letters: dict[str, list[Tool]] = {}
        self._by_own_letters: dict[str, list[Tool]] = {}
        for tool in tools:
            _, _, own = tool.name.rpartition(_SERVER)
            self._by_case.setdefault(tool.name.casefold(), []).append(tool)
            self._by_letters.setdefault(letters_of(tool.name), []).append(tool)
            self._by_own_letters.setdefault(letters_of(own), []).append(tool)

    def fitting(self, name: str) -> list[Tool]:
        """Give the tools whose name this is but for its spelling."""
        cased = self._by_case.get(name.casefold(), [])
        exact = [tool for tool in cased if tool.name == name]
        letters = letters_of(name)
        return (
            exact
            or cased
            or self._by_letters.get(letters)
            or self._by_letters.get(_once(letters), [])
        )

    def without_server(self, name: str) -> list[Tool]:
        """Give the tools whose name this is but for its spelling and their server's prefix."""
        return self._by_own_letters.get(letters_of(name), [])


def _once(letters: str) -> str:
    """Give what a text repeats, or the text."""
    return letters[: (letters + letters).find(letters, 1)]


def _without_prefix(name: str, names: _Names) -> list[Tool]:
    """Give the tools whose name this is without what stands before a separator, theirs or its."""
    for start in _starts(name):
        found = names.fitting(name[start:])
        if found:
            # `search.delete` has no prefix: it names two tools.
            return found + [tool for tool in names.fitting(name[:start]) if tool not in found]
    return names.without_server(_bare(name))


def _starts(name: str) -> list[int]:
    """Give where a name begins behind each prefix that it may have, the shortest prefix first."""
    ends = {
        place + len(mark)
        for mark in _SEPARATORS
        for place in range(1, len(name))
        if name.startswith(mark, place)
    }
    return sorted(end for end in ends if letters_of(name[:end]) and letters_of(name[end:]))


def _bare(name: str) -> str:
    """Give a name without the prefixes that say nothing, such as `functions.`."""
    for start in reversed(_starts(name)):
        prefix = name[:start]
        for mark in _SEPARATORS:
            prefix = prefix.replace(mark, " ")
        if _GENERIC.issuperset(map(letters_of, prefix.split())):
            return name[start:]
    return name


def _nearest(name: str, tools: Sequence[Tool]) -> Tool | None:
    """Give the one tool whose name is so near that the other is a slip of it."""
    head, tail = _split(name)
    near: list[tuple[float, Tool]] = []
    tails = difflib.SequenceMatcher(b=letters_of(tail), autojunk=False)
    for tool in tools:
        own_head, own_tail = _split(tool.name)
        tails.set_seq1(letters_of(own_tail))
        # The measure is dear, tools may be thousands, and its bounds are cheap.
        if min(tails.real_quick_ratio(), tails.quick_ratio()) < _ALIKE - _AHEAD:
            continue
        # A long prefix that both have does not make them alike.
        heads = _ratio(head, own_head) if head and own_head else 1.0
        near.append((min(tails.ratio(), heads), tool))
    near.sort(key=lambda pair: -pair[0])
    if not near or near[0][0] < _ALIKE or (near[1:] and near[0][0] - near[1][0] < _AHEAD):
        return None
    best = near[0][1]
    others = {word for tool in tools if tool is not best for word in words_of(tool.name)}
    return best if _is_slip(tail, _split(best.name)[1], others) else None


def _split(name: str) -> tuple[str, str]:
    """Give a name's prefix, separator and all, and its own part."""
    start = _starts(name)[-1:] or [0]
    return name[: start[0]], name[start[0] :]


def _ratio(one: str, other: str) -> float:
    pair = letters_of(one), letters_of(other)
    return difflib.SequenceMatcher(None, *pair, autojunk=False).ratio()


def _is_slip(written: str, name: str, others: set[str]) -> bool:
    """Whether a written name is a tool's name with letters wrong, and no name of its own."""
    words = words_of(name)
    return all(
        _is_slip_of(found, word, others)
        for found, word in zip(_answering(written, words), words, strict=True)
    )


def _answering(written: str, words: Sequence[str]) -> list[str]:
    """Give the piece of a written name that answers to each word of a tool's name."""
    own = words_of(written)
    if len(own) == len(words):
        return own
    text, whole = "".join(own), "".join(words)
    blocks = difflib.SequenceMatcher(a=whole, b=text, autojunk=False).get_matching_blocks()
    found: list[str] = []
    end = start = 0
    for word in words[:-1]:
        end += len(word)
        block = next(each for each in blocks if each.a + each.size >= end or not each.size)
        stop = block.b + max(0, min(end - block.a, block.size))
        found.append(text[start:stop])
        start = max(start, stop)
    return [*found, text[start:]]


def _is_slip_of(written: str, word: str, others: set[str]) -> bool:
    if written == word:
        return True
    if len(word) < 3 or not (written.isalpha() and word.isalpha()):
        return False
    plural = written.removesuffix("s") == word.removesuffix("s")
    if written in READING | _WRITING | _OPPOSITES or (written in others and not plural):
        return False
    distance = _distance(written, word)
    if distance > (2 if len(word) >= 6 and written[0] == word[0] else 1):
        return False
    return not any(_distance(written, verb) <= distance for verb in _other_kind(word))


def _other_kind(word: str) -> frozenset[str]:
    """Give the verbs that a word must not be mistaken for."""
    if word in READING:
        return _WRITING
    return READING if word in _WRITING else frozenset()


def _distance(one: str, other: str) -> int:
    """Give how many letters are added, left out, changed or swapped between two words."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        this = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(this[-1] + 1, last[column] + 1, last[column - 1] + (char != wanted))
            swapped = row > 1 and column > 1 and (char, one[row - 2]) == (other[column - 2], wanted)
            this.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, last = last, this
    return last[-1]

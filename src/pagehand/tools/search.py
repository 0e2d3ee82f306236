"""Finding tools: by the words of a query, and by a request in plain language."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, TypeVar

from ..names import words_of
from .tool import Tool
from .tool_names import READING

Entry = TypeVar("Entry", bound="Tool | Mapping[str, Any]")

_NAME, _SERVER, _DESCRIPTION = 3, 2, 1
_SHORTEST_PREFIX = 3  # characters
_LONGEST_WORD = 40
_MOST_WORDS = 200  # of one request


def search_tools(
    catalog: Iterable[Entry], query: str, *, server: str | None = None, limit: int = 10
) -> list[Entry]:
    """Give the tools that a query's words fit, best first, at most `limit`.

    A word found in a tool's name counts 3, in its server's name 2, in its description 1; one of
    three letters and more also finds the words that begin with it, and its own singular and stem.
    Tools that fit alike keep their order. An entry is a Tool, whose name may begin with its server
    (`server__tool`), or a mapping with `name`, `description` and `server`. `server` keeps that
    server's tools only; a query without words finds them all.
    """
    entries = list(catalog)
    known = tuple(map(_facts, entries))
    wanted = None if server is None else server.casefold()
    places = (
        range(len(entries))
        if wanted is None
        else [place for place, (_, own, _) in enumerate(known) if own.casefold() == wanted]
    )
    terms = set(_words(query))
    if not terms:
        return [entries[place] for place in places[:limit]]
    scores: dict[int, int] = {}
    for weight, index in _indexes(known):
        for term in terms:
            for place in index.beginning_with(term):
                scores[place] = scores.get(place, 0) + weight
    fitting = (place for place in places if place in scores)
    found = heapq.nsmallest(limit, fitting, key=lambda place: -scores[place])
    return [entries[place] for place in found]


Facts = tuple[str, str, str]  # name, server, description


def _facts(entry: Tool | Mapping[str, Any]) -> Facts:
    if isinstance(entry, Tool):
        server, _, own = entry.name.rpartition("__")
        return own, server, entry.description
    name = str(entry.get("name", ""))
    server = str(entry.get("server") or "")
    return name.removeprefix(f"{server}__"), server, str(entry.get("description") or "")


@lru_cache(maxsize=4)
def _indexes(known: tuple[Facts, ...]) -> tuple[tuple[int, _Index], ...]:
    names = _Index([words_of(name) for name, _, _ in known])
    servers = _Index([words_of(server) for _, server, _ in known])
    return (
        (_NAME, names),
        (_SERVER, servers),
        (_DESCRIPTION, _Index([_words(text) for _, _, text in known])),
    )


class _Index:
    """Which texts hold a word."""

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        self.places: dict[str, list[int]] = {}
        for place, words in enumerate(texts):
            for word in set(words):
                self.places.setdefault(word, []).append(place)
        self._sorted = sorted(self.places)

    def words_like(self, term: str) -> Iterator[str]:
        """Give the words that are a term, or begin with it or its stem, where that is long."""
        start = stem_of(term)
        if len(term) < _SHORTEST_PREFIX:
            if term in self.places:
                yield term
            return
        first = bisect_left(self._sorted, start)
        following = (self._sorted[at] for at in range(first, len(self._sorted)))
        yield from takewhile(lambda word: word.startswith(start), following)

    def beginning_with(self, term: str) -> set[int]:
        """Give the texts that hold a word like a term."""
        found: set[int] = set()
        for word in self.words_like(term):
            found.update(self.places[word])
        return found


class _Spaces(dict[int, str]):
    """Turns what is no letter or digit to a space, and sets words of scripts without any apart."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        found = " " if not char.isalnum() else f" {char} " if 0x2E80 <= code < 0xAC00 else char
        self[code] = found
        return found


_SPACES = _Spaces()


def _words(text: str) -> list[str]:
    return text.translate(_SPACES).casefold().split()


def stem_of(word: str) -> str:
    """Give a word without its plural, -ing or -ed; a short one stays."""
    for ending, least in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            stem = word[: -len(ending)]
            doubled = ending in ("ing", "ed") and stem[-1:] == stem[-2:-1] not in ("l", "s", "e")
            return stem[:-1] if doubled else stem
    return word


# Words that ask, and say nothing of what.
_ASKING = """
a an and any are as at be been but by can could do does for from had has have hey hi how i if in
into is it its just let like may me might mine my need of off on or our out over please shall she
should so some than thanks that the their them then there these they this those to too up us very
want was we were what when where which who will with would you your
"""
_STOP_WORDS = frozenset(_ASKING.split())
# Everyday verbs that are asked for by one word and named by another.
_ALIKE = [
    set(each.split())
    for each in (
        "add create make new put insert append note",
        "delete remove erase clear drop discard",
        "cancel stop end abort",
        "list show display get view see read tell give",
        "find search look lookup query",
        "update edit change modify set",
        "save store keep remember",
        "send write message mail email tell",
        "open launch start begin run play",
        "calculate compute sum plus times minus",
        "convert turn translate",
        "buy purchase order",
        "book reserve",
        "move transfer shift",
        "call phone ring dial",
    )
]
_MEANT = 0.5  # of a word's weight, for another word of its meaning
_BEGUN = 0.7  # for one that begins alike
_FIRST = 1.5  # a request's first word of weight is mostly what is to be done
_ASKED = 1.25  # times, for a tool that reads, where the request is a question
_QUESTIONS = frozenset(
    ["what", "when", "where", "which", "who", "whose", "how", "is", "are", "was", "do", "does"]
)
_FIELDS = (("name", 3.0), ("description", 1.0), ("parameters", 0.7))


def rank_tools(request: str, tools: Iterable[Tool]) -> list[tuple[Tool, float]]:
    """Give the tools with how well each fits a request in plain language, best first.

    Words that merely ask are passed over, and rare words weigh more than words of many tools. The
    name counts most, then the description, then parameters with their descriptions and enums; a
    word of the same meaning or the same beginning counts in part. A question goes rather to a tool
    that reads. A score is only good beside
    others of the same list; 0 means that nothing fits. Tools that fit alike keep their order.
    """
    known = list(tools)
    indexes = [(weight, _Index(_stems(field, tool) for tool in known)) for field, weight in _FIELDS]
    scores = [0.0] * len(known)
    stems = list(dict.fromkeys(map(stem_of, _asked(request))))[:_MOST_WORDS]
    for position, stem in enumerate(stems):
        best: dict[int, float] = {}
        for weight, index in indexes:
            for word, part in _near(stem, index):
                for place in index.places[word]:
                    best[place] = max(best.get(place, 0.0), weight * part)
        rare = math.log(1 + len(known) / max(1, len(best)))
        for place, value in best.items():
            scores[place] += value * rare * (_FIRST if position == 0 else 1.0)
    if _is_question(request):
        scores = [
            score * (_ASKED if tool.read_only or READING.intersection(words_of(tool.name)) else 1)
            for tool, score in zip(known, scores, strict=True)
        ]
    order = sorted(range(len(known)), key=lambda place: -scores[place])
    return [(known[place], scores[place]) for place in order]


def _is_question(request: str) -> bool:
    """Whether a request wants to know something: "can you …?" wants something done."""
    first = (_words(request) or [""])[0]
    return first in _QUESTIONS


def _asked(request: str) -> list[str]:
    words = [word for word in _words(request) if len(word) <= _LONGEST_WORD]
    return [word for word in words if word not in _STOP_WORDS] or words


def _stems(field: str, tool: Tool) -> set[str]:
    return {stem_of(word) for word in _field_words(field, tool)}


def _field_words(field: str, tool: Tool) -> list[str]:
    if field == "name":
        return words_of(tool.name)
    if field == "description":
        return [word for word in _words(tool.description) if word not in _STOP_WORDS]
    found: list[str] = []
    properties = tool.input_schema.get("properties")
    for name, schema in properties.items() if isinstance(properties, Mapping) else ():
        found += words_of(name)
        if isinstance(schema, Mapping):
            allowed = schema.get("enum")
            texts: Sequence[Any] = [schema.get("description", ""), *(allowed or ())]
            found += [word for text in texts for word in _words(str(text))]
    return [word for word in found if word not in _STOP_WORDS]


def _near(stem: str, index: _Index) -> Iterator[tuple[str, float]]:
    """Give the words of an index that a word may mean, each with how surely."""
    if stem in index.places:
        yield stem, 1.0
    if len(stem) > _SHORTEST_PREFIX:
        for word in index.words_like(stem):
            yield word, _BEGUN
        for end in range(_SHORTEST_PREFIX + 1, len(stem)):
            if stem[:end] in index.places:
                yield stem[:end], _BEGUN
    for group in _ALIKE:
        if stem in group:
            yield from ((word, _MEANT) for word in group if word != stem and word in index.places)

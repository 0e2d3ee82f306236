"""The one table between Python's snake_case and the wire's camelCase.

Only the known fields of typed records are mapped. Keys that are data (tool names, rule globs,
headers, JSON Schema, arguments, server names, provider options) are never touched: the records
that hold them pass them through as they are.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

# Names whose camelCase is not the mechanical one, and second names of the same field.
_IRREGULAR = {"base_url": "baseURL", "original_url": "originalURL"}
_IRREGULAR_BACK = {wire: name for name, wire in _IRREGULAR.items()} | {"baseUrl": "base_url"}


@cache
def to_wire(name: str) -> str:
    """Give the camelCase wire name of a snake_case field (`base_url` → `baseURL`)."""
    if name in _IRREGULAR:
        return _IRREGULAR[name]
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@cache
def from_wire(name: str) -> str:
    """Give the snake_case field of a wire name; a snake_case name comes back unchanged."""
    if name in _IRREGULAR_BACK:
        return _IRREGULAR_BACK[name]
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match.group(1).lower(), name)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that `name` most likely meant, or None when nothing is close."""
    folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def words_of(name: str) -> list[str]:
    """Give the words of a snake, kebab, camel or spaced name, case-folded.

    `listHTTPRoutes_v2` → `list http routes v2`; digits stay with the letters before them.
    """
    words: list[str] = []
    word = ""
    for place, char in enumerate(name):
        if not char.isalnum():
            words.append(word)
            word = ""
            continue
        if word and char.isupper():
            follows_small = not word[-1].isupper()
            begins_word = name[place + 1 : place + 2].islower()
            if follows_small or begins_word:
                words.append(word)
                word = ""
        word += char
    return [each.casefold() for each in (*words, word) if each]


def letters_of(name: str) -> str:
    """Give a name's letters and digits, case-folded: what all its spellings have in common."""
    return "".join(filter(str.isalnum, name)).casefold()

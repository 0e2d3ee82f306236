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

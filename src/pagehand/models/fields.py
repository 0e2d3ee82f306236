"""Fields of a provider's answer, which may hold anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def text_of_field(value: Any) -> str:
    """Give a field's text, an empty one for null. Raises TypeError for anything else."""
    if value is not None and not isinstance(value, str):
        raise TypeError("no text")
    return value or ""


def object_of_field(value: Any) -> dict[str, Any]:
    """Give a field's object, an empty one for anything else: for what an answer can do without."""
    return value if isinstance(value, dict) else {}


def arguments_of_field(value: Any) -> str:
    """Give a call's arguments as JSON text: some servers send them as a value."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def joined(pieces: Iterable[str]) -> str:
    """Give one text of its pieces; a character that was cut in two between them is whole again."""
    text = "".join(pieces)
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

"""JSON Schemas for answers in the subset that Claude's decoder takes.

Source: Anthropic's documentation, "Structured outputs" (JSON Schema limitations).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema import inlined

_KEPT = frozenset({"type", "enum", "const", "default", "title", "description", "required"})
_FORMATS = frozenset(
    {
        *("date-time", "time", "date", "duration", "email", "hostname"),
        *("uri", "ipv4", "ipv6", "uuid"),
    }
)
# Refused as keywords; as words they are still heeded.
_IN_WORDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "format"),
    *("minItems", "maxItems", "uniqueItems"),
)


class _BeyondError(Exception):
    """The subset cannot say this."""


def answer_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give an answer's schema in the subset: closed objects, no bounds, no recursion.

    None where that would say something else, such as of an object whose keys are free, and for what
    is no sound schema.
    """
    try:
        return _fitted(inlined(schema))
    except (_BeyondError, TypeError, AttributeError):
        return None


def _fitted(node: Any) -> dict[str, Any]:
    if not isinstance(node, dict) or not node:  # anything at all, or nothing
        raise _BeyondError
    node = _merged(node)
    fitted = {key: value for key, value in node.items() if key in _KEPT}
    if any(isinstance(value, dict | list) for value in [*node.get("enum", ()), node.get("const")]):
        raise _BeyondError
    for key in ("anyOf", "oneOf"):
        if branches := node.get(key):
            fitted["anyOf"] = [*fitted.get("anyOf", ()), *map(_fitted, branches)]
    if "items" in node:
        fitted["items"] = _fitted(node["items"])
    if node.get("minItems") in (0, 1):
        fitted["minItems"] = node["minItems"]
    if node.get("format") in _FORMATS:
        fitted["format"] = node["format"]
    kind = node.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in node:
        fitted |= _closed(node)
    words = [f"{key}: {node[key]}" for key in _IN_WORDS if key in node and key not in fitted]
    if words:
        fitted["description"] = f"{node.get('description', '')} ({', '.join(words)})".strip()
    return fitted


def _merged(node: dict[str, Any]) -> dict[str, Any]:
    """Put what stands alone in `allOf` beside the rest; of several each would close the others."""
    if "allOf" not in node:
        return node
    rest = {key: value for key, value in node.items() if key != "allOf"}
    match node["allOf"]:
        case [dict() as only]:
            return {**only, **rest}
    raise _BeyondError


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    properties = node.get("properties") or {}
    more = node.get("additionalProperties", not properties)
    # `true` beside named properties is what many write who do not mean the object to be open.
    if node.get("patternProperties") or (more and not (more is True and properties)):
        raise _BeyondError
    return {
        "properties": {name: _fitted(value) for name, value in properties.items()},
        "additionalProperties": False,
    }

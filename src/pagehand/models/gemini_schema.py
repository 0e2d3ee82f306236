"""JSON Schemas as Gemini takes them, for tools and for answers.

Source: the Gemini API reference ("FunctionDeclaration", "GenerationConfig": the keywords that
`parametersJsonSchema` and `responseJsonSchema` know). Unknown keywords are ignored there; what is
refused, or makes a whole request fail without a word, is put differently here.
"""

from __future__ import annotations

import json
from typing import Any

from ..schema import inlined, object_schema

_ONE = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains"})
_MANY = frozenset({"items", "prefixItems", "anyOf", "oneOf", "allOf"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
# The decoder unrolls an array as often as its bounds say; beyond a budget for the whole request it
# answers 400 and names no field. The bounds still hold: arguments are judged on this side.
_IN_WORDS = {"minItems": "At least {} items.", "maxItems": "At most {} items."}


def for_tool(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Give a tool's schema: as for an answer, and one plain object at its root in any case."""
    return for_answer(object_schema(schema, name=name))


def for_answer(schema: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of an answer without references, `const` and bounds of arrays."""
    fitted: dict[str, Any] = _fitted(inlined(schema))
    return fitted


def _fitted(node: Any) -> Any:
    if not isinstance(node, dict):  # true and false are schemas too
        return node
    fitted: dict[str, Any] = {}
    words: list[str] = []
    for key, value in node.items():
        if key.startswith("$") or key == "title":
            continue  # says nothing to the model
        if key in _IN_WORDS:
            words.append(_IN_WORDS[key].format(value))
        elif key == "const":
            fitted |= _constant(value)
            words += [] if "enum" in fitted else [f"Always {json.dumps(value)}."]
        else:
            fitted["prefixItems" if _is_tuple(key, value) else key] = _children(key, value)
    if words:
        fitted["description"] = " ".join([str(fitted.get("description", "")), *words]).strip()
    return fitted


def _is_tuple(key: str, value: Any) -> bool:
    """Whether this is the older way to give each place of an array a schema of its own."""
    return key == "items" and isinstance(value, list)


def _children(key: str, value: Any) -> Any:
    """Give a keyword's value with the schemas in it fitted; data such as `enum` stays."""
    if key in _NAMED and isinstance(value, dict):
        return {name: _fitted(each) for name, each in value.items()}
    if key in _MANY and isinstance(value, list):
        return [_fitted(each) for each in value]
    return _fitted(value) if key in _ONE else value


def _constant(value: Any) -> dict[str, Any]:
    """Give what stands for `const`: an enum of one, which takes texts and numbers only."""
    if isinstance(value, str):
        return {"type": "string", "enum": [value]}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"type": "integer" if isinstance(value, int) else "number", "enum": [value]}
    if isinstance(value, bool):
        return {"type": "boolean"}
    return {"type": "null"} if value is None else {}

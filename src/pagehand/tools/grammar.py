"""A grammar (GBNF) of one call in one format, for decoders that can be held to it.

What a JSON Schema says beyond kinds, names, enumerations and lists (patterns, bounds) is left to
the check before the call runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..models.spans import literal
from ..schema import inlined
from .tool import Tool

_AROUND = {
    "fenced": ("```tool_call\n", "\n```"),
    "tags": ("<tool_call>", "</tool_call>"),
    "envelope": ('{"actions": [', "]}"),
}
_KEYS = {"envelope": ("tool", "args")}
_DEEPEST = 8
# A decoder that is held to a text may go on for ever inside it.
_BASE = r"""
text ::= "\"" char{0,200} "\""
char ::= [^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
whole ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= whole ("." [0-9]{1,15})?
flag ::= "true" | "false"
value ::= text | number | flag | "null" | "[" (value (", " value){0,8})? "]" | object
object ::= "{" (text ": " value (", " text ": " value){0,8})? "}"
words ::= [^`<{\n] [^\n]{0,200}"""


def call_grammar(tools: Sequence[Tool], call_format: str, *, act: bool, report: bool) -> str:
    """Give the grammar of a round: a call of one of the tools (`act`), or words (`report`)."""
    before, after = _AROUND[call_format]
    name, arguments = _KEYS.get(call_format, ("name", "arguments"))
    calls = [
        literal(f'{{"{name}": {json.dumps(tool.name)}, "{arguments}": ')
        + f" ({_rule(inlined(tool.input_schema), 0)}) "
        + literal("}")
        for tool in tools
    ]
    root = " | ".join([*(["call"] if act and calls else []), *(["words"] if report else [])])
    rules = [f"root ::= {root or 'words'}"]
    if calls:
        rules.append(f"call ::= {literal(before)} ({' | '.join(calls)}) {literal(after)}")
    return "\n".join(rules) + _BASE


def _rule(schema: Any, depth: int) -> str:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "value"
    if "const" in schema:
        return literal(json.dumps(schema["const"], ensure_ascii=False))
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        values = [literal(json.dumps(value, ensure_ascii=False)) for value in schema["enum"]]
        return " | ".join(values)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return " | ".join(f"({_rule(each, depth + 1)})" for each in schema[key])
    kinds = schema.get("type", "object" if "properties" in schema else None)
    each_kind = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(_of_kind(kind, schema, depth) for kind in each_kind) or "value"


def _of_kind(kind: Any, schema: Mapping[str, Any], depth: int) -> str:
    match kind:
        case "string":
            return "text"
        case "integer":
            return "whole"
        case "number":
            return "number"
        case "boolean":
            return "flag"
        case "null":
            return '"null"'
        case "array":
            item = f"({_rule(schema.get('items'), depth + 1)})"
            return f'"[" ({item} (", " {item}){{0,8}})? "]"'
        case "object":
            return _object(schema, depth)
        case _:
            return "value"


def _object(schema: Mapping[str, Any], depth: int) -> str:
    """Give an object with its required fields, in their order; optional ones are left out: a
    model that must be held to a grammar fills them with anything."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return "object"
    needed = [name for name in properties if name in (schema.get("required") or ())]
    fields = [
        f"{literal(json.dumps(name, ensure_ascii=False) + ': ')} "
        f"({_rule(properties[name], depth + 1)})"
        for name in needed
    ]
    return '"{" ' + ' ", " '.join(fields) + (" " if fields else "") + '"}"'

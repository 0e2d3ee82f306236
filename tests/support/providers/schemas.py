"""The rules for JSON schemas that requests carry: of tools, and of answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_BRANCHES = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "$defs", "definitions", "patternProperties")


def subschemas(schema: Any, where: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Give a schema and every schema inside it, with their paths."""
    if not isinstance(schema, dict):
        return
    yield schema, where
    for key in _NAMED:
        if isinstance(schema.get(key), dict):
            for name, inner in schema[key].items():
                yield from subschemas(inner, f"{where}.{key}.{name}")
    for key in _BRANCHES:
        if isinstance(schema.get(key), list):
            for index, inner in enumerate(schema[key]):
                yield from subschemas(inner, f"{where}.{key}[{index}]")
    for key in ("items", "additionalProperties", "not"):
        yield from subschemas(schema.get(key), f"{where}.{key}")


def object_schema(schema: Any, where: str) -> list[str]:
    """A schema of an object, as every provider wants a tool's arguments described."""
    if not isinstance(schema, dict):
        return [f"{where}: must be a JSON schema, is {type(schema).__name__}"]
    if schema.get("type") != "object":
        return [f"{where}.type: must be 'object', is {schema.get('type')!r}"]
    return _sound(schema, where)


def _sound(schema: dict[str, Any], where: str) -> list[str]:
    """What no validator takes: required names that are no list, references to nowhere."""
    faults = []
    for inner, path in subschemas(schema, where):
        required = inner.get("required", [])
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            faults.append(f"{path}.required: must be a list of names")
        reference = inner.get("$ref")
        if isinstance(reference, str) and not _found(schema, reference):
            faults.append(f"{path}.$ref: {reference!r} leads nowhere")
        if inner.get("type") == "array" and not isinstance(inner.get("items", {}), dict | bool):
            faults.append(f"{path}.items: must be a schema")
    return faults


def _found(schema: Any, reference: str) -> bool:
    if reference == "#":
        return True
    for name in reference.removeprefix("#/").split("/"):
        if not isinstance(schema, dict) or name not in schema:
            return False
        schema = schema[name]
    return True


# https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
def openai_strict(schema: Any, where: str) -> list[str]:
    """The subset of `strict`: a closed root object, every property required in every object."""
    faults = object_schema(schema, where)
    if isinstance(schema, dict) and "anyOf" in schema:
        faults.append(f"{where}.anyOf: the root must be an object without anyOf")
    for inner, path in subschemas(schema, where):
        if inner.get("type") == "object" or "properties" in inner:
            if inner.get("additionalProperties") is not False:
                faults.append(f"{path}.additionalProperties: must be false in strict mode")
            absent = set(inner.get("properties", {})) - set(inner.get("required", []))
            if absent:
                faults.append(f"{path}.required: strict mode wants {', '.join(sorted(absent))} too")
        for key in ("allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"):
            if key in inner:
                faults.append(f"{path}.{key}: not in the subset of strict mode")
    return faults


# https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
_CLAUDE_REFUSES = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "maxItems", "uniqueItems", "oneOf", "not", "if",
    "patternProperties", "propertyNames", "minProperties", "maxProperties",
)  # fmt: skip


def claude_output(schema: Any, where: str) -> list[str]:
    """The subset for Claude's structured outputs: closed objects, no bounds, no recursion."""
    if not isinstance(schema, dict):
        return [f"{where}: must be a JSON schema"]
    faults = _sound(schema, where)
    for inner, path in subschemas(schema, where):
        is_object = inner.get("type") == "object" or "properties" in inner
        if is_object and inner.get("additionalProperties") is not False:
            faults.append(f"{path}.additionalProperties: must be false")
        faults += [f"{path}.{key}: not supported" for key in _CLAUDE_REFUSES if key in inner]
        if inner.get("minItems", 0) not in (0, 1):
            faults.append(f"{path}.minItems: only 0 and 1 are supported")
        if inner.get("$ref") == "#":
            faults.append(f"{path}.$ref: recursion is not supported")
    return faults

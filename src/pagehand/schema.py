"""JSON Schema: made from a Python signature, and used to judge arguments."""

from __future__ import annotations

import copy
import inspect
import json
import re
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, ToolInputError

if TYPE_CHECKING:
    from pydantic import BaseModel

_SECTION = re.compile(r"^(\w[\w ]*):\s*$")
_SECTIONS = frozenset(
    (
        *("args", "arguments", "parameters", "params", "returns", "return"),
        *("yields", "raises", "example", "examples", "note"),
    )
)
_GOOGLE_ITEM = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX_ITEM = re.compile(r"^:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")


def arguments_model(function: Callable[..., Any], skip: frozenset[str]) -> type[BaseModel]:
    """Give the pydantic model of a function's parameters, described by its docstring.

    `skip` names parameters that are not the caller's to give. Raises ConfigError for a parameter
    that no JSON object can fill (`*args`, positional-only) or whose type has no JSON Schema.
    """
    import pydantic

    descriptions = parameter_descriptions(inspect.getdoc(function) or "")
    name = function.__name__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as fault:
        raise ConfigError(
            f"The types of the tool {name!r} cannot be resolved: {fault}. Use types that are "
            "defined at module level."
        ) from fault
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in skip:
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ConfigError(
                f"The tool {name!r} takes {parameter}; a tool's parameters need names: use plain "
                "or keyword-only ones."
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (
            hints.get(parameter.name, Any),
            pydantic.Field(default, description=descriptions.get(parameter.name)),
        )
    try:
        model: type[BaseModel] = pydantic.create_model(
            name, __config__=pydantic.ConfigDict(extra="ignore", protected_namespaces=()), **fields
        )
        model.model_json_schema()
    except (pydantic.errors.PydanticUserError, NameError) as fault:
        raise ConfigError(
            f"A parameter of the tool {name!r} has a type without a JSON form: {fault}"
        ) from fault
    return model


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Give a model's JSON Schema without the titles that only repeat the names."""
    schema: dict[str, Any] = _without_titles(model.model_json_schema())
    schema.setdefault("properties", {})
    return schema


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: (
            {name: _without_titles(child) for name, child in value.items()}
            if key in ("properties", "$defs") and isinstance(value, dict)
            else _without_titles(value)
        )
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }


def parameter_descriptions(docstring: str) -> dict[str, str]:
    """Give what a docstring (Google's, reST's or NumPy's form) says of each parameter."""
    found: dict[str, str] = {}
    lines = docstring.splitlines()
    section, current, indent = "", None, 0
    for index, line in enumerate(lines):
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        underlined = index + 1 < len(lines) and set(lines[index + 1].strip()) == {"-"}
        if sphinx := _SPHINX_ITEM.match(text):
            current, indent = sphinx.group(1), depth
            found[current] = sphinx.group(2)
        elif (match := _SECTION.match(line)) or (underlined and depth == 0):
            section, current = (match.group(1) if match else text).lower(), None
        elif set(text) == {"-"}:
            continue
        elif section not in ("args", "arguments", "parameters", "params"):
            if current and text and depth > indent:
                found[current] = f"{found[current]} {text}".strip()
            elif not text:
                current = None
        elif not text:
            continue
        elif current is None or depth <= indent:
            item = _GOOGLE_ITEM.match(text)
            numpy = re.match(r"^(\w+)\s*(?::.*)?$", text) if depth == 0 else None
            current, indent = None, depth
            if numpy:
                current = numpy.group(1)
                found[current] = ""
            elif item:
                current = item.group(1).lstrip("*")
                found[current] = item.group(2)
        else:
            found[current] = f"{found[current]} {text}".strip()
    return {name: text for name, text in found.items() if text}


def summary_of(docstring: str) -> str:
    """Give a docstring's text up to its first section of parameters, returns or faults."""
    kept: list[str] = []
    for line in docstring.splitlines():
        if (match := _SECTION.match(line)) and match.group(1).lower() in _SECTIONS:
            break
        if _SPHINX_ITEM.match(line.strip()) or line.strip().startswith((":return", ":raise")):
            break
        if set(line.strip()) == {"-"} and kept:
            kept.pop()
            break
        kept.append(line.strip())
    return " ".join(" ".join(kept).split())


# Keywords whose keys are names that a user chose.
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_DEEPEST = 128  # objects and lists inside one another; no provider follows half of it
_MOST_NODES = 100_000
_CONTAINERS = (Mapping, list, tuple)
_MOST_INLINED = 200_000  # characters, about: references to references can grow without end


def refuse_endless(schema: Any, *, name: str) -> None:
    """Raise ConfigError for what no request can hold: a schema nested too deep, or in itself.

    `name` says whose schema it is.
    """
    if not isinstance(schema, Mapping):
        raise ConfigError(f"The JSON Schema of {name} is a dict, got {schema!r:.80}.")
    if is_endless(schema):
        raise ConfigError(
            f"The JSON Schema of {name} nests deeper than {_DEEPEST} levels, holds more than "
            f"{_MOST_NODES} objects and lists, or itself: make it flatter, or use $ref."
        )


def is_endless(value: Any) -> bool:
    """Whether a JSON value holds itself, or nests deeper than can be followed everywhere."""
    open_nodes = [(value, 1)]
    for _ in range(_MOST_NODES):
        if not open_nodes:
            return False
        node, depth = open_nodes.pop()
        if depth > _DEEPEST:
            return True
        inner = node.values() if isinstance(node, Mapping) else node
        open_nodes += [(each, depth + 1) for each in inner if isinstance(each, _CONTAINERS)]
    return True


def object_schema(schema: Mapping[str, Any], *, name: str = "a tool") -> dict[str, Any]:
    """Give the schema of a tool's arguments as one plain object: alternatives at its root, which
    are refused, become the sum of what they allow.

    Raises ConfigError for a schema without end; `name` is the tool's.
    """
    refuse_endless(schema, name=name)
    if "$ref" in schema or any(key in schema for key in _ALTERNATIVES):
        schema = inlined(schema)
    return {**_summed(schema), "type": "object"}


def _summed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give a schema with its alternatives' properties beside its own, and no alternatives."""
    root = {key: value for key, value in schema.items() if key not in _ALTERNATIVES}
    branches = [
        _summed(branch)
        for key in _ALTERNATIVES
        if isinstance(schema.get(key), list)
        for branch in schema[key]
        if isinstance(branch, Mapping)
    ]
    named = [each.get("properties") for each in (*branches, schema)]
    root["properties"] = {
        name: value
        for properties in named
        if isinstance(properties, Mapping)
        for name, value in properties.items()
    }
    return root


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give a JSON Schema without `$ref` and `$defs`, for providers that refuse them.

    What refers to itself ends in `{}`, which allows anything; so does a reference that leads
    nowhere, and one that would make the schema too large. Keys beside a `$ref` stay and win.
    Raises ConfigError for a schema without end.
    """
    refuse_endless(schema, name="a tool or an answer")
    spent = 0  # on what stands in place of references

    def put(node: Any, open_refs: tuple[str, ...], depth: int) -> Any:
        nonlocal spent
        if open_refs:
            spent += len(node) + 4 if isinstance(node, str) else 4
        if isinstance(node, list):
            return [put(item, open_refs, depth + 1) for item in node]
        if not isinstance(node, Mapping):
            return node
        found: dict[str, Any] = {}
        ref = node.get("$ref")
        if isinstance(ref, str):
            spent += 4
            fits = spent < _MOST_INLINED and depth < _DEEPEST // 2
            if ref not in open_refs and fits:
                target = put(resolve_ref(schema, ref), (*open_refs, ref), depth + 1)
                found = dict(target) if isinstance(target, Mapping) else {}
        own = {
            key: (
                {name: put(child, open_refs, depth + 2) for name, child in value.items()}
                if key in _NAMED and isinstance(value, Mapping)
                else put(value, open_refs, depth + 1)
            )
            for key, value in node.items()
            if not (key == "$ref" and isinstance(value, str))
            and key not in ("$defs", "definitions")
        }
        return found | own

    made: dict[str, Any] = put(schema, (), 1)
    return made


def resolve_ref(schema: Mapping[str, Any], ref: str) -> Any:
    """Give what a reference inside a schema points to, `{}` for nothing."""
    node: Any = schema
    if ref == "#":
        return node
    if not ref.startswith("#/"):
        return {}
    for step in ref[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or key not in node:
            return {}
        node = node[key]
    return node


def check(schema: Mapping[str, Any], value: Any, *, name: str) -> None:
    """Judge arguments by a JSON Schema. Raises ToolInputError that names the place and the rule.

    A schema that the judge itself cannot read judges nothing: foreign servers send such, and
    their own check still stands behind it.
    """
    import fastjsonschema

    try:
        text = json.dumps(schema, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):  # it holds itself, or names that are no texts
        return
    validate = _compiled(text)
    if validate is None:
        return
    try:
        validate(value)
    except fastjsonschema.JsonSchemaValueException as fault:
        raise ToolInputError(
            f"The arguments of {name!r} do not fit its schema: "
            f"{fault.message.replace('data', 'arguments', 1)}."
        ) from fault
    except Exception:  # compiled from a foreign schema: it may fail in any way
        return


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value fits a JSON Schema; one that cannot be read judges nothing."""
    try:
        check(schema, copy.deepcopy(value), name="")  # the judge fills in defaults
    except ToolInputError:
        return False
    return True


# A schema from outside must not make this side fetch what it names.
_REMOTE = ("http", "https", "ftp", "file", "data")


def _refuse(uri: str) -> Any:
    raise ValueError(f"A schema may not refer to {uri}")


@lru_cache(maxsize=256)
def _compiled(schema: str) -> Callable[[Any], Any] | None:
    import fastjsonschema

    try:
        compiled: Callable[[Any], Any] = fastjsonschema.compile(
            json.loads(schema), handlers=dict.fromkeys(_REMOTE, _refuse)
        )
    except Exception:  # a foreign schema may be wrong in any way, such as a pattern of JavaScript
        return None
    return compiled

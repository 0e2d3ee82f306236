"""JSON Schema: made from a Python signature, and used to judge arguments."""

from __future__ import annotations

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


def check(schema: Mapping[str, Any], value: Any, *, name: str) -> None:
    """Judge arguments by a JSON Schema. Raises ToolInputError that names the place and the rule.

    A schema that the judge itself cannot read judges nothing: foreign servers send such, and
    their own check still stands behind it.
    """
    import fastjsonschema

    validate = _compiled(json.dumps(schema, sort_keys=True, default=str))
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

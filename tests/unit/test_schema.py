"""Schemas from signatures, and the judgement of arguments."""

import enum
import json
from typing import Annotated, Literal

import pydantic
import pytest

from pagehand import ConfigError, ToolInputError
from pagehand.schema import check, inlined, parameter_descriptions, summary_of
from pagehand.tools.tool import tool

GOOGLE = """Book a seat.

It takes a while.

Args:
    row: the row,
        counted from the front
    seat (int): the seat

Returns:
    What was booked.
"""
REST = """Book a seat.

:param row: the row,
    counted from the front
:param int seat: the seat
:returns: what was booked
"""
NUMPY = """Book a seat.

Parameters
----------
row : int
    the row,
    counted from the front
seat
    the seat

Returns
-------
str
"""


@pytest.mark.parametrize("docstring", [GOOGLE, REST, NUMPY], ids=["google", "rest", "numpy"])
def test_docstrings(docstring):
    assert parameter_descriptions(docstring) == {
        "row": "the row, counted from the front",
        "seat": "the seat",
    }
    assert summary_of(docstring).startswith("Book a seat.")
    assert "row" not in summary_of(docstring)


class Class(enum.Enum):
    FIRST = "first"
    SECOND = "second"


async def test_a_function_becomes_a_tool():
    @tool
    async def book(
        row: int,
        kind: Literal["window", "aisle"] = "aisle",
        names: list[str] | None = None,
        price: Annotated[float, pydantic.Field(ge=0)] = 0.0,
        carriage: Class = Class.SECOND,
    ) -> str:
        """Book a seat.

        Args:
            row: the row
        """
        return f"{row} {kind} {names} {price} {carriage}"

    assert book.name == "book"
    assert book.description == "Book a seat."
    schema = book.input_schema
    assert schema["properties"]["row"] == {"type": "integer", "description": "the row"}
    assert schema["properties"]["kind"]["enum"] == ["window", "aisle"]
    assert schema["required"] == ["row"]
    arguments = book.check_input({"row": "5", "carriage": "first"})
    assert await book.execute(arguments, None) == "5 aisle None 0.0 Class.FIRST"
    with pytest.raises(ToolInputError, match="row"):
        book.check_input({})
    with pytest.raises(ToolInputError, match="price"):
        book.check_input({"row": 1, "price": -1})


def test_the_context_is_not_the_models_to_fill():
    @tool(read_only=True, title="Peek")
    def peek(context, depth: int = 1):
        return context, depth

    assert list(peek.input_schema["properties"]) == ["depth"]
    assert peek.read_only and peek.title == "Peek"
    assert peek.execute({"depth": 2}, "here") == ("here", 2)


def test_a_field_called_title_stays():
    @tool
    def rename(title: str) -> None:
        """Rename."""

    assert rename.input_schema["properties"] == {"title": {"type": "string"}}


def test_what_json_cannot_fill_is_refused():
    with pytest.raises(ConfigError, match="args"):
        tool(lambda *args: None)

    def opaque(value: object.__class__) -> None: ...

    def unknown(value: "NoSuchType") -> None: ...  # noqa: F821

    with pytest.raises(ConfigError, match="NoSuchType"):
        tool(unknown)


NOTE = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "size": {"type": "integer", "default": 3}},
    "required": ["text"],
    "additionalProperties": False,
}


def test_raw_schemas_are_kept():
    arguments = {"text": "x"}
    check(NOTE, arguments, name="note")
    assert arguments == {"text": "x", "size": 3}
    for wrong in ({}, {"text": 5}, {"text": "x", "more": 1}, []):
        with pytest.raises(ToolInputError, match="note"):
            check(NOTE, wrong, name="note")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/none"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}},
        {"type": "nonsense"},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "\\p{L}"}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": 5}}},
        {"allOf": 5},
        {"$ref": "#"},
    ],
)
def test_a_schema_that_cannot_be_read_judges_nothing(schema):
    check(schema, {"a": 1}, name="foreign")


def test_references_cannot_make_a_schema_grow_without_end():
    wide = {f"q{n}": {"type": "string", "description": "d" * 50} for n in range(400)}
    doubling = {f"d{n}": {"properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "ab"}}
                for n in range(100)}  # fmt: skip
    schema = {
        "type": "object",
        "properties": {
            **{f"p{n}": {"$ref": "#/$defs/wide", "description": "keeps"} for n in range(400)},
            "doubling": {"$ref": "#/$defs/d0"},
        },
        "$defs": {"wide": {"type": "object", "properties": wide}, **doubling, "d100": {}},
    }
    made = inlined(schema)
    assert len(json.dumps(made)) < 500_000
    assert made["properties"]["p0"] == {
        "type": "object",
        "properties": wide,
        "description": "keeps",
    }
    assert made["properties"]["p399"] == {"description": "keeps"}


def test_a_schema_that_holds_itself_judges_nothing():
    endless = {"type": "object"}
    endless["properties"] = {"a": endless}
    check(endless, {"a": 5}, name="add")

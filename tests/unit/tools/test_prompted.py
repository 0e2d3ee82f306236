"""The JSON envelope: written by models in many ways, read in one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import ToolInputError
from pagehand.schema import check
from pagehand.tools.catalogue import catalogue
from pagehand.tools.formats import envelope_schema, fillable
from pagehand.tools.prompted import read_envelope
from pagehand.tools.tool import Tool, define_tool

NOTE = define_tool(
    "add_note",
    "Add a note\nto the board",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "colour": {"enum": ["red", "blue"]},
        },
        "required": ["text"],
    },
    lambda arguments: None,
)
CALL = {"tool": "add_note", "args": {"text": "hi"}}


def read(value):
    return read_envelope(value if isinstance(value, str) else json.dumps(value), round_number=1)


@pytest.mark.parametrize(
    "value",
    [
        {"reply": "ok", "actions": [CALL]},
        {"reply": "ok", "actions": CALL},
        {"actions": [{"name": "add_note", "arguments": {"text": "hi"}}]},
        {"actions": [{"action": "add_note", "parameters": '{"text": "hi"}'}]},
        CALL,
        CALL | {"reply": "Adding."},
        [CALL],
        f"Sure.\n```json\n{json.dumps({'reply': 'ok', 'actions': [CALL]})}\n```",
        "{'reply': 'ok', 'actions': [{'tool': 'add_note', 'args': {'text': 'hi'},}]",
    ],
)
def test_ways_to_call(value):
    [call] = read(value).calls
    assert (call.name, call.arguments, call.broken) == ("add_note", {"text": "hi"}, False)
    assert call.id == "call_1_0"


@pytest.mark.parametrize("arguments", [[1], "no json", 5])
def test_arguments_that_are_no_object_are_broken(arguments):
    [call] = read({"actions": [{"tool": "add_note", "args": arguments}]}).calls
    assert call.broken and call.arguments == {}


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("Just words.", "Just words."),
        ({"reply": "All done.", "actions": []}, "All done."),
        ({"reply": "All done."}, "All done."),
        ({"reply": None, "actions": None}, ""),
        ({"reply": 5, "actions": [{"no": "name"}, "text", None]}, ""),
        ({"answer": "All done."}, "All done."),
        ("The board holds the notes [1, 2].", "The board holds the notes [1, 2]."),
        ("Done {}", "Done {}"),
        ({"reply": "All done.", "actions": 5}, "All done."),
    ],
)
def test_nothing_to_call(value, reply):
    envelope = read(value)
    assert envelope.calls == [] and envelope.reply == reply


@given(st.text(max_size=80))
def test_anything_is_read(text):
    read(text)


def test_the_catalogue():
    assert catalogue([NOTE]) == (
        '- add_note{text: string, tags?: string[], colour?: "red"|"blue"}: Add a note to the board'
    )
    hinted = Tool("x", "X", {"type": "object"}, print, prompt_hint="(a number)")
    assert catalogue([hinted]) == "- x (a number): X"
    assert catalogue([NOTE], description_chars=6).endswith(": Add a…")


def test_tools_that_need_a_number_need_one_in_sight():
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    remove = define_tool("remove", "Remove", number, lambda arguments: None)
    assert fillable([NOTE, remove], "Remove it") == [NOTE]
    assert fillable([NOTE, remove], "Remove note 2") == [NOTE, remove]


def test_the_schema_takes_what_the_reader_reads():
    either = envelope_schema([NOTE], act=True, report=True)
    must_act = envelope_schema([NOTE], act=True, report=False)
    must_report = envelope_schema([NOTE], act=False, report=True)
    acts, reports = {"actions": [CALL]}, {"reply": "x"}
    invented = {"actions": [{"tool": "other", "args": {}}]}
    empty = {"actions": [{"tool": "add_note", "args": {}}]}
    for schema, good, bad in (
        (either, [acts, reports], [invented, empty, acts | reports]),
        (must_act, [acts], [reports, invented, {"actions": []}]),
        (must_report, [reports], [acts]),
    ):
        for value in good:
            check(schema, value, name="envelope")
        for value in bad:
            with pytest.raises(ToolInputError):
                check(schema, value, name="envelope")

"""How a model is told to call, and held to it."""

import json

import pytest

from pagehand import ToolInputError
from pagehand.models.base import ToolCall
from pagehand.schema import check
from pagehand.tools.formats import (
    CALL_FORMATS,
    call_rules,
    envelope_schema,
    reask_turns,
    written_call,
)
from pagehand.tools.prompted import extract_tool_calls
from pagehand.tools.tool import define_tool

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


@pytest.mark.parametrize("call_format", CALL_FORMATS)
@pytest.mark.parametrize("compact", [True, False])
def test_what_the_rules_show_is_read_as_a_call(call_format, compact):
    shown = call_rules(call_format, compact=compact)
    written = shown.replace("tool_name", "add_note").replace('"..."', '"add_note"', 1)
    written = written.replace("{...}", '{"text": "hi"}').replace(
        '{"name": "value"}', '{"text": "hi"}'
    )
    [call] = extract_tool_calls(written, [NOTE]).calls
    assert (call.name, call.arguments) == ("add_note", {"text": "hi"})


def test_a_call_is_asked_for_once_more_with_what_is_wrong_and_the_schema():
    call = ToolCall("c", "add_note", {}, '{"text": {}}', written_name="addnote")
    assert json.loads(written_call(call)) == {"name": "addnote", "arguments": {"text": {}}}
    rules, asked = reask_turns(call, ToolInputError("text must be string"), [NOTE])
    assert rules.role == "system" and asked.role == "user"
    for part in (written_call(call), "text must be string", json.dumps(NOTE.input_schema)):
        assert part in asked.text

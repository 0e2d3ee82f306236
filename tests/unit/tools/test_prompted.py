"""The JSON envelope: written by models in many ways, read in one."""

import json

import pytest

from pagehand.tools.prompted import ToolCallStream, extract_tool_calls
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


def read(value):
    return extract_tool_calls(value if isinstance(value, str) else json.dumps(value), [NOTE])


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
    assert call.id == "call_0"


@pytest.mark.parametrize("arguments", [[1, 2], {"a": "b"}, 'no "json'])
def test_arguments_that_do_not_fit_are_refused(arguments):
    found = read({"actions": [{"tool": "add_note", "args": arguments}]})
    assert found.calls == [] and len(found.errors) == 1


def test_a_reply_alone_is_no_call():
    """However it arrives: a round that only reports has nothing to run."""
    text = '{"reply": "It is added."}'
    for pieces in ([text], list(text)):
        stream = ToolCallStream([NOTE])
        parts = [part for piece in pieces for part in stream.feed(piece)] + stream.finish()
        assert {part.type for part in parts} == {"text-delta"}
        assert "".join(part.text for part in parts) == "It is added."


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("Just words.", "Just words."),
        ({"reply": "All done.", "actions": []}, "All done."),
        ({"reply": "All done."}, "All done."),
        ({"reply": None, "actions": None}, ""),
        ("The board holds the notes [1, 2].", "The board holds the notes [1, 2]."),
        ("Done {}", "Done {}"),
        ({"reply": "All done.", "actions": 5}, "All done."),
    ],
)
def test_nothing_to_call(value, reply):
    found = read(value)
    assert found.calls == [] and found.text.strip() == reply

"""The questions of a model's self-test: everyday requests, and the calls that are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..plan import ToolCallRecord
from .tool import Tool


@dataclass(slots=True, frozen=True)
class ProbeTask:
    """A request, the tools that are offered, and the calls that are right: each a name and the
    arguments that matter, where several values of one may be right."""

    request: str
    tools: tuple[str, ...]
    calls: tuple[tuple[str, dict[str, Any]], ...]


def is_right(records: Sequence[ToolCallRecord], task: ProbeTask) -> bool:
    """Whether the calls that were made are those that were wanted, in any order."""
    missing = list(task.calls)
    for record in records:
        found = next((wanted for wanted in missing if _fits(record, wanted)), None)
        if found is None:
            return False
        missing.remove(found)
    return not missing


def _fits(record: ToolCallRecord, wanted: tuple[str, dict[str, Any]]) -> bool:
    name, arguments = wanted
    given = record.input if isinstance(record.input, dict) else {}
    return (
        record.ok
        and record.name == name
        and all(_is_like(given.get(key), value) for key, value in arguments.items())
    )


def _is_like(given: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return any(_is_like(given, each) for each in wanted)
    if isinstance(wanted, str):
        return isinstance(given, str) and _bare(given) == _bare(wanted)
    return type(given) is type(wanted) and bool(given == wanted)


def _bare(text: str) -> str:
    return text.strip(" .!\n").casefold()


def _tool(name: str, description: str, /, **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name, description, schema, lambda arguments, _context: {"done": True}, True)


_TEXT = {"type": "string"}
PROBE_TOOLS = {
    tool.name: tool
    for tool in (
        _tool("set_heating", "Set the heating to a temperature.", degrees={"type": "integer"}),
        _tool(
            "switch_light",
            "Turn the light of a room on or off.",
            room=_TEXT,
            on={"type": "boolean"},
        ),
        _tool("write_note", "Keep a note.", text=_TEXT),
        _tool("list_notes", "Show all notes that were kept."),
        _tool("add_event", "Put an event into the diary.", title=_TEXT, day=_TEXT),
        _tool("find_contact", "Look up the phone number of a person.", name=_TEXT),
        _tool("bus_departures", "Tell when the next buses leave from a stop.", stop=_TEXT),
        _tool(
            "measure_distance", "Tell how far it is from a town to another.", start=_TEXT, end=_TEXT
        ),
        _tool(
            "paint_background",
            "Give the page's background a colour.",
            colour={"type": "string", "enum": ["red", "green", "blue"]},
        ),
        _tool("play_radio", "Play a radio station.", station=_TEXT),
        _tool("count_words", "Count the words of a text.", text=_TEXT),
        _tool("rename_page", "Give the page another title.", title=_TEXT),
    )
}
_AT_HOME = ("set_heating", "switch_light", "write_note", "list_notes")
_ALL = tuple(PROBE_TOOLS)
_BINS = ("the bins go out on Friday", "bins go out on Friday")
# The one that wants no call comes behind the point where a model that never calls is given up: its
# silence would else be praised.
PROBE_TASKS = (
    ProbeTask("Set the heating to 21 degrees", _AT_HOME, (("set_heating", {"degrees": 21}),)),
    ProbeTask("What notes do I have?", _AT_HOME, (("list_notes", {}),)),
    ProbeTask(
        "When does the next bus leave from Market Square?",
        _ALL,
        (("bus_departures", {"stop": "Market Square"}),),
    ),
    ProbeTask(
        "Turn on the light in the kitchen",
        _AT_HOME,
        (("switch_light", {"room": ("kitchen", "the kitchen"), "on": True}),),
    ),
    ProbeTask("I need the phone number of Maria", _ALL, (("find_contact", {"name": "Maria"}),)),
    ProbeTask("Note that the bins go out on Friday", _AT_HOME, (("write_note", {"text": _BINS}),)),
    ProbeTask(
        "How far is it from Bern to Basel?",
        _ALL,
        (("measure_distance", {"start": "Bern", "end": "Basel"}),),
    ),
    ProbeTask("Thank you, that was all for today", _AT_HOME, ()),
    ProbeTask("I want a blue background", _ALL, (("paint_background", {"colour": "blue"}),)),
    ProbeTask(
        "Turn off the lights in the hall and in the attic",
        _ALL,
        (
            ("switch_light", {"room": ("hall", "the hall"), "on": False}),
            ("switch_light", {"room": ("attic", "the attic"), "on": False}),
        ),
    ),
)

"""From what a reader finds of a call to the parts that tell of it, each call once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..errors import ToolInputError
from ..models.base import ModelPart, ToolCall, ToolCallDelta, ToolCallEnd, ToolCallStart
from ..models.incoming import Marks
from .call_marks import ENDINGS, FENCE
from .call_values import CallBroken, literal
from .repair import repair_call
from .tool import Tool
from .tool_names import match_tool

NO_BRACKETS = "its brackets do not balance"
NO_QUOTES = "the quotes of its strings do not pair"
NO_ENDS = "where its arguments begin and end is not certain"
_DESCRIBES = "it describes the tool and does not call it"
_NO_NAME = "it names no tool"
_NO_ARGUMENTS = "its arguments stand nowhere"

_ENDS = Marks([*ENDINGS, FENCE])


class CallBook:
    """The calls of one output: gives them their ids and keeps what is wrong with each."""

    def __init__(
        self, tools: list[Tool], id_prefix: str, emit: Callable[[ModelPart], None]
    ) -> None:
        self.tools = tools
        self.count = 0
        self.emit = emit
        self.problems: dict[str, str] = {}
        self._id_prefix = id_prefix
        self._matched: dict[str, Tool | None] = {}

    def tool(self, name: str) -> Tool | None:
        """Give the tool that a written name means."""
        if name not in self._matched:
            self._matched[name] = match_tool(name, self.tools)
        return self._matched[name]

    def new_id(self) -> str:
        """Give the next call's id."""
        self.count += 1
        return f"{self._id_prefix}{self.count - 1}"


class OpenCall:
    """A call while it is read. The name may come before its arguments or after them."""

    def __init__(self, book: CallBook) -> None:
        self._book = book
        self._pieces: list[str] = []
        self._held = ""  # may be the beginning of a closing mark
        self._passed = 0  # characters that were passed on
        self._frozen = False  # a closing mark came: it may be in a string, or be the call's end
        self.id = ""
        self.written = ""
        self.tool: Tool | None = None
        self.complete = False  # the arguments' own brackets are closed
        self.whole = False  # all brackets are
        self.nested = False  # brackets stand inside the arguments' brackets
        self.doubled = False  # the arguments stood there twice
        self.stray = False  # brackets are missing or left over outside of the arguments
        self.doubtful = False  # where an argument ends is not certain
        self.names: set[str] = set()  # of arguments that are written one by one
        self.odd = False  # keys stand beside the arguments that a call does not have

    @property
    def has_arguments(self) -> bool:
        """Whether anything of the arguments was read."""
        return bool(self._pieces)

    def is_written_as(self, text: str) -> bool:
        """Whether the arguments are this text."""
        return "".join(self._pieces).strip() == text.strip()

    def named(self, written: str) -> None:
        """Take the whole name, as it is written."""
        self.written = written
        self.tool = self._book.tool(written)
        if self.tool is not None:
            self.id = self._book.new_id()
            self._book.emit(ToolCallStart(self.id, self.tool.name))
            self._pass_on("".join(self._pieces))

    def add(self, text: str) -> None:
        """Take more of the arguments' text."""
        if not text:
            return
        self._pieces.append(text)
        if self.tool is not None and not self._frozen:
            self._pass_on(self._held + text)

    def _pass_on(self, text: str) -> None:
        """Pass on what belongs to the arguments in any case."""
        place = _ENDS.next(text, 0)
        while place < len(text):
            mark = _ENDS.at(text, place, over=False)
            if mark != "":
                self._frozen = bool(mark)
                break
            place = _ENDS.next(text, place + 1)
        self._held = text[place:]
        self._stream(text[:place])

    def _stream(self, text: str) -> None:
        self._passed += len(text)
        if text:
            self._book.emit(ToolCallDelta(self.id, text))

    def split_off(self) -> str | None:
        """Take what stands behind the last closing mark out of the arguments, and give it.

        None where there is no such mark.
        """
        raw = "".join(self._pieces)
        place, mark = max((raw.rfind(mark), mark) for mark in (*ENDINGS, FENCE))
        if place < 0:
            return None
        self._pieces = [raw[:place]]
        return raw[place + len(mark) :]

    def end(self, problem: str = "", *, cut: bool = False) -> None:
        """Tell that the call is over. `problem`: what is wrong with it beyond its arguments."""
        raw = "".join(self._pieces)
        if self.tool is not None:
            self._stream(raw[self._passed :])
        name = self.tool.name if self.tool else self.written
        call = ToolCall(self.id or self._book.new_id(), name, {}, raw)
        call.written_name = self.written if self.written != name else ""
        if self.stray and (self.nested or self.odd):
            problem = problem or NO_BRACKETS
        if self.doubtful:
            problem = problem or NO_ENDS
        if cut:
            call.cut = True
            problem = "the output ends in it"
        problem = problem or self._repair(call)
        if problem:
            call.broken, call.arguments = True, {}
            self._book.problems[call.id] = problem
        self._book.emit(ToolCallEnd(call))

    def _repair(self, call: ToolCall) -> str:
        """Fill in the arguments; give what keeps the call from being one."""
        value, strict = _object_of(call.raw or "{}")
        if self.stray and not strict:
            return NO_BRACKETS
        asked = ToolCall(call.id, self.written, value or {}, call.raw, broken=value is None)
        if not self.written:
            return _NO_NAME
        if not call.raw and self.odd:
            return _NO_ARGUMENTS
        try:
            repaired = repair_call(asked, self._book.tools)
        except ToolInputError as fault:
            return str(fault).rstrip(".")
        if self.tool is None or repaired.name != self.tool.name:
            return f"no tool is called {self.written!r}"
        if _is_schema(repaired.arguments, self.tool):
            return _DESCRIBES
        steps = repaired.steps
        if (self.doubled or self.stray or not strict) and "json" not in steps:
            steps = ("json", *steps)
        call.arguments, call.repairs = repaired.arguments, tuple(steps)
        return ""


def _object_of(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Give the object that a text is in JSON or in Python, and whether it is JSON; else None."""
    try:
        value, strict = json.loads(text), True
    except (ValueError, RecursionError):
        try:
            value, strict = literal(text), False
        except CallBroken:
            return None, False
    return (value if isinstance(value, dict) else None), strict


def properties_of(tool: Tool | None) -> dict[str, Any]:
    """Give the schemas of a tool's arguments, by name."""
    properties = tool.input_schema.get("properties") if tool else None
    return properties if isinstance(properties, dict) else {}


def required_of(tool: Tool | None) -> list[str]:
    """Give the names of the arguments that a tool cannot do without."""
    required = tool.input_schema.get("required") if tool else None
    return list(required) if isinstance(required, list | tuple) else []


def _is_schema(arguments: dict[str, Any], tool: Tool) -> bool:
    """Whether arguments are a JSON Schema, as a tool's description has it."""
    return (
        arguments.get("type") == "object"
        and isinstance(arguments.get("properties"), dict)
        and "properties" not in properties_of(tool)
    )


def write_argument(call: OpenCall, name: str, value: Any) -> None:
    """Add an argument that was not written in JSON, as JSON. Two of one name are doubtful."""
    call.doubtful = call.doubtful or name in call.names
    call.names.add(name)
    text = json.dumps(value, ensure_ascii=False)
    call.add(f"{', ' if call.has_arguments else '{'}{json.dumps(name, ensure_ascii=False)}: {text}")


def close_arguments(call: OpenCall) -> None:
    """End the arguments that `write_argument` wrote."""
    call.add("}" if call.has_arguments else "{}")

"""Calls that a model wrote wrongly, made into calls that can run: the first valid form wins.

json → name → coerce; then, where the loop and the host offer them, one more model call (reask) and
the host's own hook. What a call means is never guessed: what stays uncertain is refused with a
message that says what is wrong and what would be right.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..coercion import coerce
from ..errors import MalformedResponseError, ToolInputError, error_data
from ..jsonio import mend_json
from ..models.base import ToolCall
from ..names import nearest
from .catalogue import hint
from .formats import written_call
from .tool import Tool, ToolsInput, as_tools
from .tool_names import match_tool
from .validity import finite, is_valid

NAME_KEYS = ("tool", "name", "function", "action", "tool_name")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "input")
_BESIDE = frozenset({"id", "type", "index", "call_id"})
_MOST_NAMED = 20
_MARKS = frozenset('{}[]"')  # what a text that is meant as itself does not hold
_MOST_ENCODED = 3  # times that arguments may be JSON inside JSON text

RawCall = ToolCall | Mapping[str, Any] | str


@dataclass(slots=True, frozen=True)
class RepairedCall:
    """A call that can run. `steps` are those that changed it: json, name, coerce."""

    name: str
    arguments: dict[str, Any]
    steps: tuple[str, ...] = ()


def repair_call(raw: RawCall, tools: ToolsInput) -> RepairedCall:
    """Give the call that a model meant.

    `raw` is a ToolCall, a mapping with a name and arguments (also as JSON text, also under the
    other names in use: tool, args, parameters, …), or the JSON text of one. Raises ToolInputError
    for an unknown tool, for a text that ends inside a value, and for arguments that do not fit.
    """
    known = as_tools(tools)
    written = _written(raw, known)
    tool = _tool(written.name, known)
    steps = ["json"] if written.mended else []
    if tool.name != written.name:
        steps.append("name")
    arguments, mended = _arguments(written.arguments, tool, text_only=isinstance(raw, ToolCall))
    if mended and not written.mended:
        steps.insert(0, "json")
    fitting, coerced = _fitted(arguments, tool)
    if coerced:
        steps.append("coerce")
    return RepairedCall(tool.name, fitting, tuple(steps))


@dataclass(slots=True, frozen=True)
class _Written:
    """A call as it stands: the arguments may still be text. `mended` says that JSON was broken."""

    name: str
    arguments: Any
    mended: bool = False


def _written(raw: RawCall, tools: list[Tool]) -> _Written:
    if isinstance(raw, ToolCall):
        if raw.cut:
            raise ToolInputError(
                f"The output ended inside the call of {raw.name!r}, so it was not run: write the "
                "whole call, shorter if it was too long."
            )
        return _Written(raw.name, raw.raw if raw.broken else raw.arguments, raw.broken)
    if isinstance(raw, str):
        value, mended = _value(raw, "The call")
        if isinstance(value, list) and value and all(each == value[0] for each in value):
            value, mended = value[0], True
        if not isinstance(value, Mapping):
            raise ToolInputError(
                'The call is no JSON object: write {"name": …, "arguments": {…}}, one call.'
            )
        return replace(_taken_apart(value, tools), mended=mended)
    return _taken_apart(raw, tools)


def _taken_apart(value: Mapping[str, Any], tools: list[Tool]) -> _Written:
    inner = value.get("function")
    if isinstance(inner, Mapping):  # as OpenAI writes calls
        return _taken_apart(inner, tools)
    names = {key: value[key] for key in NAME_KEYS if isinstance(value.get(key), str)}
    if not names:
        raise ToolInputError('The call names no tool: write {"name": …, "arguments": {…}}.')
    key = next((key for key, name in names.items() if match_tool(name, tools)), next(iter(names)))
    for arguments in ARGUMENT_KEYS:
        if arguments in value:
            return _Written(names[key], value[arguments])
    rest = {each: value[each] for each in value if each != key and each not in _BESIDE}
    return _Written(names[key], rest, mended=bool(rest))


def _tool(name: str, tools: list[Tool]) -> Tool:
    tool = match_tool(name, tools)
    if tool is None:
        names = [each.name for each in tools]
        near = nearest(name[:200], names)
        more = ", …" if len(names) > _MOST_NAMED else ""
        raise ToolInputError(
            f"There is no tool {name[:200]!r}."
            + (f" Did you mean {near!r}?" if near else "")
            + f" The tools are: {', '.join(names[:_MOST_NAMED]) or 'none'}{more}."
        )
    return tool


def _value(text: str, what: str) -> tuple[Any, bool]:
    """Give the value of a JSON text, and whether it had to be mended."""
    try:
        return json.loads(text, parse_constant=_refuse_constant), False
    except (ValueError, RecursionError):
        pass
    try:
        found = mend_json(text)
    except MalformedResponseError as fault:
        raise ToolInputError(f"{what} is no JSON that can be read: {text[:200]}") from fault
    if found.guessed and not found.cut:
        raise ToolInputError(
            f"{what} is broken JSON that could mean several things, so it was not run: escape the "
            f"quotes inside texts. It came as: {text[:200]}"
        )
    if found.cut:
        raise ToolInputError(
            f"{what} ends inside a value, so it was not run: write it whole. It came as: "
            f"{text[:200]}"
        )
    return found.value, True


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON.")


def _arguments(written: Any, tool: Tool, *, text_only: bool) -> tuple[Any, bool]:
    """Give a call's arguments as a value, and whether they had to be read from text.

    `text_only` says that the text is what the model wrote, so that it must hold JSON; else it is a
    value itself, which may be meant as one.
    """
    if written is None:
        return {}, False
    value = written
    for _ in range(_MOST_ENCODED):
        if not isinstance(value, str) or not value.strip():
            break
        try:
            found = _value(value, f"The text of the arguments of {tool.name!r}")[0]
        except ToolInputError:
            bare = (value is not written or not text_only) and not _MARKS.intersection(value)
            if not bare:
                raise
            break
        if not isinstance(found, dict | list | str):
            break  # a number or a word: a text that coercion may convert
        value = _once(found, value)
    return ({} if value == "" else value), isinstance(written, str) and value is not written


def _once(found: Any, text: str) -> Any:
    """Give what a text says several times over as said once. Raises ToolInputError for other."""
    if not isinstance(found, list) or not text.lstrip().startswith("{"):
        return found
    if not found or any(each != found[0] for each in found):
        raise ToolInputError(
            f"The arguments are several values that differ, so the call was not run: {text[:200]}"
        )
    return found[0]


def _fitted(value: Any, tool: Tool) -> tuple[dict[str, Any], bool]:
    """Give arguments that the tool takes, and whether they had to be changed."""
    if is_valid(value, tool):
        return value, False
    clean = finite(value)
    ways = [clean]
    if not isinstance(clean, dict) and (only := _only_argument(tool)):
        ways.append({only: clean})
    for way in ways:
        found, _ = coerce(way, tool.input_schema)
        if found is not value and is_valid(found, tool):
            return found, True
    if not isinstance(value, dict):
        raise ToolInputError(
            f"The arguments of {tool.name!r} are no JSON object. It takes {hint(tool).strip()}."
        )
    try:
        tool.check_input(
            copy.deepcopy(clean)
        )  # the tool itself may convert what its schema has not
    except ToolInputError as fault:
        raise ToolInputError(f"{fault} It takes {hint(tool).strip()}.") from fault
    return clean, clean != value


def _only_argument(tool: Tool) -> str | None:
    """Give the one parameter that a value without a name can only be for."""
    properties = tool.input_schema.get("properties") or {}
    required = tool.input_schema.get("required") or []
    names = required if len(required) == 1 else list(properties)
    return str(names[0]) if len(names) == 1 and names[0] in properties else None


Answer = str | Mapping[str, Any] | None
Reask = Callable[[ToolCall, ToolInputError, Tool | None], Awaitable[Answer]]
Hook = Callable[[dict[str, Any]], Awaitable[Answer] | Answer]


class RepairLadder:
    """Repairs the calls of a run: by itself, then by one more model call, then by the host's hook.

    `reask(call, fault, tool)` asks the model again, with the tool that was named, if any.
    `hook({"raw", "error", "tools"})`, sync or async, gets the call as the model wrote it, what is
    wrong with it and the tools as `{name, description, inputSchema}`. Both give a call (or only its
    arguments, when the tool is known) or None, once a call; what they give is repaired and judged
    like any call. Neither may lead a call elsewhere: where the written name is a tool's, the answer
    must name the same tool. Where it is none, a hook may name any; a model only a tool that is as
    read-only as the one that the written name is nearest to, and a read-only one if none is near.
    """

    def __init__(
        self, tools: ToolsInput, *, reask: Reask | None = None, hook: Hook | None = None
    ) -> None:
        self._tools = as_tools(tools)
        self._by_name = {tool.name: tool for tool in self._tools}
        self._reask = reask
        self._hook = hook

    async def repair(self, call: ToolCall) -> ToolCall:
        """Give the call in a form that can run, with its `repairs`; a valid call as it is.

        Raises ToolInputError for a call that cannot be repaired; so does what the last resorts
        raise. A cut call is never repaired.
        """
        if call.by_provider:
            return call
        named = self._by_name.get(call.name)
        if named and not (call.broken or call.cut) and is_valid(call.arguments, named):
            return call
        try:
            return _filled(call, repair_call(call, self._tools))
        except ToolInputError as found:
            fault = found
        if call.cut:
            raise fault
        tool = match_tool(call.name, self._tools)
        resorts = (("reask", self._ask_again, self._reask), ("hook", self._ask_host, self._hook))
        for step, resort, offered in resorts:
            if offered is None:
                continue
            try:
                answer = await resort(call, fault, tool)
            except Exception as raised:
                said = error_data(raised)["message"]
                raise ToolInputError(f"{fault} Its repair failed: {said}") from raised
            if answer is None:
                continue
            try:
                repaired = repair_call(_with_name(answer, tool), self._tools)
                self._hold_to_line(call, repaired, tool, free=step == "hook")
            except ToolInputError as found:
                fault = found
            else:
                return _filled(call, repaired, step)
        raise fault

    async def _ask_again(self, call: ToolCall, fault: ToolInputError, tool: Tool | None) -> Answer:
        assert self._reask is not None
        return await self._reask(call, fault, tool)

    async def _ask_host(self, call: ToolCall, fault: ToolInputError, _tool: Tool | None) -> Answer:
        assert self._hook is not None
        answer = self._hook(
            {
                "raw": written_call(call),
                "error": str(fault),
                "tools": [
                    {
                        "name": tool.name,
                        "description": tool.description,
                        "inputSchema": tool.input_schema,
                    }
                    for tool in self._tools
                ],
            }
        )
        return await answer if inspect.isawaitable(answer) else answer

    def _hold_to_line(
        self, call: ToolCall, repaired: RepairedCall, tool: Tool | None, *, free: bool
    ) -> None:
        """Raise ToolInputError for a repair that does not do what the call was about to do."""
        found = self._by_name[repaired.name]
        if tool is not None and found is not tool:
            raise ToolInputError(
                f"The repair of the call of {tool.name!r} calls {found.name!r}, which is another "
                "tool, so it was not run."
            )
        if tool is None and not free:
            near = nearest(call.name[:200], self._by_name)
            if found.read_only != (self._by_name[near].read_only if near else True):
                raise ToolInputError(
                    f"There is no tool {call.name[:200]!r}, and {found.name!r} may not stand for "
                    "it: one of them reads and the other writes."
                )


def _filled(call: ToolCall, repaired: RepairedCall, *last: str) -> ToolCall:
    steps = (*repaired.steps, *last)
    if not steps:
        return call
    return replace(
        call,
        name=repaired.name,
        arguments=repaired.arguments,
        broken=False,
        repairs=steps,
        written_name=call.name,
    )


def _with_name(answer: str | Mapping[str, Any], tool: Tool | None) -> RawCall:
    """Give an answer as a call: one that holds only arguments is meant for the tool at hand."""
    value = _value(answer, "The repair")[0] if isinstance(answer, str) else answer
    if tool is None or not isinstance(value, Mapping):
        return answer
    is_call = any(key in value for key in ARGUMENT_KEYS) or isinstance(
        value.get("function"), Mapping
    )
    own = tool.input_schema.get("properties") or {}
    if is_call and not all(key in own for key in value):
        return answer
    return {"name": tool.name, "arguments": dict(value)}

"""A tool: a named function with a JSON Schema that a model may call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from ..cancel import AbortSignal
from ..errors import ConfigError, ToolInputError
from ..models.base import ToolDefinition
from ..plan import PlanStep
from ..schema import arguments_model, check, schema_of, summary_of

if TYPE_CHECKING:
    from pydantic import BaseModel

Progress = Callable[[float, float | None, str | None], None]

# What OpenAI, Anthropic and Gemini accept alike.
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CONTEXT = "context"


def _no_progress(progress: float, total: float | None = None, message: str | None = None) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class ToolContext:
    """What a running tool may know and use. `progress(done, total, message)` reaches the page."""

    run_id: str = ""
    call_id: str = ""
    step: PlanStep | None = None
    signal: AbortSignal = field(default_factory=AbortSignal)
    progress: Progress = _no_progress


Execute = Callable[[dict[str, Any], ToolContext], Any]


@dataclass(frozen=True)
class Tool:
    """A tool that a model may call.

    `execute(arguments, context)` may be sync or async; what it returns must have a JSON form.
    `read_only` says that a call changes nothing; unknown counts as "may write". `timeout_ms`
    (milliseconds, 0 = none) bounds one call. `prompt_hint` is a short note on the arguments for
    models that read tools as text.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    execute: Execute
    read_only: bool = False
    title: str | None = None
    prompt_hint: str | None = None
    timeout_ms: float = 60_000

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"A tool cannot be called {self.name!r}: use 1 to 64 of a-z, A-Z, 0-9, _ and -."
            )
        if not isinstance(self.input_schema, dict):
            raise ConfigError(f"The tool {self.name!r} needs a JSON Schema object as its input.")
        if not callable(self.execute):
            raise ConfigError(f"The tool {self.name!r} needs a function to execute.")

    @property
    def definition(self) -> ToolDefinition:
        """The tool as a model sees it."""
        return ToolDefinition(self.name, self.description, self.input_schema)

    def check_input(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Give the arguments as the tool takes them. Raises ToolInputError."""
        check(self.input_schema, arguments, name=self.name)
        return arguments


@dataclass(frozen=True)
class FunctionTool(Tool):
    """A Python function as a tool; its types are its schema, and they convert the arguments."""

    function: Callable[..., Any] = field(kw_only=True)

    @cached_property
    def _model(self) -> type[BaseModel]:
        return arguments_model(self.function, frozenset({_CONTEXT}))

    def check_input(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Give the arguments converted to the function's types. Raises ToolInputError."""
        import pydantic

        try:
            values = self._model.model_validate(arguments)
        except pydantic.ValidationError as fault:
            said = "; ".join(
                f"{'.'.join(map(str, error['loc'])) or 'arguments'}: {error['msg']}"
                for error in fault.errors()
            )
            raise ToolInputError(f"The arguments of {self.name!r} do not fit: {said}.") from fault
        return {name: getattr(values, name) for name in type(values).model_fields}


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    title: str | None = None,
    prompt_hint: str | None = None,
    timeout_ms: float = 60_000,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a sync or async function: `@tool` or `@tool(read_only=True, …)`.

    The schema comes from the parameters' types, defaults and docstring (through pydantic). A
    parameter named `context` gets the ToolContext and is not the model's to fill. Raises
    ConfigError for a parameter that JSON cannot fill.
    """
    if function is None:
        return lambda found: tool_of(found, name=name, description=description, **options)
    return tool_of(function, name=name, description=description, **options)


def tool_of(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Tool:
    """Make a tool of a function; see `tool`."""
    takes_context = _CONTEXT in inspect.signature(function).parameters

    def execute(arguments: dict[str, Any], context: ToolContext) -> Any:
        return function(**arguments, **({_CONTEXT: context} if takes_context else {}))

    model = arguments_model(function, frozenset({_CONTEXT}))
    made = FunctionTool(
        name=name or str(getattr(function, "__name__", "tool")),
        description=description or summary_of(inspect.getdoc(function) or ""),
        input_schema=schema_of(model),
        execute=execute,
        function=function,
        **options,
    )
    made.__dict__["_model"] = model
    return made


def define_tool(
    name: str,
    description: str,
    input_schema: dict[str, Any],
    execute: Execute | Callable[[dict[str, Any]], Awaitable[Any] | Any],
    **options: Any,
) -> Tool:
    """Make a tool of a raw JSON Schema. `execute` takes the arguments, and the context if it can.

    Raises ConfigError for a bad name, schema or function.
    """
    takes = [
        parameter
        for parameter in inspect.signature(execute).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(takes) >= 2:
        return Tool(name, description, input_schema, execute, **options)  # type: ignore[arg-type]

    def without_context(arguments: dict[str, Any], _context: ToolContext) -> Any:
        return execute(arguments)  # type: ignore[call-arg]

    return Tool(name, description, input_schema, without_context, **options)


def mark_read_only(found: Tool) -> Tool:
    """Give the tool marked as one that changes nothing."""
    return replace(found, read_only=True)


def is_read_only_tool(found: Tool) -> bool:
    """Whether a call of the tool is known to change nothing."""
    return found.read_only


ToolInput = Tool | Callable[..., Any]
ToolsInput = Iterable[ToolInput] | Mapping[str, ToolInput]


def as_tools(value: ToolsInput | None) -> list[Tool]:
    """Give the tools of a list or of a mapping name → tool, in their order.

    Raises ConfigError for something that is no tool and for two tools of one name.
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        tools = [replace(_as_tool(item), name=name) for name, item in value.items()]
    else:
        tools = [_as_tool(item) for item in value]
    seen: set[str] = set()
    for each in tools:
        if each.name in seen:
            raise ConfigError(f"Two tools are called {each.name!r}: rename one.")
        seen.add(each.name)
    return tools


def _as_tool(value: ToolInput) -> Tool:
    if isinstance(value, Tool):
        return value
    if callable(value):
        return tool_of(value)
    raise ConfigError(f"{value!r:.80} is no tool: give functions, @tool functions or Tool objects.")

"""A model without an agent: one call, streamed or whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from ..cancel import AbortSignal, abort_scope, closing
from ..errors import ConfigError, MalformedResponseError, ToolInputError
from ..jsonio import parse_partial, repair_json
from ..messages import Message, Part, TextPart, as_messages, system
from ..names import from_wire
from ..ports import CredentialStore, Platform
from ..schema import check, refuse_endless
from .attachments import attached, read_attachments, refuse_known
from .base import (
    Finish,
    GenerateResult,
    Model,
    ModelPart,
    ModelRequest,
    ModelWarning,
    TextDelta,
    ToolDefinition,
)
from .caching import resolve_prompt_caching
from .links import Downloads, http_fetch
from .resolve import resolve_model
from .retry import CallPolicy, Retrying, call
from .spec import ModelInput, ModelSettings
from .thinking import resolve_thinking
from .turns import says_something

_CHECK_TOKENS = 16
_CHECK_MS = 30_000


def build_request(
    prompt: str | None,
    messages: Sequence[Message | Mapping[str, Any]] | None,
    system_text: str | None,
    attachments: Sequence[Part] = (),
) -> ModelRequest:
    """Give a request of the usual arguments. Raises ConfigError when there is nothing to say."""
    turns = as_messages(messages)
    if prompt is not None:
        turns.append(Message("user", [TextPart(prompt), *attachments]))
    said = [part for turn in turns if turn.role != "system" for part in turn.parts]
    if not any(map(says_something, said)):
        raise ConfigError("There is nothing to ask: give a prompt or messages that say something.")
    return ModelRequest([system(system_text), *turns] if system_text else turns)


class ModelStream:
    """One call's parts as an async iterator; `.result` is there after the last.

    What was warned of on the way stands in its `warnings` too.
    """

    def __init__(self, parts: AsyncIterator[ModelPart]) -> None:
        self._parts = parts
        self.result: GenerateResult | None = None

    def __aiter__(self) -> AsyncIterator[ModelPart]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[ModelPart]:
        warnings: list[str] = []
        async with closing(self._parts) as parts:
            async for part in parts:
                if isinstance(part, ModelWarning):
                    warnings.append(part.message)
                if isinstance(part, Finish):
                    part.result.warnings[:0] = warnings
                    self.result = part.result
                yield part


def stream(
    model: ModelInput,
    prompt: str | None = None,
    *,
    platform: Platform,
    messages: Sequence[Message | Mapping[str, Any]] | None = None,
    system: str | None = None,
    tools: Sequence[Any] | None = None,
    tool_choice: str = "auto",
    images: Sequence[Any] | None = (),
    files: Sequence[Any] | None = (),
    thinking: Any = None,
    cache: Any = False,
    max_output_tokens: int | None = None,
    temperature: float | None = None,
    output_schema: dict[str, Any] | None = None,
    stream: bool = True,
    signal: AbortSignal | None = None,
    timeout_ms: float = 120_000,
    max_retries: int = 2,
    credentials: CredentialStore | None = None,
) -> ModelStream:
    """Ask a model once and give its parts as they come.

    `tools` are ToolDefinitions, tools, or dicts of name, description and input_schema; none is run
    here. `images` and `files` are attachments in any form that `to_file_part` reads; `thinking` is
    a setting as `resolve_thinking` reads it, `cache` one as `resolve_prompt_caching` does.
    `credentials` holds the key that a spec's `credential_ref` names. `timeout_ms` is in
    milliseconds (0 = no limit). A try that failed and is made again shows as a warning part; what
    it had said before counts no more. Raises ConfigError, and AttachmentsNotSupportedError for a
    kind that the model is known not to take.
    """
    if output_schema is not None:
        refuse_endless(output_schema, name="the answer")
    made = resolve_model(model, platform, ModelSettings(credentials=credentials))
    parts = read_attachments(images or (), files or ())
    request = build_request(prompt, messages, system, parts)
    refuse_known(attached(request.messages), made.name, made.profile)
    request.tools = [_definition(tool, index) for index, tool in enumerate(tools or ())]
    request.tool_choice = tool_choice
    request.thinking = resolve_thinking(thinking)
    request.cache = resolve_prompt_caching(cache)
    request.downloads = Downloads(http_fetch(platform.http))
    request.max_output_tokens = max_output_tokens
    request.temperature = temperature
    request.output_schema = output_schema
    request.stream = stream
    request.signal = signal
    policy = CallPolicy(platform.clock, platform.entropy, timeout_ms, max_retries)
    return ModelStream(_parts(made, request, policy))


def _definition(tool: Any, index: int) -> ToolDefinition:
    """Give what a model reads of a tool in any of its forms. Raises ConfigError."""
    if isinstance(tool, ToolDefinition):
        return tool
    if isinstance(made := getattr(tool, "definition", None), ToolDefinition):
        return made
    if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
        given = {from_wire(str(key)): value for key, value in tool.items()}
        schema = given.get("input_schema", given.get("parameters", {"type": "object"}))
        return ToolDefinition(given["name"], str(given.get("description") or ""), dict(schema))
    raise ConfigError(
        f"tools[{index}]: a tool is a ToolDefinition, a tool, or a dict of name, description and "
        f"input_schema, got {type(tool).__name__}."
    )


async def _parts(
    model: Model, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart]:
    async with closing(call(model, request, policy)) as parts:
        while True:
            async with abort_scope(request.signal):
                part = await anext(parts, None)
            if part is None:
                return
            if isinstance(part, Retrying):
                words = f"Try {part.attempt} failed, trying again: {part.fault}"
                part = ModelWarning(words, anew=True)
            yield part


async def generate(
    model: ModelInput, prompt: str | None = None, *, platform: Platform, **options: Any
) -> GenerateResult:
    """Ask a model once and give the whole answer. Takes what `stream` takes; raises its faults."""
    asked = stream(model, prompt, platform=platform, **options)
    async with closing(aiter(asked)) as parts:
        async for _part in parts:
            pass
    if asked.result is None:
        raise MalformedResponseError("The model's stream ended without a result.")
    return asked.result


async def check_model(
    model: ModelInput, *, platform: Platform, credentials: CredentialStore | None = None
) -> GenerateResult:
    """Make one cheap call, to see whether a key, a name and an address work. Raises its fault."""
    return await generate(
        model,
        "Answer with the word: ok",
        platform=platform,
        credentials=credentials,
        max_output_tokens=_CHECK_TOKENS,
        timeout_ms=_CHECK_MS,
        max_retries=0,
    )


async def generate_structured(
    model: ModelInput,
    schema_or_type: Any,
    prompt: str | None = None,
    *,
    platform: Platform,
    on_partial: Callable[[Any], None] | None = None,
    **options: Any,
) -> StructuredResult:
    """Ask a model for a value of a JSON Schema or a Python type.

    `on_partial` gets the value as far as it is written. A provider that takes no schema is told it
    in words. Raises MalformedResponseError when the answer is not JSON or does not fit.
    """
    schema, read = _target(schema_or_type)
    asked = stream(model, prompt, platform=platform, output_schema=schema, **options)
    partial = _Partial(on_partial) if on_partial is not None else None
    async with closing(aiter(asked)) as parts:
        async for part in parts:
            if partial is not None:
                partial.take(part)
    if asked.result is None:
        raise MalformedResponseError("The model's stream ended without a result.")
    return StructuredResult(asked.result, read(repair_json(asked.result.text)))


class _Partial:
    """Tells of a value while it is written, the less often the longer it is: each telling reads
    all of it."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell
        self._begin()

    def _begin(self) -> None:
        self._pieces: list[str] = []
        self._length = self._due = 0

    def take(self, part: ModelPart) -> None:
        if isinstance(part, ModelWarning) and part.anew:
            self._begin()
        if not isinstance(part, TextDelta):
            return
        self._pieces.append(part.text)
        self._length += len(part.text)
        if self._length < self._due or not part.text.strip():
            return
        self._due = self._length * 21 // 20
        if (value := parse_partial("".join(self._pieces))) is not None:
            self._tell(value)


class StructuredResult:
    """A whole answer and the `object` read from it; every field of GenerateResult is here too."""

    def __init__(self, result: GenerateResult, object: Any) -> None:
        self.result = result
        self.object = object

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)


def _target(schema_or_type: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    if isinstance(schema_or_type, Mapping):
        schema = dict(schema_or_type)

        def judged(value: Any) -> Any:
            try:
                check(schema, value, name="answer")
            except ToolInputError as fault:
                raise MalformedResponseError(str(fault)) from fault
            return value

        return schema, judged
    import pydantic

    adapter = pydantic.TypeAdapter(schema_or_type)

    def validated(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except pydantic.ValidationError as fault:
            raise MalformedResponseError(
                f"The model's answer does not fit {schema_or_type!r}: {fault}"
            ) from fault

    return adapter.json_schema(), validated

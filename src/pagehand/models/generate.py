"""A model without an agent: one call, streamed or whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from ..cancel import AbortSignal, abort_scope, closing
from ..errors import ConfigError, MalformedResponseError, ToolInputError
from ..jsonio import parse_partial, repair_json
from ..messages import Message, Part, TextPart, as_messages, system
from ..ports import Platform
from ..schema import check
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
from .registry import ModelInput, resolve_model
from .retry import CallPolicy, Retrying, call


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
    if not turns:
        raise ConfigError("There is nothing to ask: give a prompt or messages.")
    return ModelRequest([system(system_text), *turns] if system_text else turns)


class ModelStream:
    """One call's parts as an async iterator; `.result` is there after the last."""

    def __init__(self, parts: AsyncIterator[ModelPart]) -> None:
        self._parts = parts
        self.result: GenerateResult | None = None

    def __aiter__(self) -> AsyncIterator[ModelPart]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[ModelPart]:
        async with closing(self._parts) as parts:
            async for part in parts:
                if isinstance(part, Finish):
                    self.result = part.result
                yield part


def stream(
    model: ModelInput,
    prompt: str | None = None,
    *,
    platform: Platform,
    messages: Sequence[Message | Mapping[str, Any]] | None = None,
    system: str | None = None,
    tools: Sequence[ToolDefinition] = (),
    tool_choice: str = "auto",
    images: Sequence[Part] = (),
    files: Sequence[Part] = (),
    thinking: Any = None,
    max_output_tokens: int | None = None,
    temperature: float | None = None,
    output_schema: dict[str, Any] | None = None,
    stream: bool = True,
    signal: AbortSignal | None = None,
    timeout_ms: float = 120_000,
    max_retries: int = 2,
) -> ModelStream:
    """Ask a model once and give its parts as they come.

    `timeout_ms` is in milliseconds (0 = no limit). A try that failed and is made again shows as
    a warning part; what it had said before counts no more.
    """
    request = build_request(prompt, messages, system, [*images, *files])
    request.tools = list(tools)
    request.tool_choice = tool_choice
    request.thinking = thinking
    request.max_output_tokens = max_output_tokens
    request.temperature = temperature
    request.output_schema = output_schema
    request.stream = stream
    request.signal = signal
    policy = CallPolicy(platform.clock, platform.entropy, timeout_ms, max_retries)
    return ModelStream(_parts(resolve_model(model, platform), request, policy))


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
                part = ModelWarning(f"Try {part.attempt} failed, trying again: {part.fault}")
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

    `on_partial` gets the value as far as it is written. Raises MalformedResponseError when the
    answer is not JSON or does not fit.
    """
    schema, read = _target(schema_or_type)
    asked = stream(model, prompt, platform=platform, output_schema=schema, **options)
    text = ""
    async with closing(aiter(asked)) as parts:
        async for part in parts:
            if isinstance(part, TextDelta) and on_partial is not None:
                text += part.text
                if part.text.strip() and (value := parse_partial(text)) is not None:
                    on_partial(value)
    if asked.result is None:
        raise MalformedResponseError("The model's stream ended without a result.")
    return StructuredResult(asked.result, read(repair_json(asked.result.text)))


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

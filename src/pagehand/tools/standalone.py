"""The rounds of asking and calling without an agent: no plan, one conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cancel import AbortSignal, abort_scope
from ..errors import ConfigError
from ..messages import Message, system
from ..models.base import GenerateResult
from ..models.generate import build_request
from ..models.registry import ModelInput, resolve_model
from ..models.retry import CallPolicy
from ..plan import ToolCallRecord
from ..ports import Platform
from .calling import Caller
from .loop import LoopEvent, LoopSettings, run_rounds
from .prompted import catalogue, envelope_rules
from .tool import ToolsInput, as_tools

_MODES = ("auto", "native", "prompted")


@dataclass(slots=True)
class ToolLoopResult:
    """The last answer with everything that led to it.

    `text` is what the model said in the end, `tool_calls` the calls with their outputs, `messages`
    the whole conversation, `result` the last model call's own result, with the usage of all.
    """

    text: str
    tool_calls: list[ToolCallRecord]
    messages: list[Message]
    result: GenerateResult


def _ignore(_event: LoopEvent) -> None:
    """Nobody listens."""


async def run_tool_loop(
    model: ModelInput,
    tools: ToolsInput,
    prompt: str | None = None,
    *,
    platform: Platform,
    messages: Sequence[Message | Mapping[str, Any]] | None = None,
    system_text: str | None = None,
    mode: str = "auto",
    max_steps: int = 8,
    on_event: Callable[[LoopEvent], None] | None = None,
    max_output_tokens: int | None = None,
    temperature: float | None = None,
    signal: AbortSignal | None = None,
    timeout_ms: float = 120_000,
    max_retries: int = 2,
) -> ToolLoopResult:
    """Let a model work with tools until it answers, for at most `max_steps` model calls.

    `timeout_ms` (milliseconds) bounds each model call. Raises ConfigError, ModelError, and
    AgentAborted when `signal` fires.
    """
    if mode not in _MODES:
        raise ConfigError(f"mode must be one of {', '.join(_MODES)}, got {mode!r}.")
    made = resolve_model(model, platform)
    usable = as_tools(tools)
    native = mode == "native" or (mode == "auto" and made.profile.native_tools)
    turns = build_request(prompt, messages, None).messages
    rules = [system_text] if system_text else []
    if not native:
        compact = made.profile.compact
        rules.append(f"{envelope_rules(compact)}\n\nTools:\n{catalogue(usable)}")
    if rules:
        turns.insert(0, system("\n\n".join(rules)))
    settings = LoopSettings(
        model=made,
        tools=usable,
        caller=Caller({tool.name: tool for tool in usable}, platform.clock),
        policy=CallPolicy(platform.clock, platform.entropy, timeout_ms, max_retries),
        emit=on_event or _ignore,
        native=native,
        max_rounds=max_steps,
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        signal=signal,
    )
    async with abort_scope(signal):
        outcome = await run_rounds(turns, settings)
    result = outcome.last or GenerateResult()
    result.usage = outcome.usage
    return ToolLoopResult(outcome.text, outcome.records, outcome.messages, result)

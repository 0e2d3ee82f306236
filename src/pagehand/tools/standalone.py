"""The rounds of asking and calling without an agent: no plan, one conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..cancel import AbortSignal, abort_scope
from ..errors import ConfigError
from ..messages import Message, system
from ..models.attachments import attached, read_attachments, refuse_known
from ..models.base import GenerateResult, supports_native_tools
from ..models.caching import resolve_prompt_caching
from ..models.generate import build_request
from ..models.links import Downloads, http_fetch
from ..models.resolve import resolve_model
from ..models.retry import CallPolicy
from ..models.spec import ModelInput, ModelSettings
from ..models.thinking import resolve_thinking
from ..plan import ToolCallRecord
from ..ports import CredentialStore, Platform
from .calling import Caller
from .catalogue import catalogue
from .formats import CALL_FORMATS, call_rules
from .loop import LoopEvent, LoopOutcome, LoopSettings, RepairHook
from .offering import offered
from .rounds import run_rounds
from .tool import ToolsInput, as_tools

_MODES = ("auto", "native", "prompted")


class ToolLoopResult:
    """The last answer with everything that led to it; every field of GenerateResult is here too.

    `text` is what the model said in the end, `tool_calls` the calls with their outputs, `messages`
    the whole conversation, `result` the last model call's own result, with the usage of all.
    """

    def __init__(self, outcome: LoopOutcome) -> None:
        self.text = outcome.text
        self.tool_calls: list[ToolCallRecord] = outcome.records
        self.messages: list[Message] = outcome.messages
        self.result = outcome.last or GenerateResult()
        self.result.usage = outcome.usage

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)


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
    call_format: str = "auto",
    repair_hook: RepairHook | None = None,
    max_steps: int = 8,
    on_event: Callable[[LoopEvent], None] | None = None,
    tool_choice: str = "auto",
    images: Sequence[Any] = (),
    files: Sequence[Any] = (),
    thinking: Any = None,
    cache: Any = False,
    max_output_tokens: int | None = None,
    temperature: float | None = None,
    stream: bool = True,
    signal: AbortSignal | None = None,
    timeout_ms: float = 120_000,
    max_retries: int = 2,
    credentials: CredentialStore | None = None,
) -> ToolLoopResult:
    """Let a model work with tools until it answers, for at most `max_steps` model calls.

    `call_format` (fenced, tags, envelope) is how a model without native calls is told to write
    them; `repair_hook` gets `{raw, error, tools}` of a call that nothing else could repair.
    Takes what `generate` takes; `tool_choice` holds for the first call. `timeout_ms` (milliseconds)
    bounds each model call. Raises ConfigError, ModelError, AttachmentsNotSupportedError, and
    AgentAborted when `signal` fires.
    """
    if mode not in _MODES:
        raise ConfigError(f"mode must be one of {', '.join(_MODES)}, got {mode!r}.")
    if call_format not in ("auto", *CALL_FORMATS):
        known = ", ".join(("auto", *CALL_FORMATS))
        raise ConfigError(f"call_format must be one of {known}, got {call_format!r}.")
    made = resolve_model(model, platform, ModelSettings(credentials=credentials))
    usable = as_tools(tools)
    native = mode == "native" or (mode == "auto" and supports_native_tools(made))
    turns = build_request(prompt, messages, None, read_attachments(images, files)).messages
    refuse_known(attached(turns), made.name, made.profile)
    rules = [system_text] if system_text else []
    task = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
    written = made.profile.call_format if call_format == "auto" else call_format
    if not native:
        shown = catalogue(offered(usable, task, made.profile))
        told = call_rules(written, compact=made.profile.compact)
        rules.append(f"{told}\n\nTools:\n{shown}")
    if rules:
        turns.insert(0, system("\n\n".join(rules)))
    settings = LoopSettings(
        model=made,
        tools=usable,
        caller=Caller({tool.name: tool for tool in usable}, platform.clock),
        policy=CallPolicy(platform.clock, platform.entropy, timeout_ms, max_retries),
        emit=on_event or _ignore,
        native=native,
        task=task,
        call_format=written,
        repair_hook=repair_hook,
        max_rounds=max_steps,
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        tool_choice=tool_choice,
        thinking=resolve_thinking(thinking),
        cache=resolve_prompt_caching(cache),
        downloads=Downloads(http_fetch(platform.http)),
        stream=stream,
        signal=signal,
    )
    async with abort_scope(signal):
        return ToolLoopResult(await run_rounds(turns, settings))

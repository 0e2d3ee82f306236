"""The composition root: the functions a user calls first, on the platform this Python runs on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from . import ports
from .agent.agent import Agent
from .agent.config import AgentConfig, read_config
from .errors import ConfigError
from .events import Event
from .models import generate as _generate
from .models.base import GenerateResult
from .ports import Platform
from .tools import standalone as _standalone
from .tools.standalone import ToolLoopResult


def platform_here(given: Platform | None = None) -> Platform:
    """Give `given`, or the platform of this Python, installed on first use."""
    if given is not None:
        return given
    try:
        return ports.platform()
    except ConfigError:
        ports.install(_detect())
        return ports.platform()


def _detect() -> Platform:
    if sys.platform == "emscripten":
        from .platform.browser import browser_platform

        return browser_platform()
    try:
        from .platform.native import native_platform
    except ModuleNotFoundError as fault:
        raise ConfigError(
            f"The package {fault.name!r} is not installed for this Python. Install the wheel with "
            "pip, which brings what it needs."
        ) from fault
    return native_platform()


async def create_agent(
    config: AgentConfig | Mapping[str, Any] | None = None,
    on_event: Callable[[Event], Any] | None = None,
    *,
    platform: Platform | None = None,
    **fields: Any,
) -> Agent:
    """Make an agent.

    `config` is an AgentConfig or a dict (snake_case or camelCase); `fields` are laid over it.
    `on_event` gets every event of every run. Raises ConfigError for a setting that is unknown,
    missing or out of range.
    """
    return Agent(read_config(config, fields), platform_here(platform), on_event)


def stream(
    model: Any, prompt: str | None = None, *, platform: Platform | None = None, **options: Any
) -> _generate.ModelStream:
    """Ask a model once and give its parts as they come; see `pagehand.models.generate.stream`."""
    return _generate.stream(model, prompt, platform=platform_here(platform), **options)


async def generate(
    model: Any, prompt: str | None = None, *, platform: Platform | None = None, **options: Any
) -> GenerateResult:
    """Ask a model once and give the whole answer. Raises the provider's fault."""
    return await _generate.generate(model, prompt, platform=platform_here(platform), **options)


async def check_model(
    model: Any, *, platform: Platform | None = None, **options: Any
) -> GenerateResult:
    """Make one cheap call, to see whether a key, a name and an address work. Raises its fault."""
    return await _generate.check_model(model, platform=platform_here(platform), **options)


async def generate_structured(
    model: Any,
    schema_or_type: Any,
    prompt: str | None = None,
    *,
    platform: Platform | None = None,
    **options: Any,
) -> _generate.StructuredResult:
    """Ask a model for a value of a JSON Schema or a Python type, found in `object`."""
    return await _generate.generate_structured(
        model, schema_or_type, prompt, platform=platform_here(platform), **options
    )


async def run_tool_loop(
    model: Any,
    tools: Any,
    prompt: str | None = None,
    *,
    system: str | None = None,
    platform: Platform | None = None,
    **options: Any,
) -> ToolLoopResult:
    """Let a model work with tools until it answers; see `pagehand.tools.standalone`."""
    return await _standalone.run_tool_loop(
        model, tools, prompt, system_text=system, platform=platform_here(platform), **options
    )

"""One request from the terminal, streamed as it runs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from ..errors import ConfigError, PagehandError
from ..events import (
    Event,
    Final,
    FinalTextDelta,
    PlanCreated,
    PlanRevised,
    Retry,
    StepStart,
    StepToolCall,
    StepToolResult,
)
from ..models.spec import ModelSpec
from ..root import create_agent

USAGE = """\
Usage: python -m pagehand "request"

Runs a request on any provider and streams what happens. The answer goes to standard output, the
progress to standard error. A request may also come on standard input.

  AGENT_MODEL             provider:model, such as openai:gpt-6.2-sol or ollama:qwen3
  AGENT_API_KEY           the key, where the provider wants one
  AGENT_PROVIDER_TYPE     the provider, where AGENT_MODEL does not name it
  AGENT_BASE_URL          an address of your own, such as http://127.0.0.1:8080/v1
  AGENT_PROVIDER_OPTIONS  JSON, such as {"region": "us-east-1"}
  AGENT_THINKING          off, minimal, low, medium, high, xhigh, or a number of tokens"""


def spec_from(environment: Mapping[str, str]) -> ModelSpec:
    """Give the model that the environment names. Raises ConfigError for what is missing."""
    if not environment.get("AGENT_MODEL"):
        raise ConfigError(f"Set AGENT_MODEL in the environment first.\n\n{USAGE}")
    return ModelSpec(
        environment.get("AGENT_PROVIDER_TYPE") or None,
        environment["AGENT_MODEL"],
        environment.get("AGENT_BASE_URL") or None,
        environment.get("AGENT_API_KEY") or None,
        provider_options=_options(environment.get("AGENT_PROVIDER_OPTIONS") or "{}"),
    )


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):  # not quoted: it may hold a key
        raise ConfigError("AGENT_PROVIDER_OPTIONS must be a JSON object.")
    return options


def thinking_from(environment: Mapping[str, str]) -> Any:
    """Give how much the models think: None for the providers' own default."""
    said = environment.get("AGENT_THINKING", "").strip().lower()
    if said in ("", "off"):
        return None
    return {"budget_tokens": int(said)} if said.isdecimal() else said


class Terminal:
    """Shows a run: progress on one stream, the answer on the other."""

    def __init__(self, answer: TextIO, progress: TextIO) -> None:
        self._answer = answer
        self._progress = progress
        self._streamed = False

    def show(self, event: Event) -> None:
        """Write what a person wants to know of an event."""
        match event:
            case PlanCreated(plan=plan) | PlanRevised(plan=plan):
                for step in plan.steps:
                    self._tell(f"· {step.description}")
            case StepStart(step=step, index=index, total=total):
                self._tell(f"Step {index + 1} of {total}: {step.description}")
            case StepToolCall(name=name, input=input):
                self._tell(f"  {name} {input}")
            case StepToolResult(name=name, ok=ok, output=output):
                self._tell(f"  {name} {'→' if ok else 'failed:'} {str(output)[:200]}")
            case Retry(attempt=attempt, error=error):
                self._tell(f"Try {attempt} failed, trying again: {error['message']}")
                self._streamed = False
            case FinalTextDelta(delta=delta):
                self._streamed = True
                print(delta, end="", flush=True, file=self._answer)
            case Final(text=text):
                print("" if self._streamed else text, flush=True, file=self._answer)

    def _tell(self, line: str) -> None:
        print(line, flush=True, file=self._progress)


async def ask(request: str, environment: Mapping[str, str], terminal: Terminal) -> None:
    """Run one request. Raises PagehandError."""
    agent = await create_agent(
        model=spec_from(environment),
        thinking=thinking_from(environment),
        on_event=terminal.show,
    )
    try:
        await agent.run(request)
    finally:
        await agent.close()


def main(arguments: Sequence[str]) -> int:
    """Read the request, run it, and give the exit status."""
    if set(arguments) & {"-h", "--help"}:
        print(USAGE)
        return 0
    request = " ".join(arguments)
    if not request and not sys.stdin.isatty():
        request = sys.stdin.read()
    if not request.strip():
        print(USAGE, file=sys.stderr)
        return 2
    try:
        asyncio.run(ask(request, os.environ, Terminal(sys.stdout, sys.stderr)))
    except PagehandError as fault:
        print(f"\n{type(fault).__name__}: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return 0

"""The agent a host holds: it wires a run's parts together and keeps count. No logic lives here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ..cancel import AbortController, AbortSignal, abort_scope
from ..errors import AgentAborted, BusyError, ConfigError, error_data
from ..events import Failed, RunComplete, Stopped
from ..messages import Message, Part, as_messages
from ..models.attachments import note_of, read_attachments
from ..models.links import Downloads, http_fetch
from ..models.prices import Cost, read_prices
from ..models.profiles import Capabilities, common_capabilities
from ..models.registry import EMBEDDED
from ..models.resolve import resolve_model
from ..models.retry import CallPolicy
from ..models.spec import ModelSettings, resolve_stage
from ..plan import Plan, RunResult
from ..ports import Platform
from ..storage.memory import ContextStore, MemoryStore, Turn
from ..tools.calling import CallBudget
from ..tools.tool import as_tools
from ..usage import Usage
from .config import AgentConfig, base_model
from .emitter import Emitter, Handler
from .logging import make_log
from .run import OnStepStart, run_loop
from .scope import RunScope, StageModels
from .stream import RunStream

_DRAIN_MS = 30_000
_current_run: ContextVar[str | None] = ContextVar("pagehand_run", default=None)


def get_current_run_id() -> str | None:
    """Give the id of the run that the calling code serves, or None outside of one."""
    return _current_run.get()


@dataclass(slots=True)
class _Request:
    """What one run was asked, and with what."""

    input: str
    attachments: list[Part]
    history: list[Message] | None
    session_id: str | None
    on_step_start: OnStepStart | None
    controller: AbortController
    emit: Emitter


def _noted(request: _Request) -> str:
    """Give the request as a session keeps it: attachments are named, not kept."""
    note = note_of(request.attachments)
    return f"{request.input}\n{note}" if note else request.input


class Agent:
    """Plans, acts with tools, re-plans and answers. Made by `create_agent`.

    Runs go side by side unless they share a session. Close it when it is no longer needed.
    """

    def __init__(
        self, config: AgentConfig, platform: Platform, on_event: Handler | None = None
    ) -> None:
        self._config = config
        self._platform = platform
        self._on_event = on_event
        self._log = make_log(config.log_level, config.logger)
        self._tools = as_tools(config.tools)
        self._models = self._resolve_models()
        self._prices = read_prices(config.prices)
        self._usage, self._cost = Usage(), Cost()
        self._runs: dict[str, AbortController] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._own_memory = MemoryStore()
        self._sessions: dict[str, asyncio.Lock] = {}
        self._closed = False

    def _resolve_models(self) -> StageModels:
        config = self._config
        base = base_model(config, EMBEDDED if self._platform.engine is not None else None)

        settings = ModelSettings(
            config.client_name, config.credentials, config.vision, config.inputs
        )

        def resolve(value: Any) -> Any:
            return resolve_model(value, self._platform, settings)

        executor = resolve(base)
        stages = {
            stage: executor if override is None else resolve(resolve_stage(base, override, stage))
            for stage, override in (
                ("planner", config.planner),
                ("synthesizer", config.synthesizer),
            )
        }
        return StageModels(stages["planner"], executor, stages["synthesizer"])

    # Runs

    async def run(
        self,
        input: str,
        *,
        history: Sequence[Message | Mapping[str, Any]] | None = None,
        session_id: str | None = None,
        on_event: Handler | None = None,
        on_step_start: OnStepStart | None = None,
        signal: AbortSignal | None = None,
        images: Sequence[Any] = (),
        files: Sequence[Any] = (),
    ) -> RunResult:
        """Work on a request until it is answered.

        `history` are earlier turns and win over `memory`. `signal` stops the run: the result then
        says `stopped`. `images` and `files` go with the request: bytes, base64, a data URL or a
        link each, or a dict of data, name and media_type; a kind that the model is known not to
        take ends the run with a message in place of the answer. Raises BusyError above
        `max_concurrent_runs`, ConfigError for an empty request or a closed agent, and the fault of
        a run that fails.
        """
        if not isinstance(input, str) or not input.strip():
            raise ConfigError("There is no request: give run() a text.")
        if signal is not None and not isinstance(signal, AbortSignal):
            raise ConfigError(
                f"signal must be the `signal` of an AbortController, got {type(signal).__name__}."
            )
        turns = None if history is None else as_messages(history)
        attachments = read_attachments(images, files)
        self._admit()
        run_id = self._platform.entropy.token()
        controller = AbortController()
        handlers = [handler for handler in (self._on_event, on_event) if handler is not None]
        emit = Emitter(run_id, handlers, self._log)
        request = _Request(input, attachments, turns, session_id, on_step_start, controller, emit)
        self._runs[run_id] = controller
        self._idle.clear()
        token = _current_run.set(run_id)
        unlink = signal.on_abort(lambda: controller.abort(signal.reason)) if signal else None
        try:
            return await self._run(RunResult(run_id, "", Plan(), goal=input), request)
        finally:
            if unlink:
                unlink()
            _current_run.reset(token)
            del self._runs[run_id]
            if not self._runs:
                self._idle.set()
            # After the run has left the list: a handler may wait for the agent to close.
            await emit.drain()

    def stream(self, input: str, **options: Any) -> RunStream:
        """Run, and give the events as an async iterator. Takes what `run` takes."""
        return RunStream(self.run, input, options)

    def run_sync(self, input: str, **options: Any) -> RunResult:
        """Run from code that is not async, where the runtime can block.

        Raises ConfigError inside a running event loop that cannot be blocked.
        """
        result: RunResult = self._platform.run_sync(self.run(input, **options))
        return result

    def _admit(self) -> None:
        if self._closed:
            raise ConfigError("The agent is closed: create a new one.")
        cap = self._config.max_concurrent_runs
        if cap is not None and len(self._runs) >= cap:
            raise BusyError(
                f"The agent already runs {cap} requests (max_concurrent_runs): wait for one to end."
            )

    async def _run(self, result: RunResult, request: _Request) -> RunResult:
        """Run inside the signal's scope; every way out tells its last event."""
        status = "failed"
        scope = self._scope(result, request)
        try:
            async with (
                abort_scope(request.controller.signal),
                self._session(scope, request, result),
            ):
                await run_loop(scope, result, request.on_step_start)
            status = "complete"
        except AgentAborted:
            status = "cancelled"
            request.emit(Stopped())
            if self._config.raise_on_abort:
                raise
        except asyncio.CancelledError:
            status = "cancelled"
            request.emit(Stopped())
            raise
        except Exception as fault:
            request.emit(Failed(scope.phase, error_data(fault)))
            raise
        finally:
            result.stopped = status == "cancelled"
            result.trace, result.usage = scope.trace, scope.usage
            result.repairs = scope.repairs
            result.cost_usd = None if scope.cost.unknown else scope.cost.usd
            request.emit(RunComplete(status))
        return result

    def _scope(self, result: RunResult, request: _Request) -> RunScope:
        config = self._config
        return RunScope(
            run_id=result.run_id,
            goal=request.input,
            config=config,
            models=self._models,
            tools=self._tools,
            policy=CallPolicy(
                self._platform.clock,
                self._platform.entropy,
                config.llm_timeout_ms,
                config.llm_max_retries,
            ),
            emit=request.emit,
            log=self._log.watched_by(request.emit),
            count=self._count,
            signal=request.controller.signal,
            prices=self._prices,
            downloads=Downloads(config.fetch_attachment or http_fetch(self._platform.http)),
            attachments=request.attachments,
            history=request.history or (),
            budget=CallBudget(config.max_tool_calls),
        )

    def _count(self, usage: Usage, cost: Cost) -> None:
        self._usage, self._cost = self._usage + usage, self._cost + cost

    # Sessions

    @asynccontextmanager
    async def _session(
        self, scope: RunScope, request: _Request, result: RunResult
    ) -> AsyncIterator[None]:
        """Hold the run's session, if it has one: its turns go in before, the run's own after."""
        store = self._store(request)
        if store is None:
            yield
            return
        session_id = request.session_id or self._config.session_id
        async with self._sessions.setdefault(session_id, asyncio.Lock()):
            if request.history is None:
                scope.history = as_messages(await store.load(session_id))
            yield
            turns: list[Turn] = [
                {"role": "user", "content": _noted(request)},
                {"role": "assistant", "content": result.text},
            ]
            try:
                await store.append(session_id, turns)
            except Exception as fault:  # the answer is there: it is not lost with its record
                scope.log.error(f"The session {session_id!r} could not be stored: {fault}")

    def _store(self, request: _Request) -> ContextStore | None:
        if self._config.memory is not None:
            return self._config.memory
        return self._own_memory if request.session_id is not None else None

    # What a host asks between runs

    @property
    def usage(self) -> Usage:
        """Tokens of all runs since the agent was made or reset, counted call by call."""
        return self._usage

    @property
    def cost(self) -> Cost:
        """Money of all runs since the agent was made or reset, and the models without a price."""
        return self._cost

    def reset_usage(self) -> None:
        """Count tokens and money from zero again."""
        self._usage, self._cost = Usage(), Cost()

    @property
    def capabilities(self) -> Capabilities:
        """What can go with a request: each kind must suit every stage that reads it."""
        models = self._models
        return common_capabilities(
            [models.planner.profile, models.executor.profile, models.synthesizer.profile]
        )

    def list_tools(self) -> list[dict[str, Any]]:
        """Give name, description and whether it only reads, for every tool."""
        return [
            {"name": tool.name, "description": tool.description, "read_only": tool.read_only}
            for tool in self._tools
        ]

    @property
    def context_window_tokens(self) -> int | None:
        """The window in use, in tokens; None when nobody said."""
        given = self._config.context_window_tokens
        known = self._models.executor.profile.context_window
        return min(given, known) if given and known else given or known

    def active_runs(self) -> int:
        """Give the number of runs that go on."""
        return len(self._runs)

    async def close(self, *, wait_for_runs: bool = False, timeout_ms: float = _DRAIN_MS) -> None:
        """End the agent: no new runs; those that go on are stopped, or awaited first.

        `timeout_ms` (milliseconds) bounds the wait; what still runs then is stopped.
        """
        self._closed = True
        if wait_for_runs:
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    await self._idle.wait()
            except TimeoutError:
                self._log.warn(f"{len(self._runs)} runs did not end in time and are stopped.")
        for controller in list(self._runs.values()):
            controller.abort("the agent is closed")
        await self._idle.wait()

"""The agent worker's Python side: serves agents to a page over RPC.

The worker's JavaScript calls `serve(bridge)` once, after boot. The bridge is a JavaScript object:
`send(text)` posts to the page, `receive(callback)` takes what the page posts, `engineSend` and
`engineReceive` are the same pair for the engine worker's port, `pump(answer)` reads ahead what
`fetch` gives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pyodide.ffi import create_proxy

from ..agent.agent import Agent
from ..agent.config import read_config
from ..agent.run import StepControl
from ..cancel import AbortController
from ..errors import ConfigError
from ..events import Event
from ..names import from_wire, nearest
from ..plan import StepResult
from ..ports import Platform, install
from ..tools.tool import Tool, ToolContext
from .browser import browser_platform
from .engine import RpcEngine
from .rpc import CallContext, RpcPeer

_RUN_OPTIONS = ("history", "sessionId", "onStepStart")
_TOOL_FIELDS = ("title", "prompt_hint", "timeout_ms", "read_only")


class BridgeChannel:
    """A Channel over two functions of the bridge. The proxies live as long as the worker."""

    def __init__(self, send: Any, receive: Any) -> None:
        self._send = send
        self._receive = receive

    def send(self, text: str) -> None:
        """Post one message."""
        self._send(text)

    def receive(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with every message."""
        self._receive(create_proxy(listener))


class EventBatches:
    """Gathers the events of one turn of the loop into one message."""

    def __init__(self, post: Callable[[list[dict[str, Any]]], None]) -> None:
        self._post = post
        self._events: list[dict[str, Any]] = []

    def add(self, event: Event) -> None:
        """Take an event; the batch leaves when the loop comes round."""
        if not self._events:
            asyncio.get_running_loop().call_soon(self.flush)
        self._events.append(event.to_dict())

    def flush(self) -> None:
        """Post what there is, at once."""
        if self._events:
            events, self._events = self._events, []
            self._post(events)


class AgentServer:
    """The agents of one page."""

    def __init__(self, channel: BridgeChannel, platform: Platform) -> None:
        self._platform = platform
        self._agents: dict[str, Agent] = {}
        self._page = RpcPeer(
            channel,
            {
                "agent.create": self._create,
                "agent.run": self._run,
                "agent.call": self._call,
                "agent.close": self._close,
            },
        )

    async def _create(self, params: dict[str, Any], context: CallContext) -> dict[str, Any]:
        agent_id = params["agentId"]
        hooks = frozenset(params.get("hooks") or ())
        values: dict[str, Any] = dict(params.get("config") or {})
        values["tools"] = [self._tool(agent_id, spec) for spec in params.get("tools") or ()]
        if "describeState" in hooks:
            values["describeState"] = lambda: self._hook(agent_id, "describeState")
        if "replanAfter" in hooks:

            async def wanted(result: StepResult) -> Any:
                return await self._hook(agent_id, "replanAfter", result.to_dict())

            values["replanAfter"] = wanted
        agent = Agent(read_config(values, {}), self._platform)
        self._agents[agent_id] = agent
        return {"contextWindowTokens": agent.context_window_tokens}

    def _tool(self, agent_id: str, spec: dict[str, Any]) -> Tool:
        name = spec["name"]

        async def execute(input: dict[str, Any], context: ToolContext) -> Any:
            def progress(news: dict[str, Any]) -> None:
                context.progress(news["progress"], news.get("total"), news.get("message"))

            step = context.step.to_dict() if context.step else None
            return await self._page.call(
                "tool.execute",
                {
                    "agentId": agent_id,
                    "name": name,
                    "input": input,
                    "context": {
                        "runId": context.run_id,
                        "callId": context.call_id,
                        "step": step,
                    },
                },
                on_progress=progress,
            )

        options = {
            field: value
            for key, value in spec.items()
            if (field := from_wire(key)) in _TOOL_FIELDS and value is not None
        }
        return Tool(name, spec.get("description", ""), spec["inputSchema"], execute, **options)

    def _hook(self, agent_id: str, hook: str, *args: Any) -> Any:
        return self._page.call("host.call", {"agentId": agent_id, "hook": hook, "args": list(args)})

    async def _run(self, params: dict[str, Any], context: CallContext) -> dict[str, Any]:
        agent_id = params["agentId"]
        agent = self._agent(params)
        options = params.get("options") or {}
        _refuse_unknown(options)
        controller = AbortController()
        context.signal.on_abort(lambda: controller.abort("the page stopped it"))
        batches = EventBatches(context.progress)

        async def announce(control: StepControl) -> None:
            about = {"step": control.step.to_dict(), "index": control.index}
            answer = await self._hook(agent_id, options["onStepStart"], about)
            if answer["abort"]:
                control.abort()

        try:
            result = await agent.run(
                params["input"],
                history=options.get("history"),
                session_id=options.get("sessionId"),
                on_event=batches.add,
                on_step_start=announce if options.get("onStepStart") else None,
                signal=controller.signal,
            )
        finally:
            batches.flush()
        return result.to_dict()

    async def _call(self, params: dict[str, Any], context: CallContext) -> Any:
        agent = self._agent(params)
        match params["method"]:
            case "listTools":
                return agent.list_tools()
            case "usage":
                return agent.usage.to_dict()
            case "resetUsage":
                agent.reset_usage()
            case "activeRuns":
                return agent.active_runs()
            case "contextWindowTokens":
                return agent.context_window_tokens
            case unknown:
                raise ConfigError(f"An agent has no method {unknown!r}.")
        return None

    async def _close(self, params: dict[str, Any], context: CallContext) -> None:
        agent = self._agent(params)
        options = params.get("options") or {}
        await agent.close(
            wait_for_runs=bool(options.get("waitForRuns")),
            timeout_ms=options.get("timeoutMs", 30_000),
        )
        del self._agents[params["agentId"]]

    def _agent(self, params: dict[str, Any]) -> Agent:
        agent = self._agents.get(params.get("agentId", ""))
        if agent is None:
            raise ConfigError("That agent is closed or was never created: create a new one.")
        return agent


def _refuse_unknown(options: dict[str, Any]) -> None:
    for name in options:
        if name not in _RUN_OPTIONS:
            hint = nearest(name, _RUN_OPTIONS)
            raise ConfigError(
                f"run() has no option {name!r}." + (f" Did you mean {hint!r}?" if hint else "")
            )


def serve(bridge: Any) -> AgentServer:
    """Start serving a page. Called once by the worker's JavaScript; `bridge` is described above."""
    peers: list[RpcPeer] = []

    def engine() -> RpcPeer:
        if not peers:
            peers.append(RpcPeer(BridgeChannel(bridge.engineSend, bridge.engineReceive)))
        return peers[0]

    platform = browser_platform(pump=bridge.pump, engine=RpcEngine(engine))
    install(platform)
    channel = BridgeChannel(bridge.send, bridge.receive)
    return AgentServer(channel, platform)

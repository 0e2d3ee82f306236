"""The agent worker's Python side: serves agents to a page over RPC.

The worker's JavaScript calls `serve(bridge)` once, after boot. The bridge is a JavaScript object:
`send(text)` posts to the page, `receive(callback)` takes what the page posts, `engineSend` and
`engineReceive` are the same pair for the engine worker's port, `pump(answer)` reads ahead what
`fetch` gives, `later()` brings the modules that a model needs before it is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from pyodide.ffi import create_proxy

from ..agent.agent import Agent
from ..agent.config import read_config
from ..agent.run import StepControl
from ..cancel import AbortController
from ..errors import ConfigError
from ..events import Event
from ..models.generate import check_model
from ..models.registry import list_providers
from ..names import from_wire, nearest
from ..plan import StepResult
from ..ports import Platform, install
from ..storage.credentials import MemoryCredentialStore
from ..tools.tool import Tool, ToolContext
from .browser import browser_platform
from .engine import RpcEngine, SiteEngines
from .rpc import CallContext, RpcPeer

_RUN_OPTIONS = ("history", "sessionId", "onStepStart", "images", "files")
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

    def __init__(
        self,
        channel: BridgeChannel,
        make_platform: Callable[[RpcPeer], Platform],
        bring_later: Callable[[], Awaitable[None]],
    ) -> None:
        self._bring_later = bring_later
        self._agents: dict[str, Agent] = {}
        self._keys: dict[str, MemoryCredentialStore] = {}
        self._page = RpcPeer(
            channel,
            {
                "agent.create": self._create,
                "agent.run": self._run,
                "agent.call": self._call,
                "agent.close": self._close,
            },
        )
        self._platform = make_platform(self._page)

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
        if "repairHook" in hooks:
            values["repairHook"] = lambda broken: self._hook(agent_id, "repairHook", broken)
        for path in params.get("tokenHooks") or ():
            _put(values, path, self._token_hook(agent_id, path))
        keys = MemoryCredentialStore(params.get("keys") or {})
        values["credentials"] = keys
        await self._bring_later()
        agent = Agent(read_config(values, {}), self._platform)
        self._agents[agent_id], self._keys[agent_id] = agent, keys
        return {
            "contextWindowTokens": agent.context_window_tokens,
            "capabilities": agent.capabilities.to_dict(),
        }

    def _token_hook(self, agent_id: str, path: list[str]) -> Callable[[], Any]:
        """Give the function that asks the page for a token it knows under a path."""
        return lambda: self._hook(agent_id, "token:" + ".".join(path))

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
                images=options.get("images") or (),
                files=options.get("files") or (),
            )
        finally:
            batches.flush()
        return result.to_dict()

    async def _call(self, params: dict[str, Any], context: CallContext) -> Any:
        agent = self._agent(params)
        keys = self._keys[params["agentId"]]
        args = params.get("args") or []
        match params["method"]:
            case "listTools":
                return agent.list_tools()
            case "usage":
                return agent.usage.to_dict()
            case "setApiKey":
                await keys.set_api_key(*args)
            case "deleteApiKey":
                await keys.delete_api_key(*args)
            case "listProviders":
                return list_providers()
            case "checkModel":
                [model] = args
                await self._bring_later()
                answer = await check_model(model, platform=self._platform, credentials=keys)
                return {
                    "text": answer.text,
                    "provider": answer.provider,
                    "model": answer.model,
                    "usage": answer.usage.to_dict(),
                }
            case "adviseModel":
                # Loaded only now: a page that asks for no advice starts without its tables.
                advice = import_module("pagehand.models.advice")
                return advice.advise(*args).to_dict()
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
        del self._agents[params["agentId"]], self._keys[params["agentId"]]

    def _agent(self, params: dict[str, Any]) -> Agent:
        agent = self._agents.get(params.get("agentId", ""))
        if agent is None:
            raise ConfigError("That agent is closed or was never created: create a new one.")
        return agent


def _put(values: dict[str, Any], path: list[str], item: Any) -> None:
    """Put a value in its place in settings: the objects and lists on the way are there."""
    place: Any = values
    for key in path[:-1]:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[path[-1]] = item


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

    def platform(page: RpcPeer) -> Platform:
        engines = SiteEngines(RpcEngine(lambda: page), RpcEngine(engine))
        made = browser_platform(pump=bridge.pump, engine=engines)
        install(made)
        return made

    channel = BridgeChannel(bridge.send, bridge.receive)
    return AgentServer(channel, platform, bridge.later)

"""pagehand.js as a host page uses it: createAgent, run, stream, stop, tools, hooks, close."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.browser.page.driving import Opener, seen, wait_for_workers

TOOLS = """
const { createAgent, defineTool } = await import("./pagehand.js");
const fault = ({ name, message, retryable }) => ({ name, message, retryable });
const caught = (promise) => promise.then(() => "no fault", fault);
const begin = async (agent, request) => {
  const { promise, resolve } = Promise.withResolvers();
  const ended = caught(agent.run(request, { onEvent: resolve }));
  await promise;
  return { ended };
};
"""


@pytest.fixture
def host(open_page: Opener) -> Page:
    """A page that has nothing but the library on it."""
    return open_page(path="host.html")


def script(page: Page, body: str) -> Any:
    """Run a script with `createAgent`, `defineTool` and `caught`, which gives a fault as data."""
    return page.evaluate(f"async () => {{ {TOOLS} {body} }}")


class TestAgent:
    def test_runs_and_tells_in_order(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const told = [];
            const agent = await createAgent({
              onEvent: (event) => told.push(["agent", event.type]),
              onBoot: ({ phase }) => told.push(["boot", phase]),
              tools: { add_note: defineTool({ description: "Adds.", execute: () => undefined }) },
            });
            const result = await agent.run("#plain go", {
              onEvent: (event) => told.push(["run", event.type]),
            });
            const { usage, contextWindowTokens } = agent;
            const tools = await agent.listTools();
            agent.close();
            return { told, result, usage, contextWindowTokens, tools };
            """,
        )
        told = outcome["told"]
        assert told[:3] == [["boot", "ready"], ["agent", "run.start"], ["run", "run.start"]]
        assert told[-2:] == [["agent", "run.complete"], ["run", "run.complete"]]
        assert outcome["result"]["stopped"] is False
        assert outcome["usage"] == {"inputTokens": 1082, "outputTokens": 158, "totalTokens": 1240}
        assert outcome["contextWindowTokens"] == 4096
        assert [tool["name"] for tool in outcome["tools"]] == ["add_note"]

    def test_streams_events_and_stops_when_left(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const whole = [];
            const first = agent.stream("#plain go");
            for await (const event of first) whole.push(event.type);
            const { stopped } = await first.result;

            const left = agent.stream("#stream for ever");
            for await (const event of left) if (event.type === "final.text-delta") break;
            const result = await left.result;

            const failed = agent.stream("#network fails");
            const types = [];
            try {
              for await (const event of failed) types.push(event.type);
            } catch (fault) {
              types.push(fault.name);
            }
            return { whole, stopped, left: result.stopped, types };
            """,
        )
        assert (outcome["whole"][0], outcome["whole"][-1]) == ("run.start", "run.complete")
        assert (outcome["stopped"], outcome["left"]) == (False, True)
        assert outcome["types"][-3:] == ["error", "run.complete", "NetworkError"]

    def test_takes_several_runs_side_by_side(self, host: Page) -> None:
        runs = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const types = [[], []];
            const results = await Promise.all(types.map((list, index) =>
              agent.run("#plain go", { onEvent: ({ runId }) => types[index].push(runId) })));
            return results.map(({ runId }, index) => types[index].every((id) => id === runId));
            """,
        )
        assert runs == [True, True]

    def test_is_stopped_by_a_signal_at_any_time(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const before = await agent.run("#plain go", { signal: AbortSignal.abort() });
            const controller = new AbortController();
            const types = [];
            const during = await agent.run("#stream for ever", {
              signal: controller.signal,
              onEvent: ({ type }) => {
                types.push(type);
                if (type === "final.text-delta") controller.abort();
              },
            });
            return { before: before.stopped, during: during.stopped, types: types.slice(-2) };
            """,
        )
        assert outcome == {"before": True, "during": True, "types": ["stopped", "run.complete"]}

    def test_that_must_be_ended_still_has_a_result_and_a_last_event(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const controller = new AbortController();
            const types = [];
            const beside = await begin(agent, "#stream for ever");
            const result = await agent.run("#deaf to everything", {
              signal: controller.signal,
              onEvent: ({ type }) => { types.push(type); controller.abort(); },
            });
            const again = await agent.run("#plain go");
            return { result, types, beside: await beside.ended, again: again.stopped };
            """,
        )
        assert outcome["types"] == ["run.start", "stopped", "run.complete"]
        result = outcome["result"]
        assert (result["stopped"], result["runId"], result["trace"]) == (True, "run-2", [])
        assert outcome["beside"]["name"] == "WorkerError"
        assert "did not stop in time" in outcome["beside"]["message"]
        assert outcome["beside"]["retryable"] is True
        assert outcome["again"] is False

    def test_that_is_closed_says_so(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const { ended } = await begin(agent, "#stream for ever");
            agent.close();
            return [await ended, await caught(agent.run("#plain go"))];
            """,
        )
        assert [fault["message"] for fault in outcome] == [
            "The agent was closed.",
            "The agent is closed. Create a new one.",
        ]
        wait_for_workers(host, 0)

    def test_survives_a_page_that_is_left_and_comes_back(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const { ended } = await begin(agent, "#stream for ever");
            dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
            const { message } = await ended;
            return [message, (await agent.run("#plain go")).stopped];
            """,
        )
        assert outcome == ["The page was left.", False]

    def test_refuses_what_it_cannot_use(self, host: Page) -> None:
        faults = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            return [
              await caught(createAgent({ logger: () => {} })),
              await caught(createAgent({ base: "http://" })),
              await caught(agent.run("  ")),
              await caught(agent.run("#plain go", { onToken: () => {} })),
            ];
            """,
        )
        assert {fault["name"] for fault in faults} == {"ConfigError"}
        for fault, part in zip(faults, ["logger", "base", "empty", "options.onToken"], strict=True):
            assert part in fault["message"]
        wait_for_workers(host, 2)  # the agent's and the engine's


class TestHandlers:
    def test_that_fail_are_logged_and_do_no_harm(self, open_page: Opener) -> None:
        page = open_page(path="host.html", expected_faults="a handler of the page failed")
        lines: list[str] = []
        page.on("console", lambda line: lines.append(line.text))
        stopped = script(
            page,
            """
            const agent = await createAgent({
              tools: {},
              onBoot: () => { throw new Error("boot handler"); },
              onEvent: ({ type }) => { if (type === "run.start") throw new Error("sync handler"); },
            });
            const { stopped } = await agent.run("#plain go", {
              onEvent: async ({ type }) => {
                if (type === "final") throw new Error("async handler");
              },
            });
            return stopped;
            """,
        )
        assert stopped is False
        for kind in ("boot", "sync", "async"):
            assert any(f"{kind} handler" in line for line in lines)

    def test_in_the_page_are_called_for_the_agent(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({
              describeState: async () => "The sun shines.",
              replanAfter: ({ summary }) => summary === "odd",
              tools: {},
            });
            const calls = [];
            await agent.run("#hooks go", {
              onStepStart: ({ step, index, abort }) => {
                calls.push([step.description, index]);
                if (index === 1) abort();
              },
              onEvent: ({ type, message }) => {
                if (type === "log") calls.push(JSON.parse(message));
              },
            });
            return calls;
            """,
        )
        assert outcome == [
            "The sun shines.",
            True,
            ["first", 0],
            {"abort": False},
            ["second", 1],
            {"abort": True},
        ]


class TestWorkers:
    def test_share_one_engine_a_site(self, host: Page) -> None:
        script(host, "globalThis.agents = [await createAgent(), await createAgent()]")
        wait_for_workers(host, 3)
        names = [worker.url.rpartition("/")[2] for worker in host.workers]
        assert sorted(names) == ["agent.js", "agent.js", "engine.js"]
        assert seen(host)["enginePorts"] == 1
        agents = [worker for worker in host.workers if worker.url.endswith("agent.js")]
        with agents[0].expect_event("close"):
            script(host, "agents[0].close()")
        assert len(host.workers) == 2
        script(host, "agents[1].close()")
        wait_for_workers(host, 0)

    def test_of_a_model_elsewhere_need_no_engine(self, host: Page) -> None:
        script(host, "await createAgent({ model: 'openai:gpt-5-mini', apiKey: 'sk-canary' })")
        assert seen(host)["enginePorts"] == 0
        assert len(host.workers) == 1

    def test_are_told_apart_when_the_engine_fails(self, open_page: Opener) -> None:
        page = open_page(path="host.html", expected_faults="no engine here")
        page.context.route(
            "**/worker/engine.js",
            lambda route: route.fulfill(
                body="onmessage = () => { throw new Error('no engine here'); }",
                content_type="text/javascript",
            ),
        )
        fault = script(
            page, "return caught(createAgent().then((agent) => agent.run('#stream go')))"
        )
        assert fault["name"] == "EngineError"
        assert "no engine here" in fault["message"]

    def test_start_from_a_site_on_another_origin(self, open_page: Opener, site: str) -> None:
        page = open_page(path="host.html", bypass_csp=True)
        other = site.replace("127.0.0.1", "localhost")

        def allow(route: Route) -> None:
            answer = route.fetch(url=route.request.url.replace("localhost", "127.0.0.1"))
            headers = {**answer.headers, "Access-Control-Allow-Origin": "*"}
            route.fulfill(response=answer, headers=headers)

        page.context.route(f"{other}**", allow)
        stopped = page.evaluate(
            f"""async () => {{
              const {{ createAgent }} = await import({json.dumps(other + "pagehand.js")});
              const agent = await createAgent({{ tools: {{}} }});
              return (await agent.run("#plain go")).stopped;
            }}"""
        )
        assert stopped is False

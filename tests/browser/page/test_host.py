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


class TestMoney:
    def test_is_counted_as_far_as_it_is_known(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const before = agent.cost;
            await agent.run("#priced go");
            agent.cost.unknown.push("not mine");
            return [before, agent.cost];
            """,
        )
        assert outcome == [{"usd": 0, "unknown": []}, {"usd": 0.75, "unknown": ["openai:b"]}]


class TestModels:
    def test_tell_what_they_take(self, host: Page) -> None:
        told = script(
            host,
            """
            const { images, pdf, files } = (await createAgent({ tools: {} })).capabilities;
            return [images, pdf, String(files)];
            """,
        )
        assert told == [True, False, "undefined"]

    def test_are_told_of_with_all_their_settings(self, host: Page) -> None:
        script(
            host,
            """
            await createAgent({
              model: ["openai:a", { providerType: "xai", model: "b", credentialRef: "mine" }],
              thinking: { level: "high", budgetTokens: 2048 }, stageThinking: { planner: "low" },
              promptCaching: { ttl: "1h" }, vision: true, inputs: { pdf: false },
              prices: { "openai:a": { input: 1, output: 2 } },
            });
            """,
        )
        assert seen(host)["created"]["config"] == {
            "model": [
                "openai:a",
                {"providerType": "xai", "model": "b", "credentialRef": "mine"},
            ],
            "thinking": {"level": "high", "budgetTokens": 2048},
            "stageThinking": {"planner": "low"},
            "promptCaching": {"ttl": "1h"},
            "vision": True,
            "inputs": {"pdf": False},
            "prices": {"openai:a": {"input": 1, "output": 2}},
        }
        assert seen(host)["enginePorts"] == 0

    def test_get_their_token_from_a_function_of_the_page(self, host: Page) -> None:
        told = script(
            host,
            """
            let asked = 0;
            const accessToken = async () => `token ${++asked}`;
            const providerOptions = { accessToken };
            const vertex = { providerType: "google-vertex", model: "m", providerOptions };
            const agent = await createAgent({
              tools: {},
              model: ["openai:a", vertex],
              planner: { providerOptions: { project: "p", accessToken } },
            });
            const told = [];
            await agent.run("#tokens go", {
              onEvent: ({ type, message }) => type === "log" && told.push(JSON.parse(message)),
            });
            return told;
            """,
        )
        assert told == ["token 1", "token 2"]
        created = seen(host)["created"]
        assert created["tokenHooks"] == [
            ["model", "1", "providerOptions", "accessToken"],
            ["planner", "providerOptions", "accessToken"],
        ]
        assert created["config"]["planner"] == {"providerOptions": {"project": "p"}}

    def test_can_be_listed_and_tested(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {}, model: "openai:a" });
            const providers = await agent.listProviders();
            const providerOptions = { accessToken: async () => "canary" };
            const model = { providerType: "google-vertex", model: "m", providerOptions };
            const { text, usage } = await agent.checkModel(model);
            const faults = [
              await caught(agent.checkModel({ providerType: "openai", model: "refused" })),
              await caught(agent.checkModel({ providerType: "openai", model: () => "m" })),
            ];
            return { types: providers.map(({ type }) => type), text, usage, faults };
            """,
        )
        assert "anthropic" in outcome["types"]
        assert (outcome["text"], outcome["usage"]["totalTokens"]) == ("ok", 18)
        assert [fault["name"] for fault in outcome["faults"]] == [
            "AuthenticationError",
            "ConfigError",
        ]
        assert "model.model" in outcome["faults"][1]["message"]
        [checked, _] = seen(host)["checked"]
        assert checked["providerOptions"] == {"accessToken": "canary"}
        assert seen(host)["enginePorts"] == 0

    def test_of_this_device_get_the_engine_when_they_are_tested(self, host: Page) -> None:
        script(
            host,
            """
            const agent = await createAgent({ tools: {}, model: "openai:a" });
            await agent.checkModel({ providerType: "wllama", model: "m" });
            await agent.checkModel({ providerType: "web-llm", model: "m" });
            """,
        )
        assert seen(host)["enginePorts"] == 1


class TestAttachments:
    def test_go_with_the_request(self, host: Page) -> None:
        script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const bytes = Uint8Array.of(137, 80, 78, 71);
            const transfer = new DataTransfer();
            transfer.items.add(new File(["a,b"], "table.csv", { type: "text/csv" }));
            await agent.run("#plain look", {
              images: [new File([bytes], "fern.png", { type: "image/png" }), bytes],
              files: transfer.files,
            });
            """,
        )
        options = seen(host)["runs"][0]["options"]
        assert options["images"] == [
            {"data": "iVBORw==", "name": "fern.png", "mediaType": "image/png"},
            {"data": "iVBORw=="},
        ]
        assert options["files"] == [{"data": "YSxi", "name": "table.csv", "mediaType": "text/csv"}]

    def test_are_refused_by_their_place(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = await createAgent({ tools: {} });
            const types = [];
            const refused = await caught(agent.run("#plain look", {
              images: ["AAAA", document.body],
              onEvent: ({ type }) => types.push(type),
            }));
            return [refused, types];
            """,
        )
        fault, types = outcome
        assert (fault["name"], types) == ("ConfigError", [])
        assert "images[1] is of the kind HTMLBodyElement" in fault["message"]
        assert seen(host)["runs"] == []


class TestKeys:
    def test_are_told_to_the_worker_and_to_the_next_one(self, host: Page) -> None:
        outcome = script(
            host,
            """
            const agent = globalThis.agent = await createAgent({
              tools: {}, model: "openai:a", credentialRef: "mine",
            });
            const before = agent.credentials.hasApiKey("mine");
            await agent.credentials.setApiKey("mine", "sk-canary");
            await agent.credentials.setApiKey("other", "sk-other");
            await agent.credentials.deleteApiKey("other");
            const shown = JSON.stringify([agent, agent.credentials]);
            return [before, agent.credentials.hasApiKey("mine"), shown.includes("canary")];
            """,
        )
        assert outcome == [False, True, False]
        first = seen(host)
        assert first["created"]["keys"] == {}
        assert first["calls"] == [
            ["setApiKey", "mine", "sk-canary"],
            ["setApiKey", "other", "sk-other"],
            ["deleteApiKey", "other"],
        ]
        script(
            host,
            """
            const { ended } = await begin(agent, "#stream for ever");
            dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
            await ended;
            await agent.credentials.setApiKey("later", "sk-later");
            await agent.run("#plain go");
            """,
        )
        wait_for_workers(host, 1)
        assert seen(host)["created"]["keys"] == {"mine": "sk-canary", "later": "sk-later"}
        assert seen(host)["calls"] == []

    def test_reach_a_worker_that_is_starting(self, host: Page) -> None:
        script(
            host,
            """
            const agent = await createAgent({ tools: {}, model: "openai:a" });
            dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
            const listed = agent.listTools();
            await agent.credentials.setApiKey("mine", "sk-1");
            await listed;
            """,
        )
        wait_for_workers(host, 1)
        assert seen(host)["created"]["keys"] == {"mine": "sk-1"}
        assert ["setApiKey", "mine", "sk-1"] in seen(host)["calls"]


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

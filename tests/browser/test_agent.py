"""The whole way in a real browser: a page's agent, its worker, a scripted provider, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from building.serve import Options, serving
from tests.support.scripted_server import (
    Answer,
    ScriptedServer,
    calls,
    chunk,
    fault,
    text,
)

PLAN = json.dumps({"thought": "I add it", "steps": [{"description": "add it"}]})
ADDED = [
    text(PLAN),
    calls(("add_note", {"text": "water the fern"})),
    text("Added."),
    text("All done."),
]
KEY = "sk-canary-4711"
# A page may reach its own host and the provider of its user, nothing else.
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http:"

HOST = """async ({url, key, replanAfter}) => {
  const library = new URL("pagehand.js", location.href);
  const { createAgent, defineTool, PagehandError } = await import(library);
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const test = (globalThis.test = { notes: [], events: [], asked: [], held: null, PagehandError });
  test.agent = await createAgent({
    model: { providerType: "openai-compatible", model: "m", baseURL: url, apiKey: key },
    llmMaxRetries: 0,
    tools: {
      add_note: defineTool({
        description: "Add a note",
        inputSchema: text,
        execute: ({ text }, { step, runId, callId, progress }) => {
          progress(1, 2, "half");
          test.seen = { step: step.description, runId, callId };
          test.notes.push(text);
          return { count: test.notes.length };
        },
      }),
      hang: defineTool({
        description: "Never returns",
        execute: (_, { signal }) => new Promise((_resolve, reject) => {
          test.held = true;
          signal.addEventListener("abort", () => { test.stopped = true; reject(signal.reason); });
        }),
      }),
      broken: defineTool({
        description: "Throws",
        execute() { throw new Error("the board is locked"); },
      }),
      odd: defineTool({ description: "Gives what is no JSON", execute: () => document.body }),
    },
    ...(replanAfter && { replanAfter: ({ step, blocked }) => {
      test.asked.push(step.description);
      return blocked;
    } }),
    describeState: () => `the board has ${test.notes.length} notes`,
    onEvent: (event) => test.events.push(event),
  });
}"""

RUN = """async (request) => {
  test.events.length = 0;
  try {
    const result = await test.agent.run(request);
    return { result, events: test.events };
  } catch (fault) {
    const ours = fault instanceof test.PagehandError;
    const { name, message, retryable, details } = fault;
    return { fault: { name, message, retryable, details, ours }, events: test.events };
  }
}"""


@pytest.fixture(scope="module")
def site(built_site: Path) -> Iterator[str]:
    with serving(built_site, Options(csp=POLICY)) as address:
        yield address


@pytest.fixture(scope="module")
def host(real_browser: Browser, site: str) -> Iterator[Page]:
    """A page of the site's own host that knows nothing but pagehand.js."""
    context = real_browser.new_context()
    page = context.new_page()
    page.goto(f"{site}NOTICES.txt")
    yield page
    context.close()


def open_agent(page: Page, server: ScriptedServer, *, replan_after: bool = False) -> None:
    page.evaluate("() => globalThis.test?.agent?.close()")
    page.evaluate(HOST, {"url": server.url, "key": KEY, "replanAfter": replan_after})


def run(page: Page, request: str = "Add a note that says water the fern") -> dict[str, Any]:
    told: dict[str, Any] = page.evaluate(RUN, request)
    return told


def types(told: dict[str, Any]) -> list[str]:
    return [event["type"] for event in told["events"]]


def test_a_run(host: Page) -> None:
    with ScriptedServer(ADDED) as server:
        open_agent(host, server)
        told = run(host)
        first = server.requests[0]["messages"][-1]["content"]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert server.preflights == 1  # not one for each request
    assert host.evaluate("test.notes") == ["water the fern"]
    result = told["result"]
    assert (result["text"], result["final"], result["applied"]) == ("All done.", "All done.", 1)
    assert "the board has 0 notes" in first
    assert types(told)[0] == "run.start" and types(told)[-1] == "run.complete"
    assert set(types(told)) >= {
        *("plan.thought-delta", "plan.step-added", "plan.created", "step.start", "step.tool-call"),
        *("step.tool-progress", "step.tool-result", "step.complete", "replan.decision"),
        *("final.text-delta", "final", "usage"),
    }
    seen = host.evaluate("test.seen")
    assert (seen["step"], seen["runId"]) == ("add it", told["events"][0]["runId"])
    assert seen["callId"] == "call_0"
    assert host.evaluate("test.agent.usage.totalTokens") == 4 * 18
    assert KEY not in json.dumps(told)


def test_events_come_as_an_iterator(host: Page) -> None:
    with ScriptedServer(ADDED) as server:
        open_agent(host, server)
        told = host.evaluate("""async () => {
          const run = test.agent.stream("Add a note that says water the fern");
          const types = [];
          for await (const event of run) types.push(event.type);
          return [types.at(0), types.at(-1), (await run.result).text];
        }""")
    assert told == ["run.start", "run.complete", "All done."]


def test_tools_are_listed(host: Page) -> None:
    with ScriptedServer([]) as server:
        open_agent(host, server)
        listed = host.evaluate("test.agent.listTools()")
    assert [tool["name"] for tool in listed] == ["add_note", "hang", "broken", "odd"]


def test_a_stop_in_a_stream(host: Page) -> None:
    with ScriptedServer([Answer([chunk(content='{"thought": "I')], hold=True), *ADDED]) as server:
        open_agent(host, server)
        stopped = host.evaluate("""async () => {
          const control = new AbortController();
          const result = await test.agent.run("Add a note that says water the fern", {
            signal: control.signal,
            onEvent: (event) => event.type === "plan.thought-delta" && control.abort(),
          });
          return [result.stopped, test.events.at(-1).status];
        }""")
        assert stopped == [True, "cancelled"]
        assert server.gone.wait(10)  # the provider is let go, too
        assert run(host)["result"]["text"] == "All done."  # in the same worker


def test_a_stop_in_a_tool(host: Page) -> None:
    script = [text(PLAN), calls(("hang", {})), *ADDED]
    with ScriptedServer(script) as server:
        open_agent(host, server)
        stopped = host.evaluate("""async () => {
          const control = new AbortController();
          const result = await test.agent.run("Hang for a while", {
            signal: control.signal,
            onEvent: (event) => event.type === "step.tool-call" && control.abort(),
          });
          return [result.stopped, test.stopped ?? false];
        }""")
        assert stopped[0] is True
        host.wait_for_function("test.held !== true || test.stopped === true")
        assert run(host)["result"]["text"] == "All done."


PROVIDER_FAULTS = {
    "a wrong key": (fault(401, f"bad key {KEY}"), "AuthenticationError", "check the API key"),
    "no CORS": (Answer(cors=False), "CorsError", "Allow this origin on the server"),
    "no credit": (fault(429, "insufficient_quota"), "QuotaExceededError", "check billing"),
    "an unknown model": (fault(404, "no such model"), "ModelNotFoundError", "model's name"),
}


@pytest.mark.parametrize("name", PROVIDER_FAULTS)
def test_a_fault_of_the_provider(host: Page, name: str) -> None:
    answer, kind, said = PROVIDER_FAULTS[name]
    with ScriptedServer([answer]) as server:
        open_agent(host, server)
        told = run(host)
    assert told["fault"]["name"] == kind and told["fault"]["ours"]
    assert said in told["fault"]["message"]
    assert types(told)[-2:] == ["error", "run.complete"]
    assert told["events"][-2]["error"]["name"] == kind
    assert told["events"][-1]["status"] == "failed"
    assert KEY not in json.dumps(told)


STREAM_FAULTS = {
    "a malformed stream": (Answer(["not json"]), "MalformedResponseError"),
    "a cut stream": (Answer([chunk(content="ha")], cut=True), "StreamInterruptedError"),
    "garbage": (Answer([chunk(content="}{ <|x|>"), chunk(content="!"), "[DONE]"]), ""),
}


@pytest.mark.parametrize("name", STREAM_FAULTS)
def test_a_stream_that_goes_wrong(host: Page, name: str) -> None:
    """What is no chat completion fails at once; a cut is tried again in every way there is; and a
    model's own garbage is answered somehow."""
    answer, kind = STREAM_FAULTS[name]
    with ScriptedServer(lambda request, position: answer) as server:
        open_agent(host, server)
        told = run(host)
    if kind:
        assert told["fault"]["name"] == kind
        [told_fault] = [event for event in told["events"] if event["type"] == "error"]
        assert told_fault["phase"] == ("plan" if "Malformed" in kind else "execute")
    else:
        assert told["result"]["text"]
    assert types(told)[-1] == "run.complete"


def test_a_dead_endpoint_and_then_a_living_one(host: Page) -> None:
    with ScriptedServer([]) as server:
        open_agent(host, server)
    told = run(host)
    assert told["fault"]["name"] == "NetworkError"
    assert "could not be reached" in told["fault"]["message"]


def test_tools_that_fail(host: Page) -> None:
    decision = json.dumps({"reason": "r", "decision": "finish", "steps": []})
    script = [
        text(PLAN),
        calls(("broken", {}), ("odd", {}), ("add_note", {"text": {"is": 5}}), ("invented", {})),
        text("It failed."),
        text(decision),
        text("Sorry."),
    ]
    with ScriptedServer(script) as server:
        open_agent(host, server)
        told = run(host)
    results = [event for event in told["events"] if event["type"] == "step.tool-result"]
    said = {event["name"]: event["error"]["message"] for event in results}
    assert said["broken"] == "the board is locked"
    assert "not JSON data" in said["odd"]
    assert "do not fit its schema" in said["add_note"]
    assert "There is no tool 'invented'" in said["invented"]
    assert told["result"]["text"] == "Sorry."


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model": "m", "maxIteration": 3}, "Did you mean 'maxIterations'"),
        ({"model": "openai-compatble:m"}, "did you mean 'openai-compatible'"),
        ({"model": {"providerType": "openai-compatible", "model": "m"}}, "needs a base_url"),
    ],
)
def test_a_config_is_refused(host: Page, config: dict[str, Any], said: str) -> None:
    refused = host.evaluate(
        """async (config) => {
          const { createAgent } = await import(new URL("pagehand.js", location.href));
          try {
            await createAgent(config);
          } catch (fault) {
            return `${fault.name}: ${fault.message}`;
          }
        }""",
        config,
    )
    assert refused.startswith("ConfigError") and said in refused


def test_hooks_of_the_page(host: Page) -> None:
    """`onStepStart` can cancel a step alone, and `replanAfter` may be a function of the page."""
    plan = json.dumps({"thought": "", "steps": [{"description": "slow"}, {"description": "b"}]})
    goes_on = json.dumps({"reason": "r", "decision": "continue", "steps": []})
    script = [text(plan), text(goes_on), text("did b"), text("Done.")]
    with ScriptedServer(script) as server:
        open_agent(host, server, replan_after=True)
        told = host.evaluate("""async () => {
          const result = await test.agent.run("Do both", {
            onStepStart: ({ step, abort }) => step.description === "slow" && abort(),
          });
          return { blocked: result.trace.map((step) => step.blocked), asked: test.asked };
        }""")
        assert len(server.requests) == 4
    assert told == {"blocked": [True, False], "asked": ["slow", "b"]}


def test_an_unknown_option_of_a_run_is_refused(host: Page) -> None:
    with ScriptedServer([]) as server:
        open_agent(host, server)
        refused = host.evaluate("test.agent.run('x y z', { sesionId: 's' }).catch(String)")
    assert "Did you mean 'sessionId'" in refused


def test_a_page_closed_in_a_run_leaves_nothing_broken(real_browser: Browser, site: str) -> None:
    context = real_browser.new_context()
    with ScriptedServer([Answer([chunk(content='{"th')], hold=True), *ADDED]) as server:
        page = context.new_page()
        page.goto(f"{site}NOTICES.txt")
        open_agent(page, server)
        page.evaluate(
            "() => void test.agent.run('Add a note that says water the fern').catch(() => {})"
        )
        assert server.held.wait(20)
        page.close()
        assert server.gone.wait(20)
        again = context.new_page()
        again.goto(f"{site}NOTICES.txt")
        open_agent(again, server)
        assert run(again)["result"]["text"] == "All done."
    context.close()

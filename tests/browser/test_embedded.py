"""The embedded model: no key, no network, a real model on the CPU of this machine.

What it says is its own; what is proved here is that the machinery is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from building.serve import STRICT_CSP, Options, serving

PATIENCE_MS = 8 * 60_000  # a small machine reads a prompt at ten tokens a second

HOST = """async (toolFormat) => {
  const { createAgent, defineTool } = await import(new URL("pagehand.js", location.href));
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  globalThis.test = { notes: [], events: [] };
  test.agent = await createAgent({
    temperature: 0,
    maxIterations: 1,
    maxStepsPerTask: 2,
    synthesize: "auto",
    ...(toolFormat && { toolMode: "prompted", toolFormat }),
    tools: {
      add_note: defineTool({
        description: "Add a note to the board",
        inputSchema: text,
        execute: ({ text }) => test.notes.push(text),
      }),
    },
    onEvent: (event) => test.events.push(event),
  });
}"""


@pytest.fixture(scope="module")
def site(built_site: Path) -> Iterator[str]:
    with serving(built_site, Options(isolated=True, csp=STRICT_CSP)) as address:
        yield address


@pytest.fixture(scope="module")
def host(real_browser: Browser, site: str) -> Iterator[Page]:
    context = real_browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{site}NOTICES.txt")
    yield page
    context.close()


def events(page: Page) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = page.evaluate("test.events.splice(0)")
    return told


def test_a_missing_part_is_told_and_then_fetched(host: Page) -> None:
    part = re.compile(r"models/.*\.3-of-\d+\.")
    host.context.route(part, lambda route: route.fulfill(status=404))
    host.evaluate(HOST)
    fault = host.evaluate("""() => test.agent.run("Add a note that says hello")
      .catch(({ name, message }) => ({ name, message }))""")
    host.context.unroute(part)
    assert fault["name"] == "EngineError" and "3-of-" in fault["message"]
    told = events(host)
    assert [event["type"] for event in told][-2:] == ["error", "run.complete"]
    assert any(event["type"] == "model.load" for event in told)


def test_a_stop_in_the_middle_of_an_answer(host: Page) -> None:
    stopped = host.evaluate("""async () => {
      const control = new AbortController();
      const result = await test.agent.run("Why is the sky blue?", {
        signal: control.signal,
        onEvent: (event) => event.type === "step.text-delta" && control.abort(),
      });
      return result.stopped;
    }""")
    assert stopped is True
    told = events(host)
    assert told[-1]["status"] == "cancelled"
    loads = [event["progress"] for event in told if event["type"] == "model.load"]
    assert loads[-1] == 1


def test_a_run_to_its_end(host: Page) -> None:
    """After the stop, on the same engine: the tool is chosen, its text copied from the request."""
    host.evaluate("test.notes.length = 0")
    result = host.evaluate("test.agent.run('Add a note that says hello')")
    told = events(host)
    types = [event["type"] for event in told]
    assert told[-1] == {**told[-1], "type": "run.complete", "status": "complete"}
    assert "plan.created" in types
    # It is not loaded again; it may have to wait for the end of what was stopped.
    news = [event["text"] for event in told if event["type"] == "model.load"]
    assert all(text.startswith("Waiting") for text in news)
    assert result["iterations"] == 1 and result["usage"]["outputTokens"] > 0
    assert [step["description"] for step in result["plan"]["steps"]] == [result["goal"]]
    [call] = [event for event in told if event["type"] == "step.tool-call"]
    assert call["name"] == "add_note" and call["input"]["text"] in result["goal"]
    assert host.evaluate("test.notes") == [call["input"]["text"]]
    assert {event["provider"] for event in told if event["type"] == "usage"} == {"on this device"}


@pytest.mark.parametrize("call_format", ["fenced", "tags", "envelope"])
def test_a_run_in_which_the_model_writes_its_call(host: Page, call_format: str) -> None:
    """Held to the format's grammar, since it is too small to write a call freely."""
    host.evaluate(HOST, call_format)
    result = host.evaluate("test.agent.run('Add a note that says hello')")
    told = events(host)
    assert told[-1]["status"] == "complete"
    [call] = [event for event in told if event["type"] == "step.tool-call"]
    assert call["name"] == "add_note"
    assert host.evaluate("test.notes") == [call["input"]["text"]]
    said = "".join(event["delta"] for event in told if event["type"] == "step.text-delta")
    for mark in ("tool_call", '"actions"', '"arguments"'):  # a call is no text for the page
        assert mark not in said and mark not in result["text"]

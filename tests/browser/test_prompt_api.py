"""The browser's own model, from the agent's worker to the page and back.

No browser that tests can run has such a model: what answers here is a double of the published
interface (fixtures/language_model.js), installed in the page. The worker, Python in it and the
page's own side are the real ones. One test asks the browser itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from building.serve import STRICT_CSP, Options, serving
from tests.support.engine_page import FIXTURES

PLAN = (
    '{"thought": "I add it", "steps": [{"description": "add it", "suggestedTools": ["add_note"]}]}'
)
CALL = '{"actions": [{"tool": "add_note", "args": {"text": "water the fern"}}]}'
REPORT = "It is added."

AGENT = """async ({ replies, double, ...config }) => {
  const { createAgent, defineTool } = await import(new URL("pagehand.js", location.href));
  const test = (globalThis.test = { notes: [], events: [], unused: [...replies] });
  const reply = () => test.unused.shift();
  Object.assign(globalThis.languageModelDouble ?? {}, { reply, ...double });
  test.agent = await createAgent({
    model: "browser",
    tools: {
      add_note: defineTool({
        description: "Add a note",
        inputSchema: {
          type: "object", properties: { text: { type: "string" } }, required: ["text"],
        },
        execute: ({ text }) => test.notes.push(text),
      }),
    },
    onEvent: (event) => test.events.push(event),
    ...config,
  });
}"""

RUN = """async (request) => {
  test.events.length = 0;
  const fault = ({ name, message, retryable, details }) => ({ name, message, retryable, details });
  try {
    return { result: await test.agent.run(request), events: test.events };
  } catch (caught) {
    return { fault: fault(caught), events: test.events };
  }
}"""


@pytest.fixture(scope="module")
def site(built_site: Path) -> Iterator[str]:
    with serving(built_site, Options(csp=STRICT_CSP)) as address:
        yield address


@pytest.fixture(scope="module")
def double(real_browser: Browser, site: str) -> Iterator[Page]:
    """A page with the double in it, which no test has used before."""
    context = real_browser.new_context()
    context.add_init_script(path=FIXTURES / "language_model.js")
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def page(double: Page, site: str) -> Page:
    double.goto(f"{site}NOTICES.txt")
    return double


def open_agent(
    page: Page, *replies: str, double: dict[str, Any] | None = None, **config: Any
) -> None:
    """Make an agent; the model says the replies one after the other."""
    page.evaluate(AGENT, {"replies": list(replies), "double": double or {}, **config})


def run(page: Page, request: str = "Add a note that says water the fern") -> dict[str, Any]:
    told: dict[str, Any] = page.evaluate(RUN, request)
    return told


def loads(told: dict[str, Any]) -> list[tuple[float, str]]:
    return [
        (event["progress"], event["text"])
        for event in told["events"]
        if event["type"] == "model.load"
    ]


def test_a_run_to_its_end(page: Page) -> None:
    open_agent(page, PLAN, CALL, REPORT, "The fern is noted.", double={"contextWindow": 6000})
    told = run(page)
    assert told["result"]["text"] == "The fern is noted."
    assert page.evaluate("test.notes") == ["water the fern"]
    usage = [event for event in told["events"] if event["type"] == "usage"]
    assert {(event["provider"], event["model"]) for event in usage} == {
        ("on this device", "browser")
    }
    assert told["result"]["usage"]["outputTokens"] > 0
    prompts = page.evaluate("languageModelDouble.prompts")
    assert prompts[0]["responseConstraint"]["required"] == ["thought", "steps"]
    assert prompts[3]["responseConstraint"] is None
    # The tool's result goes on in the session that made the call.
    assert [len(prompt["turns"]) for prompt in prompts] == [1, 1, 1, 1]
    assert "TOOL RESULTS" in prompts[2]["turns"][0]["content"]
    assert usage[2]["usage"]["cachedInputTokens"] > usage[1]["usage"]["cachedInputTokens"]
    page.evaluate("test.agent.close()")
    page.wait_for_function("() => languageModelDouble.open === 0")


def test_an_older_browser_and_a_test_of_the_model(page: Page) -> None:
    open_agent(page, PLAN, CALL, REPORT, "Done.", "ok", double={"names": "old"})
    assert run(page)["result"]["text"] == "Done."
    checked = page.evaluate("test.agent.checkModel('browser')")
    assert (checked["text"], checked["model"]) == ("ok", "browser")
    assert checked["usage"]["inputTokens"] > 0


def test_a_download_is_told_as_it_goes(page: Page) -> None:
    open_agent(page, PLAN, CALL, REPORT, "Done.", double={"state": "downloadable"})
    told = run(page)
    assert told["result"]["text"] == "Done."
    assert (0.475, "The browser gets its model: 50 %") in loads(told)
    shares = [share for share, _text in loads(told)]
    assert shares == sorted(shares) and shares[-1] == 1
    assert loads(run(page, "Once more"))[:1] == []


def test_a_download_that_wants_a_click_says_so_and_works_after_one(page: Page) -> None:
    open_agent(
        page, PLAN, CALL, REPORT, "Done.", double={"state": "downloadable", "wantsClick": True}
    )
    fault = run(page)["fault"]
    assert (fault["name"], fault["retryable"]) == ("EngineError", False)
    assert "click" in fault["message"] and fault["details"]["needs"] == "user-activation"
    page.locator("body").click()
    assert run(page)["result"]["text"] == "Done."


def test_a_stop_in_the_middle_of_a_token_leaves_the_model_usable(page: Page) -> None:
    open_agent(page, PLAN, CALL, REPORT, "Done.", double={"holdAfter": 2})
    stopped = page.evaluate(
        """async () => {
          const control = new AbortController();
          const result = await test.agent.run("Add a note that says water the fern", {
            signal: control.signal,
            onEvent: ({ type }) => type === "plan.thought-delta" && control.abort(),
          });
          return result.stopped;
        }"""
    )
    assert stopped is True
    page.wait_for_function(
        "() => languageModelDouble.stopped === 1 && languageModelDouble.open === 1"
    )
    page.evaluate(
        "(replies) => { languageModelDouble.holdAfter = Infinity; test.unused = replies; }",
        [PLAN, CALL, REPORT, "Done."],
    )
    assert run(page)["result"]["text"] == "Done."


def test_a_prompt_that_does_not_fit_is_told_with_its_numbers(page: Page) -> None:
    open_agent(page, double={"contextWindow": 120})
    fault = run(page, "word " * 200)["fault"]
    assert fault["name"] == "ContextWindowExceededError"
    assert fault["details"]["window"] == 120 and fault["details"]["tokens"] > 200
    assert "switch to a model with a larger window" in fault["message"]
    assert page.evaluate("languageModelDouble.prompts") == []


SHARE = """async () => {
  const { createAgent } = await import(new URL("pagehand.js", location.href));
  const other = await createAgent({ model: "browser" });
  const control = new AbortController();
  const begun = Promise.withResolvers();
  const waits = Promise.withResolvers();
  languageModelDouble.reply = () => (begun.resolve(), "one two three");
  const first = test.agent.run("Hold it", { signal: control.signal });
  await begun.promise;
  const second = other.run("Wait for it", { onEvent: ({ type, text }) =>
    type === "model.load" && /busy/.test(text) && waits.resolve(text) });
  const text = await waits.promise;
  languageModelDouble.holdAfter = Infinity;
  control.abort();
  const [{ stopped }, { text: answer }] = await Promise.all([first, second]);
  other.close();
  return { text, stopped, answer };
}"""


def test_two_agents_share_it_and_the_second_waits(page: Page) -> None:
    open_agent(page, double={"holdAfter": 1})
    told = page.evaluate(SHARE)
    assert told["text"] == "Waiting: the model is busy, 1 ahead"
    assert told["stopped"] is True
    assert "one two three" in told["answer"]
    page.wait_for_function("() => languageModelDouble.open > 0")  # the other agent keeps it
    page.evaluate("test.agent.close()")
    page.wait_for_function("() => languageModelDouble.open === 0")


def test_a_browser_that_has_none_says_what_to_do(real_browser: Browser, site: str) -> None:
    """The browser of this machine, without the double."""
    context = real_browser.new_context()
    page = context.new_page()
    page.goto(f"{site}NOTICES.txt")
    state = page.evaluate("globalThis.LanguageModel ? LanguageModel.availability() : 'unavailable'")
    if state != "unavailable":
        pytest.skip("this browser has a model of its own")
    open_agent(page)
    told = run(page)
    assert (told["fault"]["name"], told["fault"]["retryable"]) == ("EngineError", False)
    assert '"embedded"' in told["fault"]["message"]
    assert told["events"][-1]["status"] == "failed"
    page.evaluate("delete globalThis.LanguageModel")
    fault = run(page)["fault"]
    assert "Chrome has one" in fault["message"] and '"web-llm:' in fault["message"]
    context.close()

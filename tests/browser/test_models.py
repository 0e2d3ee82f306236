"""Models as a page names, shows and tests them, through the real worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from building.serve import Options, serving
from pagehand.models.registry import PROVIDERS, list_providers
from tests.support.providers import answers
from tests.support.providers.gemini import Gemini
from tests.support.providers.server import ProviderServer
from tests.support.providers.wire import KEY
from tests.support.scripted_server import Answer, ScriptedServer, calls, fault, text

SECRET = "sk-canary-4711"
ANSWERED = text(json.dumps({"thought": "I see a fern.", "steps": []}))
# A page may reach its own host and the provider of its user, nothing else.
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self' http:"
)
PNG = "iVBORw0KGgo="  # how every PNG begins
OPEN = """async ({ config, secret }) => {
  globalThis.test?.agent?.close();
  const { createAgent } = await import(new URL("pagehand.js", location.href));
  const test = (globalThis.test = { events: [], asked: 0 });
  const accessToken = () => (++test.asked, secret);
  const withToken = ({ providerOptions, ...model }) =>
    ({ ...model, providerOptions: { ...providerOptions, accessToken } });
  const { askForToken, ...rest } = config;
  if (askForToken === "in a list") rest.model = [rest.model[0], withToken(rest.model[1])];
  else if (askForToken) rest.model = withToken(rest.model);
  const onEvent = (event) => test.events.push(event);
  test.agent = await createAgent({ llmMaxRetries: 0, ...rest, onEvent });
}"""
RUN = """async ({ request, image }) => {
  const bytes = Uint8Array.from(atob(image ?? ""), (letter) => letter.charCodeAt(0));
  const images = image ? [new File([bytes], "fern.png", { type: "image/png" })] : [];
  try {
    const result = await test.agent.run(request, { images });
    return { result, events: test.events };
  } catch ({ name, message, retryable, details }) {
    return { fault: { name, message, retryable, details }, events: test.events };
  }
}"""
CHECK = """(model) => test.agent.checkModel(model).catch(
  ({ name, message, details }) => ({ name, message, details }))"""


@pytest.fixture(scope="module")
def site(built_site: Any) -> Iterator[str]:
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


def at(server: ScriptedServer, **more: Any) -> dict[str, Any]:
    """The parts of a model at the scripted server."""
    parts = {"providerType": "openai-compatible", "model": "m", "apiKey": SECRET}
    return parts | {"baseURL": server.url} | more


def open_agent(page: Page, *, secret: str = SECRET, **config: Any) -> None:
    page.evaluate(OPEN, {"config": config, "secret": secret})


def run(page: Page, request: str = "What is it?", image: str | None = None) -> dict[str, Any]:
    told: dict[str, Any] = page.evaluate(RUN, {"request": request, "image": image})
    assert SECRET not in json.dumps(told)
    return told


class TestAttachments:
    def test_an_image_of_the_page_reaches_the_provider(self, host: Page) -> None:
        with ScriptedServer([ANSWERED]) as server:
            open_agent(host, model=at(server))
            told = run(host, image=PNG)
            [request] = server.requests
        assert told["result"]["text"] == "I see a fern."
        [image] = [
            part
            for message in request["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        ]
        assert image["image_url"]["url"] == f"data:image/png;base64,{PNG}"

    def test_a_model_that_sees_none_ends_the_run_before_any_request(self, host: Page) -> None:
        with ScriptedServer([ANSWERED]) as server:
            open_agent(host, model=at(server, providerType="deepseek", model="deepseek-chat"))
            takes = host.evaluate("test.agent.capabilities")
            told = run(host, image=PNG)
            assert server.requests == []
        assert (takes["images"], takes["pdf"]) == (False, False)
        assert "can't take images" in told["result"]["text"]
        [fault_event] = [event for event in told["events"] if event["type"] == "error"]
        assert (fault_event["phase"], fault_event["error"]["name"]) == (
            "run",
            "ImagesNotSupportedError",
        )
        assert told["result"]["usage"] == {}

    def test_what_the_page_knows_better_counts(self, host: Page) -> None:
        with ScriptedServer([ANSWERED]) as server:
            model = at(server, providerType="deepseek", model="deepseek-chat")
            open_agent(host, model=model, vision=True)
            assert host.evaluate("test.agent.capabilities.images") is True
            run(host, image=PNG)
            assert "image_url" in json.dumps(server.requests)


class TestMoney:
    def test_is_told_where_a_price_is_given(self, host: Page) -> None:
        with ScriptedServer([ANSWERED, ANSWERED]) as server:
            prices = {"openai-compatible:m": {"input": 1_000, "output": 10_000}}
            open_agent(host, model=at(server), prices=prices)
            told = run(host)
            dollars = 11 * 0.001 + 7 * 0.01
            assert told["result"]["costUsd"] == pytest.approx(dollars)
            cost = host.evaluate("test.agent.cost")
            assert cost == {"usd": pytest.approx(dollars), "unknown": []}
            open_agent(host, model=at(server))
            assert "costUsd" not in run(host)["result"]
        cost = host.evaluate("test.agent.cost")
        assert cost == {"usd": 0, "unknown": ["openai-compatible:m"]}


class TestLadder:
    def test_goes_to_the_next_model_and_says_so(self, host: Page) -> None:
        with ScriptedServer([fault(503, "no room")]) as full, ScriptedServer([ANSWERED]) as free:
            open_agent(host, model=[at(full, model="first"), at(free, model="second")])
            told = run(host)
            assert [request["model"] for request in full.requests] == ["first"]
            assert [request["model"] for request in free.requests] == ["second"]
        assert told["result"]["text"] == "I see a fern."
        logs = [event["message"] for event in told["events"] if event["type"] == "log"]
        assert any("first" in line and "second" in line for line in logs)
        [spent] = [event for event in told["events"] if event["type"] == "usage"]
        assert spent["model"] == "second"


class TestKeys:
    def test_are_named_and_given_later(self, host: Page) -> None:
        with ScriptedServer([ANSWERED, ANSWERED]) as server:
            open_agent(host, model=at(server, apiKey=None, credentialRef="mine"))
            told = run(host)
            assert told["fault"]["name"] == "AuthenticationError"
            assert server.requests == []
            host.evaluate("(key) => test.agent.credentials.setApiKey('mine', key)", SECRET)
            assert run(host)["result"]["text"] == "I see a fern."
            # A worker that starts anew has it, too.
            host.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
            assert run(host)["result"]["text"] == "I see a fern."
            bearer = [headers["authorization"] for headers in server.headers]
            assert bearer == [f"Bearer {SECRET}"] * 2
            host.evaluate("test.agent.credentials.deleteApiKey('mine')")
            assert run(host)["fault"]["name"] == "AuthenticationError"

    @pytest.mark.parametrize("where", ["alone", "in a list"])
    def test_a_token_is_asked_of_the_page(self, host: Page, where: str) -> None:
        answered = answers.json_text({"thought": "I see a fern.", "steps": []})
        with ProviderServer(Gemini("vertex"), [answered, answered]) as server:
            model: Any = {
                "providerType": "google-vertex",
                "model": "gemini-2.5-pro",
                "baseURL": server.url,
                "providerOptions": {"project": "demo-project", "location": "europe-west1"},
            }
            with ScriptedServer([fault(503, "no room"), fault(503, "no room")]) as full:
                if where == "in a list":
                    model = [at(full), model]
                open_agent(host, model=model, askForToken=where, secret=KEY)
                told = [run(host), run(host)]
            assert server.faults == []
            assert len(server.requests) == 2
        assert [each["result"]["text"] for each in told] == ["I see a fern."] * 2
        assert host.evaluate("test.asked") == 2
        assert KEY not in json.dumps(told)


class TestCheck:
    @pytest.fixture(scope="class", autouse=True)
    def adviser(self, host: Page) -> None:
        """An agent whose own model is never asked."""
        open_agent(host, model="openai:gpt-5-mini")

    def test_tells_that_a_model_works(self, host: Page) -> None:
        with ScriptedServer([text("ok")]) as server:
            told = host.evaluate(CHECK, at(server))
            [request] = server.requests
        assert told["text"] == "ok"
        assert told["usage"]["totalTokens"] == 18
        assert request["model"] == "m"
        assert host.evaluate("test.agent.usage") == {}

    @pytest.mark.parametrize(
        ("answer", "name"),
        [
            (fault(401, f"bad key {SECRET}"), "AuthenticationError"),
            (fault(429, "insufficient_quota"), "QuotaExceededError"),
            (fault(404, "no such model"), "ModelNotFoundError"),
            (Answer(cors=False), "CorsError"),
        ],
    )
    def test_tells_what_is_wrong(self, host: Page, answer: Answer, name: str) -> None:
        with ScriptedServer([answer]) as server:
            told = host.evaluate(CHECK, at(server))
        assert told["name"] == name
        assert SECRET not in json.dumps(told)

    def test_tells_a_wrong_setting(self, host: Page) -> None:
        told = host.evaluate(CHECK, {"providerType": "azure", "model": "m", "apiKey": SECRET})
        assert told["name"] == "ConfigError"
        assert "resource_name" in told["message"]

    def test_lists_the_providers(self, host: Page) -> None:
        assert host.evaluate("test.agent.listProviders()") == list_providers()


class TestPicker:
    def test_offers_tests_and_uses_every_provider_of_the_wheel(
        self, real_browser: Browser, site: str
    ) -> None:
        context = real_browser.new_context()
        page = context.new_page()
        page.goto(site)
        page.get_by_role("button", name="Model:").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name="A model elsewhere").check()
        provider = dialog.get_by_role("combobox", name="Provider")
        expect(provider).to_be_visible(timeout=60_000)
        listed = provider.locator("optgroup option").evaluate_all("all => all.map(o => o.value)")
        assert sorted(listed) == sorted(PROVIDERS)
        plan = json.dumps({"thought": "", "steps": [{"description": "add it"}]})
        work = [text(plan), calls(("add_note", {"text": "water the fern"})), text("Added.")]
        script = [fault(401, "bad key"), text("ok"), *work]
        with ScriptedServer(script) as server:
            provider.select_option("openai-compatible")
            dialog.locator("[name=model]").fill("m")
            dialog.locator("[name=apiKey]").fill(SECRET)
            dialog.locator("[name=baseURL]").fill(server.url)
            dialog.get_by_role("button", name="Test", exact=True).click()
            expect(dialog.locator(".outcome")).to_contain_text("The key was not accepted.")
            dialog.get_by_role("button", name="Test", exact=True).click()
            expect(dialog.locator(".outcome")).to_have_text(
                "It works. m at Your own endpoint answered. The test took 18 tokens."
            )
            dialog.get_by_role("button", name="Use this model").click()
            page.get_by_label("Your request").fill("Add a note that says water the fern")
            page.get_by_label("Your request").press("Enter")
            expect(page.locator(".answer")).to_have_text("Added.", timeout=60_000)
            expect(page.locator("pagehand-notes li")).to_contain_text("water the fern")
            assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
        context.close()

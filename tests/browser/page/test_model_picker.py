"""The choice of the model: every provider, its fields, the test of a key, what becomes of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pagehand.models.registry import PROVIDERS
from tests.browser.page.driving import (
    Opener,
    open_gate,
    run,
    seen,
    send,
    status,
    wait_for_workers,
)

LEFT_BEHIND = """async () => {
  const chat = document.querySelector("pagehand-chat");
  const fields = [...chat.shadowRoot.querySelectorAll("input, select")];
  const shown = [chat.shadowRoot.innerHTML, ...fields.map((each) => each.value)];
  const databases = await indexedDB.databases();
  const stored = [{ ...localStorage }, { ...sessionStorage }, document.cookie, databases];
  return JSON.stringify([shown, stored]).includes("canary");
}"""


def open_picker(page: Page, provider: str | None = None) -> Locator:
    """Open the dialog and, where one is named, choose a provider in it."""
    page.get_by_role("button", name="Model:").click()
    dialog = page.get_by_role("dialog")
    if provider is not None:
        dialog.get_by_role("radio", name="A model elsewhere").check()
        dialog.get_by_role("combobox", name="Provider").select_option(provider)
    return dialog


def fill(dialog: Locator, **fields: str) -> None:
    """Type into fields by their names."""
    for name, text in fields.items():
        dialog.locator(f"[name={name}]").fill(text)


def use(dialog: Locator) -> None:
    """Take the model, and wait until the form is gone."""
    dialog.get_by_role("button", name="Use this model").click()
    expect_closed(dialog)


def expect_closed(dialog: Locator) -> None:
    """The dialog is gone, and with it what was typed."""
    expect(dialog).to_be_hidden()
    expect(dialog.page.locator("pagehand-model-dialog form")).to_have_count(0)


def press_test(dialog: Locator) -> Locator:
    """Press the button that tests; give the line that tells of it."""
    dialog.get_by_role("button", name="Test", exact=True).click()
    return dialog.locator(".outcome")


def created_model(page: Page) -> Any:
    """The model that the last agent was created with."""
    wait_for_workers(page, 1)
    return seen(page)["created"]["config"]["model"]


class TestList:
    def test_offers_every_provider_in_groups(self, open_page: Opener) -> None:
        dialog = open_picker(open_page(), "openai")
        options = dialog.locator("optgroup option").evaluate_all("all => all.map(o => o.value)")
        assert sorted(options) == sorted(PROVIDERS)
        groups = dialog.locator("optgroup").evaluate_all(
            "all => all.map(g => [g.label, [...g.children].map(o => o.value)])"
        )
        by_label = dict(groups)
        assert next(iter(by_label)) == "Answers this page directly"
        assert "anthropic" in by_label["Answers this page directly"]
        assert by_label["On your own machine"] == ["ollama", "lm-studio", "llama.cpp"]
        assert by_label["Another server"] == ["openai-compatible"]
        assert "azure" in by_label["Needs a proxy"]

    @pytest.mark.parametrize("provider", PROVIDERS)
    def test_asks_each_for_what_it_needs(self, open_page: Opener, provider: str) -> None:
        known = PROVIDERS[provider]
        dialog = open_picker(open_page(), provider)
        names = dialog.locator("fieldset input").evaluate_all("all => all.map(i => i.name)")
        options = [name for name in known.options if name != "api"]
        assert len(names) == 3 + len(options)
        hint = dialog.locator("[name=model]").get_attribute("placeholder")
        assert hint not in ("", "The model's name there")
        labels = dialog.locator("fieldset label").all_inner_texts()
        assert not any("_" in label for label in labels)
        assert dialog.locator("input:not([aria-label]):not([id])[type=text]").count() == 0
        if known.advice:
            expect(dialog.locator(".advice")).to_have_text(known.advice)
        link = dialog.get_by_role("link")
        if known.key_page:
            expect(link).to_have_attribute("href", known.key_page)
            expect(link).to_have_attribute("target", "_blank")
            expect(link).to_have_attribute("rel", re.compile("noopener"))
        else:
            expect(link).to_have_count(0)
        secrets = dialog.locator("input[type=password]").evaluate_all("a => a.map(i => i.name)")
        expected = {"secretAccessKey", "sessionToken", "accessToken"} & set(names)
        assert set(secrets) == {"apiKey"} | expected

    def test_says_that_the_list_is_being_loaded(self, open_page: Opener) -> None:
        page = open_page(prelude="globalThis.listGate = 'list';")
        dialog = open_picker(page)
        dialog.get_by_role("radio", name="A model elsewhere").check()
        expect(dialog.get_by_role("status")).to_contain_text(["Loading the list", ""])
        expect(dialog.get_by_role("button", name="Use this model")).to_be_disabled()
        open_gate(page, "list")
        expect(dialog.get_by_role("combobox", name="Provider")).to_be_visible()

    def test_says_why_there_is_no_list_and_asks_again(self, open_page: Opener) -> None:
        fault = {"name": "Error", "message": "The worker is busy.", "retryable": True}
        page = open_page(prelude=f"globalThis.listFault = {json.dumps(fault)};")
        dialog = open_picker(page)
        dialog.get_by_role("radio", name="A model elsewhere").check()
        expect(dialog).to_contain_text("could not be loaded. The worker is busy.")
        page.workers[0].evaluate("listFault = null")
        dialog.get_by_role("button", name="Try again").click()
        expect(dialog.get_by_role("combobox", name="Provider")).to_be_visible()

    def test_is_there_where_the_page_s_own_model_cannot_be_made(self, open_page: Opener) -> None:
        message = "azure needs provider_options.resource_name, or a base_url."
        fault = json.dumps({"name": "ConfigError", "message": message, "retryable": False})
        wrong = f"globalThis.createFault = {fault};"
        page = open_page(prelude=wrong)
        expect(page.get_by_role("alert")).to_contain_text(message)
        page.context.unroute_all()
        page.get_by_role("alert").get_by_role("button", name="Change the model").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name="A model elsewhere").check()
        dialog.get_by_role("combobox", name="Provider").select_option("ollama")
        fill(dialog, model="qwen3")
        expect(press_test(dialog)).to_contain_text("It works")
        use(dialog)
        run(page, "#plain go")
        assert created_model(page) == {"providerType": "ollama", "model": "qwen3"}


class TestForm:
    def test_does_not_go_on_without_what_is_needed(self, open_page: Opener) -> None:
        dialog = open_picker(open_page(), "azure")
        choose = dialog.get_by_role("button", name="Use this model")
        for name in ("model", "apiKey", "resourceName"):
            choose.click()
            field = dialog.locator(f"[name={name}]")
            expect(field).to_be_focused()
            assert field.evaluate("each => each.validity.valueMissing")
            field.fill("x")
        use(dialog)

    def test_needs_no_resource_name_and_no_key_at_another_address(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "azure")
        fill(dialog, model="m", baseURL="https://proxy.example/openai/v1")
        use(dialog)
        run(page, "#plain go")
        assert created_model(page) == {
            "providerType": "azure",
            "model": "m",
            "baseURL": "https://proxy.example/openai/v1",
        }

    def test_asks_for_a_provider_first(self, open_page: Opener) -> None:
        dialog = open_picker(open_page())
        dialog.get_by_role("radio", name="A model elsewhere").check()
        dialog.get_by_role("button", name="Use this model").click()
        expect(dialog.get_by_role("combobox", name="Provider")).to_be_focused()

    def test_carries_nothing_from_one_provider_to_another(self, open_page: Opener) -> None:
        dialog = open_picker(open_page(), "openai")
        fill(dialog, model="gpt-5-mini", apiKey="sk-1", baseURL="https://a.example")
        dialog.get_by_role("combobox", name="Provider").select_option("xai")
        values = dialog.locator("fieldset input").evaluate_all("all => all.map(i => i.value)")
        assert values == ["", "", ""]

    def test_gives_a_provider_s_settings_and_secrets(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "amazon-bedrock")
        fill(
            dialog,
            model="amazon.nova-lite-v1:0",
            region="eu-west-1",
            accessKeyId="AKIA",
            secretAccessKey="canary",
        )
        use(dialog)
        run(page, "#plain go")
        assert created_model(page) == {
            "providerType": "amazon-bedrock",
            "model": "amazon.nova-lite-v1:0",
            "providerOptions": {
                "region": "eu-west-1",
                "accessKeyId": "AKIA",
                "secretAccessKey": "canary",
            },
        }
        assert not page.evaluate(LEFT_BEHIND)
        dialog = open_picker(page)
        expect(dialog.locator("[name=accessKeyId]")).to_have_value("AKIA")
        expect(dialog.locator("[name=secretAccessKey]")).to_have_value("")
        expect(dialog.locator("[name=secretAccessKey]")).to_have_attribute(
            "placeholder", re.compile("^Kept")
        )


class TestKeys:
    def test_stay_in_memory_and_leave_no_trace(self, open_page: Opener) -> None:
        page = open_page()
        run(page, "#plain first")
        dialog = open_picker(page, "openai-compatible")
        fill(dialog, model="small-1", baseURL="https://api.example.org/v1", apiKey="sk-canary")
        use(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text("small-1")
        run(page, "#plain with the new model")
        assert created_model(page) == {
            "providerType": "openai-compatible",
            "baseURL": "https://api.example.org/v1",
            "model": "small-1",
            "apiKey": "sk-canary",
        }
        assert seen(page)["enginePorts"] == 0
        assert not page.evaluate(LEFT_BEHIND)

    def test_that_were_typed_are_forgotten_when_the_dialog_is_closed(
        self, open_page: Opener
    ) -> None:
        page = open_page()
        dialog = open_picker(page, "openai")
        fill(dialog, model="gpt-5-mini", apiKey="sk-canary")
        expect(press_test(dialog)).to_contain_text("It works")
        page.keyboard.press("Escape")
        expect_closed(dialog)
        assert not page.evaluate(LEFT_BEHIND)
        dialog = open_picker(page, "openai")
        expect(dialog.locator("[name=apiKey]")).to_have_value("")
        expect(dialog.locator("[name=apiKey]")).to_have_attribute("placeholder", "Paste it here")

    def test_stay_with_their_address(self, open_page: Opener) -> None:
        page = open_page()

        def key_after(**fields: str) -> str | None:
            dialog = open_picker(page, "openai")
            fill(dialog, **fields)
            use(dialog)
            run(page, "#plain ask")
            given: str | None = created_model(page).get("apiKey")
            return given

        assert key_after(model="small-1", apiKey="sk-1") == "sk-1"
        dialog = open_picker(page)
        key = dialog.locator("[name=apiKey]")
        expect(key).to_have_attribute("placeholder", "Kept; type to replace")
        fill(dialog, baseURL="https://other.example.org/v1")
        expect(key).to_have_attribute("placeholder", "Not every server needs one")
        page.keyboard.press("Escape")
        assert key_after(model="small-2") == "sk-1"
        assert key_after(apiKey="sk-2") == "sk-2"
        assert key_after(baseURL="https://other.example.org/v1") is None

    def test_of_the_page_do_not_go_to_a_picked_model(self, open_page: Opener) -> None:
        page = open_page()
        page.evaluate(
            """() => {
              const chat = document.querySelector("pagehand-chat");
              chat.ownModel = null;
              chat.config = {
                model: "openai:gpt-5-mini", apiKey: "sk-canary", planner: { model: "gpt-5" },
              };
            }"""
        )
        dialog = open_picker(page, "ollama")
        expect(dialog.get_by_role("radio", name="openai:gpt-5-mini")).to_be_visible()
        fill(dialog, model="qwen3")
        use(dialog)
        run(page, "#plain go")
        assert created_model(page) == {"providerType": "ollama", "model": "qwen3"}
        assert "canary" not in json.dumps(seen(page))


class TestTest:
    def test_says_that_it_works_and_what_it_took(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "openai")
        fill(dialog, model="gpt-5-mini", apiKey="sk-1")
        expect(press_test(dialog)).to_have_text(
            "It works. gpt-5-mini at OpenAI answered. The test took 18 tokens."
        )
        assert seen(page)["checked"] == [
            {"providerType": "openai", "model": "gpt-5-mini", "apiKey": "sk-1"}
        ]
        assert seen(page)["created"]["config"].get("model") is None
        fill(dialog, model="gpt-5")
        expect(dialog.locator(".outcome")).to_have_text("")

    def test_says_whom_it_asks_and_asks_once(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "ollama")
        fill(dialog, model="held")
        outcome = press_test(dialog)
        expect(outcome).to_have_text("Asking held at Ollama")
        expect(outcome).to_have_role("status")
        page.keyboard.press("Enter")
        open_gate(page, "held")
        expect(outcome).to_contain_text("It works")
        assert len(seen(page)["checked"]) == 1

    def test_is_given_up_by_closing_and_by_another_field(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "ollama")
        fill(dialog, model="held-1")
        expect(press_test(dialog)).to_contain_text("Asking held-1")
        dialog.get_by_role("button", name="Cancel").click()
        dialog = open_picker(page, "ollama")
        fill(dialog, model="held-2")
        expect(press_test(dialog)).to_contain_text("Asking held-2")
        open_gate(page, "held-1")
        fill(dialog, model="held-3")
        expect(press_test(dialog)).to_contain_text("Asking held-3")
        open_gate(page, "held-2")
        open_gate(page, "held-3")
        expect(dialog.locator(".outcome")).to_contain_text("It works. held-3")

    def test_uses_the_words_of_the_error_card(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "openai")
        fill(dialog, model="refused", apiKey="sk-1")
        outcome = press_test(dialog)
        expect(outcome).to_have_attribute("data-state", "failed")
        expect(outcome).to_contain_text("The key was not accepted.")
        expect(outcome).to_contain_text("check the API key")
        page.keyboard.press("Escape")
        send(page, "#key go")
        expect(page.get_by_role("alert").get_by_role("heading")).to_have_text(
            "The key was not accepted"
        )

    def test_offers_the_name_that_was_meant(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "openai")
        fill(dialog, model="gpt-5-mni", apiKey="sk-1")
        outcome = press_test(dialog)
        expect(outcome).to_contain_text("The model was not found.")
        outcome.get_by_role("button", name="Test gpt-5-mini").click()
        expect(outcome).to_contain_text("It works. gpt-5-mini at OpenAI")
        expect(dialog.locator("[name=model]")).to_have_value("gpt-5-mini")
        use(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text("gpt-5-mini")

    def test_asks_for_what_is_needed_first(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_picker(page, "openai")
        press_test(dialog)
        expect(dialog.locator("[name=model]")).to_be_focused()
        assert seen(page)["checked"] == []


class TestFailedRun:
    def test_offers_the_name_that_was_meant_and_tries_again(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#mistyped go")
        card = page.get_by_role("alert")
        expect(card).to_contain_text("The model was not found")
        expect(card.get_by_role("button")).to_have_text(["Change the model"])
        dialog = open_picker(page, "openai")
        fill(dialog, model="gpt-5-mni", apiKey="sk-1")
        use(dialog)
        send(page, "#mistyped go")
        expect(card).to_have_count(2)
        again = card.last.get_by_role("button", name="Try again with gpt-5-mini")
        again.click()
        expect(page.get_by_role("button", name="Model:")).to_contain_text("gpt-5-mini")
        expect(page.locator("article.run")).to_have_count(3)
        expect(status(page)).to_have_text(re.compile("^Failed"))
        wait_for_workers(page, 1)
        assert created_model(page) == {
            "providerType": "openai",
            "model": "gpt-5-mini",
            "apiKey": "sk-1",
        }
        # The name has been taken: what failed was another one.
        expect(page.get_by_role("button", name="Try again with")).to_have_count(0)


class TestDialog:
    def test_goes_back_to_this_device(self, open_page: Opener) -> None:
        page = open_page()
        expect(status(page)).to_have_text("Ready")
        assert seen(page)["enginePorts"] == 1
        dialog = open_picker(page, "ollama")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_be_hidden()
        dialog = open_picker(page)
        expect(dialog.get_by_role("radio", name="On this device")).to_be_checked()
        use(dialog)
        run(page, "#plain again")
        assert "model" not in seen(page)["created"]["config"]
        assert seen(page)["boots"] == 1

    def test_closes_with_escape_and_stops_no_run(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#stream for ever")
        expect(page.locator(".answer")).to_contain_text("And more")
        dialog = open_picker(page)
        page.keyboard.press("Escape")
        expect_closed(dialog)
        expect(page.get_by_role("button", name="Model:")).to_be_focused()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()

    def test_needs_no_mouse(self, open_page: Opener) -> None:
        page = open_page()
        page.get_by_role("button", name="Model:").focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("radio", name="On this device")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(dialog.get_by_role("radio", name="A model elsewhere")).to_be_checked()
        expect(dialog.get_by_role("combobox", name="Provider")).to_be_visible()
        page.keyboard.press("Tab")
        expect(dialog.get_by_role("combobox", name="Provider")).to_be_focused()
        page.keyboard.type("Oll")
        expect(dialog.get_by_role("combobox", name="Provider")).to_have_value("ollama")
        page.keyboard.press("Tab")
        page.keyboard.type("qwen3")
        for _ in range(3):
            page.keyboard.press("Tab")
        expect(dialog.get_by_role("button", name="Test", exact=True)).to_be_focused()
        page.keyboard.press("Space")
        expect(dialog.locator(".outcome")).to_contain_text("It works")
        expect(dialog.get_by_role("button", name="Test", exact=True)).to_be_focused()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("button", name="Model:")).to_contain_text("qwen3")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [360, 1280])
    def test_fits_and_can_be_read(self, open_page: Opener, width: int, scheme: str) -> None:
        page = open_page(width, color_scheme=scheme)
        dialog = open_picker(page, "amazon-bedrock")
        fill(dialog, model="averylongname" * 9, region="r", accessKeyId="a", secretAccessKey="s")
        expect(press_test(dialog)).to_contain_text("It works")
        assert dialog.evaluate("d => d.scrollWidth - d.clientWidth") <= 0
        box = dialog.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= 800
        for name in ("Test", "Cancel", "Use this model"):
            expect(dialog.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        expect(dialog.locator(".outcome")).to_be_in_viewport(ratio=1)
        assert dialog.evaluate(UNREADABLE) == []


# Texts whose colour is too near to the dialog's ground, as WCAG counts it.
UNREADABLE = """(dialog) => {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const luminance = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
      value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = luminance(getComputedStyle(dialog).backgroundColor);
  return [...dialog.querySelectorAll("h2, b, small, p, a, label, select, input, .icon")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.textContent, luminance(getComputedStyle(each).color)])
    .filter(([, mark]) => (Math.max(mark, ground) + 0.05) / (Math.min(mark, ground) + 0.05) < 4.5);
}"""

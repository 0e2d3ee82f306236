"""Models on this device: choosing one, loading it, what is kept, what is proposed, and the names
that pagehand.js has for them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page.driving import Opener, run, send, status, worker_of
from tests.browser.page.test_model_picker import UNREADABLE, expect_closed, open_picker, use
from tests.support.engine_page import FIXTURES

GIB = 2**30
DOUBLE = (FIXTURES / "language_model.js").read_text()
QWEN = "Qwen3-4B-q4f32_1-MLC"


def gpu(*features: str, buffer: int = 2 * GIB) -> str:
    """A script that gives the page a GPU to look at."""
    limits = {"maxBufferSize": buffer, "maxStorageBufferBindingSize": buffer}
    return f"""Object.defineProperty(navigator, "gpu", {{ value: {{
      requestAdapter: async () => (
        {{ features: new Set({json.dumps(features)}), limits: {json.dumps(limits)} }}),
    }} }});"""


GPU = gpu("shader-f16")
ADVICE = {
    "model": "web-llm:Qwen3-0.6B-q4f16_1-MLC",
    "reason": "It fits, and is stored here already.",
    "sizeBytes": 0,
    "alternatives": [],
}


def advising(advice: dict[str, Any]) -> str:
    return f"globalThis.advice = {json.dumps(advice)};"


def open_local(page: Page, kind: str | None = None) -> Locator:
    """Open the dialog at the models on this device."""
    dialog = open_picker(page)
    dialog.get_by_role("radio", name="Another local model").check()
    if kind is not None:
        dialog.get_by_role("radio", name=kind).check()
    return dialog


def asked(page: Page) -> list[Any]:
    """What the engine worker was asked for."""
    told: list[Any] = worker_of(page, "engine").evaluate("asked")
    return told


def model_in_use(page: Page) -> Any:
    """The model that the page's newest agent was made with."""
    run(page, "#plain go")
    return worker_of(page, "agent").evaluate("seen.created.config.model")


class TestPicker:
    def test_offers_what_this_device_can_run(self, open_page: Opener) -> None:
        dialog = open_local(open_page(init=GPU), "WebLLM")
        labels = dialog.locator("pagehand-device-models .option b").all_inner_texts()
        assert labels == ["The browser's own model", "A model of WebLLM's list", "A GGUF file"]
        expect(dialog.locator(".models b")).to_have_text(
            [  # what is kept comes first, then what takes least memory
                "Qwen3-0.6B-q4f16_1-MLC",
                "Llama-3.2-1B-Instruct-q4f32_1-MLC",
                "Qwen3-4B-q4f16_1-MLC",
                QWEN,
                "Llama-3.1-8B-Instruct-q4f32_1-MLC-1k",
            ]
        )
        first, last = dialog.locator(".models li").first, dialog.locator(".models li").last
        expect(first).to_contain_text("1.5 GB of GPU memory · 4 096 tokens")
        expect(first).to_contain_text("kept here, 352 MB")
        expect(last).to_contain_text("It needs a GPU buffer of 3.2 GB; here are at most 2.1 GB.")
        expect(last.get_by_role("radio")).to_be_disabled()

    def test_searches_by_words(self, open_page: Opener) -> None:
        dialog = open_local(open_page(init=GPU), "WebLLM")
        search = dialog.get_by_role("searchbox", name="Search")
        search.fill("4b QWEN")
        expect(dialog.locator(".models b")).to_have_text(["Qwen3-4B-q4f16_1-MLC", QWEN])
        expect(dialog.get_by_role("status").first).to_contain_text("2 models of 5")
        search.press("Enter")
        expect(dialog).to_be_visible()

    def test_says_what_a_model_misses(self, open_page: Opener) -> None:
        dialog = open_local(open_page(init=gpu()), "WebLLM")
        item = dialog.get_by_role("radio", name="Qwen3-4B-q4f16_1-MLC")
        expect(item).to_be_disabled()
        expect(item).to_have_accessible_name(re.compile("shader-f16.*Take its build with f32"))

    def test_says_once_that_there_is_no_gpu(self, open_page: Opener) -> None:
        dialog = open_local(open_page())
        option = dialog.get_by_role("radio", name="WebLLM")
        expect(option).to_be_disabled()
        expect(option).to_have_accessible_name(re.compile("needs WebGPU, which this browser does"))
        expect(dialog.locator(".models")).to_have_count(0)

    def test_takes_a_model_with_a_window(self, open_page: Opener) -> None:
        page = open_page(init=GPU)
        dialog = open_local(page, "WebLLM")
        dialog.get_by_role("radio", name=QWEN).check()
        window = dialog.get_by_role("spinbutton", name="Context window")
        expect(window).to_have_attribute("placeholder", re.compile("the model's own, 4.096"))
        window.fill("8192")
        use(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text(QWEN)
        assert model_in_use(page) == {
            "providerType": "web-llm",
            "model": QWEN,
            "providerOptions": {"contextWindowTokens": 8192},
        }
        dialog = open_picker(page)
        expect(dialog.get_by_role("radio", name="Another local model")).to_be_checked()
        expect(dialog.get_by_role("radio", name=QWEN)).to_be_checked()
        expect(window).to_have_value("8192")
        window.fill("")
        use(dialog)
        assert model_in_use(page) == f"web-llm:{QWEN}"

    def test_takes_a_gguf_from_an_address(self, open_page: Opener) -> None:
        page = open_page()
        dialog = open_local(page, "GGUF")
        dialog.get_by_role("button", name="Use this model").click()
        address = dialog.get_by_role("textbox", name="Address of the file")
        expect(address).to_be_focused()
        address.fill("https://models.example/a/small.gguf")
        use(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text("small.gguf")
        assert model_in_use(page) == "wllama:https://models.example/a/small.gguf"

    @pytest.mark.parametrize(
        ("state", "words"),
        [
            ("available", "nothing is downloaded"),
            ("downloadable", "downloads it before the first run"),
            ("downloading", "is downloading it"),
        ],
    )
    def test_takes_the_browser_s_own(self, open_page: Opener, state: str, words: str) -> None:
        page = open_page(init=f"{DOUBLE}; languageModelDouble.state = '{state}';")
        dialog = open_local(page, "The browser's own model")
        expect(dialog).to_contain_text(words)
        use(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text("The browser's own model")
        assert model_in_use(page) == "browser"

    def test_does_not_offer_the_browser_s_own_where_there_is_none(self, open_page: Opener) -> None:
        dialog = open_local(open_page())
        expect(dialog.get_by_role("radio", name="The browser's own model")).to_be_disabled()
        expect(dialog).to_contain_text("Not here. Chrome and Edge have one")

    def test_offers_the_site_s_model_where_the_page_has_another(self, open_page: Opener) -> None:
        page = open_page()
        page.evaluate("document.querySelector('pagehand-chat').config = { model: 'openai:m' }")
        use(open_local(page, "The site's small model"))
        assert model_in_use(page) == "embedded"

    def test_deletes_what_is_kept(self, open_page: Opener) -> None:
        page = open_page(init=GPU)
        dialog = open_local(page, "WebLLM")
        kept = dialog.locator(".kept")
        expect(kept.locator("li")).to_have_count(3)
        kept.get_by_role("button", name="Delete Qwen3-0.6B-q4f16_1-MLC").click()
        expect(kept.locator("li")).to_have_count(2)
        expect(dialog.locator(".models .mark")).to_have_count(0)
        expect(dialog.get_by_role("radio", name="WebLLM")).to_be_focused()
        assert ["delete", "web-llm:Qwen3-0.6B-q4f16_1-MLC"] in asked(page)

    def test_says_why_it_knows_nothing_and_looks_again(self, open_page: Opener) -> None:
        page = open_page(expected_faults="Failed to load resource")
        page.context.route("**/ui/device_models*.js", lambda route: route.abort())
        dialog = open_local(page)
        expect(dialog).to_contain_text("could not be listed")
        page.context.unroute_all()
        expect(dialog.get_by_role("button", name="Use this model")).to_be_disabled()
        expect(dialog.get_by_role("button", name="Try again")).to_be_visible()


class TestLoadNow:
    def test_loads_the_model_and_keeps_it_for_its_agent(self, open_page: Opener) -> None:
        page = open_page(init=GPU)
        dialog = open_local(page, "WebLLM")
        dialog.get_by_role("radio", name=QWEN).check()
        dialog.get_by_role("button", name="Load now").click()
        outcome = dialog.locator(".outcome")
        expect(outcome).to_contain_text("Getting the model: 62 %")
        expect(outcome.get_by_role("progressbar")).to_have_js_property("value", 0.62)
        worker_of(page, "engine").evaluate("finishLoad()")
        expect(outcome).to_have_text(f"It is ready. {QWEN} is in memory.")
        use(dialog)
        assert model_in_use(page) == f"web-llm:{QWEN}"
        assert asked(page) == [["preload", {"model": f"web-llm:{QWEN}", "options": {}}]]

    def test_is_given_up_by_another_choice(self, open_page: Opener) -> None:
        page = open_page(init=GPU)
        dialog = open_local(page, "WebLLM")
        dialog.get_by_role("radio", name=QWEN).check()
        dialog.get_by_role("button", name="Load now").click()
        expect(dialog.locator(".outcome")).to_contain_text("62 %")
        dialog.get_by_role("radio", name="GGUF").check()
        expect(dialog.locator(".outcome")).to_have_text("")
        expect_asked(page, ["given up", f"web-llm:{QWEN}"])

    def test_says_why_it_could_not(self, open_page: Opener) -> None:
        dialog = open_local(open_page(), "GGUF")
        dialog.get_by_role("textbox", name="Address").fill("https://models.example/broken.gguf")
        dialog.get_by_role("button", name="Load now").click()
        outcome = dialog.locator(".outcome")
        expect(outcome).to_contain_text("The model on this device could not run.")
        expect(outcome).to_contain_text("Name the address of a GGUF file.")

    def test_has_the_browser_fetch_its_own(self, open_page: Opener) -> None:
        page = open_page(init=f"{DOUBLE}; languageModelDouble.state = 'downloadable';")
        dialog = open_local(page, "The browser's own model")
        dialog.get_by_role("button", name="Load now").click()
        expect(dialog.locator(".outcome")).to_contain_text("The browser's own model is in memory")
        assert page.evaluate("languageModelDouble.open") == 1
        page.keyboard.press("Escape")
        expect_closed(dialog)
        page.wait_for_function("() => languageModelDouble.open === 0")  # it was not taken


def expect_asked(page: Page, what: list[str]) -> None:
    worker_of(page, "engine").evaluate(
        """async (what) => {
          const found = () => asked.some((each) => JSON.stringify(each) === what);
          while (!found()) await new Promise((resolve) => setTimeout(resolve, 10));
        }""",
        json.dumps(what, separators=(",", ":")),
    )


class TestAdvice:
    def test_proposes_a_model_and_takes_it(self, open_page: Opener) -> None:
        page = open_page(init=GPU, prelude=advising(ADVICE))
        dialog = open_picker(page)
        proposal = dialog.locator(".proposal")
        expect(proposal).to_contain_text("Proposed for this device. It fits")
        device = worker_of(page, "agent").evaluate("seen.device")
        assert device["webgpu"] == {
            "available": True,
            "shaderF16": True,
            "maxBufferBytes": 2 * GIB,
            "maxStorageBufferBytes": 2 * GIB,
        }
        assert device["browserModel"] == "unavailable" and device["isolated"] is False
        assert device["cores"] >= 1 and device["storageBytes"] > 0
        assert "web-llm:Qwen3-0.6B-q4f16_1-MLC" in device["cached"]
        proposal.get_by_role("button", name="Take it: Qwen3-0.6B").click()
        expect_closed(dialog)
        assert model_in_use(page) == ADVICE["model"]
        dialog = open_picker(page)
        worker_of(page, "agent")
        expect(dialog.locator(".proposal")).to_contain_text("In use, and proposed")
        expect(dialog.locator(".proposal").get_by_role("button")).to_have_count(0)

    def test_proposes_the_page_s_own_where_it_is_that(self, open_page: Opener) -> None:
        page = open_page(prelude=advising({**ADVICE, "model": "embedded"}))
        expect(open_picker(page).locator(".proposal")).to_contain_text("In use, and proposed")

    def test_says_that_nothing_fits(self, open_page: Opener) -> None:
        page = open_page(prelude=advising({**ADVICE, "model": None, "reason": "Nothing fits."}))
        proposal = open_picker(page).locator(".proposal")
        expect(proposal).to_have_text("Nothing fits.")

    def test_is_not_missed_where_there_is_none(self, open_page: Opener) -> None:
        page = open_page(prelude="globalThis.advice = undefined;")
        dialog = open_local(page)
        expect(dialog.get_by_role("radio", name="GGUF")).to_be_visible()
        expect(dialog.locator(".proposal")).to_have_count(0)


class TestLook:
    def test_needs_no_mouse(self, open_page: Opener) -> None:
        page = open_page(init=GPU)
        dialog = open_picker(page)
        page.keyboard.press("ArrowDown")
        expect(dialog.get_by_role("radio", name="Another local model")).to_be_checked()
        webllm = dialog.get_by_role("radio", name="WebLLM")
        expect(webllm).to_be_visible()
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(webllm).to_be_checked()  # the first that can be chosen
        page.keyboard.press("Tab")
        expect(dialog.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("llama 1b")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(dialog.get_by_role("radio", name="Llama-3.2-1B")).to_be_checked()
        page.keyboard.press("Tab")
        expect(dialog.get_by_role("spinbutton")).to_be_focused()
        page.keyboard.press("Enter")
        expect_closed(dialog)
        expect(page.get_by_role("button", name="Model:")).to_contain_text("Llama-3.2-1B")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [360, 1280])
    def test_fits_and_can_be_read(self, open_page: Opener, width: int, scheme: str) -> None:
        page = open_page(width, color_scheme=scheme, init=GPU, prelude=advising(ADVICE))
        dialog = open_local(page, "WebLLM")
        dialog.get_by_role("radio", name=QWEN).check()
        dialog.get_by_role("button", name="Load now").click()
        expect(dialog.locator(".outcome")).to_contain_text("62 %")
        assert dialog.evaluate("d => d.scrollWidth - d.clientWidth") <= 0
        assert dialog.locator(".models").evaluate("d => d.scrollWidth - d.clientWidth") <= 0
        for name in ("Load now", "Cancel", "Use this model"):
            expect(dialog.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        expect(dialog.locator(".outcome")).to_be_in_viewport(ratio=1)
        assert dialog.evaluate(UNREADABLE) == []

    def test_the_line_says_that_the_model_is_busy(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#queued go")
        expect(status(page)).to_have_text("Waiting: the model is busy, 1 ahead")
        worker_of(page, "agent").evaluate("open('turn')")
        expect(status(page)).to_have_text(re.compile("^Done in"))


@pytest.fixture
def host(open_page: Opener) -> Page:
    """A page that has nothing but the library on it, and a GPU."""
    return open_page(path="host.html", init=GPU)


def script(page: Page, body: str) -> Any:
    module = 'const library = await import("./pagehand.js");'
    return page.evaluate(f"async () => {{ {module} {body} }}")


class TestNames:
    def test_tell_what_there_is_and_what_is_kept(self, host: Page) -> None:
        told = script(
            host,
            """
            const { isWebGPUAvailable, listLocalModels, cachedModels } = library;
            return [await isWebGPUAvailable(), await listLocalModels(), await cachedModels()];
            """,
        )
        available, models, kept = told
        assert available is True
        assert [each["model"] for each in models if each["whyNot"]] == [
            "web-llm:Llama-3.1-8B-Instruct-q4f32_1-MLC-1k"
        ]
        assert [each["model"] for each in models if each["cached"]] == [kept[2]["model"]]

    def test_load_a_model_of_webllm_and_let_it_go(self, host: Page) -> None:
        host.evaluate(
            """async () => {
              const { createWebLLMModel } = await import("./pagehand.js");
              globalThis.news = [];
              globalThis.made = createWebLLMModel("Qwen3-4B-q4f32_1-MLC", {
                contextWindowTokens: 8192, onProgress: (each) => news.push(each),
              });
            }"""
        )
        host.wait_for_function("() => news.length === 1")
        worker_of(host, "engine").evaluate("finishLoad()")
        assert host.evaluate("made") == {
            "providerType": "web-llm",
            "model": QWEN,
            "providerOptions": {"contextWindowTokens": 8192},
        }
        asked_for = {"model": f"web-llm:{QWEN}", "options": {"contextWindow": 8192}}
        assert asked(host) == [["preload", asked_for]]
        with worker_of(host, "engine").expect_event("close"):
            script(host, "await library.unloadWebLLMModel(await made);")

    def test_take_a_model_out_of_a_config_without_loading_it(self, host: Page) -> None:
        made = script(
            host,
            """
            const { createWebLLMModel, withWebLLMContextWindow, webLLMContextWindow } = library;
            const own = { model_list: [{ model_id: "mine", model: "https://m.example/mine",
                                         model_lib: "https://m.example/mine.wasm" }] };
            const appConfig = withWebLLMContextWindow(own, "mine", 2048);
            const engineConfig = { appConfig };
            const model = await createWebLLMModel("mine", { preload: false, engineConfig });
            return [model, webLLMContextWindow(appConfig, "mine")];
            """,
        )
        assert made == [
            {
                "providerType": "web-llm",
                "model": "mine",
                "providerOptions": {
                    "modelUrl": "https://m.example/mine",
                    "modelLibUrl": "https://m.example/mine.wasm",
                    "overrides": {"context_window_size": 2048},
                },
            },
            2048,
        ]

    def test_refuse_what_is_no_model_on_this_device(self, host: Page) -> None:
        fault = script(
            host,
            """return library.preloadWebLLMModel("openai:m").catch(
                 ({ name, message }) => ({ name, message }));""",
        )
        assert fault["name"] == "ConfigError" and "web-llm:<id>" in fault["message"]

    @pytest.mark.parametrize(
        ("init", "model"),
        [
            (f"{DOUBLE}", "browser"),
            (f"{DOUBLE}; languageModelDouble.state = 'downloadable';", "embedded"),
            (GPU, "web-llm:Qwen3-0.6B-q4f16_1-MLC"),
            ("", "embedded"),
        ],
    )
    def test_auto_takes_the_best_that_is_here_and_says_so(
        self, open_page: Opener, init: str, model: str
    ) -> None:
        page = open_page(path="host.html", init=init)
        told = script(
            page,
            """
            const agent = await library.createAgent({ model: "auto", planner: "auto" });
            const events = [];
            await agent.run("#plain go", { onEvent: (event) => events.push(event) });
            await agent.checkModel({ model: "auto" });
            return events;
            """,
        )
        config = worker_of(page, "agent").evaluate("seen.created.config")
        assert (config["model"], config["planner"]) == (model, model)
        assert worker_of(page, "agent").evaluate("seen.checked")[0]["model"] == model
        assert told[1]["type"] == "log" and told[1]["level"] == "info"
        assert told[1]["message"].startswith(f'The model "auto" is {model}: ')
        assert told[1]["runId"] == told[0]["runId"]

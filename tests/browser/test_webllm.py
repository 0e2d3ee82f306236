"""WebLLM in the engine worker, in a real browser, under a strict policy.

The package is the real one. Without a GPU its inference cannot run, so the deepest seam that does
without one is used: TVM's runtime (tests/browser/fixtures/webllm_stub.js). The package's engine,
caches, chat templates, tokenizer, grammars, stop texts and counts are its own; the stub gives the
next token of a model that repeats the last message.

With PAGEHAND_WEBLLM_MODEL_URL set to an id of WebLLM's list, or to the URL of a model's folder with
"#" and the URL of its library behind it, the tests of what any model does run on that model too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from building.browser import FLAGS, find
from building.steps import ROOT, run
from tests.support.engine_page import FIXTURES, Engine, open_engine, served
from tests.support.faulty_site import Fault, FaultySite
from tests.support.webllm_model import WEIGHTS, WINDOW, write_model

REAL_MODEL = os.environ.get("PAGEHAND_WEBLLM_MODEL_URL", "")
ANYWHERE = "connect-src *; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'"
STUBBED = "web-llm:/model#/model/lib.wasm"
ANSWER = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green"]}, "count": {"type": "integer"}},
    "required": ["colour", "count"],
    "additionalProperties": False,
}


def asked(text: str, *before: tuple[str, str]) -> list[dict[str, str]]:
    """A conversation that ends with what the user says."""
    turns = [*before, ("user", text)]
    return [{"role": role, "content": content} for role, content in turns]


def texts_of(answer: dict[str, Any]) -> str:
    return "".join(step["text"] for step in answer["progress"] if step["kind"] == "text")


@pytest.fixture(scope="module")
def stub_files(built_site: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The stubbed library in place of the site's, and the files of its model."""
    folder = tmp_path_factory.mktemp("webllm")
    bundle = folder / "web-llm.js"
    entry = ROOT / "building" / "vendor_entries" / "web-llm.js"
    script = FIXTURES / "bundle_webllm_stub.mjs"
    run(["node", script, ROOT / "web" / "node_modules", entry, bundle], quiet=True)
    (library,) = (built_site / "vendor").glob("web-llm.*.js")
    return {f"vendor/{library.name}": bundle, **write_model(folder)}


@pytest.fixture
def site(built_site: Path, stub_files: dict[str, Path]) -> Iterator[FaultySite]:
    """A site with the stub, for tests that need an engine or a storage of their own."""
    with served(built_site, added=stub_files) as server:
        yield server


@dataclass
class Loaded:
    """An engine with a model in it; `echo` says that the model repeats the last message."""

    engine: Engine
    name: str
    loading: dict[str, Any]
    echo: bool

    def generate(self, messages: list[dict[str, str]], **params: Any) -> dict[str, Any]:
        """Ask for a short answer at temperature 0."""
        return self.engine.generate(messages, **params)


@pytest.fixture(scope="module", params=["stub", "real"])
def loaded(
    request: pytest.FixtureRequest,
    built_site: Path,
    real_browser: Browser,
    stub_files: dict[str, Path],
) -> Iterator[Loaded]:
    if request.param == "stub":
        with served(built_site, added=stub_files) as server:
            context = real_browser.new_context()
            engine = open_engine(context, server.address)
            yield Loaded(engine, STUBBED, engine.load(STUBBED), echo=True)
            context.close()
        return
    if not REAL_MODEL:
        pytest.skip("PAGEHAND_WEBLLM_MODEL_URL names no model, and this needs a GPU")
    browser = real_browser.browser_type.launch(
        executable_path=str(find().path), args=[*FLAGS, "--enable-unsafe-webgpu"]
    )
    with served(built_site, csp=ANYWHERE, isolated=False) as server:
        engine = open_engine(browser.new_context(), server.address)
        name = f"web-llm:{REAL_MODEL}"
        yield Loaded(engine, name, engine.load(name), echo=False)
    browser.close()


# -- what any model does -----------------------------------------------------------------------


def test_load_tells_its_progress_and_the_real_window(loaded: Loaded) -> None:
    assert "result" in loaded.loading, loaded.loading
    result, progress = loaded.loading["result"], loaded.loading["progress"]
    assert result["model"] == loaded.name
    assert result["constraints"] == ["json-schema", "grammar"]
    assert result["contextWindow"] == WINDOW if loaded.echo else result["contextWindow"] >= 1024
    shares = [step["progress"] for step in progress]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    texts = [step["text"] for step in progress]
    assert any(text.startswith(("Getting the model: ", "Loading the model from")) for text in texts)
    assert any(text.startswith("Preparing the GPU: ") for text in texts)
    assert texts[-1] == "The model is ready"


def test_free_text_streams_and_is_counted(loaded: Loaded) -> None:
    answer = loaded.generate(asked("Say hello."), maxOutputTokens=6)
    result = answer["result"]
    assert answer["progress"][0] == {"kind": "start"}
    assert texts_of(answer) == result["text"] != ""
    assert result["finishReason"] == "length"
    assert result["usage"]["outputTokens"] == 6
    assert result["usage"]["inputTokens"] > 0


def test_a_conversation_that_goes_on_is_not_read_again(loaded: Loaded) -> None:
    first = loaded.generate(asked("Good morning!"), maxOutputTokens=100)["result"]
    assert first["finishReason"] == "stop"
    turns = (("user", "Good morning!"), ("assistant", first["text"]))
    usage = loaded.generate(asked("And now?", *turns), maxOutputTokens=1)["result"]["usage"]
    read_before = first["usage"]["inputTokens"] + first["usage"]["outputTokens"]
    assert 0 < usage["cachedInputTokens"] <= read_before
    assert usage["inputTokens"] > read_before


def test_a_json_schema_is_kept(loaded: Loaded) -> None:
    result = loaded.generate(asked("A colour."), jsonSchema=ANSWER, maxOutputTokens=60)["result"]
    assert result["finishReason"] == "stop"
    answer = json.loads(result["text"])
    assert set(answer) == {"colour", "count"}
    assert answer["colour"] in ("red", "green")


def test_a_grammar_is_kept(loaded: Loaded) -> None:
    result = loaded.generate(asked("Where?"), grammar='root ::= "north" | "south"')["result"]
    assert result["text"] in ("north", "south")


@pytest.mark.parametrize("constraint", [{"grammar": "root ::= ("}, {"jsonSchema": {"type": 7}}])
def test_a_constraint_that_cannot_be_kept_is_refused(
    loaded: Loaded, constraint: dict[str, Any]
) -> None:
    error = loaded.generate(asked("Hi"), **constraint)["error"]
    assert error["name"] == "EngineError"
    assert "refuses the request" in error["message"]
    assert loaded.generate(asked("Hi"), maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


def test_a_stop_text_ends_the_answer_and_none_of_it_is_shown(loaded: Loaded) -> None:
    grammar = 'root ::= "one two three"'
    answer = loaded.generate(asked("Count"), grammar=grammar, stop=["two"], maxOutputTokens=40)
    assert answer["result"]["text"] == texts_of(answer) == "one "
    assert answer["result"]["finishReason"] == "stop"


@pytest.mark.parametrize("moment", ["now", "start", "text"])
def test_a_cancel_ends_the_call_and_the_engine_goes_on(loaded: Loaded, moment: str) -> None:
    endless = {"maxOutputTokens": 400, "grammar": 'root ::= "a" root'}
    result = loaded.generate(asked("Go on"), cancel_on=moment, **endless)["result"]
    assert result["finishReason"] == "cancelled"
    assert result["usage"]["outputTokens"] < 400
    assert loaded.generate(asked("Hi"), maxOutputTokens=2)["result"]["usage"]["outputTokens"] == 2


def test_a_prompt_beyond_the_window_is_an_error_that_counts(loaded: Loaded) -> None:
    window = loaded.loading["result"]["contextWindow"]
    error = loaded.generate(asked("word " * window))["error"]
    assert error["name"] == "ContextWindowExceededError"
    assert error["details"]["window"] == window
    assert error["details"]["tokens"] > window
    assert loaded.generate(asked("Hi"), maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


# -- what the echo model shows -----------------------------------------------------------------


@pytest.fixture(scope="module")
def echo(built_site: Path, real_browser: Browser, stub_files: dict[str, Path]) -> Iterator[Engine]:
    with served(built_site, added=stub_files) as server:
        context = real_browser.new_context()
        engine = open_engine(context, server.address)
        engine.load(STUBBED)
        yield engine
        context.close()


def said(engine: Engine, messages: list[dict[str, str]], **params: Any) -> str:
    text: str = engine.generate(messages, maxOutputTokens=300, **params)["result"]["text"]
    return text


def test_texts_come_to_the_model_as_they_are(echo: Engine) -> None:
    before = [("system", "It costs $& or $1$$."), ("user", "$'"), ("assistant", "$`é")]
    assert said(echo, asked("the prompt", *before)) == (
        "system: It costs $& or $1$$.\nuser: $'\nassistant: $`é\nuser: the prompt\nassistant: "
    )


def test_thinking_that_is_off_leaves_no_empty_thought_in_the_answer(echo: Engine) -> None:
    answer = echo.generate(asked("the prompt"), thinking=False, maxOutputTokens=300)
    assert answer["result"]["text"] == texts_of(answer)
    assert answer["result"]["text"].endswith("assistant: <think>\n\n</think>\n\n")
    assert answer["result"]["text"].startswith("system: ")


@pytest.mark.parametrize("more", [{}, {"thinking": True}])
def test_thinking_that_is_on_is_the_models_own(echo: Engine, more: dict[str, Any]) -> None:
    assert said(echo, asked("the prompt"), **more).endswith("\nassistant: ")


def test_characters_of_several_tokens_stay_whole(echo: Engine) -> None:
    answer = echo.generate(asked("naïve 🙂 日本"), maxOutputTokens=100)
    assert texts_of(answer) == answer["result"]["text"] == "naïve 🙂 日本"
    assert all("\ufffd" not in step.get("text", "") for step in answer["progress"])


def test_the_models_own_stop_text_is_not_shown(echo: Engine) -> None:
    answer = echo.generate(asked("Yes.<end> And more"), maxOutputTokens=100)
    assert answer["result"]["text"] == texts_of(answer) == "Yes."


def test_what_only_looks_like_a_stop_text_is_shown(echo: Engine) -> None:
    answer = echo.generate(asked("a <en"), maxOutputTokens=100)
    assert answer["result"]["text"] == texts_of(answer) == "a <en"


def test_a_lost_gpu_is_replaced_before_anything_was_shown(echo: Engine) -> None:
    answer = echo.generate(asked("lose the GPU once: hello"))
    assert answer["result"]["text"] == texts_of(answer) == "hello"
    loads = [step for step in answer["progress"] if step["kind"] == "load"]
    assert loads[0]["text"].startswith("Loading the model from the browser's storage")


def test_a_gpu_lost_mid_answer_is_an_error_and_the_next_call_loads_anew(echo: Engine) -> None:
    answer = echo.generate(asked("lose the GPU late: hello"))
    assert answer["error"]["name"] == "DeviceLostError"
    assert answer["error"]["retryable"]
    assert texts_of(answer) == "hel"
    again = echo.generate(asked("hello"))
    assert again["result"]["text"] == "hello"
    assert any(step["kind"] == "load" for step in again["progress"])


def test_two_agents_share_one_engine_and_wait_for_each_other(echo: Engine) -> None:
    for name in ("first", "second"):
        echo.page.evaluate("(name) => engine.openPort(name)", name)
    first, second = echo.page.evaluate(
        """([model, one, other]) => Promise.all([
            engine.call("first", "engine.generate", {model, messages: one, maxOutputTokens: 40}),
            engine.call("second", "engine.generate", {model, messages: other}),
        ])""",
        [STUBBED, asked("for ever: north "), asked("south")],
    )
    assert texts_of(first) == first["result"]["text"] == "north " * 6 + "nort"
    assert texts_of(second) == second["result"]["text"] == "south"
    assert second["progress"][:2] == [{"kind": "queued", "ahead": 1}, {"kind": "start"}]


# -- engines of their own ----------------------------------------------------------------------


def test_the_library_is_fetched_when_such_a_model_is_loaded(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    engine.call("models", {})
    engine.call("cached", {})
    assert not [path for path in site.asked if path.startswith("vendor/web-llm.")]
    assert "result" in engine.load(STUBBED)
    assert [path for path in site.asked if path.startswith("vendor/web-llm.")]


def test_a_larger_window_needs_no_new_download(site: FaultySite, visitor: BrowserContext) -> None:
    engine = open_engine(visitor, site.address)
    assert engine.load(STUBBED)["result"]["contextWindow"] == WINDOW
    site.asked.clear()
    raised = engine.load(STUBBED, {"contextWindow": 2048})
    assert raised["result"]["contextWindow"] == 2048
    assert not [path for path in site.asked if path.startswith("model/")]
    long = asked("word " * 200)
    assert engine.generate(long, maxOutputTokens=1)["result"]["usage"]["inputTokens"] > WINDOW
    # Whoever needs no larger window takes the one that is there.
    assert engine.load(STUBBED)["progress"] == []
    assert engine.call("info", {})["result"]["contextWindow"] == 2048


def test_a_sliding_window_is_the_window(site: FaultySite, visitor: BrowserContext) -> None:
    engine = open_engine(visitor, site.address)
    sliding = {"context_window_size": -1, "sliding_window_size": 256, "attention_sink_size": 4}
    assert engine.load(STUBBED, {"overrides": sliding})["result"]["contextWindow"] == 256
    fixed = engine.load(STUBBED, {"overrides": sliding, "contextWindow": 1024})
    assert fixed["result"]["contextWindow"] == 1024


def test_preload_pays_for_the_first_token(site: FaultySite, visitor: BrowserContext) -> None:
    engine = open_engine(visitor, site.address)
    answer = engine.call("preload", {"model": STUBBED})
    assert answer["result"]["model"] == STUBBED
    assert answer["progress"][-1]["text"] == "The model is ready"
    assert engine.generate(asked("Hi"))["result"]["text"] == "Hi"
    engine.call("unload", {"model": "embedded"})  # not the loaded one
    assert engine.call("info", {})["result"]["model"] == STUBBED
    engine.call("unload", {"model": STUBBED})
    assert engine.call("info", {})["result"] is None


def test_a_call_names_its_model_and_finds_it(site: FaultySite, visitor: BrowserContext) -> None:
    engine = open_engine(visitor, site.address)
    other = "web-llm:/model/#/model/lib.wasm"
    engine.load(STUBBED)
    engine.page.evaluate("() => engine.openPort('other')")
    endless, loading, again = engine.page.evaluate(
        """([model, other, endless, messages]) => Promise.all([
            engine.call("worker", "engine.generate",
                {model, messages: endless, maxOutputTokens: 20}),
            engine.call("other", "engine.load", {model: other}, ""),
            engine.call("worker", "engine.generate", {model, messages}),
        ])""",
        [STUBBED, other, asked("for ever: x"), asked("back")],
    )
    assert endless["result"]["text"] == "x" * 20
    assert loading["result"]["model"] == other
    assert loading["progress"][0]["text"] == "Waiting: the engine is at work on 1 other task"
    assert again["result"]["text"] == "back"
    assert again["progress"][:2] == [{"kind": "queued", "ahead": 2}, {"kind": "queued", "ahead": 1}]
    assert any(step["kind"] == "load" for step in again["progress"])
    assert engine.call("info", {})["result"]["model"] == STUBBED


def test_kept_models_are_listed_sized_and_deleted(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    assert engine.call("cached", {})["result"] == []
    listed = "Qwen3-0.6B-q4f32_1-MLC"
    urls = {"modelUrl": "/model", "modelLibUrl": "/model/lib.wasm"}
    engine.load(f"web-llm:{listed}", urls)
    (kept,) = engine.call("cached", {})["result"]
    # A build that lies elsewhere than in WebLLM's list goes by its address.
    assert kept == {
        "model": f"web-llm:{site.address}/model/resolve/main/",
        "bytes": sum(WEIGHTS),
    }
    engine.call("delete", {"model": kept["model"]})
    assert engine.call("cached", {})["result"] == []
    assert engine.generate(asked("Hi"))["result"]["text"] == "Hi"  # the loaded one goes on
    left = engine.page.evaluate(
        """async () => (await Promise.all(["model", "config"].map(async (name) =>
            (await (await caches.open(`webllm/${name}`)).keys()).length)))"""
    )
    assert left == [0, 0]


def test_models_of_the_list_are_told_with_what_they_need(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    weights = "https://huggingface.co/mlc-ai/Llama-3.1-8B-Instruct-q4f16_1-MLC/resolve/main/"
    engine.page.evaluate(
        """async ([folder, list]) => {
            const cache = await caches.open("webllm/model");
            await cache.put(`${folder}tensor-cache.json`, new Response(list));
            await cache.put(`${folder}a.bin`, new Response("weights"));
        }""",
        [weights, json.dumps({"records": [{"dataPath": "a.bin", "nbytes": 7}]})],
    )
    models = {each["id"]: each for each in engine.call("models", {})["result"]}
    assert len(models) > 100
    assert models["gemma-2-2b-it-q4f16_1-MLC-1k"] == {
        "id": "gemma-2-2b-it-q4f16_1-MLC-1k",
        "model": "web-llm:gemma-2-2b-it-q4f16_1-MLC-1k",
        "provider": "web-llm",
        "contextWindow": 1024,
        "memoryBytes": 1660210381,
        "bufferBytes": None,
        "lowResource": True,
        "needs": ["shader-f16"],
        "cached": False,
    }
    # Builds with another window share their weights.
    cached = [each["id"] for each in models.values() if each["cached"]]
    assert cached == [
        "Llama-3.1-8B-Instruct-q4f16_1-MLC-1k",
        "Llama-3.1-8B-Instruct-q4f16_1-MLC",
    ]
    assert engine.call("cached", {})["result"] == [{"model": f"web-llm:{cached[0]}", "bytes": 7}]
    engine.call("delete", {"model": f"web-llm:{cached[1]}"})
    assert engine.call("cached", {})["result"] == []


def test_a_gpu_without_half_floats_is_told_the_other_build(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    urls = {"modelUrl": "/model", "modelLibUrl": "/model/lib.wasm"}
    error = engine.load("web-llm:gemma-2-2b-it-q4f16_1-MLC", urls)["error"]
    assert error["name"] == "EngineError"
    assert "shader-f16" in error["message"]
    assert error["details"]["instead"] == "web-llm:gemma-2-2b-it-q4f32_1-MLC"
    assert error["details"]["instead"] in error["message"]


def test_a_gpu_lost_while_loading_is_an_error_and_the_next_load_is_fresh(
    site: FaultySite, visitor: BrowserContext
) -> None:
    folder = "model/resolve/lose-the-gpu/"
    main = "model/resolve/main/"
    site.added = {
        **site.added,
        **{path.replace(main, folder): file for path, file in site.added.items()},
    }
    engine = open_engine(visitor, site.address)
    error = engine.load(f"web-llm:/{folder}#/model/lib.wasm")["error"]
    assert error["name"] == "DeviceLostError"
    assert error["retryable"]
    assert "smaller model" in error["message"]
    assert engine.load(STUBBED)["result"]["model"] == STUBBED


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("web-llm:Qwen3-0.7B-q4f16_1-MLC", "Qwen3-0.6B-q4f16_1-MLC"),
        ("web-llm:/model", "URL of the library"),
        ("web-llm:http://[/#/model/lib.wasm", "is no URL"),
    ],
)
def test_a_model_that_cannot_be_found_is_refused_and_the_loaded_one_stays(
    site: FaultySite, visitor: BrowserContext, model: str, words: str
) -> None:
    engine = open_engine(visitor, site.address)
    engine.load(STUBBED)
    error = engine.load(model)["error"]
    assert error["name"] == "EngineError"
    assert words in error["message"]
    assert engine.call("info", {})["result"]["model"] == STUBBED


def test_a_missing_file_is_an_error_and_what_came_is_kept(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    missing = "model/resolve/main/params_1.bin"
    site.faults[missing] = Fault.MISSING
    error = engine.load(STUBBED)["error"]
    assert error["name"] == "EngineError"
    assert error["retryable"]
    assert f"{site.address}/model" in error["message"]
    (kept,) = engine.call("cached", {})["result"]
    assert kept["bytes"] == WEIGHTS[0]

    site.faults.clear()
    site.asked.clear()
    assert engine.load(STUBBED)["result"]["model"] == STUBBED
    assert [path for path in site.asked if path.endswith(".bin")] == [missing]


def test_a_load_that_nobody_waits_for_any_more_is_broken_off(
    site: FaultySite, visitor: BrowserContext
) -> None:
    engine = open_engine(visitor, site.address)
    error = engine.call("load", {"model": STUBBED}, cancel_on="now")["error"]
    assert error["name"] == "AbortError"
    engine.call("unload", {})  # comes after whatever the engine still does
    assert not [path for path in site.asked if path.endswith(".bin")]
    engine.page.evaluate("() => engine.openPort('other')")
    gone, stays = engine.page.evaluate(
        """(model) => Promise.all([
            engine.call("worker", "engine.load", {model}, "now"),
            engine.call("other", "engine.load", {model}, ""),
        ])""",
        STUBBED,
    )
    assert gone["error"]["name"] == "AbortError"
    assert stays["result"]["model"] == STUBBED


def test_python_asks_such_a_model_through_the_page(
    site: FaultySite, visitor: BrowserContext
) -> None:
    page = visitor.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{site.address}/NOTICES.txt")
    checked = page.evaluate(
        """async () => {
            const { createAgent } = await import("/pagehand.js");
            const agent = await createAgent({ tools: {} });
            const answer = await agent.checkModel({
                providerType: "web-llm",
                model: "/model",
                providerOptions: { modelLib: "/model/lib.wasm", contextWindowTokens: 1024 },
            });
            agent.close();
            return answer;
        }"""
    )
    assert checked["text"]
    assert checked["usage"]["inputTokens"] > 0


def test_a_page_loads_such_a_model_first_and_its_agent_finds_it_loaded(
    site: FaultySite, visitor: BrowserContext
) -> None:
    page = visitor.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{site.address}/NOTICES.txt")
    told = page.evaluate(
        """async () => {
            const pagehand = await import("/pagehand.js");
            const news = [];
            const model = await pagehand.createWebLLMModel("mine", {
                contextWindowTokens: 1024,
                engineConfig: { appConfig: { model_list: [
                    { model_id: "mine", model: "/model", model_lib: "/model/lib.wasm" },
                ] } },
                onProgress: ({ text }) => news.push(text),
            });
            const agent = await pagehand.createAgent({ model, maxIterations: 1 });
            const events = [];
            const onEvent = (event) => events.push(event);
            await agent.run("Say hello", { onEvent }).catch(() => {});
            const loads = events.filter(({ type }) => type === "model.load");
            const kept = await pagehand.cachedModels();
            await pagehand.unloadWebLLMModel(model);
            for (const { model } of kept) await pagehand.deleteCachedModel(model);
            agent.close();
            return { news, loads, window: agent.contextWindowTokens, kept,
                     left: await pagehand.cachedModels() };
        }"""
    )
    assert told["news"][-1] == "The model is ready"
    assert told["loads"] == []  # it was in memory
    assert told["window"] == 1024
    assert [kept["bytes"] for kept in told["kept"]] == [sum(WEIGHTS)]
    assert told["left"] == []


# -- the package as the site ships it ----------------------------------------------------------


def test_without_a_gpu_the_real_package_says_so_and_what_to_use_instead(
    built_site: Path, visitor: BrowserContext, stub_files: dict[str, Path]
) -> None:
    model = {path: file for path, file in stub_files.items() if path.startswith("model/")}
    with served(built_site, added=model) as server:
        engine = open_engine(visitor, server.address)
        if engine.page.evaluate("async () => Boolean(await navigator.gpu?.requestAdapter())"):
            pytest.skip("this machine has a GPU")
        error = engine.load(STUBBED)["error"]
        assert error["name"] == "WebGPUUnavailableError"
        assert not error["retryable"]
        assert '"embedded"' in error["message"]
        assert not [path for path in server.asked if path.startswith("model/")]

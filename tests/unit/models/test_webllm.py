"""WebLLM's settings: the window of a model, and the options of one on the device."""

import copy

import pytest

from pagehand import ConfigError, webllm_context_window, with_webllm_context_window
from pagehand.messages import user
from pagehand.models.base import ModelRequest
from pagehand.models.resolve import resolve_model
from pagehand.models.webllm import engine_options
from pagehand.ports import EngineInfo, EngineOptions
from pagehand.testing import scripted_platform

SNAKE = {
    "cacheBackend": "cache",
    "model_list": [
        {"model_id": "Qwen3-0.6B-q4f16_1-MLC", "overrides": {"context_window_size": 4096}},
        {"model_id": "phi-2-q4f16_1-MLC-1k", "overrides": {"context_window_size": 1024}},
        {
            "model_id": "Mistral-7B",
            "overrides": {"context_window_size": -1, "sliding_window_size": 2048},
        },
        {"model_id": "bare"},
    ],
}
CAMEL = {"modelList": [{"modelId": "tiny", "overrides": {"contextWindowSize": 4096}}]}


@pytest.mark.parametrize(
    ("config", "model", "window"),
    [
        (SNAKE, "Qwen3-0.6B-q4f16_1-MLC", 4096),
        (SNAKE, "phi-2-q4f16_1-MLC-1k", 1024),
        (SNAKE, "Mistral-7B", 2048),
        (SNAKE, "bare", None),
        (CAMEL, "tiny", 4096),
    ],
)
def test_the_window_that_a_record_sets(config, model, window):
    assert webllm_context_window(config, model) == window


@pytest.mark.parametrize(
    ("config", "model"), [(SNAKE, "Qwen3-0.6B-q4f16_1-MLC"), (SNAKE, "bare"), (CAMEL, "tiny")]
)
def test_a_raised_window_stands_in_a_copy(config, model):
    before = copy.deepcopy(config)
    changed = with_webllm_context_window(config, model, 32_768)
    assert webllm_context_window(changed, model) == 32_768
    assert config == before
    assert set(changed) == set(config)
    if config is CAMEL:
        assert changed["modelList"][0]["overrides"] == {"contextWindowSize": 32_768}


def test_other_models_and_settings_stay():
    changed = with_webllm_context_window(SNAKE, "bare", 8_192)
    assert changed["model_list"][3] == {
        "model_id": "bare",
        "overrides": {"context_window_size": 8_192},
    }
    assert changed["model_list"][:3] == SNAKE["model_list"][:3]
    assert changed["cacheBackend"] == "cache"


def test_a_window_that_slides_is_fixed():
    changed = with_webllm_context_window(SNAKE, "Mistral-7B", 8_192)
    assert changed["model_list"][2]["overrides"] == {
        "context_window_size": 8_192,
        "sliding_window_size": -1,
    }


@pytest.mark.parametrize(
    "ask", [webllm_context_window, lambda *args: with_webllm_context_window(*args, 8_192)]
)
def test_an_unknown_model_is_told_with_the_nearest(ask):
    with pytest.raises(ConfigError, match=r"'Qwen3-0.6B'; did you mean 'Qwen3-0.6B-q4f16_1-MLC'"):
        ask(SNAKE, "Qwen3-0.6B")
    with pytest.raises(ConfigError, match="no list of models"):
        ask({}, "Qwen3-0.6B")


@pytest.mark.parametrize("tokens", [0, -1, 1.5, "4096", True, None])
def test_a_number_of_tokens_that_is_none_is_refused(tokens):
    with pytest.raises(ConfigError, match="at least 1"):
        with_webllm_context_window(SNAKE, "bare", tokens)


def test_options_in_both_spellings():
    assert engine_options({}) is None
    expected = EngineOptions(8192, "https://a/model", "https://a/lib.wasm", {"top_p": 0.9})
    for options in (
        {
            "context_window_tokens": 8192,
            "model": "https://a/model",
            "model_lib": "https://a/lib.wasm",
            "overrides": {"top_p": 0.9},
        },
        {
            "contextWindowTokens": 8192,
            "modelUrl": "https://a/model",
            "modelLibUrl": "https://a/lib.wasm",
            "overrides": {"top_p": 0.9},
        },
    ):
        assert engine_options(options) == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contextWindowToken": 1}, "did you mean 'context_window_tokens'"),
        ({"zebra": 1}, "knows no 'zebra'"),
        ({"contextWindowTokens": "many"}, "at least 1"),
        ({"modelLib": 7}, "URL as text"),
        ({"overrides": [1]}, "must be a dict"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        engine_options(options)


async def test_the_options_of_a_model_reach_the_engine():
    class Engine:
        async def load(self, model, on_progress, options=None):
            self.loaded = (model, options)
            return EngineInfo(model, 8192)

        async def generate(self, request):
            self.asked = request
            raise ConfigError("enough")
            yield

    engine = Engine()
    name = "web-llm:Qwen3-0.6B-q4f16_1-MLC"
    spec = {"model": name, "provider_options": {"context_window_tokens": 8192}}
    model = resolve_model(spec, scripted_platform(engine=engine))
    with pytest.raises(ConfigError, match="enough"):
        async for _part in model.stream(ModelRequest([user("hi")])):
            pass
    assert engine.loaded == (name, EngineOptions(8192))
    assert (engine.asked.model, engine.asked.options) == engine.loaded
    assert model.profile.context_window == 8192


@pytest.mark.parametrize(
    ("model", "options", "window"),
    [
        ("web-llm:Qwen3-0.6B-q4f16_1-MLC", {}, 4_096),
        ("web-llm:phi-2-q4f16_1-MLC-1k", {}, 1_024),
        ("web-llm:phi-2-q4f16_1-MLC-1k", {"contextWindowTokens": 2_048}, 2_048),
        ("embedded", {"contextWindowTokens": 8_192}, 8_192),
    ],
)
def test_the_window_that_is_expected_before_a_load(model, options, window):
    spec = {"model": model, "provider_options": options}
    ready = resolve_model(spec, scripted_platform(engine=object()))
    assert ready.profile.context_window == window

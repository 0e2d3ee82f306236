"""From what a user writes to a model."""

import pytest

from pagehand import ConfigError, ModelSpec, resolve_model, resolve_stage
from pagehand.models.local import LocalModel
from pagehand.models.openai_chat import OpenAIChatModel
from pagehand.models.spec import read_spec
from pagehand.secret import Secret
from pagehand.testing import ScriptedModel, scripted_platform

URL = "http://127.0.0.1:1/v1"


class NoEngine:
    """An engine that is there but never asked."""


@pytest.mark.parametrize(
    "value",
    [
        {"model": "openai-compatible:qwen3:4b", "base_url": URL},
        {"providerType": "openai-compatible", "model": "qwen3:4b", "baseURL": URL},
        {"model": "qwen3:4b", "baseUrl": URL},
        ModelSpec("qwen3:4b", base_url=URL),
        ModelSpec("openai-compatible", "qwen3:4b", URL),
    ],
)
def test_forms(value):
    model = resolve_model(value, scripted_platform())
    assert isinstance(model, OpenAIChatModel)
    assert (model.provider, model.name) == ("openai-compatible", "qwen3:4b")


def test_a_ready_model_is_taken_as_it_is():
    model = ScriptedModel([])
    assert resolve_model(model, scripted_platform()) is model


@pytest.mark.parametrize("name", ["embedded", "browser", "wllama:http://127.0.0.1:1/m.gguf"])
def test_on_this_device(name):
    model = resolve_model(name, scripted_platform(engine=NoEngine()))
    assert isinstance(model, LocalModel) and model.name == name
    with pytest.raises(ConfigError, match="openai-compatible"):
        resolve_model(name, scripted_platform())


def test_the_browser_s_own_model_is_asked_no_small_questions():
    profile = resolve_model("browser", scripted_platform(engine=NoEngine())).profile
    assert profile.on_device and profile.constrains and not profile.small_questions


def test_the_best_for_a_device_is_chosen_by_a_page():
    with pytest.raises(ConfigError, match=r"createAgent.*'web-llm:<id>'"):
        resolve_model("auto", scripted_platform(engine=NoEngine()))
    with pytest.raises(ConfigError, match="openai-compatible"):
        resolve_model("auto", scripted_platform())


def test_a_server_may_have_a_model_with_a_name_of_ours():
    for name in ("auto", "browser", "embedded"):
        model = resolve_model({"model": name, "base_url": URL}, scripted_platform())
        assert (model.provider, model.name) == ("openai-compatible", name)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("openai-compatble:x", "did you mean 'openai-compatible'"),
        ("qwen3", "provider of 'qwen3' is not known"),
        ({"model": "x", "providerType": "opnai-compatible"}, "did you mean 'openai-compatible'"),
        ({"model": "x", "base_ulr": URL}, "Did you mean 'base_url'"),
        ({"base_url": URL}, "names no model"),
        ("openai-compatible:x", "needs a base_url"),
        ({"model": "x", "base_url": "ftp://x"}, "must begin with http"),
        (5, "got int"),
    ],
)
def test_refusals(value, said):
    with pytest.raises(ConfigError, match=said):
        resolve_model(value, scripted_platform())


def test_a_key_is_wrapped_at_once():
    spec = read_spec({"model": "m", "base_url": URL, "api_key": "sk-canary-1"})
    assert isinstance(spec.api_key, Secret)
    assert "sk-canary-1" not in repr(spec)
    assert "sk-canary-1" not in repr(ModelSpec("m", api_key="sk-canary-1"))


@pytest.mark.parametrize(
    "url",
    [
        "http://u:canary@h/v1",
        "http://u:can/ary@h",
        "http://h/v1?key=canary",
        "canary://h",
        "http://h /",
    ],
)
def test_an_address_with_more_than_an_address_is_refused_unquoted(url):
    with pytest.raises(ConfigError) as raised:
        resolve_model({"model": "m", "base_url": url}, scripted_platform())
    assert "canary" not in str(raised.value) and "can/ary" not in str(raised.value)


def test_a_pasted_key_loses_its_blanks_and_an_odd_one_is_refused():
    spec = read_spec({"model": "m", "base_url": URL, "api_key": " sk-canary-1\n"})
    assert spec.api_key.reveal() == "sk-canary-1"
    for odd in ("sk-canary\n-1", "sk-canary…", b"sk-canary"):
        with pytest.raises(ConfigError) as raised:
            ModelSpec("m", base_url=URL, api_key=odd)
        assert "canary" not in str(raised.value)
    with pytest.raises(ConfigError, match="line breaks"):
        resolve_model(
            {"model": "m", "base_url": URL, "headers": {"x": "a\nb"}}, scripted_platform()
        )


BASE = {"model": "m", "base_url": URL, "api_key": "sk-canary-1", "headers": {"x": "1"}}


def test_a_partial_override_inherits():
    for override in ("small", {"model": "small"}):
        stage = read_spec(resolve_stage(BASE, override, "planner"))
        assert (stage.model, stage.base_url) == ("small", URL)
        assert stage.api_key.reveal() == "sk-canary-1" and stage.headers == {"x": "1"}


def test_no_override_is_the_base():
    assert resolve_stage(BASE, None, "planner") is BASE


def test_a_key_does_not_follow_to_another_address():
    other = {"model": "small", "base_url": "http://other.test/v1"}
    assert read_spec(resolve_stage(BASE, other, "planner")).api_key is None


def test_another_provider_stands_alone():
    assert read_spec(resolve_stage(BASE, "embedded", "synthesizer")).model == "embedded"


def test_a_ready_model_cannot_be_overridden_in_part():
    with pytest.raises(ConfigError, match="planner overrides only parts"):
        resolve_stage(ScriptedModel([]), {"temperature": 1}, "planner")

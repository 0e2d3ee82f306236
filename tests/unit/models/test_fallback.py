"""A ladder of models: when the next one is asked, and when not."""

import pytest

from pagehand import create_agent, errors, generate
from pagehand.errors import ConfigError, ImagesNotSupportedError
from pagehand.models.fallback import FallbackModel
from pagehand.models.profiles import ModelProfile
from pagehand.models.resolve import resolve_model
from pagehand.testing import ScriptedModel, scripted_platform

PNG = b"\x89PNG\r\n\x1a\n"


def ladder(*scripts, profiles=()):
    models = [
        ScriptedModel(script, profile=profiles[number] if profiles else None)
        for number, script in enumerate(scripts)
    ]
    for number, model in enumerate(models):
        model.name = f"model-{number}"
    return models


GOES_ON = [
    errors.OverloadedError("x"),
    errors.ServerError("x"),
    errors.NetworkError("x"),
    errors.StreamInterruptedError("x"),
    errors.ModelTimeoutError("x"),
    errors.RateLimitError("x"),
    errors.QuotaExceededError("x"),
    errors.DeviceLostError("x"),
    errors.ContextWindowExceededError("x"),
]
STOPS = [
    errors.AuthenticationError("x"),
    errors.PermissionDeniedError("x"),
    errors.ContentRefusedError("x"),
    errors.InvalidRequestError("x"),
    errors.ModelNotFoundError("x"),
]


@pytest.mark.parametrize("fault", GOES_ON, ids=lambda fault: type(fault).__name__)
async def test_goes_on(fault):
    tries = 3 if fault.retryable else 1
    first, second = ladder([fault] * tries, ["from the second"])
    result = await generate([first, second], "hi", platform=scripted_platform())
    assert (result.text, result.model) == ("from the second", "model-1")
    assert len(first.requests) == tries


@pytest.mark.parametrize("fault", STOPS, ids=lambda fault: type(fault).__name__)
async def test_stops(fault):
    first, second = ladder([fault], ["never"])
    with pytest.raises(type(fault)):
        await generate([first, second], "hi", platform=scripted_platform())
    assert second.requests == []


async def test_the_last_fault_is_raised():
    first, second = ladder([errors.QuotaExceededError("a")], [errors.QuotaExceededError("b")])
    with pytest.raises(errors.QuotaExceededError, match="b"):
        await generate([first, second], "hi", platform=scripted_platform())


async def test_a_model_that_failed_rests_a_minute():
    platform = scripted_platform()
    script = [errors.QuotaExceededError("a"), "back again"]
    first, second = ladder(script, ["one", "two"])
    model = FallbackModel([first, second])
    texts = [(await generate(model, "hi", platform=platform)).text for _ in range(2)]
    await platform.clock.sleep(61)
    texts.append((await generate(model, "hi", platform=platform)).text)
    assert texts == ["one", "two", "back again"]


async def test_a_prompt_too_long_for_one_does_not_make_it_rest():
    first, second = ladder([errors.ContextWindowExceededError("a"), "short"], ["long"])
    model = FallbackModel([first, second])
    platform = scripted_platform()
    assert (await generate(model, "hi", platform=platform)).text == "long"
    assert (await generate(model, "hi", platform=platform)).text == "short"


async def test_a_run_says_so_in_its_log():
    first, second = ladder(
        [errors.QuotaExceededError("used up")], ['{"thought": "Hi.", "steps": []}']
    )
    agent = await create_agent(model=[first, second], platform=scripted_platform())
    events = []
    result = await agent.run("hello", on_event=events.append)
    assert result.text == "Hi."
    logs = [event.message for event in events if event.type == "log"]
    assert any("going on with 'model-1'" in line and "QuotaExceeded" in line for line in logs)
    usage = [event for event in events if event.type == "usage"]
    assert [event.model for event in usage] == ["model-1"]


async def test_a_model_that_takes_no_images_is_passed_over():
    blind, seeing = ModelProfile(images=False), ModelProfile(images=True)
    first, second = ladder(["never"], ["a cat"], profiles=[blind, seeing])
    result = await generate([first, second], "see", images=[PNG], platform=scripted_platform())
    assert result.text == "a cat" and first.requests == []
    first, second = ladder(["never"], ["never"], profiles=[blind, blind])
    with pytest.raises(ImagesNotSupportedError):
        await generate([first, second], "see", images=[PNG], platform=scripted_platform())


def test_the_profile_is_what_all_can_do():
    small = ModelProfile(native_tools=False, context_window=4_000, images=False)
    large = ModelProfile(context_window=200_000, images=True, most_tools=128)
    profile = FallbackModel(ladder([], [], profiles=[large, small])).profile
    assert (profile.native_tools, profile.context_window) == (False, 4_000)
    assert (profile.images, profile.most_tools) == (True, 128)


def test_forms():
    platform = scripted_platform()
    made = resolve_model(["openai:gpt-5", {"model": "anthropic:claude-sonnet-4-5"}], platform)
    assert isinstance(made, FallbackModel) and made.name == "gpt-5"
    alone = resolve_model(["openai:gpt-5"], platform)
    assert not isinstance(alone, FallbackModel)
    with pytest.raises(ConfigError, match="at least one"):
        resolve_model([], platform)


async def test_a_ladder_takes_nothing_beside_it():
    with pytest.raises(ConfigError, match="ladder of models takes no api_key"):
        await create_agent(
            model=["openai:gpt-5"], api_key="sk-canary-1", platform=scripted_platform()
        )


async def test_a_ladder_in_a_ladder_is_one_ladder():
    first, second, third = ladder(
        [errors.QuotaExceededError("a")], [errors.QuotaExceededError("b")], ["from the third"]
    )
    model = [[first, second], FallbackModel([third])]
    assert (await generate(model, "hi", platform=scripted_platform())).text == "from the third"

"""Settings: every field, its alias, its range."""

import pytest

from pagehand import AgentConfig, ConfigError, create_agent
from pagehand.agent.config import base_model, read_config
from pagehand.models.spec import read_spec
from pagehand.testing import ScriptedModel, scripted_platform

URL = "http://127.0.0.1:1/v1"


def test_defaults():
    config = AgentConfig()
    assert (config.max_iterations, config.max_steps_per_task, config.max_revisions) == (8, 8, 2)
    assert (config.max_plan_steps, config.max_tool_calls) == (8, None)
    assert (config.llm_timeout_ms, config.llm_max_retries) == (120_000, 2)
    assert config.synthesize is True and config.replan_after == "failure"


def test_either_spelling_and_the_layers():
    config = read_config({"maxIterations": 3, "max_revisions": 1}, {"max_iterations": 4})
    assert (config.max_iterations, config.max_revisions) == (4, 1)
    assert read_config(AgentConfig(max_iterations=2), {"session_id": "s"}).max_iterations == 2
    assert read_config({"chatTimeoutMs": 5}, {}).llm_timeout_ms == 5
    assert read_config({"temperature": None}, {}).temperature is None
    assert read_config({"plannerModel": "p"}, {}).planner == "p"
    assert read_config({"plannerModel": "p", "planner": "q"}, {}).planner == "q"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max_iteration": 3}, "Did you mean 'max_iterations'"),
        ({"maxIteration": 3}, "Did you mean 'maxIterations'"),
        ({"zzzz": 3}, "There is no setting 'zzzz'"),
        ({"max_iterations": 0}, "at least 1"),
        ({"max_iterations": "3"}, "must be a whole number"),
        ({"max_iterations": True}, "must be a whole number"),
        ({"llm_timeout_ms": -1}, "at least 0"),
        ({"tool_mode": "magic"}, "tool_mode must be one of"),
        ({"synthesize": "maybe"}, "synthesize must be one of"),
        ({"log_level": "loud"}, "log_level must be one of"),
        ({"replan_after": "never"}, "replan_after must be"),
        ({"describe_state": "text"}, "describe_state must be a function"),
        ({"prompts": {"planer": print}}, "is not a stage's function"),
        ({"temperature": 9}, "between 0 and 2"),
        ({"temperature": "5"}, "between 0 and 2"),
        ({"max_iterations": 2.5}, "whole number"),
        ({"max_revisions": float("nan")}, "whole number"),
        ({"llm_timeout_ms": float("inf")}, "at least 0"),
        ({"prompts": 5}, "prompts must be a dict"),
    ],
)
def test_refusals(values, said):
    with pytest.raises(ConfigError, match=said):
        read_config(values, {})


async def test_a_config_is_refused_at_creation():
    platform = scripted_platform()
    with pytest.raises(ConfigError, match="No model is named"):
        await create_agent(platform=platform)
    with pytest.raises(ConfigError, match="needs the methods"):
        await create_agent(model=ScriptedModel([]), logger=object(), platform=platform)
    with pytest.raises(ConfigError, match="got list"):
        await create_agent([], platform=platform)
    with pytest.raises(ConfigError, match="takes no base_url beside it"):
        await create_agent(model=ScriptedModel([]), base_url=URL, platform=platform)


def test_a_model_by_its_parts():
    config = read_config(
        {"providerType": "openai-compatible", "model": "m", "baseURL": URL, "apiKey": "k-123"}, {}
    )
    spec = read_spec(base_model(config, None))
    assert (spec.provider_type, spec.model, spec.base_url) == ("openai-compatible", "m", URL)
    assert spec.api_key.reveal() == "k-123"
    assert base_model(AgentConfig(), "embedded") == "embedded"


def test_a_key_does_not_print():
    beside = read_config({"model": "m", "baseURL": URL, "apiKey": "sk-canary-9"}, {})
    inside = AgentConfig(model={"model": "m", "apiKey": "sk-canary-9"})
    stage = AgentConfig(planner={"model": "m", "api_key": "sk-canary-9"})
    assert "sk-canary-9" not in repr([beside, inside, stage])

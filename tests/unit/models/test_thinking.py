"""The one setting for how much to think, and what a family's knob gets of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import ConfigError, Thinking, ThinkingKnob, merge_provider_options, resolve_thinking
from pagehand.models.thinking import LEVELS, budget_for, level_for


@pytest.mark.parametrize(
    ("setting", "resolved"),
    [
        (None, None),
        (False, None),
        ("provider-default", None),
        (True, Thinking("medium")),
        ("none", Thinking("none")),
        ("xhigh", Thinking("xhigh")),
        ({}, Thinking("medium")),
        ({"includeThoughts": False}, Thinking("medium", include_thoughts=False)),
        ({"level": "high", "budgetTokens": 8_000}, Thinking("high", 8_000)),
        ({"budget_tokens": 2_000}, Thinking(None, 2_000)),
        ({"level": "provider-default"}, None),
        (Thinking("low"), Thinking("low")),
    ],
)
def test_settings(setting, resolved):
    assert resolve_thinking(setting) == resolved


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("hihg", "Did you mean 'high'"),
        ({"levle": "high"}, "Did you mean 'level'"),
        ({"budgetTokens": -1}, "whole number of tokens"),
        ({"budgetTokens": True}, "whole number of tokens"),
        ({"includeThoughts": "yes"}, "true or false"),
        (7, "true, false, a level"),
    ],
)
def test_refusals(setting, said):
    with pytest.raises(ConfigError, match=said):
        resolve_thinking(setting)


@pytest.mark.parametrize(
    ("wish", "levels", "level"),
    [
        ("medium", ("low", "medium", "high"), "medium"),
        ("xhigh", ("low", "medium", "high"), "high"),
        ("minimal", ("low", "high"), "low"),
        ("medium", ("low", "high"), "high"),  # of two as near, the higher
        ("none", ("none", "low"), "none"),
        ("none", ("low", "high"), None),
        ("low", (), None),
    ],
)
def test_levels(wish, levels, level):
    assert level_for(Thinking(wish), ThinkingKnob("effort", levels)) == level


def test_a_budget_without_a_level_is_the_least_level_that_allows_it():
    assert level_for(Thinking(None, 5_000), ThinkingKnob("effort", LEVELS)) == "medium"


@given(
    wish=st.builds(
        Thinking,
        st.sampled_from(LEVELS),
        st.none() | st.integers(0, 10**6),
    ),
    least=st.integers(0, 5_000),
    span=st.integers(0, 60_000),
)
def test_a_budget_stays_within_the_knob(wish, least, span):
    knob = ThinkingKnob("budget", least=least, most=least + span)
    assert least <= budget_for(wish, knob) <= least + span


def test_options_are_merged_object_by_object():
    merged = merge_provider_options({"a": {"x": 1, "y": 1}, "b": 1}, None, {"a": {"y": 2}, "b": 2})
    assert merged == {"a": {"x": 1, "y": 2}, "b": 2}

"""Marks for a provider's prompt cache."""

import copy

import pytest

from pagehand import (
    ConfigError,
    PromptCaching,
    build_instructions,
    resolve_prompt_caching,
    with_rolling_breakpoint,
)

MARK = {"type": "ephemeral"}


@pytest.mark.parametrize(
    ("setting", "resolved"),
    [
        (False, None),
        (True, PromptCaching("5m", "app:planner")),
        (None, PromptCaching("5m", "app:planner")),
        ({"ttl": "1h"}, PromptCaching("1h", "app:planner")),
        ({"key": "mine"}, PromptCaching("5m", "mine")),
    ],
)
def test_settings(setting, resolved):
    assert resolve_prompt_caching(setting, client_name="app", stage="planner") == resolved


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"tll": "1h"}, "Did you mean 'ttl'"),
        ({"ttl": "2h"}, "'5m' or '1h'"),
        ({"key": ""}, "key must be a text"),
        ("on", "true, false or a dict"),
    ],
)
def test_refusals(setting, said):
    with pytest.raises(ConfigError, match=said):
        resolve_prompt_caching(setting)


def test_the_breakpoint_rolls_to_the_newest_message():
    first = {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": MARK}]}
    second = {"role": "assistant", "content": "b"}
    third = {
        "role": "user",
        "content": [{"type": "text", "text": "c"}, {"type": "thinking", "thinking": "d"}],
    }
    before = copy.deepcopy([first, second, third])
    rolled = with_rolling_breakpoint([first, second, third], MARK, skip=frozenset({"thinking"}))
    assert [first, second, third] == before
    marks = [[("cache_control" in block) for block in message["content"]] for message in rolled]
    assert marks == [[False], [False], [True, False]]


def test_instructions():
    assert build_instructions("", PromptCaching()) == []
    assert build_instructions("s", None) == [{"type": "text", "text": "s"}]
    assert build_instructions("s", PromptCaching("1h"))[0]["cache_control"] == {
        "type": "ephemeral",
        "ttl": "1h",
    }

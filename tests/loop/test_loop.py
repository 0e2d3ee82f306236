"""The loop's scenarios on CPython."""

import pytest

from tests.loop.scenarios import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
async def test_loop(name):
    events = await SCENARIOS[name]()
    assert events[-1]["type"] == "run.complete"

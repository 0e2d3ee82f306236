"""From tokens to money, where a price is known."""

import datetime

import pytest

from pagehand import ConfigError, Cost, Price, Usage, cost_of
from pagehand.models.prices import PRICES, read_prices

MINE = read_prices({"acme:big": {"input": 2, "output": 10, "cachedInput": 0.5, "cacheWrite": 2.5}})


def test_every_entry_names_its_page_and_the_day():
    for name, price in PRICES.items():
        assert ":" in name
        assert price.source.startswith("https://"), name
        assert datetime.date.fromisoformat(price.read), name
        assert 0 <= price.input <= price.output, name


def test_a_call_costs_its_parts():
    usage = Usage(1_000_000, 100_000, 1_100_000, 50_000, 400_000, 100_000)
    assert cost_of(usage, "acme", "big", MINE) == pytest.approx(1.0 + 0.2 + 0.25 + 1.0)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("big", True),
        ("big-2026-01-02", True),
        ("big-20260102", True),
        ("big-latest", True),
        ("big-001", True),
        ("big-mini", False),
        ("bigger", False),
        ("small", False),
    ],
)
def test_a_snapshot_is_the_same_model_and_a_sister_is_not(model, known):
    assert (cost_of(Usage(1, 1), "acme", model, MINE) is not None) == known


def test_what_a_price_does_not_hold_for_is_unknown():
    prices = {"a:b": Price(1, 2, 0.1, 1.25, up_to=1_000)}
    assert cost_of(Usage(1_000, 1), "a", "b", prices) is not None
    assert cost_of(Usage(1_001, 1), "a", "b", prices) is None
    written = Usage(100, 1, cache_write_tokens=50)
    assert cost_of(written, "a", "b", prices) is not None
    assert cost_of(written, "a", "b", prices, cache_ttl="1h") is None


def test_what_was_not_counted_has_no_price():
    assert cost_of(Usage(), "acme", "big", MINE) is None
    assert cost_of(Usage(1, 1), "other", "big", MINE) is None


def test_money_of_many_calls():
    total = Cost(0.5) + Cost(0.25, ("a:b",)) + Cost(0, ("a:b", "c:d"))
    assert total == Cost(0.75, ("a:b", "c:d"))
    assert str(total) == "$0.7500 and unknown (a:b, c:d)"
    assert str(Cost(0, ("a:b",))) == "unknown" and str(Cost(0.5)) == "$0.5000"


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"acme:big": {"input": 1}}, "needs input and output"),
        ({"acme:big": {"input": 1, "output": 1, "cachedInptu": 1}}, "Did you mean 'cached_input'"),
        ({"acme:big": {"input": "1", "output": 1}}, "a number of dollars"),
        ({"acme": {"input": 1, "output": 1}}, "'provider:model'"),
    ],
)
def test_refusals(prices, said):
    with pytest.raises(ConfigError, match=said):
        read_prices(prices)


def test_a_price_object_is_taken_as_it_is():
    assert read_prices({"a:b": Price(1, 2)})["a:b"] == Price(1, 2)

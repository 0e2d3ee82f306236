"""Error answers of the field, told apart."""

import json

import pytest

from pagehand import errors
from pagehand.models.faults import fault_of_answer, retry_after

KINDS = {
    "context_length": errors.ContextWindowExceededError,
    "rate_limit": errors.RateLimitError,
    "auth": errors.AuthenticationError,
    "overloaded": errors.OverloadedError,
}


def test_recorded_error_bodies(material):
    tried = 0
    for line in (material / "traffic" / "error-bodies.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case.get("status", 200) < 400 or "body" not in case:
            continue
        body = case["body"]
        data = body if isinstance(body, str) else json.dumps(body)
        fault = fault_of_answer(
            case["status"], case.get("headers", {}), data, provider="p", model="m"
        )
        assert isinstance(fault, errors.ModelError)
        if kind := KINDS.get(case["kind"]):
            assert isinstance(fault, kind), (case, fault)
        tried += 1
    assert tried


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2_000),
        ({"retry-after": "1.5"}, 1_500),
        ({"retry-after-ms": "120", "retry-after": "9"}, 120),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_waits(headers, wait):
    assert retry_after(headers) == wait


@pytest.mark.parametrize(
    ("words", "tokens", "window"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208_310, 200_000),
        (
            "The input token count (1200293) exceeds the maximum number of tokens allowed "
            "(1048576).",
            1_200_293,
            1_048_576,
        ),
        (
            "request (9000 tokens) exceeds the available context size (4096 tokens)",
            9_000,
            4_096,
        ),
        (
            "This model's maximum context length is 6048 tokens. However, you requested 6616 "
            "tokens",
            6_616,
            6_048,
        ),
    ],
)
def test_overflows_and_their_numbers(words, tokens, window):
    body = json.dumps({"error": {"message": words}})
    fault = fault_of_answer(400, {}, body, provider="p", model="m")
    assert isinstance(fault, errors.ContextWindowExceededError)
    assert (fault.tokens, fault.window) == (tokens, window)
    assert "Start a new conversation" in str(fault)

"""Error answers of the field, told apart."""

import json

import pytest

from pagehand import errors
from pagehand.models.faults import attachment_refused, fault_of_answer, fault_of_words, retry_after


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2_000),
        ({"retry-after": "1.5"}, 1_500),
        ({"retry-after-ms": "120", "retry-after": "9"}, 120),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Mon, 1 Jan 2024 00:00:00 +9999999999999999999999"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, None),
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


def google(status, message, canonical="INVALID_ARGUMENT", *details):
    error = {"code": status, "message": message, "status": canonical, "details": list(details)}
    return status, json.dumps({"error": error})


def limit(quota_id, delay="36s"):
    kind = "type.googleapis.com/google.rpc."
    return (
        {"@type": f"{kind}QuotaFailure", "violations": [{"quotaId": quota_id}]},
        {"@type": f"{kind}RetryInfo", "retryDelay": delay},
    )


USED_UP = "You exceeded your current quota, please check your plan and billing details."
PER_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
PER_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def plain(status, message, **more):
    return status, json.dumps({"error": {"message": message, **more}})


ADD_CARD = "Rate limit reached. Please try again in 20s. Add a card at https://x.test/billing"
SAID = {
    "Google, a wrong key": (
        google(400, "API key not valid. Please pass a valid API key."),
        errors.AuthenticationError,
    ),
    "Google, a leaked key": (
        google(403, "Your API key was reported as leaked.", "PERMISSION_DENIED"),
        errors.AuthenticationError,
    ),
    "Google, a limit a minute": (
        google(429, USED_UP, "RESOURCE_EXHAUSTED", *limit(PER_MINUTE)),
        errors.RateLimitError,
    ),
    "Google, a limit a day": (
        google(429, USED_UP, "RESOURCE_EXHAUSTED", *limit(PER_DAY)),
        errors.QuotaExceededError,
    ),
    "Google, no free tier": (
        google(429, f"{USED_UP} limit: 0, model: m", "RESOURCE_EXHAUSTED", *limit(PER_MINUTE)),
        errors.QuotaExceededError,
    ),
    "Google, shared capacity": (
        google(429, "Resource exhausted. Please try again later.", "RESOURCE_EXHAUSTED"),
        errors.RateLimitError,
    ),
    "Google, the wrong country": (
        google(400, "User location is not supported for the API use.", "FAILED_PRECONDITION"),
        errors.PermissionDeniedError,
    ),
    "Google, a list": (
        (503, json.dumps([json.loads(google(503, "The model is overloaded.", "UNAVAILABLE")[1])])),
        errors.OverloadedError,
    ),
    "OpenAI, used up": (
        plain(429, USED_UP, code="insufficient_quota"),
        errors.QuotaExceededError,
    ),
    "OpenAI, a limit with a word of billing": (
        plain(429, ADD_CARD, code="rate_limit_exceeded"),
        errors.RateLimitError,
    ),
    "Anthropic, no credit": (
        plain(400, "Your credit balance is too low to access the API."),
        errors.QuotaExceededError,
    ),
    "xAI, a wrong key": (
        (400, json.dumps({"error": "Incorrect API key provided: sk-…"})),
        errors.AuthenticationError,
    ),
    "DeepSeek, no credit": (plain(402, "Insufficient Balance"), errors.QuotaExceededError),
    "Azure, the filter": (
        plain(400, "The response was filtered", code="content_filter"),
        errors.ContentRefusedError,
    ),
    "Bedrock, no such model": (
        (400, json.dumps({"message": "The provided model identifier is invalid."})),
        errors.ModelNotFoundError,
    ),
    "Bedrock, a prompt too long": (
        (400, json.dumps({"message": "Input is too long for requested model."})),
        errors.ContextWindowExceededError,
    ),
    "Bedrock, too fast": (
        (429, json.dumps({"message": "Too many tokens, please wait before trying again."})),
        errors.RateLimitError,
    ),
    "a failure that speaks of windows": (
        plain(500, "The context window service is down"),
        errors.ServerError,
    ),
    "a wrong key in words of windows": (
        plain(401, "This key exceeds the context window of its plan"),
        errors.AuthenticationError,
    ),
    "a cap that is too large": (
        plain(400, "'max_tokens' must be less than the context window"),
        errors.InvalidRequestError,
    ),
    "WebLLM's overflow": (
        plain(400, "Prompt tokens exceed context window size: number of prompt tokens: 5000"),
        errors.ContextWindowExceededError,
    ),
    "Groq, a call that cannot be read": (
        plain(400, "Failed to call a function.", code="tool_use_failed"),
        errors.MalformedResponseError,
    ),
    "an overflow as a 5xx": (
        plain(500, "prompt is too long: 9 tokens > 8 maximum"),
        errors.ContextWindowExceededError,
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_providers_say(name):
    (status, body), kind = SAID[name]
    fault = fault_of_answer(status, {}, body, provider="p", model="m")
    assert type(fault) is kind, fault
    assert fault.status == status
    assert fault.retryable == (
        kind
        in (
            errors.RateLimitError,
            errors.OverloadedError,
            errors.ServerError,
            errors.MalformedResponseError,
        )
    )


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, errors.OverloadedError),
        ({"type": "rate_limit_error", "message": "slow down"}, errors.RateLimitError),
        ({"type": "authentication_error", "message": "no"}, errors.AuthenticationError),
        ({"type": "throttlingException", "message": "Too many"}, errors.RateLimitError),
        ({"type": "validationException", "message": "bad"}, errors.InvalidRequestError),
        ({"code": 503, "message": "busy"}, errors.OverloadedError),
        ({"code": 400, "message": "Token limit reached"}, errors.InvalidRequestError),
        ({"status": "RESOURCE_EXHAUSTED", "message": "later"}, errors.RateLimitError),
        ({"type": "api_error", "message": "broken"}, errors.ServerError),
        ("something odd", errors.ServerError),
    ],
)
def test_errors_inside_a_stream(error, kind):
    words = error if isinstance(error, str) else error["message"]
    fault = fault_of_words(words, status=None, error=error, provider="p", model="m")
    assert type(fault) is kind, fault


@pytest.mark.parametrize(
    ("body", "wait"),
    [
        (google(429, "x", "RESOURCE_EXHAUSTED", *limit(PER_MINUTE, "1.5s"))[1], 1_500),
        (json.dumps({"error": {"message": "Please try again in 6m0.5s."}}), 360_500),
        (json.dumps({"error": {"message": "Please retry in 250ms"}}), 250),
        (json.dumps({"error": {"message": "try again in ...s"}}), None),
    ],
)
def test_a_wait_in_the_words(body, wait):
    assert fault_of_answer(429, {}, body, provider="p", model="m").retry_after_ms == wait


@pytest.mark.parametrize(
    ("kind", "words", "refused"),
    [
        ("image", "Invalid content type. image_url is only supported by certain models.", True),
        ("image", "This model does not support images", True),
        ("image", "messages[0]: unknown variant `image_url`, expected `text`", True),
        ("pdf", "document input is not supported", True),
        ("pdf", "The file type you uploaded is not supported. Please try again with a pdf", True),
        ("pdf", "temperature does not support 0.3 with this model. See the documentation", False),
        ("pdf", "Invalid value: 'xhigh'. Not supported by this deployment profile", False),
        ("image", "tool_choice is not supported by this revision", False),
        ("image", "tool_choice is not supported. The image was read", False),
    ],
)
def test_a_refusal_of_an_attachment(kind, words, refused):
    assert attachment_refused(words, kind) == refused

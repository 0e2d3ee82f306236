"""Turning a provider's error answer into one of our faults, by status and words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import (
    AuthenticationError,
    ContentRefusedError,
    InvalidRequestError,
    MalformedResponseError,
    ModelError,
    ModelNotFoundError,
    ModelTimeoutError,
    OverloadedError,
    PermissionDeniedError,
    QuotaExceededError,
    RateLimitError,
    ServerError,
)
from ..secret import Secret, scrub
from .overflow import overflow_of

# What providers say of themselves, whatever the status. First match wins.
_SIGNS: tuple[tuple[str, type[ModelError]], ...] = (
    (
        r"insufficient_quota|exceeded your current quota"
        r"|credit balance|insufficient balance|(out of|any|no|more) credits"
        r"|billing.{0,20}(limit|not active|disabled)"
        r"|spending limit|depleted",
        QuotaExceededError,
    ),
    (
        r"(incorrect|invalid|missing) (api|x-api)[ -]?key|api[ _]key[ _](not valid|invalid)"
        r"|api key expired|invalid_api_key|authentication_error|unauthenticated\b"
        r"|UnrecognizedClientException|InvalidSignatureException|security token"
        r"|ACCESS_TOKEN_EXPIRED|CREDENTIALS_MISSING|unregistered callers|reported as leaked",
        AuthenticationError,
    ),
    (
        r"content_filter|content management policy|responsible_?ai_?policy|safety system"
        r"|flagged by .{0,40}moderation|usage policies",
        ContentRefusedError,
    ),
    (
        r"model_not_found|DeploymentNotFound|model identifier is invalid"
        r"|model\b.{0,80}(does not exist|was not found|is not found|not_found_error|no longer)"
        r"|unknown model|invalid model|no such model|not a valid model",
        ModelNotFoundError,
    ),
    (r"tool_use_failed", MalformedResponseError),
    (r"location is not supported", PermissionDeniedError),
)
# What a provider calls its error, for answers whose status says nothing.
_STATUS_OF_TYPE = {
    "authentication_error": 401,
    "unauthenticated": 401,
    "permission_error": 403,
    "permission_denied": 403,
    "accessdeniedexception": 403,
    "not_found_error": 404,
    "not_found": 404,
    "resourcenotfoundexception": 404,
    "timeout_error": 408,
    "deadline_exceeded": 408,
    "modeltimeoutexception": 408,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "resource_exhausted": 429,
    "throttlingexception": 429,
    "too_many_requests": 429,
    "overloaded_error": 529,
    "unavailable": 503,
    "serviceunavailableexception": 503,
    "modelnotreadyexception": 503,
    "invalid_request_error": 400,
    "invalid_argument": 400,
    "failed_precondition": 400,
    "validationexception": 400,
}
_ADVICE: dict[type[ModelError], str] = {
    AuthenticationError: "The key is missing, wrong or expired: check the API key.",
    PermissionDeniedError: "The key may not use this model: check its permissions.",
    ModelNotFoundError: "Check the model's name and the base URL.",
    QuotaExceededError: "The account's quota or credit is used up: check billing.",
    RateLimitError: "Too many requests at once: wait a little and try again.",
    OverloadedError: "It has no room at the moment: try again a little later.",
    ServerError: "It failed inside: try again, or use another model.",
    ModelTimeoutError: "The server gave up waiting: try again.",
    ContentRefusedError: "Its content filter refused the request: rephrase it.",
    MalformedResponseError: "The model wrote a tool call that cannot be read: try again.",
    InvalidRequestError: "It does not accept the request as it stands.",
}
_REDIRECTED = "It redirects to another address, where no key is sent: name that as base_url."
# A refusal of an attachment speaks of it, and of not taking it.
_ATTACHMENT_WORDS = {
    "image": r"\b(images?|image_url|input_image|vision|multi-?modal|pictures?)\b",
    "pdf": r"\b(pdfs?|documents?|files?|input_file|file_data|document_url)\b",
    "file": r"\b(files?|documents?|media|mime|attachments?|input_file|file_data)\b",
}
_NOT_TAKEN = (
    r"not support|unsupported|does(n't| not) (support|accept|take)|not (allowed|accepted)"
    r"|expected .{0,60}\b(text|string)|unknown variant|invalid (content|media|mime|file|image)"
    r"|only .{0,40}support|cannot (read|process|fetch)|not enabled"
)
_WAIT_WORDS = r"(?:try again|retry) in (?:(\d{1,5})m)?(\d{1,7}(?:\.\d{1,9})?) ?(ms|s)\b"
_LONGEST_EXCERPT = 400
_LONGEST_WORDS = 2_000


def fault_of_answer(
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    provider: str,
    model: str,
    where: str | None = None,
    secrets: Iterable[Secret] = (),
) -> ModelError:
    """Give the fault that an HTTP answer of `status` (300 and up) stands for.

    `where` names the provider for people, such as with its host. `secrets` are hidden, should the
    server repeat them.
    """
    return fault_of_words(
        scrub(words_of(body), secrets),
        status=status,
        error=_error_of(_json(body)),
        provider=provider,
        where=where,
        model=model,
        retry_after_ms=retry_after(headers),
    )


def fault_of_words(
    words: str,
    *,
    status: int | None,
    provider: str,
    model: str,
    where: str | None = None,
    retry_after_ms: float | None = None,
    error: Any = None,
) -> ModelError:
    """Give the fault that a provider's own words stand for.

    `status` is the HTTP status where there was a bad one; `error` the provider's error object,
    whose code or type speaks where the status does not.
    """
    words = words[:_LONGEST_WORDS]
    status = status or _status_of(error)
    if overflow := overflow_of(words, provider=provider, model=model, status=status):
        return overflow
    wait = retry_after_ms if retry_after_ms is not None else _wished(error, words)
    kind = _kind(status, f"{words} {' '.join(_reasons(error))}", waits=wait is not None)
    advice = _REDIRECTED if status is not None and status < 400 else _ADVICE[kind]
    excerpt = words if len(words) <= _LONGEST_EXCERPT else words[: _LONGEST_EXCERPT - 1] + "…"
    said = f" It said: {excerpt}" if excerpt else ""
    return kind(
        f"{where or provider} answered {status or 'an error'} for the model {model!r}. "
        f"{advice}{said}",
        provider=provider,
        model=model,
        status=status,
        retryable=True if kind is MalformedResponseError else None,
        retry_after_ms=wait,
    )


def _kind(status: int | None, words: str, *, waits: bool) -> type[ModelError]:
    if status in (None, 400, 401, 402, 403, 404, 422, 429):
        for sign, kind in _SIGNS:
            if re.search(sign, words, re.I):
                return _limit(words, waits=waits) if kind is QuotaExceededError else kind
    return _kind_of_status(status, words)


def _limit(words: str, *, waits: bool) -> type[ModelError]:
    """Tell an account that is used up from a limit that passes: Google says "quota" of both, and
    sends a wait with a limit a day too, where waiting does not help."""
    daily = "PerDay" in words and "PerMinute" not in words
    if daily or re.search(r"\blimit: 0\b", words) or not (waits or "PerMinute" in words):
        return QuotaExceededError
    return RateLimitError


def _reasons(error: Any) -> list[str]:
    """Give the reasons in an error's details, as Google words them."""
    details = error.get("details") if isinstance(error, dict) else None
    found: list[Any] = []
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            found.append(detail.get("reason"))
            violations = detail.get("violations")
            for violation in violations if isinstance(violations, list) else ():
                found.append(violation.get("quotaId") if isinstance(violation, dict) else None)
    return [reason for reason in found if isinstance(reason, str)]


def _kind_of_status(status: int | None, words: str) -> type[ModelError]:
    match status:
        case 401:
            return AuthenticationError
        case 402:
            return QuotaExceededError
        case 403:
            return PermissionDeniedError
        case 404:
            return ModelNotFoundError
        case 408:
            return ModelTimeoutError
        case 429:
            return RateLimitError
        case 503 | 529:
            return OverloadedError
    if status is not None and status < 400:
        return InvalidRequestError
    if re.search(r"overloaded", words, re.I):
        return OverloadedError
    if status is None or status >= 500 or status == 409:
        return ServerError
    return InvalidRequestError


def _error_of(value: Any) -> Any:
    if isinstance(value, list) and value:
        value = value[0]
    return value.get("error", value) if isinstance(value, dict) else None


def _status_of(error: Any) -> int | None:
    if not isinstance(error, dict):
        return None
    for key in ("status_code", "code", "status", "type"):
        value = error.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
        if isinstance(value, str) and (status := _STATUS_OF_TYPE.get(value.casefold())):
            return status
    return None


def _wished(error: Any, words: str) -> float | None:
    """Give the wait (milliseconds) that an error itself asks for."""
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (match := re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)s", delay)):
            return float(match.group(1)) * 1000
    if match := re.search(_WAIT_WORDS, words, re.I):
        minutes, number, unit = match.groups()
        seconds = int(minutes or 0) * 60 + float(number) / (1000 if unit == "ms" else 1)
        return seconds * 1000
    return None


def attachment_refused(words: str, kind: str) -> bool:
    """Whether a provider's words say, in one sentence, that it takes no attachment of a kind."""
    return any(
        re.search(_ATTACHMENT_WORDS[kind], sentence, re.I) and re.search(_NOT_TAKEN, sentence, re.I)
        for sentence in re.split(r"[.!?;]\s|\n", words)
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Give the wait (milliseconds) that the headers ask for, or None."""
    try:
        if value := headers.get("retry-after-ms"):
            return max(0.0, float(value))
        value = headers.get("retry-after")
        if value is None:
            return None
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            return float(value) * 1000
        wait = parsedate_to_datetime(value) - datetime.now(UTC)
        return max(0.0, wait.total_seconds() * 1000)
    except (ValueError, TypeError, OverflowError):
        return None


def _json(body: str) -> Any:
    try:
        return json.loads(body[:20_000].strip())
    except (ValueError, RecursionError):
        return None


def words_of(body: str) -> str:
    """Give what an error answer says; of a proxy's page its words, not its marks."""
    value = _json(body)
    if value is not None:
        return error_words(value)
    return " ".join(re.sub(r"<[^>]*>", " ", body[:20_000]).split())


def error_words(value: Any) -> str:
    """Give the words of an error in any of the JSON shapes that providers use."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return str(value)
    error = value.get("error", value)
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return json.dumps(value)
    message = error.get("message") or error.get("detail") or value.get("message")
    code = error.get("code") or error.get("type")
    if not isinstance(message, str) or not message:
        return json.dumps(value)
    return f"{message} ({code})" if isinstance(code, str) and code not in str(message) else message

"""Turning a provider's error answer into one of our faults, by status and words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import (
    AuthenticationError,
    ContentRefusedError,
    InvalidRequestError,
    ModelError,
    ModelNotFoundError,
    ModelTimeoutError,
    OverloadedError,
    PermissionDeniedError,
    QuotaExceededError,
    RateLimitError,
    ServerError,
)
from .overflow import overflow_of

_QUOTA = re.compile(r"insufficient_quota|quota|billing|credit balance|insufficient balance", re.I)
_REFUSED = re.compile(r"content_filter|content management policy|safety system|moderation", re.I)
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
) -> ModelError:
    """Give the fault that an HTTP answer of `status` (400 and up) stands for.

    `where` names the provider for people, such as with its host.
    """
    return fault_of_words(
        _words(body),
        status=status,
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
) -> ModelError:
    """Give the fault that a provider's own words (and status, where there is one) stand for."""
    words = words[:_LONGEST_WORDS]
    if overflow := overflow_of(words, provider=provider, model=model, status=status):
        return overflow
    kind, advice = _kind(status, words)
    excerpt = words if len(words) <= _LONGEST_EXCERPT else words[: _LONGEST_EXCERPT - 1] + "…"
    said = f" It said: {excerpt}" if excerpt else ""
    return kind(
        f"{where or provider} answered {status or 'an error'} for the model {model!r}. "
        f"{advice}{said}",
        provider=provider,
        model=model,
        status=status,
        retry_after_ms=retry_after_ms,
    )


def _kind(status: int | None, words: str) -> tuple[type[ModelError], str]:
    if status == 401:
        return AuthenticationError, "The key is missing, wrong or expired: check the API key."
    if status == 429 or status == 402:
        if status == 402 or _QUOTA.search(words):
            return QuotaExceededError, "The account's quota or credit is used up: check billing."
        return RateLimitError, "Too many requests at once: wait a little and try again."
    if _REFUSED.search(words) and status in (None, 400, 403, 422):
        return ContentRefusedError, "Its content filter refused the request: rephrase it."
    if status == 403:
        return PermissionDeniedError, "The key may not use this model: check its permissions."
    if status == 404:
        return ModelNotFoundError, "Check the model's name and the base URL."
    if status == 408:
        return ModelTimeoutError, "The server gave up waiting: try again."
    if status in (503, 529) or re.search(r"overloaded", words, re.I):
        return OverloadedError, "It has no room at the moment: try again a little later."
    if status is None or status >= 500:
        return ServerError, "It failed inside: try again, or use another model."
    if status == 409:
        return ServerError, "It refused for a conflict: try again."
    return InvalidRequestError, "It does not accept the request as it stands."


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
    except (ValueError, TypeError):
        return None


def _words(body: str) -> str:
    text = body[:20_000].strip()
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        # A page of HTML from a proxy: its words, not its marks.
        return " ".join(re.sub(r"<[^>]*>", " ", text).split())
    return error_words(value)


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

"""Secrets that do not print, and the scrubbing of what others print of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_HIDDEN = "***"
_SECRET_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "x-amz-security-token",
    }
)


class Secret:
    """A string that neither `str`, `repr`, `format` nor a traceback shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the string itself; only the code that sends it to its owner calls this."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN})"

    def __str__(self) -> str:
        return _HIDDEN


def scrub(text: str, secrets: Iterable[Secret]) -> str:
    """Replace every occurrence of the secrets in a text that came from outside."""
    for secret in secrets:
        # Shorter ones are no keys but words ("test", "ollama") that a server may well say itself.
        if len(secret.reveal()) >= 8:
            text = text.replace(secret.reveal(), _HIDDEN)
    return text


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers for a log: the values of those that carry credentials are hidden."""
    return {
        name: _HIDDEN if _is_secret_header(name.lower()) else value
        for name, value in headers.items()
    }


def _is_secret_header(name: str) -> bool:
    return name in _SECRET_HEADERS or name.endswith(("-token", "-secret", "-key"))

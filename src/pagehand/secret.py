"""Secrets that do not print, and the scrubbing of what others print of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .errors import ConfigError

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


def clean_key(key: str | Secret, *, what: str = "api_key") -> Secret | None:
    """Give a key without the blanks of a paste, None for an empty one.

    Raises ConfigError for one that is no text, or that no header can carry.
    """
    if not isinstance(key, str | Secret):
        raise ConfigError(f"The {what} must be a text, got {type(key).__name__}.")
    text = (key.reveal() if isinstance(key, Secret) else key).strip()
    if not text.isascii() or not text.isprintable():
        raise ConfigError(f"The {what} holds characters that no key has: paste it again.")
    return Secret(text) if text else None


def scrub(text: str, secrets: Iterable[Secret]) -> str:
    """Replace every occurrence of the secrets in a text that came from outside."""
    for secret in secrets:
        # Shorter ones are no keys but words ("test", "ollama") that a server may well say itself.
        if len(secret.reveal()) >= 8:
            text = text.replace(secret.reveal(), _HIDDEN)
    return text


def header_secrets(headers: Mapping[str, str]) -> list[Secret]:
    """Give what of a host's headers no server may be quoted with: the values and their words."""
    return [
        Secret(text)
        for name, value in headers.items()
        if name.casefold() != "user-agent"
        for text in dict.fromkeys((value, *value.split()))
    ]


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers for a log: the values of those that carry credentials are hidden."""
    return {
        name: _HIDDEN if _is_secret_header(name.lower()) else value
        for name, value in headers.items()
    }


def _is_secret_header(name: str) -> bool:
    return name in _SECRET_HEADERS or name.endswith(("-token", "-secret", "-key"))

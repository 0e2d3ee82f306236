"""Every fault that pagehand raises, as one tree.

A message says what happened, where, and what to do next; no secret ever appears in one.

PagehandError
├── ConfigError                      a setting is unknown, missing or contradicts another
├── ModelError                       a model or its provider failed
│   ├── AuthenticationError
│   ├── PermissionDeniedError
│   ├── ModelNotFoundError
│   ├── RateLimitError
│   │   └── QuotaExceededError       never retried
│   ├── OverloadedError
│   ├── ServerError
│   ├── InvalidRequestError
│   ├── ContentRefusedError
│   ├── ContextWindowExceededError
│   ├── MalformedResponseError
│   ├── StreamInterruptedError
│   ├── ModelTimeoutError
│   ├── NetworkError
│   │   └── CorsError
│   └── EngineError                  a model on this device
│       ├── DeviceLostError
│       └── WebGPUUnavailableError
├── AttachmentsNotSupportedError
│   └── ImagesNotSupportedError
├── ToolError                        a tool said no; the model reads the message
│   ├── ToolDeniedError
│   ├── ToolBudgetError
│   ├── ToolTimeoutError
│   └── ToolInputError
├── McpError
│   ├── McpConnectError
│   └── NeedsAuthorizationError
├── StorageError
│   ├── StorageFullError
│   ├── VaultLockedError
│   └── SnapshotError
├── SkillError
├── EgressDeniedError
├── BusyError                        the cap on runs is reached, or a reconnect while runs go
└── AgentAborted                     a signal stopped the run (only with `raise_on_abort=True`)
"""

from __future__ import annotations

from typing import Any


class PagehandError(Exception):
    """The root of every fault of pagehand. `retryable` says whether the same call may succeed."""

    retryable = False

    def __init__(self, message: str, *, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def to_dict(self) -> dict[str, Any]:
        """Give the plain data that crosses every border: name, message, retryable, details."""
        return error_data(self)


def error_data(fault: BaseException) -> dict[str, Any]:
    """Give the wire form of any fault: `{name, message, retryable, details?}`."""
    data: dict[str, Any] = {
        "name": type(fault).__name__,
        "message": _words_of(fault) or type(fault).__name__,
        "retryable": bool(getattr(fault, "retryable", False)),
    }
    details = getattr(fault, "details", None)
    if details and isinstance(details, dict):
        data["details"] = details
    return data


def _words_of(fault: BaseException) -> str:
    try:
        return str(fault)
    except Exception:  # a foreign exception may fail to say itself
        return ""


class ConfigError(PagehandError):
    """A setting is unknown, missing, of the wrong kind, or contradicts another."""


class ModelError(PagehandError):
    """A model call failed.

    `provider` and `model` say where, `status` is the HTTP status where there was one,
    `retry_after_ms` (milliseconds) is the provider's own wish.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str | None = None,
        model: str | None = None,
        status: int | None = None,
        retryable: bool | None = None,
        retry_after_ms: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        known = {"provider": provider, "model": model, "status": status}
        merged = {key: value for key, value in known.items() if value is not None} | (details or {})
        super().__init__(message, details=merged or None)
        self.provider = provider
        self.model = model
        self.status = status
        self.retry_after_ms = retry_after_ms
        if retryable is not None:
            self.retryable = retryable


class AuthenticationError(ModelError):
    """The provider does not accept the key (HTTP 401)."""


class PermissionDeniedError(ModelError):
    """The key is known but may not do this (HTTP 403)."""


class ModelNotFoundError(ModelError):
    """The provider does not know the model or the address (HTTP 404)."""


class RateLimitError(ModelError):
    """Too many requests (HTTP 429)."""

    retryable = True


class QuotaExceededError(RateLimitError):
    """The account's credit or quota is used up: waiting does not help."""

    retryable = False


class OverloadedError(ModelError):
    """The provider has no room at the moment (HTTP 503, 529)."""

    retryable = True


class ServerError(ModelError):
    """The provider failed inside (HTTP 5xx)."""

    retryable = True


class InvalidRequestError(ModelError):
    """The provider refuses the request as it stands (HTTP 400, 422)."""


class ContentRefusedError(ModelError):
    """The provider's filter or the model refuses the content."""


class ContextWindowExceededError(ModelError):
    """The prompt does not fit the model's window. `tokens` and `window` are counts of tokens."""

    def __init__(
        self,
        message: str,
        *,
        tokens: int | None = None,
        window: int | None = None,
        provider: str | None = None,
        model: str | None = None,
        status: int | None = None,
    ) -> None:
        counts = {"tokens": tokens, "window": window}
        details = {key: value for key, value in counts.items() if value is not None}
        super().__init__(message, provider=provider, model=model, status=status, details=details)
        self.tokens = tokens
        self.window = window


class MalformedResponseError(ModelError):
    """The answer is not what the protocol or the asked shape says."""


class StreamInterruptedError(ModelError):
    """The stream ended before the answer did."""

    retryable = True


class ModelTimeoutError(ModelError):
    """No answer within the deadline."""

    retryable = True


class NetworkError(ModelError):
    """The request did not reach the provider."""

    retryable = True


class CorsError(NetworkError):
    """The browser kept the answer from the page: the server does not allow this origin."""

    retryable = False


class EngineError(ModelError):
    """A model on this device could not be loaded or run."""


class DeviceLostError(EngineError):
    """The GPU went away in the middle of the work."""

    retryable = True


class WebGPUUnavailableError(EngineError):
    """This browser or device offers no WebGPU."""


class AttachmentsNotSupportedError(PagehandError):
    """The model does not take a file of this kind."""


class ImagesNotSupportedError(AttachmentsNotSupportedError):
    """The model does not take images."""


class ToolError(PagehandError):
    """An expected failure of a tool: its message goes to the model as the result."""


class ToolDeniedError(ToolError):
    """Policy or a person refused the call."""


class ToolBudgetError(ToolError):
    """The run's cap on tool calls is used up."""


class ToolTimeoutError(ToolError):
    """The tool did not return within its time."""


class ToolInputError(ToolError):
    """The arguments do not fit the tool's schema, or no such tool exists."""


class McpError(PagehandError):
    """An MCP server failed."""


class McpConnectError(McpError):
    """An MCP server could not be reached."""


class NeedsAuthorizationError(McpError):
    """An MCP server asks for a sign-in first."""


class StorageError(PagehandError):
    """Something could not be stored or read."""


class StorageFullError(StorageError):
    """The disk or the browser's quota is full."""


class VaultLockedError(StorageError):
    """The vault is locked; unlock it first."""


class SnapshotError(StorageError):
    """A stored run cannot be read or resumed."""


class SkillError(PagehandError):
    """A skill is malformed or missing."""


class EgressDeniedError(PagehandError):
    """The egress policy refuses the address."""


class BusyError(PagehandError):
    """The agent already runs as many runs as it may, or a reconnect came while runs go."""

    retryable = True


class AgentAborted(PagehandError):
    """A signal stopped the run."""

"""What the core needs of the world it runs in, as protocols, and the one place that holds them.

The composition root installs a platform when the first public name is used; rooms below only ask
`platform()`. Without an installed platform that is one clear error.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .errors import ConfigError
from .secret import Secret


@dataclass(slots=True)
class HttpRequest:
    """One request. `body` is bytes or text; no redirects are followed across origins."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    body: str | bytes | None = field(default=None, repr=False)


class HttpResponse(Protocol):
    """An answer whose body arrives in batches of bytes. Header names are lower-case."""

    status: int
    headers: Mapping[str, str]

    def batches(self) -> AsyncIterator[bytes]:
        """Give the body as it arrives. Raises StreamInterruptedError when it is cut."""
        ...

    async def read(self) -> bytes:
        """Give the whole body."""
        ...

    async def close(self) -> None:
        """Stop the transfer; after the end of the body this does nothing."""
        ...


class Http(Protocol):
    """Sends requests. Cancelling the awaiting task stops the request."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send one request and give the answer once its head is there.

        Raises NetworkError, or CorsError where the browser says that the server refuses the page.
        """
        ...


class Channel(Protocol):
    """A pipe of texts to another thread of execution: the page, or an engine worker."""

    def send(self, text: str) -> None:
        """Post one message."""
        ...

    def receive(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with every message that arrives."""
        ...


@dataclass(slots=True)
class EngineInfo:
    """The model that an engine has loaded. `context_window` is in tokens.

    `constraints` names what its decoder can be held to: `json-schema`, `grammar`; `likelihood` says
    that it takes a raw prompt and tells how likely what follows is.
    """

    model: str
    context_window: int
    constraints: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class EngineOptions:
    """How a model is loaded. `context_window` in tokens: a larger one costs memory, no download.

    The others are for WebLLM: where a model's folder and its compiled library are, and what
    replaces the model's own settings (its words, such as `sliding_window_size`).
    """

    context_window: int | None = None
    model_url: str | None = None
    model_lib_url: str | None = None
    overrides: dict[str, Any] | None = None


@dataclass(slots=True)
class EngineRequest:
    """What an engine is asked to write. Messages are `{"role", "content"}` with plain text.

    `model` and `options` name what shall answer: it is loaded when it is not; without a name,
    whatever is loaded answers. `json_schema` or `grammar` (GBNF) hold from the first token on; a
    text of `stop` ends the answer before it. `prompt` is raw text to go on with, in place of
    messages and their template. `thinking` turns the thoughts of a model that has such
    a switch on or off; None leaves its own default.
    """

    messages: list[dict[str, str]]
    max_output_tokens: int | None = None
    temperature: float | None = None
    json_schema: dict[str, Any] | None = None
    thinking: bool | None = None
    model: str | None = None
    options: EngineOptions | None = None
    grammar: str | None = None
    stop: tuple[str, ...] = ()
    prompt: str | None = None


@dataclass(slots=True)
class EngineProgress:
    """A sign of life, by `kind`.

    `queued`: `done` tasks of others come first. `load`: the model is loaded anew, `progress` from
    0 to 1 with a text. `start`: the engine has taken the request. `prompt`: `done` of `total`
    tokens are read. `text`: more text.
    """

    kind: str
    text: str = ""
    done: int = 0
    total: int = 0
    progress: float = 0.0


@dataclass(slots=True)
class EngineAnswer:
    """The end of one piece of work. `finish_reason`: stop, length or cancelled.

    `cached_input_tokens` are part of `input_tokens`; None when the engine does not tell.
    `likelihood` is told of what follows a raw prompt: the natural logarithm of how likely that text
    is, without regard to a grammar.
    """

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int | None = None
    likelihood: float | None = None


class Engine(Protocol):
    """Models on this device. One is loaded at a time and answers one request at a time."""

    async def load(
        self,
        model: str,
        on_progress: Callable[[float, str], None],
        options: EngineOptions | None = None,
    ) -> EngineInfo:
        """Load a model (once; later calls give the same). Progress runs from 0 to 1 with a text.

        Waits for the work on another model. Raises EngineError.
        """
        ...

    def generate(self, request: EngineRequest) -> AsyncIterator[EngineProgress | EngineAnswer]:
        """Write; the last item is the EngineAnswer. Leaving early stops the engine.

        Raises EngineError, DeviceLostError (a second call loads the model anew),
        ContextWindowExceededError.
        """
        ...


class CredentialStore(Protocol):
    """Where API keys lie, each under a name (`credential_ref`) that configs may show."""

    async def get_api_key(self, ref: str) -> str | None:
        """Give the key under a name, None when there is none."""
        ...

    async def set_api_key(self, ref: str, key: str) -> None:
        """Keep a key under a name."""
        ...

    async def delete_api_key(self, ref: str) -> None:
        """Forget a key."""
        ...


class GoogleSignIn(Protocol):
    """Google's sign-in of the machine itself (Application Default Credentials)."""

    async def token(self) -> Secret:
        """Give an access token that is good for at least a minute. Raises ConfigError."""
        ...

    async def project(self) -> str | None:
        """Give the project that the credentials name, if any."""
        ...


class Clock(Protocol):
    """Time, in seconds."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that only goes forward."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Entropy(Protocol):
    """Randomness."""

    def token(self) -> str:
        """A fresh random name of 16 characters out of [a-z0-9]."""
        ...

    def random(self) -> float:
        """A number in [0, 1)."""
        ...


@dataclass(slots=True)
class Platform:
    """Everything a platform offers.

    `name` is native or browser. `engine` is None where no model runs on the device, `google` where
    the machine has no sign-in of its own. `run_sync`
    runs a coroutine from code that is not async and raises ConfigError where nothing can block.
    """

    name: str
    http: Http
    clock: Clock
    entropy: Entropy
    run_sync: Callable[[Coroutine[Any, Any, Any]], Any]
    engine: Engine | None = None
    google: GoogleSignIn | None = None


_installed: list[Platform] = []


def install(platform: Platform) -> None:
    """Make `platform` the one that rooms below ask for."""
    _installed[:] = [platform]


def platform() -> Platform:
    """Give the installed platform. Raises ConfigError when there is none."""
    if not _installed:
        raise ConfigError(
            "No platform is installed: use the names of the `pagehand` package itself, which "
            "install one, or pass `platform=`."
        )
    return _installed[0]

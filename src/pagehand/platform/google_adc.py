"""Google's sign-in of the machine: an access token from the Application Default Credentials.

Source: Google Cloud's "How Application Default Credentials works" (where to look, in which order)
and "About VM metadata" (the metadata server).
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import ConfigError, NetworkError, StreamInterruptedError
from ..ports import Clock, Http, HttpRequest
from ..secret import Secret
from .google_grants import GoogleToken, SignIn, json_object, token_of

_FILE = "application_default_credentials.json"
_METADATA_HOST = "metadata.google.internal"
_METADATA_SECONDS = 3.0
_SPARE_S = 60


class GoogleCredentials:
    """The machine's sign-in; a token is kept until a minute before it ends.

    `path` names a credentials file; None looks where Google's own tools look.
    """

    def __init__(self, http: Http, clock: Clock, path: str | None = None) -> None:
        self._http = http
        self._clock = clock
        self._path = path
        self._kept: GoogleToken | None = None
        # One for each event loop: a lock belongs to the loop that first waited for it.
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            WeakKeyDictionary()
        )

    async def token(self) -> Secret:
        """Give a token that is good for a minute at least; many who wait share one refresh.

        Raises ConfigError, AuthenticationError, NetworkError or ServerError.
        """
        return (await self._fresh()).token

    async def project(self) -> str | None:
        """Give the project that the credentials name, if any. Raises as `token` does."""
        return (await self._fresh()).project

    async def _fresh(self) -> GoogleToken:
        lock = self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:
            kept = self._kept
            if kept is None or kept.expires_at - _SPARE_S <= self._clock.now():
                kept = self._kept = await adc_token(self._http, self._clock, self._path)
            return kept


async def adc_token(http: Http, clock: Clock, path: str | None = None) -> GoogleToken:
    """Give a new access token for Google Cloud.

    Looks at `path`, else at GOOGLE_APPLICATION_CREDENTIALS, at the file of
    `gcloud auth application-default login`, and at the metadata server of a machine at Google.
    Raises ConfigError where no usable credentials are found, AuthenticationError where Google
    refuses them, NetworkError or ServerError where it cannot be asked.
    """
    file = _find(path)
    if file is None:
        return await _of_metadata(http, clock)
    return await SignIn(http, clock, str(file)).token(_read(file))


def _find(path: str | None) -> Path | None:
    named = path or os.environ.get("GOOGLE_APPLICATION_CREDENTIALS")
    if named:
        file = Path(named).expanduser()
        if not file.is_file():
            raise ConfigError(
                f"There is no Google credentials file {str(file)!r}: correct the path, or unset "
                "GOOGLE_APPLICATION_CREDENTIALS."
            )
        return file
    file = _gcloud_folder() / _FILE
    return file if file.is_file() else None


def _gcloud_folder() -> Path:
    if folder := os.environ.get("CLOUDSDK_CONFIG"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "")) / "gcloud"
    return Path.home() / ".config" / "gcloud"


def _read(file: Path) -> dict[str, Any]:
    """Give what the file says. A fault quotes nothing of it."""
    try:
        info = json_object(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"{str(file)!r} cannot be read: {type(fault).__name__}.") from None
    if not info:
        raise ConfigError(
            f"{str(file)!r} is no Google credentials file: it holds no JSON object. Make it anew "
            "with `gcloud auth application-default login`."
        )
    return info


async def _of_metadata(http: Http, clock: Clock) -> GoogleToken:
    """Give the token of the service account that the machine itself runs as."""
    token = None
    if os.environ.get("NO_GCE_CHECK") != "true":
        try:
            async with asyncio.timeout(_metadata_seconds()):
                answer = await _metadata(http, "instance/service-accounts/default/token")
                if answer is not None:
                    project = await _metadata(http, "project/project-id")
                    token = token_of(json_object(answer), clock, project)
        except (TimeoutError, NetworkError, StreamInterruptedError):
            token = None
    if token is None:
        raise ConfigError(
            "No Google credentials were found: sign in with `gcloud auth application-default "
            "login`, name a credentials file in GOOGLE_APPLICATION_CREDENTIALS, or give an access "
            "token."
        )
    return token


async def _metadata(http: Http, path: str) -> str | None:
    """Give a value of the metadata server, None where no such server answers."""
    host = os.environ.get("GCE_METADATA_HOST") or _METADATA_HOST
    url = f"http://{host}/computeMetadata/v1/{path}"
    response = await http.send(HttpRequest("GET", url, {"metadata-flavor": "Google"}))
    try:
        text = (await response.read()).decode("utf-8", "replace").strip()
    finally:
        await response.close()
    genuine = response.headers.get("metadata-flavor") == "Google"
    return text if response.status == 200 and genuine else None


def _metadata_seconds() -> float:
    try:
        return float(os.environ["GCE_METADATA_TIMEOUT"])
    except (KeyError, ValueError):
        return _METADATA_SECONDS

"""How a request shows whose it is: a key in a header, a token, or a signature.

Secrets leave their wrapper only here, at the moment a request is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Protocol

from ..errors import AuthenticationError
from ..ports import Clock, CredentialStore, HttpRequest
from ..secret import Secret, clean_key
from .sigv4 import sign_v4

GetKey = Callable[[], Awaitable[Secret | None]]
"""Gives the key at the moment it is needed; None when there is none."""


class Auth(Protocol):
    """Adds to a request what its provider wants to see."""

    async def apply(self, request: HttpRequest) -> list[Secret]:
        """Change the request's headers; give the secrets that an answer may repeat."""
        ...


class NoAuth:
    """For servers that ask nobody."""

    async def apply(self, request: HttpRequest) -> list[Secret]:
        """Change nothing."""
        return []


class KeyHeader:
    """A key in a header, behind a prefix such as `Bearer `.

    Without a key no header is sent, or no request where the provider (`needed_by`) answers nobody
    without one.
    """

    def __init__(
        self,
        get_key: GetKey,
        header: str = "authorization",
        prefix: str = "Bearer ",
        *,
        needed_by: str = "",
    ) -> None:
        self._get_key = get_key
        self._header = header
        self._prefix = prefix
        self._needed_by = needed_by

    async def apply(self, request: HttpRequest) -> list[Secret]:
        """Set the header. Raises AuthenticationError or ConfigError where no key can be had."""
        key = await self._get_key()
        if key is None and self._needed_by:
            raise AuthenticationError(
                f"{self._needed_by} answers nobody without a key, and none was given: give api_key "
                "or credential_ref."
            )
        if key is None:
            return []
        request.headers[self._header] = self._prefix + key.reveal()
        return [key]


class AwsSignature:
    """AWS Signature Version 4 with an access key."""

    def __init__(
        self,
        clock: Clock,
        *,
        region: str,
        access_key_id: str,
        secret_access_key: Secret,
        session_token: Secret | None = None,
    ) -> None:
        self._clock = clock
        self._region = region
        self._access_key_id = access_key_id
        self._secret = secret_access_key
        self._session = session_token

    async def apply(self, request: HttpRequest) -> list[Secret]:
        """Sign the request as it stands."""
        body = request.body or b""
        request.body = body.encode() if isinstance(body, str) else body
        request.headers |= sign_v4(
            request.method,
            request.url,
            request.headers,
            request.body,
            region=self._region,
            service="bedrock",
            access_key_id=self._access_key_id,
            secret_access_key=self._secret.reveal(),
            session_token=self._session.reveal() if self._session else None,
            now=self._clock.now(),
        )
        return [self._secret, *([self._session] if self._session else [])]


def known_key(key: Secret | None) -> GetKey:
    """Give a key that is at hand."""

    async def get() -> Secret | None:
        return key

    return get


def stored_key(store: CredentialStore, ref: str) -> GetKey:
    """Give the key that a store keeps under a name, read anew for every request."""

    async def get() -> Secret | None:
        try:
            key = await store.get_api_key(ref)
        except Exception as fault:  # a host's own store may fail in any way, and quote the key
            raise _no_key(f"The credential store could not read {ref!r}", fault) from None
        if key is not None and not isinstance(key, str):
            raise AuthenticationError(
                f"The credential store gave no text for {ref!r}, but {type(key).__name__}."
            )
        made = clean_key(key, what=f"key {ref!r}") if key else None
        if made is None:
            raise AuthenticationError(
                f"The credential store has no key named {ref!r}: store it there first, or give "
                "the model its key."
            )
        return made

    return get


def token_of(give: Callable[[], object], *, what: str) -> GetKey:
    """Give the token of a host's function, sync or async, asked for every request."""

    async def get() -> Secret | None:
        try:
            token = give()
            if inspect.isawaitable(token):
                token = await token
        except Exception as fault:  # a host's own function may fail in any way, and quote the token
            raise _no_key(f"The function given as {what} failed", fault) from None
        if isinstance(token, str | Secret) and (made := clean_key(token, what=what)):
            return made
        raise AuthenticationError(
            f"The function given as {what} must give the token as a text, got "
            f"{type(token).__name__}."
        )

    return get


def _no_key(what: str, fault: Exception) -> AuthenticationError:
    """Give the fault without the other's words: they may hold a secret."""
    return AuthenticationError(f"{what}: it raised {type(fault).__name__}.")

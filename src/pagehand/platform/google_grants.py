"""What Google gives an access token for: the kinds of credentials a file may hold.

Source: Google Cloud's "Using OAuth 2.0 for Server to Server Applications" (the signed grant of a
service account), RFC 6749 (the refresh grant), and the IAM Credentials reference (impersonation).
"""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from ..errors import AuthenticationError, ConfigError, MalformedResponseError, ServerError
from ..ports import Clock, Http, HttpRequest
from ..secret import Secret, scrub

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105 (an address)
_SIGNED_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LIFETIME_S = 3_600
_LONGEST_WORDS = 300
_PROVIDER = "google-vertex"


@dataclass(slots=True, frozen=True)
class GoogleToken:
    """An access token. `expires_at` is in seconds since 1970."""

    token: Secret
    expires_at: float
    project: str | None


class SignIn:
    """Turns the contents of one credentials file into a token. `where` names the file."""

    def __init__(self, http: Http, clock: Clock, where: str) -> None:
        self._http = http
        self._clock = clock
        self._where = where

    async def token(self, info: dict[str, Any]) -> GoogleToken:
        """Ask Google for a token.

        Raises ConfigError for contents that cannot be used, AuthenticationError where Google
        refuses them, ServerError or NetworkError where it cannot be asked.
        """
        kind = info.get("type")
        if kind == "authorized_user":
            return await self._of_user(info)
        if kind == "service_account":
            return await self._of_service_account(info)
        if kind == "impersonated_service_account":
            return await self._of_impersonated(info)
        raise ConfigError(
            f"{self._where!r} holds credentials of the kind {kind!r}, which are not supported: use "
            "those of a user, a service account or an impersonated service account, or give an "
            "access token yourself."
        )

    async def _of_user(self, info: dict[str, Any]) -> GoogleToken:
        form = {
            "grant_type": "refresh_token",
            "client_id": self._text(info, "client_id"),
            "client_secret": self._text(info, "client_secret"),
            "refresh_token": self._text(info, "refresh_token"),
        }
        secrets = [Secret(form["client_secret"]), Secret(form["refresh_token"])]
        return await self._granted(info, form, secrets, info.get("quota_project_id"))

    async def _of_service_account(self, info: dict[str, Any]) -> GoogleToken:
        key = self._text(info, "private_key")
        now = int(self._clock.now())
        claims = {
            "iss": self._text(info, "client_email"),
            "scope": _SCOPE,
            "aud": self._address(info, "token_uri", _TOKEN_URI),
            "iat": now,
            "exp": now + _LIFETIME_S,
        }
        assertion = self._signed(claims, key, info.get("private_key_id"))
        form = {"grant_type": _SIGNED_GRANT, "assertion": assertion}
        return await self._granted(info, form, [Secret(assertion)], info.get("project_id"))

    async def _of_impersonated(self, info: dict[str, Any]) -> GoogleToken:
        source = info.get("source_credentials")
        if not isinstance(source, dict):
            raise ConfigError(f"{self._where!r} lacks 'source_credentials'.")
        url = self._address(info, "service_account_impersonation_url")
        bearer = (await self.token(source)).token
        wish = {
            "delegates": info.get("delegates") or [],
            "scope": [_SCOPE],
            "lifetime": f"{_LIFETIME_S}s",
        }
        headers = {
            "authorization": f"Bearer {bearer.reveal()}",
            "content-type": "application/json",
        }
        request = HttpRequest("POST", url, headers, json.dumps(wish))
        answer = await self._ask(request, [bearer])
        try:
            ends = datetime.fromisoformat(answer["expireTime"]).timestamp()
        except (KeyError, TypeError, ValueError):
            ends = self._clock.now() + _LIFETIME_S
        token = answer.get("accessToken")
        if not isinstance(token, str) or not token:
            raise self._without_token()
        return GoogleToken(Secret(token), ends, project_of(info.get("quota_project_id")))

    async def _granted(
        self, info: dict[str, Any], form: dict[str, str], secrets: list[Secret], project: Any
    ) -> GoogleToken:
        """Give the token that the token endpoint grants for a form."""
        url = self._address(info, "token_uri", _TOKEN_URI)
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await self._ask(HttpRequest("POST", url, headers, urlencode(form)), secrets)
        token = token_of(answer, self._clock, project)
        if token is None:
            raise self._without_token()
        return token

    async def _ask(self, request: HttpRequest, secrets: list[Secret]) -> dict[str, Any]:
        response = await self._http.send(request)
        status = response.status
        try:
            answer = json_object((await response.read()).decode("utf-8", "replace"))
        finally:
            await response.close()
        if status == 200:
            return answer
        host = urlsplit(request.url).hostname
        said = scrub(_words(answer), secrets)[:_LONGEST_WORDS].rstrip(".")
        words = f"{host} answered {status}" + (f": {said}" if said else "")
        if status == 429 or status >= 500:
            raise ServerError(
                f"Google's sign-in failed: {words}. Try again.", provider=_PROVIDER, status=status
            )
        raise AuthenticationError(
            f"Google does not accept the credentials in {self._where!r}: {words}. Sign in anew "
            "with `gcloud auth application-default login`, or use another key.",
            provider=_PROVIDER,
            status=status,
        )

    def _without_token(self) -> MalformedResponseError:
        return MalformedResponseError(
            f"Google's sign-in answered for {self._where!r}, but gave no token.",
            provider=_PROVIDER,
        )

    def _text(self, info: dict[str, Any], name: str) -> str:
        value = info.get(name)
        if not isinstance(value, str) or not value:
            raise ConfigError(f"{self._where!r} lacks {name!r}: make the credentials file anew.")
        return value

    def _address(self, info: dict[str, Any], name: str, default: str | None = None) -> str:
        """Give an address of the file; a secret goes there, so it must be https."""
        url = self._text(info, name) if name in info or default is None else default
        if not _is_https(url):
            raise ConfigError(f"{self._where!r}: {name!r} must be an https:// address.")
        return url

    def _signed(self, claims: dict[str, Any], key: str, key_id: Any) -> str:
        """Give a JSON Web Token over the claims, signed with RS256."""
        head = {"alg": "RS256", "typ": "JWT"} | ({"kid": key_id} if key_id else {})
        text = ".".join(_base64url(json.dumps(part).encode()) for part in (head, claims))
        return f"{text}.{_base64url(self._signature(text.encode(), key))}"

    def _signature(self, message: bytes, key: str) -> bytes:
        try:
            from cryptography.exceptions import UnsupportedAlgorithm
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.asymmetric import padding, rsa
        except ImportError:
            raise ConfigError(
                f"The service account in {self._where!r} signs with a key, which needs the "
                "package `cryptography`: install pagehand with the extra `vertex`."
            ) from None
        try:
            private = serialization.load_pem_private_key(key.encode(), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            private = None
        if not isinstance(private, rsa.RSAPrivateKey):
            raise ConfigError(f"{self._where!r}: 'private_key' is no RSA key in PEM form.")
        return private.sign(message, padding.PKCS1v15(), hashes.SHA256())


def json_object(text: str) -> dict[str, Any]:
    """Give the JSON object in a text, `{}` where there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def token_of(answer: dict[str, Any], clock: Clock, project: Any) -> GoogleToken | None:
    """Give the token of an OAuth answer, None where it has none.

    Of the projects the environment's goes before the one that the credentials name.
    """
    token = answer.get("access_token")
    if not isinstance(token, str) or not token:
        return None
    try:
        seconds = float(answer["expires_in"])
    except (KeyError, TypeError, ValueError):
        seconds = _LIFETIME_S
    return GoogleToken(Secret(token), clock.now() + seconds, project_of(project))


def project_of(named: Any) -> str | None:
    """Give the project that the environment names, else the one that the credentials name."""
    said = os.environ.get("GOOGLE_CLOUD_PROJECT") or os.environ.get("GCLOUD_PROJECT")
    return said or (named if isinstance(named, str) and named else None)


def _words(answer: dict[str, Any]) -> str:
    """Give the words of an OAuth error, or of one of Google's other services."""
    error = answer.get("error")
    if isinstance(error, dict):
        return str(error.get("message") or "")
    told = (error, answer.get("error_description"))
    return ": ".join(word for word in told if isinstance(word, str))


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and bool(parts.hostname)
    except ValueError:
        return False


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

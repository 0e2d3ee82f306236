"""AWS Signature Version 4: how a request to AWS shows who sends it.

Source: AWS's documentation, "Create a signed AWS API request".
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote, unquote, urlsplit

_ALGORITHM = "AWS4-HMAC-SHA256"
# What a browser or a proxy may still change on the way.
_UNSIGNED = frozenset(
    {
        *("authorization", "connection", "expect", "transfer-encoding", "user-agent"),
        "x-amzn-trace-id",
    }
)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def sign_v4(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    region: str,
    service: str,
    access_key_id: str,
    secret_access_key: str,
    session_token: str | None = None,
    now: float,
) -> dict[str, str]:
    """Give the headers to add to a request so that AWS takes it. `now` is in seconds since 1970.

    The signature covers the address as it is given, the body, the host and `headers`; none of
    these may change afterwards.
    """
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    added = {"x-amz-date": moment}
    if session_token:
        added["x-amz-security-token"] = session_token
    signed = _signed_headers({**headers, "host": _host(url), **added})
    names = ";".join(signed)
    canonical = "\n".join(
        (
            method.upper(),
            _path(url),
            _query(url),
            *(f"{name}:{value}" for name, value in signed.items()),
            "",
            names,
            hashlib.sha256(body).hexdigest(),
        )
    )
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{secret_access_key}".encode()
    for step in scope.split("/"):
        key = _mac(key, step)
    signature = _mac(key, f"{_ALGORITHM}\n{moment}\n{scope}\n{digest}").hex()
    credential = f"Credential={access_key_id}/{scope}"
    proof = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
    return {**added, "authorization": proof}


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def _signed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers to sign: small names in order, values without needless blanks."""
    made = {name.casefold().strip(): " ".join(value.split()) for name, value in headers.items()}
    return {name: made[name] for name in sorted(made) if name not in _UNSIGNED}


def _host(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is None or parts.port == _DEFAULT_PORTS.get(parts.scheme):
        return host
    return f"{host}:{parts.port}"


def _path(url: str) -> str:
    """Give the path without detours, encoded once more than in the address."""
    path = urlsplit(url).path
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            steps[-1:] = []
        elif step not in ("", "."):
            steps.append(step)
    end = "/" if steps and path.endswith(("/", "/.", "/..")) else ""
    return "/" + quote("/".join(steps), safe="/") + end


def _query(url: str) -> str:
    pairs = [pair.partition("=") for pair in urlsplit(url).query.split("&") if pair]
    encoded = [(_encoded(name), _encoded(value)) for name, _, value in pairs]
    return "&".join(f"{name}={value}" for name, value in sorted(encoded))


def _encoded(text: str) -> str:
    return quote(unquote(text), safe="")

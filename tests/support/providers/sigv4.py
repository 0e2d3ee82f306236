"""AWS Signature Version 4, computed anew from a request as it came.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlsplit

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<id>[^/]+)/(?P<day>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)"
    r"/aws4_request, ?SignedHeaders=(?P<signed>[a-z0-9;-]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True)
class AwsKeys:
    """What a caller signs with. `session_token` belongs to keys for a while only."""

    access_key_id: str = "AKIDCANARYEXAMPLE"
    secret_access_key: str = "canary+secret/access/key/example"
    session_token: str | None = None
    region: str = "us-east-1"


def judge_signature(
    path: str, headers: Mapping[str, str], raw: bytes, keys: AwsKeys, service: str
) -> list[str]:
    """Give what is wrong with a signed POST; a fault names a header, never what it holds."""
    found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if found is None:
        return ["authorization: not of the form of Signature Version 4"]
    faults = []
    time = headers.get("x-amz-date", "")
    if not re.fullmatch(r"\d{8}T\d{6}Z", time) or not time.startswith(found["day"]):
        faults.append("x-amz-date: not the time of the credential's scope")
    if (found["id"], found["region"]) != (keys.access_key_id, keys.region):
        faults.append("authorization: another key id or region than this provider's")
    if found["service"] != service:
        faults.append(f"authorization: the service is not {service}")
    signed = found["signed"].split(";")
    if signed != sorted(signed):
        faults.append("authorization: the signed headers are not in order")
    must = {"host", "x-amz-date"} | {name for name in headers if name.startswith("x-amz-")}
    faults += [f"{name}: is not signed" for name in sorted(must - set(signed))]
    faults += [f"{name}: is signed, but not there" for name in signed if name not in headers]
    if headers.get("x-amz-security-token") != keys.session_token:
        faults.append("x-amz-security-token: not the session's")
    body = hashlib.sha256(raw).hexdigest()
    if headers.get("x-amz-content-sha256", body) != body:
        faults.append("x-amz-content-sha256: not the hash of the body")
    if not faults and _signature(path, headers, body, keys, found) != found["signature"]:
        faults.append("authorization: the signature does not match")
    return faults


def _signature(
    path: str, headers: Mapping[str, str], body: str, keys: AwsKeys, found: re.Match[str]
) -> str:
    parts = urlsplit(path)
    signed = found["signed"].split(";")
    canonical = "\n".join(
        [
            "POST",
            # Every service but S3 quotes the path, quoted as it is sent, once more.
            quote(parts.path, safe="/~"),
            "&".join(
                f"{quote(name, safe='~')}={quote(value, safe='~')}"
                for name, value in sorted(parse_qsl(parts.query, keep_blank_values=True))
            ),
            *(f"{name}:{' '.join(headers[name].split())}" for name in signed),
            "",
            found["signed"],
            body,
        ]
    )
    scope = f"{found['day']}/{found['region']}/{found['service']}/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{scope}\n{digest}"
    key = f"AWS4{keys.secret_access_key}".encode()
    for step in (found["day"], found["region"], found["service"], "aws4_request"):
        key = hmac.new(key, step.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

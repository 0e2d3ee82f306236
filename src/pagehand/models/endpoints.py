"""Where each provider is reached and how a request shows whose it is."""

from __future__ import annotations

import re
from typing import Any

from ..errors import ConfigError
from ..names import from_wire
from ..ports import CredentialStore, Platform
from ..secret import Secret, clean_key
from .auth import (
    Auth,
    AwsSignature,
    GetKey,
    KeyHeader,
    known_key,
    stored_key,
    token_of,
)
from .profiles import ModelProfile
from .registry import Provider
from .spec import ModelSpec
from .wire import Endpoint

_APIS = ("responses", "chat")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(-preview)?")
_PORT = re.compile(r"https?://[^/]*:(\d{1,20})(?:/|$)")
_MULTI_REGIONS = ("us", "eu")
_AZURE_DATED = "2024-10-21"
_AZURE_NEWEST = ("v1", "preview", "latest")


def endpoint_of(
    provider: Provider,
    spec: ModelSpec,
    platform: Platform,
    credentials: CredentialStore | None,
    client_name: str,
) -> Endpoint:
    """Give the endpoint of a spec. Raises ConfigError for what is missing or cannot work."""
    known, options = _split(spec.provider_options, provider.options)
    headers = _headers(spec, platform, client_name)
    get_key = _key(spec, provider, credentials)
    query = ""
    match spec.provider_type:
        case "azure":
            base_url, query = _azure(spec, known)
        case "amazon-bedrock":
            base_url = spec.base_url or f"https://bedrock-runtime.{_region(known)}.amazonaws.com"
        case "google-vertex":
            base_url = spec.base_url or _vertex(spec, known)
        case "cloudflare":
            base_url = spec.base_url or _cloudflare(known)
        case _:
            base_url = spec.base_url or provider.base_url or ""
    if not base_url:
        raise ConfigError(
            f"{spec.provider_type} needs a base_url, such as http://127.0.0.1:8080/v1."
        )
    _judge_url(base_url)
    return Endpoint(
        provider=spec.provider_type or "",
        base_url=base_url,
        http=platform.http,
        auth=_auth(spec, provider, known, get_key, platform),
        headers=headers,
        options=options,
        query=query,
        models_path=provider.models_path,
    )


def speaks_chat(spec: ModelSpec, profile: ModelProfile) -> bool:
    """Whether a model of a provider with both of OpenAI's wires is asked on the older one.

    `provider_options.api` decides; without it Azure's Responses are for models that think.
    """
    known, _ = _split(spec.provider_options, ("api", "api_version"))
    api = known.get("api")
    if api is not None:
        if api not in _APIS:
            raise ConfigError(f"provider_options: api must be 'responses' or 'chat', got {api!r}.")
        return bool(api == "chat")
    if spec.provider_type != "azure":
        return False
    deployment = "/deployments/" in (spec.base_url or "") or _dated(known.get("api_version"))
    return deployment or profile.thinking is None


def _split(
    options: dict[str, Any], names: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the settings of the endpoint from the fields of the request's body."""
    known, rest = {}, {}
    for key, value in options.items():
        name = from_wire(str(key))
        if name in names:
            known[name] = value
        elif isinstance(value, Secret):
            raise ConfigError(f"provider_options: this provider knows no {key!r}.")
        else:
            rest[key] = value
    return known, rest


def _headers(spec: ModelSpec, platform: Platform, client_name: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in spec.headers.items():
        if not isinstance(value, str) or not f"{name}{value}".isprintable():
            raise ConfigError(f"The header {name!r} must be a text without line breaks.")
        headers[str(name).casefold()] = value
    if platform.name == "native":  # browsers keep the User-Agent to themselves
        headers.setdefault("user-agent", client_name)
    return headers


def _key(spec: ModelSpec, provider: Provider, credentials: CredentialStore | None) -> GetKey:
    if isinstance(spec.api_key, Secret):
        return known_key(spec.api_key)
    if spec.credential_ref is None:
        return known_key(None)
    if credentials is None:
        raise ConfigError(
            f"The model names a key ({spec.credential_ref!r}), but there is no credential store: "
            "give `credentials`, such as a MemoryCredentialStore."
        )
    return stored_key(credentials, spec.credential_ref)


def _auth(
    spec: ModelSpec,
    provider: Provider,
    known: dict[str, Any],
    get_key: GetKey,
    platform: Platform,
) -> Auth:
    has_key = spec.api_key is not None or spec.credential_ref is not None
    if spec.provider_type == "amazon-bedrock" and not has_key:
        return _aws(known, platform)
    if spec.provider_type == "google-vertex":
        if has_key and "project" not in known:  # express mode: a key and no project
            return KeyHeader(get_key, "x-goog-api-key", "")
        return KeyHeader(_google_token(known, platform))
    own = spec.base_url is not None or provider.key_header in {
        name.casefold() for name in spec.headers
    }
    needed = "" if own or not provider.needs_key else spec.provider_type or ""
    return KeyHeader(get_key, provider.key_header, provider.key_prefix, needed_by=needed)


def _azure(spec: ModelSpec, known: dict[str, Any]) -> tuple[str, str]:
    """Give Azure's address: its v1 API, or a deployment's where a dated version asks for it."""
    base, version = spec.base_url, known.get("api_version")
    if not base:
        resource = _name(known, "resource_name", "azure")
        base = f"https://{resource}.openai.azure.com"
    base = base.rstrip("/")
    if "/deployments/" in base:
        return base, f"api-version={version or _AZURE_DATED}"
    if base.endswith("/openai/v1"):
        return base, f"api-version={version}" if version else ""
    base = base.removesuffix("/openai") + "/openai"
    if _dated(version):
        return f"{base}/deployments/{spec.model}", f"api-version={version}"
    if version is not None and version not in _AZURE_NEWEST:
        raise ConfigError(
            f"provider_options: api_version must be a date such as '2024-10-21' or 'v1', got "
            f"{version!r}."
        )
    return f"{base}/v1", f"api-version={version}" if version else ""


def _dated(version: Any) -> bool:
    return isinstance(version, str) and _DATED.fullmatch(version) is not None


def _region(known: dict[str, Any]) -> str:
    return _name(known, "region", "amazon-bedrock")


def _aws(known: dict[str, Any], platform: Platform) -> Auth:
    missing = [name for name in ("access_key_id", "secret_access_key") if not known.get(name)]
    if missing:
        raise ConfigError(
            "amazon-bedrock needs a key (api_key), or an access key: provider_options with "
            f"{' and '.join(missing)}."
        )
    secret = clean_key(known["secret_access_key"], what="secret_access_key")
    session = known.get("session_token")
    return AwsSignature(
        platform.clock,
        region=_region(known),
        access_key_id=str(known["access_key_id"]).strip(),
        secret_access_key=secret or Secret(""),
        session_token=clean_key(session, what="session_token") if session else None,
    )


def _vertex(spec: ModelSpec, known: dict[str, Any]) -> str:
    if "project" not in known:
        if spec.api_key is not None or spec.credential_ref is not None:
            return "https://aiplatform.googleapis.com/v1/publishers/google"
        raise ConfigError(
            "google-vertex needs the id of a project (provider_options.project, and location, "
            "default 'global'), or a key."
        )
    project = _name(known, "project", "google-vertex")
    location = known.get("location", "global")
    if not isinstance(location, str) or not re.fullmatch(r"[a-z0-9-]+", location):
        raise ConfigError(f"provider_options: location must be a name, got {location!r}.")
    host = "aiplatform.googleapis.com"
    if location in _MULTI_REGIONS:
        host = f"aiplatform.{location}.rep.googleapis.com"
    elif location != "global":
        host = f"{location}-{host}"
    return f"https://{host}/v1/projects/{project}/locations/{location}/publishers/google"


def _google_token(known: dict[str, Any], platform: Platform) -> GetKey:
    token = known.get("access_token")
    if callable(token):
        return token_of(token, what="access_token")
    if isinstance(token, str | Secret) and (cleaned := clean_key(token, what="access_token")):
        return known_key(cleaned)
    if platform.google is None:
        raise ConfigError(
            "google-vertex needs an access token here (provider_options.access_token, a text or a "
            "function), or a key and no project: only on CPython can the machine's own sign-in be "
            "used."
        )
    return platform.google.token


def _cloudflare(known: dict[str, Any]) -> str:
    account = _name(known, "account_id", "cloudflare")
    return f"https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1"


_NAMES = {
    "resource_name": ("a resource name", "the first part of its address, or a base_url"),
    "region": ("a region", "such as 'us-east-1'"),
    "account_id": ("an account id", "or a base_url"),
    "project": ("a project", "its id"),
}


def _name(known: dict[str, Any], option: str, provider: str) -> str:
    """Give an option that becomes a part of an address."""
    value = known.get(option)
    what, hint = _NAMES[option]
    if not value:
        raise ConfigError(f"{provider} needs {what} (provider_options.{option}), {hint}.")
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:-]*", value):
        raise ConfigError(
            f"{provider} needs {what} (provider_options.{option}) that is a plain name, {hint}; "
            f"got {value!r}."
        )
    return value


def _judge_url(base_url: str) -> None:
    """Refuse an address that cannot work; it is not quoted, for it may hold a password."""
    if not base_url.startswith(("http://", "https://")):
        raise ConfigError("The base_url must begin with http:// or https://.")
    if any(mark in base_url for mark in "?#@") or not base_url.isprintable() or " " in base_url:
        raise ConfigError(
            "The base_url may hold no user name, password, query or fragment: give the key as "
            "api_key, and other values as headers or provider_options."
        )
    port = _PORT.match(base_url)
    if port is not None and not 0 < int(port[1]) < 65_536:
        raise ConfigError("The base_url has a port that does not exist.")

"""Providers as data, and the way from what a user writes to a ready model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest
from ..ports import Platform
from ..secret import Secret
from .base import Model
from .local import LocalModel
from .openai_chat import OpenAIChatModel
from .profiles import CLOUD, ON_DEVICE, profile_of

EMBEDDED = "embedded"


@dataclass(slots=True, frozen=True)
class Provider:
    """A provider that is reached over the network. `base_url` None means: the user names it."""

    base_url: str | None = None
    needs_key: bool = True


PROVIDERS: dict[str, Provider] = {
    "openai-compatible": Provider(needs_key=False),
}
ON_DEVICE_PROVIDERS = ("wllama",)


@dataclass(slots=True)
class ModelSpec:
    """A model described by provider and name. `api_key` is wrapped as soon as it is given."""

    model: str
    provider_type: str | None = None
    base_url: str | None = None
    api_key: Secret | str | None = None
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    provider_options: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.api_key, str):
            self.api_key = Secret(self.api_key)
        if isinstance(self.api_key, Secret):
            self.api_key = _clean_key(self.api_key)
        elif self.api_key is not None:
            raise ConfigError(f"api_key must be a text, got {type(self.api_key).__name__}.")


def _clean_key(key: Secret) -> Secret | None:
    """Give a key without the blanks of a paste; one that no header can carry is refused."""
    text = key.reveal().strip()
    if not text.isascii() or not text.isprintable():
        raise ConfigError("The api_key holds characters that no key has: paste it again.")
    return Secret(text) if text else None


ModelInput = str | ModelSpec | Mapping[str, Any] | Model
_SPEC_FIELDS = tuple(each.name for each in fields(ModelSpec))


def is_model(value: object) -> bool:
    """Whether a value is a ready model: anything with the seam's `stream`."""
    return not isinstance(value, str | Mapping | ModelSpec) and callable(
        getattr(value, "stream", None)
    )


def read_spec(value: str | ModelSpec | Mapping[str, Any], *, where: str = "model") -> ModelSpec:
    """Give the spec of a string, a dict in either spelling, or a spec.

    Raises ConfigError for an unknown field or provider, with the nearest known name.
    """
    if isinstance(value, ModelSpec):
        spec = value
    elif isinstance(value, str):
        spec = ModelSpec(value)
    elif isinstance(value, Mapping):
        spec = ModelSpec(**_spec_values(value, where))
    else:
        raise ConfigError(
            f"{where} must be a 'provider:model' text, a dict, a ModelSpec or a model, got "
            f"{type(value).__name__}."
        )
    return _with_provider(spec, where)


def _spec_values(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    values = {from_wire(key): item for key, item in value.items() if item is not None}
    for key in values:
        if key not in _SPEC_FIELDS:
            hint = nearest(key, _SPEC_FIELDS)
            raise ConfigError(
                f"{where} has no field {key!r}." + (f" Did you mean {hint!r}?" if hint else "")
            )
    if not values.get("model"):
        raise ConfigError(f"{where} names no model: give it a `model`.")
    return values


def _with_provider(spec: ModelSpec, where: str) -> ModelSpec:
    known = (*PROVIDERS, *ON_DEVICE_PROVIDERS)
    kind, name = spec.provider_type, spec.model
    if kind is None:
        head, colon, tail = name.partition(":")
        if colon and head in known:
            kind, name = head, tail
        elif name == EMBEDDED:
            return spec
        elif spec.base_url:
            kind = "openai-compatible"
        else:
            hint = nearest(head, known) if colon else None
            raise ConfigError(
                f"{where}: the provider of {spec.model!r} is not known"
                + (f"; did you mean {hint!r}?" if hint else ".")
                + f" Write 'provider:model' with one of {', '.join(known)}, or '{EMBEDDED}', or "
                "give a base_url."
            )
    if kind not in known:
        hint = nearest(kind, known)
        raise ConfigError(
            f"{where}: there is no provider type {kind!r}"
            + (f"; did you mean {hint!r}?" if hint else f"; known: {', '.join(known)}.")
        )
    return ModelSpec(
        name, kind, spec.base_url, spec.api_key, dict(spec.headers), dict(spec.provider_options)
    )


def resolve_stage(base: ModelInput, override: ModelInput | None, stage: str) -> ModelInput:
    """Lay a stage's override over the base: a partial dict inherits what it does not set.

    Raises ConfigError for a partial override of a ready model, and for another provider without
    a key of its own: a key never crosses vendors.
    """
    if override is None:
        return base
    if isinstance(override, str) and not is_model(base):
        override = {"model": override}
    if not isinstance(override, Mapping):
        return override
    values = {from_wire(key): item for key, item in override.items()}
    if is_model(base):
        if {"model", "provider_type"} <= values.keys() or ":" in str(values.get("model", "")):
            return values
        raise ConfigError(
            f"{stage} overrides only parts of a ready model, which cannot be changed: give it a "
            "whole model of its own."
        )
    spec = read_spec(base)  # type: ignore[arg-type]
    named = str(values.get("model", ""))
    whole = read_spec(values, where=stage) if _names_provider(values, named) else None
    if whole is not None and whole.provider_type != spec.provider_type:
        needs = PROVIDERS.get(whole.provider_type or "", Provider(needs_key=False)).needs_key
        if spec.api_key and not whole.api_key and needs:
            raise ConfigError(
                f"{stage} uses another provider ({whole.provider_type}) than the base "
                f"({spec.provider_type}) and has no api_key of its own; a key is never sent to "
                "another vendor."
            )
        return whole
    if whole is not None:
        values["model"], values["provider_type"] = whole.model, whole.provider_type
    inherited = {name: getattr(spec, name) for name in _SPEC_FIELDS} | values
    if "base_url" in values and values["base_url"] != spec.base_url and "api_key" not in values:
        inherited["api_key"] = None
    return inherited


def _names_provider(values: Mapping[str, Any], named: str) -> bool:
    if values.get("provider_type") or named == EMBEDDED:
        return True
    return named.partition(":")[0] in (*PROVIDERS, *ON_DEVICE_PROVIDERS) and ":" in named


def resolve_model(value: ModelInput, platform: Platform, *, client_name: str = "pagehand") -> Model:
    """Give the ready model of anything a user may write. Raises ConfigError."""
    if is_model(value):
        return value  # type: ignore[return-value]
    spec = read_spec(value)  # type: ignore[arg-type]
    if spec.model == EMBEDDED or spec.provider_type in ON_DEVICE_PROVIDERS:
        return _on_device(spec, platform)
    provider = PROVIDERS[spec.provider_type or ""]
    base_url = spec.base_url or provider.base_url
    if not base_url:
        raise ConfigError(
            f"{spec.provider_type} needs a base_url, such as http://127.0.0.1:8080/v1."
        )
    _judge_url(base_url)
    headers = dict(spec.headers)
    for name, value in headers.items():
        if not isinstance(value, str) or not f"{name}{value}".isprintable():
            raise ConfigError(f"The header {name!r} must be a text without line breaks.")
    if platform.name == "native":  # browsers keep the User-Agent to themselves
        headers.setdefault("user-agent", client_name)
    key = spec.api_key
    return OpenAIChatModel(
        spec.model,
        provider=spec.provider_type or "",
        base_url=base_url,
        http=platform.http,
        profile=profile_of(spec.model, CLOUD),
        api_key=key if isinstance(key, Secret) else None,
        headers=headers,
        options=spec.provider_options,
    )


def _judge_url(base_url: str) -> None:
    """Refuse an address that cannot work; it is not quoted, for it may hold a password."""
    if not base_url.startswith(("http://", "https://")):
        raise ConfigError("The base_url must begin with http:// or https://.")
    if any(mark in base_url for mark in "?#@") or not base_url.isprintable() or " " in base_url:
        raise ConfigError(
            "The base_url may hold no user name, password, query or fragment: give the key as "
            "api_key, and other values as headers or provider_options."
        )


def _on_device(spec: ModelSpec, platform: Platform) -> Model:
    name = spec.model if spec.model == EMBEDDED else f"{spec.provider_type}:{spec.model}"
    if platform.engine is None:
        raise ConfigError(
            f"The model {name!r} runs on the device and needs the files of a built site, which "
            f"are not here. Name a provider instead: {', '.join(PROVIDERS)}, as in "
            "'openai-compatible:model' with a base_url."
        )
    return LocalModel(name, engine=platform.engine, profile=profile_of(name, ON_DEVICE))

"""What a user writes for a model, read into one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest
from ..ports import CredentialStore
from ..secret import Secret, clean_key
from .base import Model
from .registry import KNOWN, PROVIDERS, SECRET_OPTIONS, UNPREFIXED


@dataclass(slots=True)
class ModelSpec:
    """A model described by provider and name; one text alone is both, as `provider:model`.

    Secrets are wrapped as soon as they are given.
    """

    provider_type: str | None = None
    model: str = ""
    base_url: str | None = None
    api_key: Secret | str | None = None
    credential_ref: str | None = None
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    provider_options: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.model:
            self.provider_type, self.model = None, self.provider_type or ""
        for name in ("provider_type", "model", "base_url", "credential_ref"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise ConfigError(f"{name} must be a text, got {type(value).__name__}.")
        for name in ("headers", "provider_options"):
            value = getattr(self, name)
            if value is None:
                setattr(self, name, {})
            elif not isinstance(value, Mapping):
                raise ConfigError(f"{name} must be a dict, got {type(value).__name__}.")
        self.api_key = clean_key(self.api_key) if self.api_key is not None else None
        self.provider_options = with_secrets_wrapped(self.provider_options)


def with_secrets_wrapped(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give provider options whose secrets do not print."""
    return {
        name: Secret(value)
        if isinstance(value, str) and value and from_wire(str(name)) in SECRET_OPTIONS
        else value
        for name, value in options.items()
    }


OneModel = str | ModelSpec | Mapping[str, Any] | Model
ModelInput = OneModel | Sequence[OneModel]
"""What a user may name as a model; a sequence is a ladder: the next one when one fails."""

_SPEC_FIELDS = tuple(each.name for each in fields(ModelSpec))


def is_model(value: object) -> bool:
    """Whether a value is a ready model: anything with the seam's `stream`."""
    return not isinstance(value, str | Mapping | ModelSpec) and callable(
        getattr(value, "stream", None)
    )


def is_ladder(value: object) -> bool:
    """Whether a value is a ladder of models."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def read_spec(value: str | ModelSpec | Mapping[str, Any], *, where: str = "model") -> ModelSpec:
    """Give the spec of a string, a dict in either spelling, or a spec.

    Raises ConfigError for an unknown field or provider, with the nearest known name.
    """
    if isinstance(value, ModelSpec):
        spec = value
    elif isinstance(value, str):
        spec = ModelSpec(model=value)
    elif isinstance(value, Mapping):
        spec = ModelSpec(**_spec_values(value, where))
    else:
        raise ConfigError(
            f"{where} must be a 'provider:model' text, a dict, a ModelSpec or a model, got "
            f"{type(value).__name__}."
        )
    return _with_provider(spec, where)


def _spec_values(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    values = {from_wire(str(key)): item for key, item in value.items() if item is not None}
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
    kind, name = spec.provider_type, spec.model
    if kind is None:
        head, colon, tail = name.partition(":")
        if colon and head in KNOWN:
            kind, name = head, tail
        elif name in UNPREFIXED and not spec.base_url:
            return spec
        elif spec.base_url:
            kind = "openai-compatible"
        else:
            hint = nearest(head, KNOWN) if colon else None
            raise ConfigError(
                f"{where}: the provider of {spec.model!r} is not known"
                + (f"; did you mean {hint!r}?" if hint else ".")
                + f" Write 'provider:model' with one of {', '.join(KNOWN)}, or one of "
                f"{', '.join(UNPREFIXED)} alone, or give a base_url."
            )
    if kind not in KNOWN:
        hint = nearest(kind, KNOWN)
        raise ConfigError(
            f"{where}: there is no provider type {kind!r}"
            + (f"; did you mean {hint!r}?" if hint else f"; known: {', '.join(KNOWN)}.")
        )
    if not name:
        raise ConfigError(f"{where} names no model: write '{kind}:<model>'.")
    return ModelSpec(
        kind,
        name,
        spec.base_url,
        spec.api_key,
        spec.credential_ref,
        dict(spec.headers),
        dict(spec.provider_options),
    )


def resolve_stage(base: ModelInput, override: ModelInput | None, stage: str) -> ModelInput:
    """Lay a stage's override over the base: a partial dict inherits what it does not set.

    Raises ConfigError for a partial override of a ready model, and for another provider without
    a key of its own: a key never crosses vendors.
    """
    if override is None:
        return base
    if isinstance(override, str) and not is_model(base) and not is_ladder(base):
        override = {"model": override}
    if not isinstance(override, Mapping):
        return override
    values = {from_wire(str(key)): item for key, item in override.items() if item not in (None, "")}
    named = str(values.get("model", ""))
    if is_model(base) or is_ladder(base):
        if {"model", "provider_type"} <= values.keys() or _names_provider(values, named):
            return values
        what = "a ready model" if is_model(base) else "a ladder of models"
        raise ConfigError(
            f"{stage} overrides only parts of {what}, which cannot be changed: give it a whole "
            "model of its own."
        )
    spec = read_spec(base)  # type: ignore[arg-type]
    if _names_provider(values, named):
        named_too = named or spec.model
        whole = read_spec({**values, "model": named_too}, where=stage)
        if whole.provider_type != spec.provider_type:
            _refuse_borrowed_key(spec, whole, stage)
            return read_spec(values, where=stage)
        values["model"], values["provider_type"] = whole.model, whole.provider_type
    inherited = {name: getattr(spec, name) for name in _SPEC_FIELDS} | values
    if "api_key" in values or "credential_ref" in values:  # one of its own replaces either
        inherited |= {name: values.get(name) for name in ("api_key", "credential_ref")}
    if _moves(spec, values):
        inherited |= {name: values.get(name) for name in ("api_key", "credential_ref")}
        inherited["headers"] = values.get("headers", {})
        if "provider_options" not in values:
            inherited["provider_options"] = _without_secrets(spec.provider_options)
    return inherited


def _moves(base: ModelSpec, values: Mapping[str, Any]) -> bool:
    """Whether an override goes to another address: nothing that may be a secret follows there."""
    if values.get("base_url", base.base_url) != base.base_url:
        return True
    options = values.get("provider_options")
    return isinstance(options, Mapping) and _resource(options) != _resource(base.provider_options)


def _resource(options: Mapping[str, Any]) -> Any:
    """Give the option that becomes the host of an address (Azure's)."""
    named = [value for key, value in options.items() if from_wire(str(key)) == "resource_name"]
    return named[0] if named else None


def _without_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in options.items()
        if not isinstance(value, Secret) and from_wire(str(key)) not in SECRET_OPTIONS
    }


def _refuse_borrowed_key(base: ModelSpec, whole: ModelSpec, stage: str) -> None:
    provider = PROVIDERS.get(whole.provider_type or "")
    needs = provider is not None and provider.needs_key
    has = whole.api_key or whole.credential_ref or whole.provider_options
    if needs and not has and (base.api_key or base.credential_ref):
        raise ConfigError(
            f"{stage} uses another provider ({whole.provider_type}) than the base "
            f"({base.provider_type}) and has no api_key or credential_ref of its own; a key is "
            "never sent to another vendor."
        )


def _names_provider(values: Mapping[str, Any], named: str) -> bool:
    if values.get("provider_type") or named in UNPREFIXED:
        return True
    return named.partition(":")[0] in KNOWN and ":" in named


@dataclass(slots=True, frozen=True)
class ModelSettings:
    """What a host knows beside the spec.

    `vision` and `inputs` (images, pdf, files) override what the profile says the model takes.
    """

    client_name: str = "pagehand"
    credentials: CredentialStore | None = None
    vision: bool | None = None
    inputs: Mapping[str, bool | None] = field(default_factory=dict)

"""From what a user writes to a ready model."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from ..errors import ConfigError
from ..ports import Platform
from .base import Model
from .fallback import FallbackModel
from .registry import ON_DEVICE_PROVIDERS
from .spec import (
    ModelInput,
    ModelSettings,
    OneModel,
    is_ladder,
    is_model,
    read_spec,
    resolve_stage,
)


def resolve_model(
    value: ModelInput, platform: Platform, settings: ModelSettings | None = None
) -> Model:
    """Give the ready model of anything a user may write. Raises ConfigError."""
    settings = settings or ModelSettings()
    if is_model(value):
        return value  # type: ignore[return-value]
    if is_ladder(value):
        return _ladder(value, platform, settings)  # type: ignore[arg-type]
    spec = read_spec(value)  # type: ignore[arg-type]
    if spec.provider_type is None or spec.provider_type in ON_DEVICE_PROVIDERS:
        builder = "on_device"
    else:
        builder = "cloud"
    # Loaded only now: a page starts without what asks a model, of which it needs one kind only.
    model: Model = import_module(f"{__package__}.{builder}").build_model(spec, platform, settings)
    return model


def build_model_from_stage(
    base: ModelInput,
    override: ModelInput | None,
    stage: str,
    platform: Platform,
    settings: ModelSettings | None = None,
) -> Model:
    """Give a stage's ready model: its override laid over the base. Raises ConfigError."""
    return resolve_model(resolve_stage(base, override, stage), platform, settings)


def _ladder(values: Sequence[OneModel], platform: Platform, settings: ModelSettings) -> Model:
    if not values:
        raise ConfigError("A ladder of models needs at least one model.")
    rungs: list[Model] = []
    for value in values:
        made = resolve_model(value, platform, settings)
        rungs += made.models if isinstance(made, FallbackModel) else [made]
    return FallbackModel(rungs) if len(rungs) > 1 else rungs[0]

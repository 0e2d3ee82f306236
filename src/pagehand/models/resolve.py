"""From what a user writes to a ready model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from ..errors import ConfigError
from ..ports import Platform
from .base import Model
from .fallback import FallbackModel
from .local import LocalModel
from .profiles import ON_DEVICE, profile_of, with_inputs
from .registry import AUTO, EMBEDDED, ON_DEVICE_PROVIDERS, PROVIDERS
from .spec import (
    ModelInput,
    ModelSettings,
    ModelSpec,
    OneModel,
    is_ladder,
    is_model,
    read_spec,
    resolve_stage,
)
from .webllm import engine_options, expected_window


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
        return _on_device(spec, platform, settings)
    # Loaded only now: a page with a model on the device starts without HTTP and its wires.
    cloud = import_module(f"{__package__}.cloud")
    model: Model = cloud.build_cloud_model(spec, platform, settings)
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


def _on_device(spec: ModelSpec, platform: Platform, settings: ModelSettings) -> Model:
    name = f"{spec.provider_type}:{spec.model}" if spec.provider_type else spec.model
    if platform.engine is None:
        raise ConfigError(
            f"The model {name!r} runs on the device and needs the files of a built site, which "
            f"are not here. Name a provider instead: {', '.join(PROVIDERS)}, as in "
            "'openai:gpt-6.2-sol' with an api_key, or 'openai-compatible:model' with a base_url."
        )
    if name == AUTO:
        raise ConfigError(
            f"The model {AUTO!r} is a page's to choose, in createAgent of pagehand.js. Name one: "
            "'embedded', 'browser', 'web-llm:<id>' or 'wllama:<URL of a GGUF>'."
        )
    profile = with_inputs(profile_of(name, ON_DEVICE), settings.vision, settings.inputs)
    if not name.startswith((EMBEDDED, "wllama:")):  # other engines tell no likelihoods
        profile = replace(profile, small_questions=False)
    options = engine_options(spec.provider_options)
    window = expected_window(name, options)
    if window is not None:
        profile = replace(profile, context_window=window)
    return LocalModel(name, engine=platform.engine, profile=profile, options=options)

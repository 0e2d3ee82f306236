"""From the name of a model on this device to a ready one."""

from __future__ import annotations

from dataclasses import replace

from ..errors import ConfigError
from ..ports import Platform
from .base import Model
from .local import LocalModel
from .profiles import ON_DEVICE, profile_of, with_inputs
from .registry import AUTO, EMBEDDED, PROVIDERS
from .spec import ModelSettings, ModelSpec
from .webllm import engine_options, expected_window


def build_model(spec: ModelSpec, platform: Platform, settings: ModelSettings) -> Model:
    """Give the ready model. Raises ConfigError for a platform without engines."""
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

"""Models behind a network: the endpoint of a spec, on the wire that its provider speaks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..ports import Platform
from .endpoints import endpoint_of, speaks_chat
from .profiles import ModelProfile, profile_of, with_inputs
from .registry import PROVIDERS, Provider
from .spec import ModelSettings, ModelSpec
from .wire import WireModel

# Each wire is loaded when a model first speaks it.
_HOMES = {
    "openai-chat": ("openai_chat", "OpenAIChatModel"),
    "openai-responses": ("openai_responses", "OpenAIResponsesModel"),
    "anthropic": ("anthropic", "AnthropicModel"),
    "gemini": ("gemini", "GeminiModel"),
    "bedrock": ("bedrock", "BedrockModel"),
}


def build_model(spec: ModelSpec, platform: Platform, settings: ModelSettings) -> WireModel:
    """Give the ready model of a spec whose provider is known. Raises ConfigError."""
    provider = PROVIDERS[spec.provider_type or ""]
    endpoint = endpoint_of(provider, spec, platform, settings.credentials, settings.client_name)
    profile = with_inputs(
        profile_of(spec.model, provider.profile), settings.vision, settings.inputs
    )
    wire = _wire_of(provider, spec, profile)
    module, name = _HOMES[wire]
    kind: type[WireModel] = getattr(import_module(f"{__package__}.{module}"), name)
    more: dict[str, Any] = {"dialect": provider.dialect} if wire == "openai-chat" else {}
    return kind(spec.model, endpoint=endpoint, profile=profile, **more)


def _wire_of(provider: Provider, spec: ModelSpec, profile: ModelProfile) -> str:
    if provider.wire == "openai-responses" and speaks_chat(spec, profile):
        return "openai-chat"
    return provider.wire

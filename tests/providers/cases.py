"""Every provider type and preset with a model that stands for it, and the double that judges it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.providers.anthropic import Anthropic
from tests.support.providers.bedrock import Bedrock
from tests.support.providers.gemini import Gemini
from tests.support.providers.openai_chat import OpenAIChat
from tests.support.providers.openai_responses import OpenAIResponses
from tests.support.providers.server import ProviderServer
from tests.support.providers.sigv4 import AwsKeys
from tests.support.providers.wire import KEY


@dataclass(frozen=True)
class Case:
    """`thinks` and `sees` say what the family does: None for an image means that it is tried.
    `tells` says that its thoughts can be read, not only counted."""

    kind: str
    model: str
    wire: Callable[[], Any]
    thinks: bool = True
    tells: bool = True
    sees: bool | None = True
    options: dict[str, Any] = field(default_factory=dict)
    key: str | None = KEY

    def spec(self, server: ProviderServer) -> dict[str, Any]:
        return {
            "model": f"{self.kind}:{self.model}",
            "base_url": server.url,
            "api_key": self.key,
            "provider_options": self.options,
        }


AWS = AwsKeys()
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
    b"\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99"
    b"=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
)
"""The smallest picture."""
CASES = {
    "openai": Case("openai", "gpt-5-mini", lambda: OpenAIResponses("openai")),
    "openai, not thinking": Case(
        "openai", "gpt-4o", lambda: OpenAIResponses("openai"), thinks=False
    ),
    "openai, chat": Case(
        "openai", "gpt-5-mini", lambda: OpenAIChat("openai"), tells=False, options={"api": "chat"}
    ),
    "anthropic": Case("anthropic", "claude-sonnet-4-5", Anthropic),
    "anthropic, adaptive": Case("anthropic", "claude-opus-4-7", Anthropic),
    "google": Case("google", "gemini-2.5-flash", lambda: Gemini("studio")),
    "google, levels": Case("google", "gemini-3-pro-preview", lambda: Gemini("studio")),
    "openai-compatible": Case(
        "openai-compatible",
        "qwen3-vl-plus",
        lambda: OpenAIChat("openai-compatible"),
        sees=None,
    ),
    "xai": Case("xai", "grok-4", lambda: OpenAIChat("xai")),
    "deepseek": Case("deepseek", "deepseek-chat", lambda: OpenAIChat("deepseek"), sees=False),
    "gateway": Case("gateway", "anthropic/claude-sonnet-4.5", lambda: OpenAIChat("gateway")),
    "azure": Case("azure", "gpt-5-mini", lambda: OpenAIResponses("azure")),
    "azure, chat": Case("azure", "gpt-4o", lambda: OpenAIChat("azure"), thinks=False),
    "amazon-bedrock": Case(
        "amazon-bedrock",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        Bedrock,
        options={"region": "us-east-1"},
    ),
    "amazon-bedrock, signed": Case(
        "amazon-bedrock",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        lambda: Bedrock(aws=AWS),
        options={
            "region": AWS.region,
            "accessKeyId": AWS.access_key_id,
            "secretAccessKey": AWS.secret_access_key,
        },
        key=None,
    ),
    "google-vertex": Case(
        "google-vertex",
        "gemini-2.5-pro",
        lambda: Gemini("vertex", project="demo-project", location="europe-west1"),
        options={"project": "demo-project", "location": "europe-west1", "accessToken": KEY},
        key=None,
    ),
    "cloudflare": Case(
        "cloudflare",
        "@cf/openai/gpt-oss-120b",
        lambda: OpenAIChat("cloudflare"),
        sees=False,
        options={"accountId": "acc"},
    ),
    "openrouter": Case(
        "openrouter", "anthropic/claude-sonnet-4.5", lambda: OpenAIChat("openrouter")
    ),
    "groq": Case("groq", "openai/gpt-oss-120b", lambda: OpenAIChat("groq"), sees=False),
    "mistral": Case("mistral", "magistral-medium-latest", lambda: OpenAIChat("mistral"), sees=None),
    "ollama": Case("ollama", "qwen3:8b", lambda: OpenAIChat("ollama"), sees=None),
    "lm-studio": Case("lm-studio", "gpt-oss-20b", lambda: OpenAIChat("lm-studio"), sees=False),
    "llama.cpp": Case("llama.cpp", "qwen3-8b", lambda: OpenAIChat("llama.cpp"), sees=None),
}

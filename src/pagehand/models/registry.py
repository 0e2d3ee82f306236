"""The providers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..names import to_wire
from .dialect import ChatDialect
from .profiles import CLOUD, ModelProfile

EMBEDDED = "embedded"
"""The model that is shipped with a site."""
BROWSER = "browser"
"""The browser's own model, which a page reaches."""
AUTO = "auto"
"""The best that a device can run without a question; a page puts that model's name in its place."""
UNPREFIXED = (EMBEDDED, BROWSER, AUTO)
"""Names of models that stand alone, without a provider before them."""

Wire = Literal["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"]
Browser = Literal["yes", "no", "depends"]
_PLAIN = ChatDialect()
_LINKS = frozenset({"image"})
_ALL_LINKS = frozenset({"image", "pdf", "file"})


@dataclass(slots=True, frozen=True)
class Provider:
    """A provider that is reached over the network.

    `base_url` None means: the user names it, or it follows from provider options. `key_header` and
    `key_prefix` are how a key is shown. `browser` says whether it answers a web page directly
    (CORS), `advice` what to do where it may not; both were read from the providers' own pages or
    from reports of users (docs/providers.md). `options` are the provider options that are settings
    of the endpoint; all others are fields of the request's body. `models_path` is where it lists
    its models. `key_page` is where a user gets a key.
    """

    label: str
    wire: Wire
    base_url: str | None = None
    needs_key: bool = True
    key_header: str = "authorization"
    key_prefix: str = "Bearer "
    key_page: str | None = None
    browser: Browser = "depends"
    advice: str = ""
    options: tuple[str, ...] = ()
    models_path: str | None = "/models"
    dialect: ChatDialect = _PLAIN
    profile: ModelProfile = CLOUD


_PROXY = "It may refuse pages: then put a small proxy of your own in front and give its address."
_REFUSED = "It answers no page: put a small proxy of your own in front and give its address."
_LOCAL = "It runs on your own machine; "

PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "OpenAI",
        "openai-responses",
        "https://api.openai.com/v1",
        key_page="https://platform.openai.com/api-keys",
        advice=_PROXY,
        options=("api",),
        dialect=ChatDialect(max_tokens="max_completion_tokens", cache_key=True, developer=True),
        profile=ModelProfile(links=_ALL_LINKS, most_tools=128),
    ),
    "anthropic": Provider(
        "Anthropic",
        "anthropic",
        "https://api.anthropic.com/v1",
        key_header="x-api-key",
        key_prefix="",
        key_page="https://platform.claude.com/settings/keys",
        browser="yes",
        advice="An organization can forbid calls from pages in its settings.",
        profile=ModelProfile(links=frozenset({"image", "pdf"})),
    ),
    "google": Provider(
        "Google Gemini",
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        key_header="x-goog-api-key",
        key_prefix="",
        key_page="https://aistudio.google.com/apikey",
        browser="yes",
        profile=ModelProfile(links=_ALL_LINKS),
    ),
    "openai-compatible": Provider(
        "Your own endpoint",
        "openai-chat",
        needs_key=False,
        advice="The server must allow this page's origin (CORS).",
        dialect=ChatDialect(thinking="template"),
        profile=ModelProfile(links=_LINKS),
    ),
    "xai": Provider(
        "xAI",
        "openai-chat",
        "https://api.x.ai/v1",
        key_page="https://console.x.ai",
        advice=_PROXY,
        profile=ModelProfile(links=_LINKS, images=True),
    ),
    "deepseek": Provider(
        "DeepSeek",
        "openai-chat",
        "https://api.deepseek.com",
        key_page="https://platform.deepseek.com/api_keys",
        advice=_PROXY,
        dialect=ChatDialect(thinking="type", thoughts_back="reasoning_content"),
        profile=ModelProfile(json_only=True, images=False, pdf=False),
    ),
    "gateway": Provider(
        "Vercel AI Gateway",
        "openai-chat",
        "https://ai-gateway.vercel.sh/v1",
        key_page="https://vercel.com/ai-gateway",
        browser="yes",
        dialect=ChatDialect(thinking="reasoning", thoughts_back="reasoning_details"),
        profile=ModelProfile(links=_LINKS),
    ),
    "azure": Provider(
        "Azure OpenAI",
        "openai-responses",
        key_header="api-key",
        key_prefix="",
        key_page="https://ai.azure.com",
        browser="no",
        advice=_REFUSED,
        options=("api", "resource_name", "api_version"),
        models_path=None,  # what it lists there are no deployments
        dialect=ChatDialect(max_tokens="max_completion_tokens", developer=True),
        profile=ModelProfile(links=_ALL_LINKS, most_tools=128),
    ),
    "amazon-bedrock": Provider(
        "Amazon Bedrock",
        "bedrock",
        key_page="https://console.aws.amazon.com/bedrock",
        advice=_PROXY,
        options=("region", "access_key_id", "secret_access_key", "session_token"),
        models_path=None,
        profile=ModelProfile(output_schema=False),
    ),
    "google-vertex": Provider(
        "Google Vertex AI",
        "gemini",
        needs_key=False,  # an access token, or the machine's own sign-in
        key_page="https://console.cloud.google.com/vertex-ai",
        options=("project", "location", "access_token"),
        advice="In a browser it needs a project and an access token, or a key and no project.",
        models_path=None,
        profile=ModelProfile(links=_ALL_LINKS),
    ),
    "cloudflare": Provider(
        "Cloudflare Workers AI",
        "openai-chat",
        key_page="https://dash.cloudflare.com/profile/api-tokens",
        browser="no",
        advice=_REFUSED,
        options=("account_id",),
        models_path=None,
    ),
    "openrouter": Provider(
        "OpenRouter",
        "openai-chat",
        "https://openrouter.ai/api/v1",
        key_page="https://openrouter.ai/settings/keys",
        browser="yes",
        dialect=ChatDialect(thinking="reasoning", thoughts_back="reasoning_details"),
        profile=ModelProfile(links=_LINKS),
    ),
    "groq": Provider(
        "Groq",
        "openai-chat",
        "https://api.groq.com/openai/v1",
        key_page="https://console.groq.com/keys",
        browser="yes",
        dialect=ChatDialect(max_tokens="max_completion_tokens"),
        profile=ModelProfile(json_only=True, links=_LINKS),
    ),
    "mistral": Provider(
        "Mistral",
        "openai-chat",
        "https://api.mistral.ai/v1",
        key_page="https://console.mistral.ai/api-keys",
        browser="yes",
        advice="It takes no headers of your own from a page.",
        dialect=ChatDialect(stream_usage=False, document_url=True, short_ids=True),
        profile=ModelProfile(links=_LINKS),
    ),
    "ollama": Provider(
        "Ollama",
        "openai-chat",
        "http://localhost:11434/v1",
        needs_key=False,
        advice=_LOCAL + "start it with OLLAMA_ORIGINS set to this page's origin.",
        dialect=ChatDialect(thinking="any-effort"),
    ),
    "lm-studio": Provider(
        "LM Studio",
        "openai-chat",
        "http://localhost:1234/v1",
        needs_key=False,
        advice=_LOCAL + "turn CORS on in its server settings, or run `lms server start --cors`.",
    ),
    "llama.cpp": Provider(
        "llama.cpp server",
        "openai-chat",
        "http://localhost:8080/v1",
        needs_key=False,
        browser="yes",
        advice=_LOCAL + "it answers any page, but where --cors-origins or its own tools are set.",
        dialect=ChatDialect(thinking="template"),
    ),
}


def list_providers() -> list[dict[str, Any]]:
    """Give the providers as a settings page shows them: what to ask for, and what to say."""
    return [
        {
            "type": name,
            "label": provider.label,
            "keyPage": provider.key_page,
            "needsKey": provider.needs_key,
            "needsBaseURL": provider.base_url is None and not provider.options,
            "baseURL": provider.base_url,
            "browser": provider.browser,
            "advice": provider.advice,
            "options": [
                {"name": to_wire(option), "secret": option in SECRET_OPTIONS}
                for option in provider.options
                if option != "api"
            ],
        }
        for name, provider in PROVIDERS.items()
    ]


ON_DEVICE_PROVIDERS = ("web-llm", "wllama")
SECRET_OPTIONS = frozenset({"secret_access_key", "session_token", "access_token"})
"""Provider options that must not be shown."""
KNOWN = (*PROVIDERS, *ON_DEVICE_PROVIDERS)

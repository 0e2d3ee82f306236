"""Where each provider is reached, how it is shown whose a request is, and on which wire."""

import json

import pytest

from pagehand import ConfigError, MemoryCredentialStore, ModelSpec, list_providers, resolve_model
from pagehand.agent.config import read_config
from pagehand.errors import AuthenticationError, InvalidRequestError
from pagehand.messages import user
from pagehand.models.base import ModelRequest, ToolDefinition
from pagehand.models.registry import KNOWN, PROVIDERS
from pagehand.models.spec import ModelSettings, read_spec, resolve_stage
from pagehand.ports import HttpRequest
from pagehand.secret import Secret
from pagehand.testing import scripted_platform

SEEDS = [
    *("openai", "anthropic", "google", "openai-compatible", "xai", "deepseek", "gateway"),
    *("azure", "amazon-bedrock", "google-vertex", "cloudflare", "web-llm"),
]
PRESETS = ["openrouter", "groq", "mistral", "ollama", "lm-studio", "llama.cpp"]
KEY = "sk-canary-endpoint-1"


class Refused(Exception):
    """Ends a call once the request is there."""


class Watching:
    """A network that keeps the request and answers nothing."""

    def __init__(self):
        self.request = None

    async def send(self, request: HttpRequest):
        self.request = request
        raise Refused


async def request_of(spec, settings=None, **asked):
    http = Watching()
    model = resolve_model(spec, scripted_platform(http=http), settings)
    with pytest.raises(Refused):
        async for _ in model.stream(ModelRequest([user("hi")], **asked)):
            pass
    return http.request


def test_every_name_of_the_seeds_and_every_preset():
    assert set(SEEDS) <= set(KNOWN) and set(PRESETS) <= set(PROVIDERS)


BEARER = {"authorization": f"Bearer {KEY}"}
WHERE = {
    "openai": ("https://api.openai.com/v1/responses", BEARER, {}),
    "anthropic": ("https://api.anthropic.com/v1/messages", {"x-api-key": KEY}, {}),
    "google": (
        "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
        {"x-goog-api-key": KEY},
        {},
    ),
    "xai": ("https://api.x.ai/v1/chat/completions", BEARER, {}),
    "deepseek": ("https://api.deepseek.com/chat/completions", BEARER, {}),
    "gateway": ("https://ai-gateway.vercel.sh/v1/chat/completions", BEARER, {}),
    "azure": (
        "https://acme.openai.azure.com/openai/v1/chat/completions",
        {"api-key": KEY},
        {"resourceName": "acme"},
    ),
    "amazon-bedrock": (
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse-stream",
        BEARER,
        {"region": "eu-west-1"},
    ),
    "google-vertex": (
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4"
        "/publishers/google/models/m:streamGenerateContent?alt=sse",
        {"authorization": "Bearer ya29.canary-token"},
        {"project": "p-1", "location": "europe-west4", "accessToken": "ya29.canary-token"},
    ),
    "cloudflare": (
        "https://api.cloudflare.com/client/v4/accounts/acc1/ai/v1/chat/completions",
        BEARER,
        {"account_id": "acc1"},
    ),
    "openrouter": ("https://openrouter.ai/api/v1/chat/completions", BEARER, {}),
    "groq": ("https://api.groq.com/openai/v1/chat/completions", BEARER, {}),
    "mistral": ("https://api.mistral.ai/v1/chat/completions", BEARER, {}),
    "ollama": ("http://localhost:11434/v1/chat/completions", BEARER, {}),
    "lm-studio": ("http://localhost:1234/v1/chat/completions", BEARER, {}),
    "llama.cpp": ("http://localhost:8080/v1/chat/completions", BEARER, {}),
}


@pytest.mark.parametrize("kind", WHERE)
async def test_where_and_whose(kind):
    url, headers, options = WHERE[kind]
    spec = {"model": f"{kind}:m", "api_key": KEY, "provider_options": options}
    request = await request_of(spec)
    assert request.url == url
    assert headers.items() <= request.headers.items()
    body = json.loads(request.body)
    assert not {"region", "resourceName", "account_id", "project", "accessToken"} & body.keys()


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"base_url": "https://x.test/openai/deployments/d"},
         "https://x.test/openai/deployments/d/chat/completions?api-version=2024-10-21"),
        ({"base_url": "https://x.test"}, "https://x.test/openai/v1/chat/completions"),
        ({"base_url": "https://x.test/openai/v1/"}, "https://x.test/openai/v1/chat/completions"),
        ({"provider_options": {"resourceName": "acme", "apiVersion": "2025-01-01-preview"}},
         "https://acme.openai.azure.com/openai/deployments/m/chat/completions"
         "?api-version=2025-01-01-preview"),
        ({"provider_options": {"resourceName": "acme", "apiVersion": "preview"}},
         "https://acme.openai.azure.com/openai/v1/chat/completions?api-version=preview"),
    ],
)  # fmt: skip
async def test_the_ways_into_azure(given, url):
    assert (await request_of({"model": "azure:m", "api_key": KEY, **given})).url == url


@pytest.mark.parametrize(
    ("spec", "ending"),
    [
        ({"model": "openai:gpt-5-mini"}, "/responses"),
        ({"model": "openai:gpt-4o"}, "/responses"),
        ({"model": "openai:gpt-5", "provider_options": {"api": "chat"}}, "/chat/completions"),
        ({"model": "azure:gpt-5", "provider_options": {"resourceName": "a"}}, "/responses"),
        ({"model": "azure:gpt-4o", "provider_options": {"resourceName": "a"}}, "/chat/completions"),
        ({"model": "azure:x", "provider_options": {"resourceName": "a", "api": "responses"}},
         "/responses"),
    ],
)  # fmt: skip
async def test_which_of_the_two_wires(spec, ending):
    request = await request_of({**spec, "api_key": KEY})
    assert request.url.endswith(ending)
    assert "api" not in json.loads(request.body)


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("us", "aiplatform.us.rep.googleapis.com"),
        ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
    ],
)
async def test_the_locations_of_vertex(location, host):
    options = {"project": "p", "location": location, "accessToken": "t"}
    request = await request_of({"model": "google-vertex:m", "provider_options": options})
    assert request.url.startswith(f"https://{host}/v1/projects/p/locations/{location}/publishers/")


async def test_bedrock_signs_with_an_access_key():
    options = {
        "region": "us-east-1",
        "accessKeyId": "AKIDEXAMPLE",
        "secretAccessKey": "canary-secret-key",
        "sessionToken": "canary-session",
    }
    spec = ModelSpec("amazon-bedrock:m", provider_options=options)
    assert "canary" not in repr(spec) + repr(spec.provider_options)
    headers = (await request_of(spec)).headers
    found = {name.lower(): value for name, value in headers.items()}
    assert found["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250101/")
    assert found["x-amz-security-token"] == "canary-session"
    assert "canary-secret-key" not in str(headers)


async def test_a_token_may_be_a_function_sync_or_async():
    async def later():
        return "ya29.two"

    for give, token in ((lambda: "ya29.one", "ya29.one"), (later, "ya29.two")):
        options = {"project": "p", "access_token": give}
        request = await request_of({"model": "google-vertex:m", "provider_options": options})
        assert request.headers["authorization"] == f"Bearer {token}"
        assert request.url.startswith(
            "https://aiplatform.googleapis.com/v1/projects/p/locations/gl"
        )


async def test_a_token_function_that_gives_no_token_is_told():
    options = {"project": "p", "access_token": lambda: None}
    model = resolve_model(
        {"model": "google-vertex:m", "provider_options": options}, scripted_platform()
    )
    with pytest.raises(AuthenticationError, match="access_token must give the token"):
        async for _ in model.stream(ModelRequest([user("hi")])):
            pass


async def test_the_machines_own_sign_in():
    class SignIn:
        async def token(self):
            return Secret("ya29.machine")

        async def project(self):
            return "p"

    http = Watching()
    platform = scripted_platform(http=http, google=SignIn())
    model = resolve_model(
        {"model": "google-vertex:m", "provider_options": {"project": "p"}}, platform
    )
    with pytest.raises(Refused):
        async for _ in model.stream(ModelRequest([user("hi")])):
            pass
    assert http.request.headers["authorization"] == "Bearer ya29.machine"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("azure:m", "resource_name.*or a base_url"),
        ({"model": "azure:m", "provider_options": {"resourceName": "a/b"}}, "plain name"),
        ({"model": "azure:m", "provider_options": {"resourceName": "a", "apiVersion": "x"}},
         "must be a date"),
        ({"model": "amazon-bedrock:m", "provider_options": {"region": "r"}},
         "access_key_id and secret_access_key"),
        ({"model": "amazon-bedrock:m", "api_key": KEY}, "provider_options.region"),
        ("google-vertex:m", "provider_options.project"),
        ({"model": "google-vertex:m", "provider_options": {"project": "p"}}, "access token here"),
        ("cloudflare:m", "provider_options.account_id"),
        ({"model": "openai:m", "provider_options": {"api": "soap"}}, "'responses' or 'chat'"),
        ({"model": "openai:m", "credential_ref": "k"}, "no credential store"),
        ("antropic:claude", "did you mean 'anthropic'"),
        ("openai:", "names no model"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(spec, said):
    with pytest.raises(ConfigError, match=said):
        resolve_model(spec, scripted_platform())


async def test_a_key_by_its_name_is_read_anew_for_every_request():
    keys = MemoryCredentialStore()
    settings = ModelSettings(credentials=keys)
    spec = {"model": "anthropic:m", "credentialRef": "mine"}
    model = resolve_model(spec, scripted_platform(), settings)
    with pytest.raises(AuthenticationError, match="no key named 'mine'"):
        async for _ in model.stream(ModelRequest([user("hi")])):
            pass
    for key in ("sk-canary-first", "sk-canary-second"):
        await keys.set_api_key("mine", key)
        assert (await request_of(spec, settings)).headers["x-api-key"] == key
    await keys.delete_api_key("mine")
    assert await keys.get_api_key("mine") is None
    assert "canary" not in repr(keys)


async def test_a_key_that_is_missing_is_told_before_anything_is_sent():
    http = Watching()
    for spec in ("anthropic:m", {"model": "openai:m", "api_key": "  "}):
        model = resolve_model(spec, scripted_platform(http=http))
        with pytest.raises(AuthenticationError, match="none was given"):
            async for _ in model.stream(ModelRequest([user("hi")])):
                pass
    assert http.request is None
    for spec in (  # a proxy may have the key, and a header may hold it
        {"model": "openai:m", "base_url": "http://proxy.test"},
        {"model": "anthropic:m", "headers": {"X-Api-Key": KEY}},
        "ollama:m",
    ):
        assert (await request_of(spec)).method == "POST"


async def test_openai_takes_at_most_128_tools():
    tools = [ToolDefinition(f"t{n}", "", {"type": "object"}) for n in range(129)]
    model = resolve_model({"model": "openai:gpt-5", "api_key": KEY}, scripted_platform())
    with pytest.raises(
        InvalidRequestError, match="at most 128 tools in a request, this one offers 129"
    ):
        async for _ in model.stream(ModelRequest([user("hi")], tools=tools)):
            pass
    request = await request_of({"model": "openai:gpt-5", "api_key": KEY}, tools=tools[:128])
    assert len(json.loads(request.body)["tools"]) == 128


def test_what_a_settings_page_needs():
    listed = {each["type"]: each for each in list_providers()}
    assert listed.keys() == PROVIDERS.keys()
    bedrock = listed["amazon-bedrock"]["options"]
    assert {"name": "secretAccessKey", "secret": True} in bedrock
    assert listed["openai-compatible"]["needsBaseURL"] and not listed["ollama"]["needsKey"]
    for each in listed.values():
        assert each["browser"] in ("yes", "no", "depends") and each["label"]
        assert each["browser"] == "yes" or each["advice"], each["type"]


BASE = {"model": "openai:gpt-5", "api_key": KEY}


@pytest.mark.parametrize(
    "override",
    [
        "anthropic:claude-sonnet-4-5",
        {"model": "anthropic:claude-sonnet-4-5"},
        {"providerType": "anthropic", "model": "claude-sonnet-4-5"},
        {"provider_type": "anthropic"},
    ],
)
def test_a_key_never_crosses_vendors(override):
    with pytest.raises(ConfigError, match="never sent to another vendor"):
        resolve_stage(BASE, override, "planner")


def test_an_override_of_another_vendor_with_its_own_key_stands_alone():
    own = {"model": "anthropic:claude-sonnet-4-5", "credential_ref": "mine"}
    stage = read_spec(resolve_stage({**BASE, "headers": {"x": "1"}}, own, "planner"))
    assert (stage.provider_type, stage.credential_ref, stage.api_key) == ("anthropic", "mine", None)
    assert stage.headers == {}


def test_a_name_of_a_key_replaces_a_key_of_the_base():
    stage = read_spec(resolve_stage(BASE, {"credential_ref": "mine"}, "planner"))
    assert (stage.credential_ref, stage.api_key) == ("mine", None)


def test_neither_key_nor_its_name_follow_to_another_address():
    base = {"model": "openai:m", "credential_ref": "mine"}
    stage = read_spec(resolve_stage(base, {"base_url": "https://other.test/v1"}, "planner"))
    assert stage.credential_ref is None


MOVES = [
    {"base_url": "https://evil.test/v1"},
    {"provider_options": {"resource_name": "other"}},
]


@pytest.mark.parametrize("move", MOVES, ids=["address", "resource"])
def test_nothing_that_may_be_secret_follows_to_another_address(move):
    base = {
        "model": "azure:gpt-5",
        "api_key": KEY,
        "headers": {"cookie": KEY},
        "provider_options": {"resource_name": "mine", "session_token": KEY, "top_p": 1},
    }
    stage = read_spec(resolve_stage(base, move, "planner"))
    assert (stage.api_key, stage.credential_ref, stage.headers) == (None, None, {})
    assert "session_token" not in stage.provider_options
    kept = read_spec(resolve_stage(base, {"model": "gpt-5-mini"}, "planner"))
    assert kept.headers == {"cookie": KEY} and kept.api_key.reveal() == KEY


def test_an_empty_address_is_no_other_address():
    stage = read_spec(resolve_stage(BASE, {"model": "gpt-5-mini", "base_url": ""}, "planner"))
    assert stage.api_key.reveal() == KEY


async def test_headers_of_the_host_replace_ours_whatever_their_case():
    headers = {"Anthropic-Version": "2024-01-01", "Content-Type": "application/json", "X-Team": "b"}
    request = await request_of({"model": "anthropic:m", "api_key": KEY, "headers": headers})
    assert request.headers["anthropic-version"] == "2024-01-01"
    assert request.headers["x-team"] == "b"
    assert all(name == name.lower() for name in request.headers)


@pytest.mark.parametrize(
    "spec",
    [
        {"model": ["a", "b"], "api_key": KEY},
        {"model": "m", "provider_type": 5},
        {"model": "openai:m", "base_url": 5},
        {"model": "openai:m", "headers": "x"},
        {"model": "openai:m", "headers": {"x": 5}},
        {"model": "openai:m", "provider_options": "x"},
        {"model": "openai:m", "api_key": 5},
        {"model": "openai:m", "base_url": "http://h:99999/v1"},
        {"model": "google:m", "provider_options": {"access_token": "x"}},
        {"model": "amazon-bedrock:m", "provider_options": {"region": "r", "access_key_id": "a",
         "secret_access_key": 5}},
        {"model": "google-vertex:m", "provider_options": {"project": "p", "accessToken": ""}},
        {1: 2, "model": "openai:m"},
    ],
)  # fmt: skip
def test_wrong_kinds_are_one_error(spec):
    with pytest.raises(ConfigError) as raised:
        resolve_model(spec, scripted_platform())
    assert KEY not in str(raised.value)


async def test_what_a_host_gives_for_keys_may_fail_without_telling_them():
    async def failing():
        raise RuntimeError(f"token={KEY}")

    class Store:
        async def get_api_key(self, ref):
            raise OSError(f"cannot read {KEY}")

    class Odd:
        async def get_api_key(self, ref):
            return 5

    options = {"project": "p", "access_token": failing}
    cases = [
        ({"model": "google-vertex:m", "provider_options": options}, None),
        ({"model": "openai:m", "credential_ref": "k"}, ModelSettings(credentials=Store())),
        ({"model": "openai:m", "credential_ref": "k"}, ModelSettings(credentials=Odd())),
    ]
    for spec, settings in cases:
        model = resolve_model(spec, scripted_platform(), settings)
        with pytest.raises(AuthenticationError) as raised:
            async for _ in model.stream(ModelRequest([user("hi")])):
                pass
        assert KEY not in f"{raised.value} {raised.value.to_dict()}"
        assert raised.value.__cause__ is None


def test_a_config_shows_no_secret():
    wrote = [
        {"model": {"model": "openai:m", "headers": {"authorization": f"Bearer {KEY}"}}},
        {"model": [[{"model": "openai:m", "api_key": KEY}]]},
        {"planner_model": {"model": "openai:m", "api_key": KEY}},
        {"model": {"model": "openai:m", "provider_options": {"x_key": KEY}}},
    ]
    for values in wrote:
        assert KEY not in repr(read_config(values, {}))

"""What is known of models by their names, at each provider."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import create_agent, resolve_model
from pagehand.models.profiles import ON_DEVICE, profile_of
from pagehand.testing import scripted_platform

M = 1_048_576
SIGHT, BLIND, TRIED = (True, True), (False, False), (None, None)
ONLY_IMAGES = (True, None)
# What a provider needs beside a name, so that it can be resolved.
SETTINGS = {
    "azure": {"provider_options": {"resource_name": "mine"}},
    "amazon-bedrock": {"provider_options": {"region": "us-east-1"}},
    "google-vertex": {"provider_options": {"project": "mine", "access_token": "t"}},
    "cloudflare": {"provider_options": {"account_id": "mine"}},
    "openai-compatible": {"base_url": "http://127.0.0.1:1/v1"},
}


def profile(name):
    provider, _, model = name.partition(":")
    spec = {"provider_type": provider, "model": model, "api_key": "sk-canary"}
    return resolve_model({**spec, **SETTINGS.get(provider, {})}, scripted_platform()).profile


def knob_of(profile):
    """Give a knob as one reads it: kind, levels or tokens, `off` where it can stop."""
    knob = profile.thinking
    if knob is None:
        return ""
    tokens = [f"{knob.least}-{knob.most}"] if knob.most else []
    return " ".join([knob.kind, *knob.levels, *tokens, *(["off"] if knob.can_stop else [])])


NONE_TO_XHIGH = "effort none low medium high xhigh off"
TO_XHIGH = "effort low medium high xhigh"
TO_HIGH = "effort low medium high"
ADAPTIVE = "adaptive low medium high xhigh"
BUDGET = "budget 1024-32000 off"
SWITCH = "switch none off"

FACTS = [
    # name, thinking, window, output, (images, pdf), whether a temperature is sent
    ("openai:gpt-6.2-astra", TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-6.2-sol", TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-6.1-sol", TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-6-astra", TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-6.1-terra", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-6-sol", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openrouter:openai/gpt-6-luna", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.6-terra", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("azure:gpt-5-6-luna-eu", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.5-2026-04-23", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.5-pro", "effort medium high xhigh", 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.4-pro-2026-03-05", "effort medium high xhigh", 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.4", NONE_TO_XHIGH, 1_050_000, 128_000, SIGHT, False),
    ("openai:gpt-5.4-mini-2026-03-17", NONE_TO_XHIGH, 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5.3-codex", TO_XHIGH, 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5.3-codex-spark", TO_XHIGH, 128_000, 32_000, SIGHT, False),
    ("openai:gpt-5.3-chat-latest", "effort medium", 128_000, 16_384, SIGHT, False),
    ("openai:gpt-5.2-2025-12-11", NONE_TO_XHIGH, 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5.2-pro", "effort medium high xhigh", 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5.1-codex-max", TO_XHIGH, 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5.1-codex-mini", TO_HIGH, 400_000, 128_000, SIGHT, False),
    ("azure:gpt-5.1", "effort none low medium high off", 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5-pro-2025-10-06", "effort high", 400_000, 272_000, SIGHT, False),
    ("openai:gpt-5-codex", TO_HIGH, 400_000, 128_000, SIGHT, False),
    ("openai:gpt-5-chat-latest", "", 128_000, 16_384, SIGHT, True),
    ("openai:gpt-5-2025-08-07", "effort minimal low medium high", 400_000, 128_000, SIGHT, False),
    ("azure:gpt-5-mini-production", "effort minimal low medium high", 400_000, 128_000, SIGHT,
     False),
    ("openai:o4-mini-2025-04-16", TO_HIGH, 200_000, 100_000, SIGHT, False),
    ("openrouter:openai/o3-mini", TO_HIGH, 200_000, 100_000, BLIND, False),
    ("openai:o1-mini", "always", 128_000, 65_536, BLIND, False),
    ("openai:gpt-4.1-mini", "", 1_047_576, 32_768, SIGHT, True),
    ("openai:gpt-4o-2024-11-20", "", 128_000, 16_384, SIGHT, True),
    ("azure:gpt-35-turbo", "", 16_385, 4_096, BLIND, True),
    ("groq:openai/gpt-oss-120b", TO_HIGH, 131_072, None, BLIND, True),
    ("amazon-bedrock:openai.gpt-oss-20b-1:0", TO_HIGH, 131_072, None, BLIND, True),
    ("anthropic:claude-fable-5-2", ADAPTIVE, 1_000_000, 128_000, SIGHT, False),
    ("anthropic:claude-mythos-5-1", ADAPTIVE, 1_000_000, 128_000, SIGHT, False),
    ("anthropic:claude-opus-5-5", ADAPTIVE, 1_000_000, 128_000, SIGHT, False),
    ("openrouter:anthropic/claude-sonnet-5.5", ADAPTIVE, 1_000_000, 128_000, SIGHT, False),
    ("gateway:anthropic/claude-haiku-5.5", ADAPTIVE + " off", 1_000_000, 128_000, SIGHT, False),
    ("anthropic:claude-opus-5", ADAPTIVE + " off", 1_000_000, 128_000, SIGHT, False),
    ("amazon-bedrock:global.anthropic.claude-sonnet-5", ADAPTIVE + " off", 1_000_000, 128_000,
     SIGHT, False),
    ("openrouter:anthropic/claude-opus-4.8-fast", ADAPTIVE + " off", 1_000_000, 128_000, SIGHT,
     False),
    ("anthropic:claude-opus-4-7", ADAPTIVE + " off", 1_000_000, 128_000, SIGHT, False),
    ("amazon-bedrock:us.anthropic.claude-opus-4-6-v1", "adaptive low medium high off", 1_000_000,
     128_000, SIGHT, True),
    ("google-vertex:claude-sonnet-4-6", "adaptive low medium high off", 1_000_000, 128_000, SIGHT,
     True),
    ("amazon-bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", BUDGET, 200_000, 64_000, SIGHT,
     True),
    ("openrouter:anthropic/claude-sonnet-4.5", BUDGET, 200_000, 64_000, SIGHT, True),
    ("google-vertex:claude-haiku-4-5@20251001", BUDGET, 200_000, 64_000, SIGHT, True),
    ("anthropic:claude-opus-4-1-20250805", BUDGET, 200_000, 32_000, SIGHT, True),
    ("anthropic:claude-opus-4-20250514", BUDGET, 200_000, 32_000, SIGHT, True),
    ("anthropic:claude-3-7-sonnet-20250219", BUDGET, 200_000, 64_000, SIGHT, True),
    ("openrouter:anthropic/claude-3.5-haiku", "", 200_000, 8_192, SIGHT, True),
    ("anthropic:claude-opus-7", ADAPTIVE, 1_000_000, 128_000, SIGHT, False),
    ("google:gemini-4-argon", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-4-hydrogen", "level low medium high xhigh", M, 65_536, SIGHT, True),
    ("google:gemini-3.8-flash", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-3.6-flash", "level minimal low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-3.5-flash-lite", "level minimal low medium high", M, 65_536, SIGHT, True),
    ("google-vertex:gemini-3-flash-preview", "level minimal low medium high", M, 65_536, SIGHT,
     True),
    ("google:gemini-3.1-pro-preview", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-3-pro-preview", "level low high", M, 65_536, SIGHT, True),
    ("google:gemini-flash-latest", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-flash-lite-latest", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-pro-latest", "level low medium high", M, 65_536, SIGHT, True),
    ("google:gemini-2.5-pro", "budget 128-32768", M, 65_536, SIGHT, True),
    ("openrouter:google/gemini-2.5-flash", "budget 1-24576 off", M, 65_536, SIGHT, True),
    ("google:gemini-2.5-flash-lite", "budget 512-24576 off", M, 65_536, SIGHT, True),
    ("google:gemini-2.0-flash", "", M, 8_192, SIGHT, True),
    ("xai:grok-4.6", TO_XHIGH, 500_000, None, ONLY_IMAGES, True),
    ("openrouter:x-ai/grok-4.5", TO_HIGH, 500_000, None, ONLY_IMAGES, True),
    ("xai:grok-4.3", "effort none low medium high off", 1_000_000, None, ONLY_IMAGES, True),
    ("xai:grok-4.20-0309-reasoning", "always", 1_000_000, None, ONLY_IMAGES, True),
    ("xai:grok-4.20-0309-non-reasoning", "", 1_000_000, None, ONLY_IMAGES, True),
    ("xai:grok-code-fast-1", "always", 256_000, None, ONLY_IMAGES, True),
    ("xai:grok-3-mini", "effort low high", 131_072, None, ONLY_IMAGES, True),
    ("deepseek:deepseek-flash", "switch low high off", 1_000_000, 384_000, BLIND, True),
    ("deepseek:deepseek-v4-pro", "switch low high off", 1_000_000, 384_000, BLIND, True),
    ("deepseek:deepseek-reasoner", "always", None, None, BLIND, True),
    ("openrouter:deepseek/deepseek-r1-0528", "always", None, None, BLIND, True),
    ("openrouter:deepseek/deepseek-v3.2", SWITCH, None, None, BLIND, True),
    ("mistral:magistral-medium-latest", "always", 128_000, None, TRIED, True),
    ("mistral:mistral-small-latest", "effort none high off", 256_000, None, ONLY_IMAGES, True),
    ("openrouter:mistralai/mistral-medium-3-5", "effort none high off", 256_000, None,
     ONLY_IMAGES, True),
    ("mistral:mistral-large-4-0", "", 1_000_000, None, ONLY_IMAGES, True),
    ("mistral:mistral-large-2411", "", None, None, TRIED, True),
    ("amazon-bedrock:us.amazon.nova-2-lite-v1:0", TO_HIGH + " off", 1_000_000, 64_000, SIGHT, True),
    ("amazon-bedrock:amazon.nova-pro-v1:0", "", 300_000, 10_000, SIGHT, True),
    ("openrouter:amazon/nova-lite-v1", "", 300_000, 10_000, SIGHT, True),
    ("amazon-bedrock:amazon.nova-micro-v1:0", "", 128_000, 10_000, BLIND, True),
    ("groq:qwen/qwen3-32b", SWITCH, None, None, TRIED, True),
    ("openai-compatible:Qwen3-30B-A3B-Instruct-2507", "", None, None, TRIED, True),
    ("openrouter:qwen/qwen3-235b-a22b-thinking-2507", "always", None, None, TRIED, True),
    ("openrouter:qwen/qwen3.6-27b", SWITCH, 262_144, None, ONLY_IMAGES, True),
    ("openrouter:moonshotai/kimi-k2.6", SWITCH, 262_144, None, ONLY_IMAGES, True),
    ("openrouter:moonshotai/kimi-k2-thinking", "always", 262_144, None, TRIED, True),
    ("openrouter:moonshotai/kimi-k3", "effort low high", None, None, TRIED, True),
    ("openrouter:z-ai/glm-5.3", "effort low high", None, None, TRIED, True),
    ("openrouter:z-ai/glm-4.6", SWITCH, 200_000, None, TRIED, True),
    ("openrouter:z-ai/glm-4.6v", SWITCH, 128_000, None, ONLY_IMAGES, True),
    ("cloudflare:@cf/meta/llama-4-scout-17b-16e-instruct", "", 131_072, None, ONLY_IMAGES, True),
    ("amazon-bedrock:us.meta.llama4-maverick-17b-instruct-v1:0", "", 131_072, None, ONLY_IMAGES,
     True),
    ("openrouter:minimax/minimax-m2.7", "always", 196_608, None, TRIED, True),
    ("openrouter:minimax/minimax-m3", SWITCH, 1_000_000, None, ONLY_IMAGES, True),
    ("openai-compatible:tinyllama-4bit", "", None, None, TRIED, True),
    ("ollama:mymodel:4b", "", None, None, TRIED, True),
]  # fmt: skip


@pytest.mark.parametrize("facts", FACTS, ids=[name for name, *_ in FACTS])
def test_what_is_known_of_a_name(facts):
    name, thinking, window, limit, sight, temperature = facts
    known = profile(name)
    assert (
        knob_of(known),
        known.context_window,
        known.output_limit,
        (known.images, known.pdf),
        known.takes_temperature,
    ) == (thinking, window, limit, sight, temperature)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("openai:gpt-5", {"system_role": "developer", "output_schema": True, "most_tools": 128}),
        ("openai:gpt-4o", {"system_role": "system"}),
        ("openai:o1-mini", {"native_tools": False, "output_schema": False}),
        ("openai:gpt-3.5-turbo", {"native_tools": True, "output_schema": False}),
        ("anthropic:claude-sonnet-4-20250514", {"output_schema": False}),
        ("anthropic:claude-haiku-4-5", {"output_schema": True}),
        # A family's abilities end where its server's do.
        ("amazon-bedrock:anthropic.claude-opus-5", {"output_schema": False}),
        ("deepseek:deepseek-v4-pro", {"json_only": True}),
        ("groq:qwen/qwen3-32b", {"json_only": True}),
    ],
)
def test_other_facts(name, facts):
    known = profile(name)
    assert {key: getattr(known, key) for key in facts} == facts


@pytest.mark.parametrize(
    ("names", "images", "pdf", "files"),
    [
        ("google:gemini-3.8-flash google:gemini-2.5-pro", True, True, None),
        ("anthropic:claude-opus-5 anthropic:claude-3-haiku-20240307", True, True, None),
        ("openai:gpt-4o openai:gpt-4.1 openai:gpt-5", True, True, None),
        ("xai:grok-4.6 xai:grok-3 xai:grok-next", True, None, None),
        ("deepseek:deepseek-v4-pro deepseek:deepseek-chat", False, False, None),
        ("openai:gpt-3.5-turbo openai:o1-mini", False, False, None),
        ("openai-compatible:anything", None, None, None),
    ],
)
async def test_what_can_be_attached(names, images, pdf, files):
    for name in names.split():
        agent = await create_agent(
            model=name,
            api_key="sk-canary",
            platform=scripted_platform(),
            **SETTINGS.get(name.partition(":")[0], {}),
        )
        assert agent.capabilities.to_dict() == {"images": images, "pdf": pdf, "files": files}, name


class Engine:
    """An engine that is there and never asked."""


@pytest.mark.parametrize(
    ("id", "images"),
    [
        ("web-llm:Phi-3.5-vision-instruct-q4f16_1-MLC", True),
        ("web-llm:Qwen2-VL-2B-Instruct-q4f16_1-MLC", True),
        ("wllama:https://x.test/llava-v1.6.gguf", True),
        ("wllama:https://x.test/SmolVLM-256M.gguf", True),
        ("web-llm:gemma-3n-E2B-it", True),
        ("web-llm:Llama-3.2-1B-Instruct-q4f16_1-MLC", False),
        ("web-llm:Qwen3-4B-q4f16_1-MLC", False),
        ("embedded", False),
    ],
)
async def test_what_can_be_attached_on_this_device(id, images):
    agent = await create_agent(model=id, platform=scripted_platform(engine=Engine()))
    assert agent.capabilities.to_dict() == {"images": images, "pdf": False, "files": False}


@pytest.mark.parametrize(
    ("model", "options", "images", "pdf"),
    [
        ("deepseek:deepseek-flash", {"vision": True}, True, False),
        ("openai:gpt-5", {"vision": False}, False, True),
        ("xai:grok-4.6", {"inputs": {"pdf": False}}, True, False),
        ("openai:gpt-3.5-turbo", {"vision": False, "inputs": {"images": True}}, True, False),
        ("anthropic:claude-opus-5", {"inputs": {"images": None}}, True, True),
    ],
)
async def test_a_host_knows_better(model, options, images, pdf):
    agent = await create_agent(
        model=model, api_key="sk-canary", platform=scripted_platform(), **options
    )
    assert (agent.capabilities.images, agent.capabilities.pdf) == (images, pdf)


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789-./:@", max_size=40))
def test_any_name_has_a_profile_in_any_case(name):
    assert profile_of(name.upper()) == profile_of(name)
    assert not profile_of(name, ON_DEVICE).native_tools


@pytest.mark.parametrize(
    "name", ["gpt-6.2-sol", "claude-opus-5-5", "gemini-3.8-flash", "kimi-k2.6"]
)
@given(before=st.from_regex(r"([a-z]{1,8}[/.:])?", fullmatch=True), after=st.sampled_from("/:@"))
def test_a_name_is_found_inside_a_longer_one(name, before, after):
    assert profile_of(f"{before}{name}{after}x") == profile_of(name)

"""What families of models can do, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

COMPACT_BELOW = 16_000
"""Windows (tokens) under this get the short prompts: a small local model reads slowly."""

KnobKind = Literal["effort", "budget", "adaptive", "level", "switch", "always"]


@dataclass(slots=True, frozen=True)
class ThinkingKnob:
    """How a family is told how much to think.

    `kind`: `effort` and `level` take one of `levels`; `budget` a number of tokens from `least` to
    `most`; `adaptive` decides itself, `levels` bound its effort; `switch` is on or off, `levels`
    are the words that some servers take for it; `always` thinks and cannot be told. `can_stop` says
    whether thinking can be turned off.
    """

    kind: KnobKind
    levels: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    can_stop: bool = False


@dataclass(slots=True, frozen=True)
class ModelProfile:
    """Facts of a family.

    Windows and limits are in tokens, None when unknown: `context_window`, `output_limit` (what the
    model can write in one call). `images`, `pdf` and `files` say whether it takes them: None means
    that it may be tried. `links` names the kinds (image, pdf, file) whose addresses the provider
    fetches itself. `output_schema` says that the provider takes a JSON Schema for the answer,
    `json_only` that it takes the wish for JSON and not the schema. `parallel_calls` says that one
    answer may ask for several tools; a decoder that is held to a shape asks for one where it may
    not. `most_tools` is how many a request may offer, `system_role` what the provider calls the
    host's instructions, `takes_temperature` whether it may be told one. `thinking` is None where
    the family does not think, or is not known to.

    For models on the device: `constrains` says that the decoder itself can be held to a JSON
    Schema. `thinks_first` marks models that must write freely before they are held to a shape.
    `small_questions` marks a model that is too small to write a call: it is asked which tool, then
    for each argument (choosing.py, filling.py), makes one call a step, and plans nothing.
    `call_format` is how other models without native calls are told to write them: `fenced`, `tags`
    or `envelope`. `tools_at_once` is how many tools it is offered, the likeliest ones; None means
    all. `max_output_tokens` caps a call that names no cap of its own: a small model may never come
    to an end. `temperature` is what a call gets that names none. `only_copies` marks a model that
    cannot make up a sensible number: a tool that needs one is offered to it only where one is in
    sight.
    """

    native_tools: bool = True
    output_schema: bool = True
    json_only: bool = False
    images: bool | None = None
    pdf: bool | None = None
    files: bool | None = None
    links: frozenset[str] = frozenset()
    context_window: int | None = None
    output_limit: int | None = None
    parallel_calls: bool = True
    most_tools: int | None = None
    system_role: Literal["system", "developer"] = "system"
    takes_temperature: bool = True
    thinking: ThinkingKnob | None = None
    on_device: bool = False
    constrains: bool = False
    thinks_first: bool = False
    max_output_tokens: int | None = None
    small_questions: bool = False
    call_format: str = "envelope"
    tools_at_once: int | None = None
    temperature: float | None = None
    only_copies: bool = False

    @property
    def compact(self) -> bool:
        """Whether the short prompts fit this model better."""
        return self.context_window is not None and self.context_window < COMPACT_BELOW


@dataclass(slots=True, frozen=True)
class Capabilities:
    """The kinds of attachment that can go with a request; None means: it may be tried."""

    images: bool | None
    pdf: bool | None
    files: bool | None

    def __getitem__(self, kind: str) -> bool | None:
        """Give one kind by its name. Raises KeyError."""
        return self.to_dict()[kind]

    def to_dict(self) -> dict[str, bool | None]:
        """Give the wire form."""
        return {"images": self.images, "pdf": self.pdf, "files": self.files}


def common_capabilities(profiles: Sequence[ModelProfile]) -> Capabilities:
    """Give what every one of several models takes: one that does not rules a kind out."""

    def common(values: list[bool | None]) -> bool | None:
        if False in values:
            return False
        return None if None in values else True

    return Capabilities(
        common([each.images for each in profiles]),
        common([each.pdf for each in profiles]),
        common([each.files for each in profiles]),
    )


CLOUD = ModelProfile()
ON_DEVICE = ModelProfile(
    native_tools=False,
    output_schema=False,
    images=False,
    pdf=False,
    files=False,
    on_device=True,
    constrains=True,
    context_window=4_096,
    max_output_tokens=512,
    tools_at_once=12,
)

Facts = dict[str, Any]
Row = tuple[str, Facts]

_LOW_TO_HIGH = ("low", "medium", "high")
_LOW_TO_XHIGH = (*_LOW_TO_HIGH, "xhigh")
_MINIMAL_TO_HIGH = ("minimal", *_LOW_TO_HIGH)
_ALWAYS = ThinkingKnob("always")
_SWITCH = ThinkingKnob("switch", ("none",), can_stop=True)
_BLIND: Facts = {"images": False, "pdf": False}
_SEES: Facts = {"images": True, "pdf": True}


def _named(name: str, facts: Facts) -> tuple[Row, Row]:
    """Give the rows of a name whose version some write with a dot, others with a dash."""
    return (name, facts), (name.replace(".", "-"), facts)


def _ends(name: str, facts: Facts) -> tuple[Row, Row]:
    """Give the rows of a name that ends here, or goes on with a date or `latest`: "-pro" is no
    "-production"."""
    return (f"{name}/", facts), (f"{name}-", facts)


def _openai_thinker(levels: tuple[str, ...], window: int, limit: int = 128_000) -> Facts:
    return {
        "thinking": ThinkingKnob("effort", levels, can_stop="none" in levels),
        "context_window": window,
        "output_limit": limit,
        "system_role": "developer",
        "takes_temperature": False,
        **_SEES,
    }


def _claude(limit: int, **more: Any) -> Facts:
    budget = ThinkingKnob("budget", least=1_024, most=32_000, can_stop=True)
    facts = {"context_window": 200_000, "output_limit": limit, "thinking": budget}
    return {**facts, **_SEES, **more}


def _claude_adaptive(levels: tuple[str, ...], *, can_stop: bool, **more: Any) -> Facts:
    knob = ThinkingKnob("adaptive", levels, can_stop=can_stop)
    return _claude(128_000, context_window=1_000_000, thinking=knob, **more)


def _gemini(knob: ThinkingKnob | None, limit: int = 65_536) -> Facts:
    return {"thinking": knob, "context_window": 1_048_576, "output_limit": limit, **_SEES}


def _gemini_levels(*levels: str) -> Facts:
    return _gemini(ThinkingKnob("level", levels))


def _grok(window: int, *levels: str) -> Facts:
    knob = ThinkingKnob("effort", levels, can_stop="none" in levels) if levels else _ALWAYS
    return {"images": True, "context_window": window, "thinking": knob}


def _open(knob: ThinkingKnob | None, window: int | None = None, **more: Any) -> Facts:
    return {"thinking": knob, **({"context_window": window} if window else {}), **more}


_O1_MINI: Facts = {
    "context_window": 128_000,
    "output_limit": 65_536,
    "thinking": _ALWAYS,
    "takes_temperature": False,
    "native_tools": False,
    "output_schema": False,
    **_BLIND,
}
_GPT_3: Facts = {
    "context_window": 16_385,
    "output_limit": 4_096,
    "output_schema": False,
    **_BLIND,
}
_CHAT: Facts = {"context_window": 128_000, "output_limit": 16_384, **_SEES}
_WITH_NONE = ("none", *_LOW_TO_XHIGH)
_O = _openai_thinker(_LOW_TO_HIGH, 200_000, 100_000)
_CLAUDE_ALWAYS = _claude_adaptive(_LOW_TO_XHIGH, can_stop=False, takes_temperature=False)
_CLAUDE_STOPS = _claude_adaptive(_LOW_TO_XHIGH, can_stop=True, takes_temperature=False)
_CLAUDE_4_6 = _claude_adaptive(_LOW_TO_HIGH, can_stop=True)
_MISTRAL: Facts = {
    "context_window": 256_000,
    "thinking": ThinkingKnob("effort", ("none", "high"), can_stop=True),
    "images": True,
}
_DEEPSEEK = ThinkingKnob("switch", ("low", "high"), can_stop=True)
_KIMI: Facts = {"context_window": 262_144, "images": True}
_EMBEDDED: Facts = {
    "small_questions": True,
    "tools_at_once": 5,
    "max_output_tokens": 96,
    "temperature": 0.0,
    "only_copies": True,
    "parallel_calls": False,
}

# First match wins. A name is matched case-folded, between slashes and with ":" as "/"; a star
# stands for anything. (Not regular expressions: sixty of them cost a browser's start.) A row says
# what was found on the pages named above it, or at https://github.com/anomalyco/models.dev; a
# family that has `max` too gets `xhigh` at most.
_FAMILIES: tuple[Row, ...] = (
    # https://developers.openai.com/api/docs/models/gpt-6.2-sol (and -sol's sisters),
    # https://developers.openai.com/api/docs/guides/deployment-checklist and, for the levels of the
    # GPT-5 families, https://github.com/pydantic/pydantic-ai (profiles/openai.py)
    ("gpt-6-sol", _openai_thinker(_WITH_NONE, 1_050_000)),
    ("gpt-6-luna", _openai_thinker(_WITH_NONE, 1_050_000)),
    *_named("gpt-6.1-terra", _openai_thinker(_WITH_NONE, 1_050_000)),
    ("gpt-6", _openai_thinker(_LOW_TO_XHIGH, 1_050_000)),
    *_ends("gpt-5-chat", _CHAT),
    *_ends("gpt-5*-chat", _openai_thinker(("medium",), 128_000, 16_384)),
    *_ends("gpt-5-pro", _openai_thinker(("high",), 400_000, 272_000)),
    *_ends("gpt-5.2-pro", _openai_thinker(("medium", "high", "xhigh"), 400_000)),
    *_ends("gpt-5*-pro", _openai_thinker(("medium", "high", "xhigh"), 1_050_000)),
    *_named("gpt-5.6", _openai_thinker(_WITH_NONE, 1_050_000)),
    *_named("gpt-5.5", _openai_thinker(_WITH_NONE, 1_050_000)),
    *_named("gpt-5.4-mini", _openai_thinker(_WITH_NONE, 400_000)),
    *_named("gpt-5.4-nano", _openai_thinker(_WITH_NONE, 400_000)),
    *_named("gpt-5.4", _openai_thinker(_WITH_NONE, 1_050_000)),
    ("gpt-5.3-codex-spark", _openai_thinker(_LOW_TO_XHIGH, 128_000, 32_000)),
    ("gpt-5.3-codex", _openai_thinker(_LOW_TO_XHIGH, 400_000)),
    ("gpt-5.2-codex", _openai_thinker(_LOW_TO_XHIGH, 400_000)),
    ("gpt-5.1-codex-max", _openai_thinker(_LOW_TO_XHIGH, 400_000)),
    ("gpt-5.1-codex", _openai_thinker(_LOW_TO_HIGH, 400_000)),
    ("gpt-5.1", _openai_thinker(("none", *_LOW_TO_HIGH), 400_000)),
    ("gpt-5.", _openai_thinker(_WITH_NONE, 400_000)),
    ("gpt-5-codex", _openai_thinker(_LOW_TO_HIGH, 400_000)),
    ("gpt-5", _openai_thinker(_MINIMAL_TO_HIGH, 400_000)),
    ("gpt-4.1", {"context_window": 1_047_576, "output_limit": 32_768, **_SEES}),
    ("gpt-4o", _CHAT),
    ("gpt-4-turbo", {"context_window": 128_000, "output_limit": 4_096, "images": True}),
    ("gpt-3.5", _GPT_3),
    ("gpt-35", _GPT_3),  # Azure
    ("/o1-mini", _O1_MINI),
    ("/o1-preview", _O1_MINI),
    ("/o3-mini", {**_O, **_BLIND}),
    ("/o1", _O),
    ("/o3", _O),
    ("/o4-mini", _O),
    # https://github.com/pydantic/pydantic-ai (profiles/groq.py)
    ("gpt-oss", _open(ThinkingKnob("effort", _LOW_TO_HIGH), 131_072, **_BLIND)),
    # https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting and
    # /docs/en/models/opus-4-6/overview (and its sisters); on Bedrock, Vertex and gateways the same
    # names stand inside longer ones. The last row is for models to come: it asks what none refuses.
    ("claude-fable", _CLAUDE_ALWAYS),
    ("claude-mythos", _CLAUDE_ALWAYS),
    *_named("claude-opus-5.5", _CLAUDE_ALWAYS),
    *_named("claude-sonnet-5.5", _CLAUDE_ALWAYS),
    *_named("claude-haiku-5.5", _CLAUDE_STOPS),
    ("claude-opus-5", _CLAUDE_STOPS),
    ("claude-sonnet-5", _CLAUDE_STOPS),
    *_named("claude-opus-4.8", _CLAUDE_STOPS),
    *_named("claude-opus-4.7", _CLAUDE_STOPS),
    *_named("claude-opus-4.6", _CLAUDE_4_6),
    *_named("claude-sonnet-4.6", _CLAUDE_4_6),
    *_named("claude-*-4.5", _claude(64_000)),
    *_named("claude-opus-4.1", _claude(32_000)),
    ("claude-opus-4", _claude(32_000, output_schema=False)),
    ("claude-sonnet-4", _claude(64_000, output_schema=False)),
    *_named("claude-3.7", _claude(64_000, output_schema=False)),
    *_named("claude-3.5", _claude(8_192, thinking=None, output_schema=False)),
    ("claude-3", _claude(4_096, thinking=None, output_schema=False)),
    ("claude", _CLAUDE_ALWAYS),
    # https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking,
    # https://ai.google.dev/gemini-api/docs/generate-content/latest-model and
    # https://cursor.com/docs/models/gemini-4-hydrogen; what the `latest` names stand for changes,
    # so they get the levels that all new models have.
    ("gemini-4-hydrogen", _gemini_levels(*_LOW_TO_XHIGH)),
    ("gemini-3.6-flash", _gemini_levels(*_MINIMAL_TO_HIGH)),
    ("gemini-3.5-flash", _gemini_levels(*_MINIMAL_TO_HIGH)),
    ("gemini-3.1-flash", _gemini_levels(*_MINIMAL_TO_HIGH)),
    ("gemini-3-flash", _gemini_levels(*_MINIMAL_TO_HIGH)),
    ("gemini-3-pro", _gemini_levels("low", "high")),
    (
        "gemini-2.5-flash-lite",
        _gemini(ThinkingKnob("budget", least=512, most=24_576, can_stop=True)),
    ),
    ("gemini-2.5-flash", _gemini(ThinkingKnob("budget", least=1, most=24_576, can_stop=True))),
    ("gemini-2.5", _gemini(ThinkingKnob("budget", least=128, most=32_768))),
    ("gemini-2.0", _gemini(None, 8_192)),
    ("gemini-1.5", _gemini(None, 8_192)),
    ("gemini", _gemini_levels(*_LOW_TO_HIGH)),
    # https://docs.x.ai/docs/guides/reasoning, https://github.com/pydantic/pydantic-ai
    # (profiles/grok.py), https://github.com/vercel/ai (packages/xai)
    ("grok-4.6", _grok(500_000, *_LOW_TO_XHIGH)),
    ("grok-4.5", _grok(500_000, *_LOW_TO_HIGH)),
    ("grok-latest", _grok(500_000, *_LOW_TO_HIGH)),
    ("grok-4.3", _grok(1_000_000, "none", *_LOW_TO_HIGH)),
    ("grok-4*non-reasoning", {"context_window": 1_000_000, "images": True}),
    ("grok-4.20", _grok(1_000_000)),
    ("grok-4*fast", _grok(1_000_000)),
    ("grok-4", _grok(256_000)),
    ("grok-build", _grok(256_000)),
    ("grok-code", _grok(256_000)),
    (
        "grok-3-mini",
        {"context_window": 131_072, "thinking": ThinkingKnob("effort", ("low", "high"))},
    ),
    ("grok-3", {"context_window": 131_072, "images": True}),
    ("grok", {"images": True}),
    # https://api-docs.deepseek.com/quick_start/pricing and /guides/thinking_mode
    ("deepseek-r1", _open(_ALWAYS, thinks_first=True, **_BLIND)),
    ("deepseek-reasoner", _open(_ALWAYS, **_BLIND)),
    ("deepseek-v4", _open(_DEEPSEEK, 1_000_000, output_limit=384_000, **_BLIND)),
    ("deepseek-flash", _open(_DEEPSEEK, 1_000_000, output_limit=384_000, **_BLIND)),
    ("deepseek", _open(_SWITCH, **_BLIND)),
    # https://docs.mistral.ai/capabilities/reasoning/adjustable
    ("magistral", {"context_window": 128_000, "thinking": _ALWAYS}),
    ("mistral-small-latest", _MISTRAL),
    ("mistral-small-2603", _MISTRAL),
    *_named("mistral-medium-3.5", _MISTRAL),
    ("mistral-medium-2604", _MISTRAL),
    ("mistral-large-4", {"context_window": 1_000_000, "images": True}),
    ("mistral-large-2512", {"context_window": 256_000, "images": True}),
    # https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html
    ("nova-micro", {"context_window": 128_000, "output_limit": 10_000, **_BLIND}),
    (
        "nova-2",
        {
            "context_window": 1_000_000,
            "output_limit": 64_000,
            "thinking": ThinkingKnob("effort", _LOW_TO_HIGH, can_stop=True),
            **_SEES,
        },
    ),
    ("nova-premier", {"context_window": 1_000_000, **_SEES}),
    ("amazon*nova-", {"context_window": 300_000, "output_limit": 10_000, **_SEES}),
    # https://github.com/vercel/ai (packages/alibaba)
    ("qwen3*instruct", {}),
    ("qwen3-coder", {}),
    ("qwen3*-thinking", _open(_ALWAYS, thinks_first=True)),
    ("qwen3*-max", _open(_SWITCH, thinks_first=True)),
    ("qwen3.7-plus", _open(_SWITCH, 1_000_000, thinks_first=True, images=True)),
    ("qwen3.6", _open(_SWITCH, 262_144, thinks_first=True, images=True)),
    ("qwen3.5", _open(_SWITCH, 262_144, thinks_first=True, images=True)),
    ("qwen3", _open(_SWITCH, thinks_first=True)),
    ("qwen-3", _open(_SWITCH, thinks_first=True)),
    ("qwq", _open(_ALWAYS, thinks_first=True)),
    # https://github.com/vercel/ai (packages/moonshotai)
    ("kimi-k2-thinking", _open(_ALWAYS, 262_144)),
    ("kimi-k2.5", _open(_SWITCH, takes_temperature=False, **_KIMI)),
    ("kimi-k2.6", _open(_SWITCH, **_KIMI)),
    ("kimi-k2.7", _open(_ALWAYS, takes_temperature=False, **_KIMI)),
    ("kimi-k3", _open(ThinkingKnob("effort", ("low", "high")))),
    ("kimi-k2", _open(None, 131_072)),
    # https://github.com/pydantic/pydantic-ai (profiles/zai.py)
    ("glm-5.3", _open(ThinkingKnob("effort", ("low", "high")))),
    ("glm-5.2", _open(_SWITCH, 1_000_000)),
    ("glm-5v", _open(_SWITCH, 200_000, images=True)),
    ("glm-5", _open(_SWITCH, 200_000)),
    ("glm-4.7", _open(_SWITCH, 200_000)),
    ("glm-4.6v", _open(_SWITCH, 128_000, images=True)),
    ("glm-4.6", _open(_SWITCH, 200_000)),
    ("glm-4.5v", _open(_SWITCH, 64_000, images=True)),
    ("glm-4.5", _open(_SWITCH, 131_072)),
    # What all who serve them offer
    ("llama*4-scout", _open(None, 131_072, images=True)),
    ("llama*4-maverick", _open(None, 131_072, images=True)),
    ("minimax-m3", _open(_SWITCH, 1_000_000, images=True)),
    ("minimax-m2", _open(_ALWAYS, 196_608)),
    # The model that ships with the site: SmolLM2-135M-Instruct. Of a second step or a second call
    # it makes a repetition, or undoes what it did.
    ("/embedded/", _EMBEDDED),
    ("smollm2-135m", _EMBEDDED),
    ("smollm-135m", _EMBEDDED),
)
_LOCAL_EYES = ("vision", "-vl", "llava", "smolvlm", "gemma-3n", "gemma3n")
# How families for this device were taught to write calls, by a word of the name; what is not here
# gets an envelope, to which the decoder is held. Qwen, Hermes and SmolLM know the tags from their
# chat templates; the others know fenced blocks and were taught no format that all builds share.
_LOCAL_FORMATS = (
    *((word, "tags") for word in ("qwen", "hermes", "smollm", "granite")),
    *((word, "fenced") for word in ("llama-3", "llama3", "gemma", "phi-", "mistral", "ministral")),
)
# What a family can do at a provider says nothing of its build for this device, but for these.
_LOCAL_FACTS = frozenset(
    {
        *("thinking", "thinks_first", "small_questions", "call_format", "max_output_tokens"),
        *("temperature", "only_copies", "parallel_calls", "tools_at_once"),
    }
)


def _matches(pattern: str, name: str) -> bool:
    place = 0
    for piece in pattern.split("*"):
        place = name.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


def profile_of(name: str, base: ModelProfile = CLOUD) -> ModelProfile:
    """Give the profile of a model by its name, laid over what its provider offers anyway.

    A fact that the base rules out stays so: a family's abilities end where its server's do.
    """
    folded = "/" + name.casefold().replace(":", "/") + "/"
    facts = next((facts for pattern, facts in _FAMILIES if _matches(pattern, folded)), {})
    if base.on_device:
        kept = {key: value for key, value in facts.items() if key in _LOCAL_FACTS}
        told = (way for word, way in _LOCAL_FORMATS if word in folded)
        kept.setdefault("call_format", next(told, base.call_format))
        return replace(base, **kept, images=any(mark in folded for mark in _LOCAL_EYES))
    merged = {key: value for key, value in facts.items() if getattr(base, key) is not False}
    return replace(base, **merged)


def with_inputs(
    profile: ModelProfile, vision: bool | None, inputs: Mapping[str, bool | None]
) -> ModelProfile:
    """Give the profile with what the host knows better of the kinds of input."""
    known = {key: value for key, value in inputs.items() if value is not None}
    if vision is not None:
        known.setdefault("images", vision)
    return replace(profile, **known) if known else profile  # type: ignore[arg-type]

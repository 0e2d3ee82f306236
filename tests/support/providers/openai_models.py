"""What is known of models by their names, for the judges of OpenAI's wires and their dialects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# https://platform.openai.com/docs/guides/reasoning
_REASONING = re.compile(r"^(?:openai/)?(?:o\d|gpt-[5-9](?!.*chat)|codex)")
# https://platform.openai.com/docs/guides/latest-model#gpt-5-parameter-compatibility
_SAMPLING = ("temperature", "top_p", "logprobs", "top_logprobs")
_NEVER = ("presence_penalty", "frequency_penalty", "logit_bias")


def reasons(model: str) -> bool:
    """Whether an OpenAI model is a reasoning model."""
    return bool(_REASONING.match(model))


# https://platform.openai.com/docs/api-reference/responses/create#responses-create-reasoning
_EFFORTS = (
    (r"o\d", "low medium high"),
    (r"gpt-5-pro", "high"),
    (r"gpt-5(?![.\d])", "minimal low medium high"),
    (r"gpt-5\.1-codex-max", "none medium high xhigh low"),
    (r"gpt-5\.1", "none low medium high"),
    (r"gpt-5\.[2-5]", "none low medium high xhigh"),
)


def judge_effort(model: str, effort: str | None, where: str) -> Iterator[str]:
    """Give what is wrong with a reasoning effort for an OpenAI model."""
    if effort is None:
        return
    if not reasons(model):
        yield f"{where}: {model} is no reasoning model"
    for pattern, words in _EFFORTS:
        if re.match(pattern, model):
            if effort not in words.split():
                yield f"{where}: {model} takes {words}, not {effort!r}"
            return


def judge_sampling(body: dict[str, Any]) -> Iterator[str]:
    """Give the sampling fields that an OpenAI reasoning model does not take."""
    model = body["model"]
    if not reasons(model):
        return
    effort = body.get("reasoning_effort") or (body.get("reasoning") or {}).get("effort")
    samples = effort == "none" and re.match(r"gpt-5\.[1-9]|gpt-[6-9]", model)
    refused = _NEVER if samples else (*_SAMPLING, *_NEVER)
    for key in refused:
        if body.get(key) is not None and body[key] is not False:
            yield f"$.{key}: not for the reasoning model {model}"
    # https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_tokens
    if "max_tokens" in body:
        yield f"$.max_tokens: {model} takes max_completion_tokens"


def thinks(dialect: str, body: dict[str, Any]) -> bool:
    """Whether the model of such a request thinks, and tells its thoughts."""
    return _THINKS[dialect](body)


def _deepseek(body: dict[str, Any]) -> bool:
    # https://api-docs.deepseek.com/guides/thinking_mode: on unless it is switched off
    usual = "disabled" if body["model"] == "deepseek-chat" else "enabled"
    return bool(body.get("thinking", {"type": usual})["type"] != "disabled")


def _xai(body: dict[str, Any]) -> bool:
    # https://docs.x.ai/docs/models
    model = body["model"]
    return "non-reasoning" not in model and bool(re.match(r"grok-(3-mini|[4-9]|code)", model))


def _groq(body: dict[str, Any]) -> bool:
    # https://console.groq.com/docs/reasoning
    if not re.search(r"gpt-oss|qwen|deepseek-r1", body["model"]):
        return False
    shown = body.get("reasoning_format") != "hidden" and body.get("include_reasoning") is not False
    return shown and body.get("reasoning_effort") != "none"


def tells_raw(body: dict[str, Any]) -> bool:
    """Whether a thought comes inside the text of Groq's answer.

    https://console.groq.com/docs/reasoning#reasoning-format
    """
    if "gpt-oss" in body["model"]:
        return False
    structured = body.get("response_format", {}).get("type", "text") != "text"
    usual = "parsed" if body.get("tools") or structured else "raw"
    return (body.get("reasoning_format") or usual) == "raw"


def _mistral(body: dict[str, Any]) -> bool:
    # https://docs.mistral.ai/capabilities/reasoning/
    if "magistral" in body["model"]:
        return True
    return body.get("reasoning_effort") not in (None, "none")


def _routed(body: dict[str, Any]) -> bool:
    # https://openrouter.ai/docs/use-cases/reasoning-tokens
    reasoning = body.get("reasoning")
    if reasoning is None:
        return body.get("reasoning_effort") not in (None, "none") or bool(
            body.get("include_reasoning")
        )
    off = reasoning.get("enabled") is False or reasoning.get("effort") == "none"
    return not off and not reasoning.get("exclude")


def _local(body: dict[str, Any]) -> bool:
    # https://docs.ollama.com/capabilities/thinking: a model that can think does, unless told not to
    effort = body.get("reasoning_effort") or (body.get("reasoning") or {}).get("effort")
    asked = (body.get("chat_template_kwargs") or {}).get("enable_thinking", True)
    return effort != "none" and bool(asked)


_THINKS = {
    "openai": lambda body: False,
    "azure": lambda body: False,
    "deepseek": _deepseek,
    "xai": _xai,
    "groq": _groq,
    "mistral": _mistral,
    "openrouter": _routed,
    "gateway": _routed,
    "ollama": _local,
    "lm-studio": _local,
    "llama.cpp": _local,
    "cloudflare": _local,
    "openai-compatible": _local,
}

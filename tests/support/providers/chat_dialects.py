"""Who speaks the chat completions wire, and what each one's reference names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import digits
from typing import Literal

from .wire import token

_COMMON = (
    "frequency_penalty max_tokens presence_penalty response_format stop stream temperature "
    "tool_choice tools top_p"
)


@dataclass(frozen=True)
class Dialect:
    """Facts of one speaker.

    `fields` are the request's, `said` what an assistant's message may bring back besides the
    common fields, `wants_back` what it must, unchanged, with the calls that it came with.
    `thought` is the place of a thought in an answer. `counts` says when a stream tells its usage:
    when asked for, always in its last choice, always in a chunk of its own, or as Groq does.
    `whole_calls`: a call comes in one piece.
    """

    base: str
    fields: str
    said: str = ""
    wants_back: Literal["", "reasoning_content", "reasoning_details"] = ""
    thought: Literal["", "reasoning_content", "reasoning", "details", "chunks"] = ""
    counts: Literal["asked", "always", "apart", "groq"] = "asked"
    developer: bool = False
    names: bool = True
    links: bool = True
    files: bool = False
    sees: bool = True
    json_schema: bool = True
    needs_key: bool = True
    cache_marks: bool = False
    whole_calls: bool = False
    call_id: Callable[[str], str] = lambda seed: f"call_{token(seed, 24)}"

    @property
    def takes(self) -> frozenset[str]:
        """The names of the request's fields, besides `model` and `messages`."""
        return frozenset(f"{_COMMON} {self.fields}".split())


_OPENAI = (
    "audio function_call functions logit_bias logprobs max_completion_tokens metadata modalities "
    "moderation n parallel_tool_calls prediction prompt_cache_key prompt_cache_options "
    "prompt_cache_retention reasoning_effort safety_identifier seed service_tier store "
    "stream_options top_logprobs user verbosity web_search_options"
)

DIALECTS: dict[str, Dialect] = {
    # https://platform.openai.com/docs/api-reference/chat/create
    "openai": Dialect("/v1", _OPENAI, developer=True, files=True),
    # https://learn.microsoft.com/azure/ai-foundry/openai/reference-preview-latest
    "azure": Dialect("/openai/v1", f"{_OPENAI} data_sources", developer=True, files=True),
    # https://api-docs.deepseek.com/api/create-chat-completion
    "deepseek": Dialect(
        "",
        "thinking reasoning_effort stream_options logprobs top_logprobs",
        said="reasoning_content prefix",
        wants_back="reasoning_content",
        thought="reasoning_content",
        counts="always",
        sees=False,
        json_schema=False,
        call_id=lambda seed: f"call_00_{token(seed, 20)}",
    ),
    # https://docs.x.ai/docs/api-reference#chat-completions
    "xai": Dialect(
        "/v1",
        "deferred logit_bias logprobs max_completion_tokens n parallel_tool_calls "
        "reasoning_effort search_parameters seed service_tier stream_options top_logprobs user "
        "web_search_options",
        said="reasoning_content",
        thought="reasoning_content",
        counts="apart",
        whole_calls=True,
        call_id=lambda seed: f"call_{token(seed, 8, digits)}",
    ),
    # https://console.groq.com/docs/api-reference#chat-create
    "groq": Dialect(
        "/openai/v1",
        "citation_options compound_custom disable_tool_validation documents exclude_domains "
        "function_call functions include_domains include_reasoning max_completion_tokens metadata "
        "n parallel_tool_calls reasoning_effort reasoning_format search_settings seed service_tier "
        "store stream_options user",
        said="reasoning",
        thought="reasoning",
        counts="groq",
        developer=True,
        names=False,
        whole_calls=True,
        call_id=lambda seed: f"fc_{token(seed, 32, '0123456789abcdef')}",
    ),
    # https://docs.mistral.ai/api/#tag/chat/operation/chat_completion_v1_chat_completions_post
    "mistral": Dialect(
        "/v1",
        "guardrails metadata n parallel_tool_calls prediction prompt_mode random_seed "
        "reasoning_effort safe_prompt",
        said="prefix",
        thought="chunks",
        counts="always",
        names=False,
        whole_calls=True,
        call_id=lambda seed: token(seed, 9),
    ),
    # https://openrouter.ai/docs/api-reference/chat/send-chat-completion-request
    "openrouter": Dialect(
        "/api/v1",
        "cache_control debug include_reasoning logit_bias logprobs max_completion_tokens metadata "
        "min_p modalities models parallel_tool_calls plugins prediction provider reasoning "
        "reasoning_effort repetition_penalty route seed session_id stream_options top_a top_k "
        "top_logprobs transforms usage user verbosity web_search_options",
        said="reasoning reasoning_details annotations",
        wants_back="reasoning_details",
        thought="details",
        developer=True,
        files=True,
        cache_marks=True,
        counts="apart",
    ),
    # https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions
    "gateway": Dialect(
        "/v1",
        "logit_bias logprobs max_completion_tokens metadata models n parallel_tool_calls "
        "providerOptions reasoning reasoning_effort seed stream_options top_k top_logprobs user",
        said="reasoning reasoning_details",
        wants_back="reasoning_details",
        thought="details",
        developer=True,
        files=True,
        cache_marks=True,
    ),
    # https://docs.ollama.com/api/openai-compatibility
    "ollama": Dialect(
        "/v1",
        "reasoning reasoning_effort seed stream_options logit_bias user n",
        said="reasoning",
        thought="reasoning",
        links=False,
        needs_key=False,
        whole_calls=True,
        call_id=lambda seed: f"call_{token(seed, 8)}",
    ),
    # https://lmstudio.ai/docs/developer/openai-compat/chat-completions
    "lm-studio": Dialect(
        "/v1",
        "logit_bias reasoning_effort repeat_penalty seed stream_options top_k",
        said="reasoning_content",
        thought="reasoning_content",
        links=False,
        needs_key=False,
        call_id=lambda seed: token(seed, 9, digits),
    ),
    # https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    "llama.cpp": Dialect(
        "/v1",
        "cache_prompt chat_template_kwargs grammar id_slot logit_bias logprobs "
        "max_completion_tokens min_p mirostat n parallel_tool_calls parse_tool_calls "
        "reasoning_format repeat_penalty seed stream_options thinking_forced_open top_k "
        "top_logprobs typical_p user",
        said="reasoning_content",
        thought="reasoning_content",
        needs_key=False,
        call_id=lambda seed: token(seed, 32),
    ),
    # https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/
    "cloudflare": Dialect(
        "/client/v4/accounts/0123456789abcdef0123456789abcdef/ai/v1",
        "chat_template_kwargs logit_bias logprobs max_completion_tokens n parallel_tool_calls "
        "reasoning_effort repetition_penalty seed stream_options top_k top_logprobs user",
        said="reasoning_content",
        thought="reasoning_content",
        call_id=lambda seed: f"chatcmpl-tool-{token(seed, 32, '0123456789abcdef')}",
    ),
    # An unknown server: what OpenAI's own reference names, and what a model's template is told.
    # https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    "openai-compatible": Dialect(
        "/v1",
        f"{_OPENAI} chat_template_kwargs",
        said="reasoning_content reasoning",
        thought="reasoning_content",
        developer=True,
        files=True,
        needs_key=False,
    ),
}

"""Telling a prompt that is too long from other refusals, and saying it in one way."""

from __future__ import annotations

import re

from ..errors import ContextWindowExceededError

# The words that providers use (OpenAI and compatible, Anthropic, Gemini, llama.cpp, WebLLM).
_SIGNS = re.compile(
    r"context_length_exceeded|maximum context length|context window|prompt is too long"
    r"|exceeds? the (?:available )?context size|input token count .* exceeds"
    r"|too many tokens|reduce the length of the messages",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    r"(?:maximum context length is\s*|n_ctx\D{0,5}"
    r"|maximum(?: number of tokens)?(?: allowed)?\D{0,4}|context size \(|>\s*)(\d[\d,]*)",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"(\d[\d,]*)\s*tokens?\s*(?:>|\(|in the)|resulted in\s+(\d[\d,]*)|requested\s+(\d[\d,]*)"
    r"|n_prompt_tokens\D{0,5}(\d[\d,]*)|input token count \((\d[\d,]*)\)|request \((\d[\d,]*)",
    re.IGNORECASE,
)


def overflow_of(
    message: str, *, provider: str, model: str, status: int | None = None
) -> ContextWindowExceededError | None:
    """Give the fault when a provider's words say that the prompt did not fit, else None."""
    if not _SIGNS.search(message):
        return None
    return overflow(
        model,
        tokens=_number(_TOKENS, message),
        window=_number(_WINDOW, message),
        provider=provider,
        status=status,
    )


def overflow(
    model: str,
    *,
    tokens: int | None,
    window: int | None,
    provider: str,
    status: int | None = None,
) -> ContextWindowExceededError:
    """Give the fault that a prompt of `tokens` does not fit a window of `window` tokens."""
    counts = [
        f"{tokens} tokens" if tokens is not None else "",
        f"the window is {window}" if window is not None else "",
    ]
    told = "; ".join(count for count in counts if count)
    return ContextWindowExceededError(
        f"The conversation no longer fits the context window of {model}"
        + (f" ({told})" if told else "")
        + ". Start a new conversation or compact this one, connect fewer tools, or switch to a "
        "model with a larger window.",
        tokens=tokens,
        window=window,
        provider=provider,
        model=model,
        status=status,
    )


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    digits = next((group for group in match.groups() if group), None) if match else None
    return int(digits.replace(",", "")) if digits and len(digits) < 16 else None

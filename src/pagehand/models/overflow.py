"""Telling a prompt that is too long from other refusals, and saying it in one way."""

from __future__ import annotations

import re

from ..errors import ContextWindowExceededError

# The words that providers use (OpenAI and compatible, Anthropic, Gemini, llama.cpp, WebLLM).
_SIGNS = re.compile(
    r"context_length_exceeded|maximum context length|prompt is too long|input is too long"
    r"|exceed\w*\s+(?:\w+['’]?s?\s+){0,4}context (?:size|window|length)"
    r"|context (?:size|window|length) (?:was |is |has been )?exceeded"
    r"|input token count (?:is \d|.*exceeds)|reduce the length of the messages",
    re.IGNORECASE,
)
# Limits on the pace, and keys, are told in words that may speak of tokens and windows too.
_OTHER_STATUS = (401, 402, 403, 404, 429)
_WINDOW = re.compile(
    r"(?:maximum context length is\s*|n_ctx\D{0,5}"
    r"|maximum(?: number of tokens)?(?: allowed)?\D{0,4}|supports up to\s*|context size \(|>\s*)"
    r"(\d[\d,]*)",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"(\d[\d,]*)\s*tokens?\s*(?:>|\(|in the)|resulted in\s+(\d[\d,]*)|requested\s+(\d[\d,]*)"
    r"|n_prompt_tokens\D{0,5}(\d[\d,]*)"
    r"|input token count (?:is )?\(?(\d[\d,]*)|request \((\d[\d,]*)",
    re.IGNORECASE,
)


def overflow_of(
    message: str, *, provider: str, model: str, status: int | None = None
) -> ContextWindowExceededError | None:
    """Give the fault when a provider's words say that the prompt did not fit, else None."""
    if status in _OTHER_STATUS or not _SIGNS.search(message):
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


def context_overflow_of(fault: object, model: str) -> ContextWindowExceededError | None:
    """Give the fault when an error of any kind (or its words) says that a prompt did not fit.

    For hosts that call a provider themselves; `model` is named in the message.
    """
    if isinstance(fault, ContextWindowExceededError):
        return fault
    provider = getattr(fault, "provider", None)
    return overflow_of(str(fault), provider=str(provider or "The provider"), model=model)

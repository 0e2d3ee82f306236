"""One model call with its deadline and its second chances.

Retried: 408, 409, 429, 5xx, 529 and network faults, after 500 ms x 2^n plus up to 250 ms, or after
the provider's own wish up to 60 s. An abort is never retried.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar

from ..cancel import closing
from ..errors import ModelError, ModelTimeoutError
from ..ports import Clock, Entropy
from .base import LoadProgress, Model, ModelPart, ModelRequest

_FIRST_WAIT_MS = 500
_JITTER_MS = 250
_LONGEST_WISH_MS = 60_000


@dataclass(slots=True)
class Retrying:
    """The call failed and is made again: drop what it said. `attempt` counts from 1."""

    type: ClassVar[str] = "retrying"
    attempt: int
    fault: ModelError


@dataclass(slots=True, frozen=True)
class CallPolicy:
    """How long a call may take (ms, 0 = no limit) and how often it is made again.

    For a model on the device the time measures silence: every sign of life starts it anew, and
    it does not run while the model is being loaded.
    """

    clock: Clock
    entropy: Entropy
    timeout_ms: float = 120_000
    max_retries: int = 2


async def call(
    model: Model, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart | Retrying]:
    """Stream one call's parts; a failed try shows as `Retrying`. Raises the last fault."""
    for attempt in range(1, policy.max_retries + 2):
        try:
            async with closing(_once(model, request, policy)) as parts:
                async for part in parts:
                    yield part
            return
        except ModelError as fault:
            if not fault.retryable or attempt > policy.max_retries:
                raise
            yield Retrying(attempt, fault)
            await policy.clock.sleep(_wait_ms(fault, attempt, policy.entropy) / 1000)


async def _once(
    model: Model, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart]:
    loop = asyncio.get_running_loop()
    limit = policy.timeout_ms / 1000 if policy.timeout_ms else None
    on_device = model.profile.on_device
    # The deadline stands around the reading, never around a `yield`: there it would cancel the
    # consumer's own work.
    due = loop.time() + limit if limit is not None and not on_device else None
    queued = on_device
    async with closing(model.stream(request)) as parts:
        while True:
            if on_device:
                due = None if limit is None or queued else loop.time() + limit
            try:
                async with asyncio.timeout_at(due) as scope:
                    part = await anext(parts, None)
            except TimeoutError as fault:
                if not scope.expired():
                    raise
                raise _timeout(model, policy.timeout_ms) from fault
            if part is None:
                return
            queued = isinstance(part, LoadProgress)
            yield part


def _timeout(model: Model, timeout_ms: float) -> ModelTimeoutError:
    silence = "showed no sign of life" if model.profile.on_device else "did not finish its answer"
    return ModelTimeoutError(
        f"{model.provider} {silence} within {timeout_ms / 1000:g} s for the model "
        f"{model.name!r}. Try again, raise llm_timeout_ms, or use a faster model.",
        provider=model.provider,
        model=model.name,
    )


def _wait_ms(fault: ModelError, attempt: int, entropy: Entropy) -> float:
    if fault.retry_after_ms is not None:
        return min(fault.retry_after_ms, _LONGEST_WISH_MS)
    wait: float = _FIRST_WAIT_MS * 2 ** (attempt - 1) + entropy.random() * _JITTER_MS
    return wait

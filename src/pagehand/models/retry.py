"""One model call with its deadline and its second chances.

Retried: 408, 409, 429, 5xx, 529 and network faults, after 500 ms x 2^n plus up to 250 ms, or after
the provider's own wish up to 60 s. An abort is never retried. A ladder of models goes on to its
next one when a model's tries are used up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar

from ..cancel import Watchdog, closing
from ..errors import ConfigError, ModelError, ModelTimeoutError
from ..ports import Clock, Entropy
from .base import Finish, LoadProgress, Model, ModelPart, ModelRequest, ModelWarning, Queued
from .fallback import FallbackModel, falls

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
    it does not run while the model is being loaded or works for others.
    """

    clock: Clock
    entropy: Entropy
    timeout_ms: float = 120_000
    max_retries: int = 2

    def __post_init__(self) -> None:
        """Raise ConfigError for numbers that are none."""
        for name, kinds in (("timeout_ms", int | float), ("max_retries", int)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, kinds) or value < 0:
                raise ConfigError(f"{name} must be a number of at least 0, got {value!r}.")


def call(
    model: Model, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart | Retrying]:
    """Stream one call's parts; a failed try shows as `Retrying`. Raises the last fault."""
    if isinstance(model, FallbackModel):
        return _down(model, request, policy)
    return _tries(model, request, policy)


async def _down(
    ladder: FallbackModel, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart | Retrying]:
    """Stream the parts of the first model of a ladder that answers."""
    rungs = ladder.rungs(request, policy.clock.monotonic())
    for number, rung in enumerate(rungs, 1):
        try:
            async with closing(_tries(rung, request, policy)) as parts:
                async for part in parts:
                    yield part
            return
        except ModelError as fault:
            if falls(fault):
                ladder.rest(rung, fault, policy.clock.monotonic())
            if number == len(rungs) or not falls(fault):
                raise
            below = rungs[number]
            yield Retrying(number, fault)
            yield ModelWarning(
                f"{rung.provider} could not answer with {rung.name!r} ({type(fault).__name__}): "
                f"going on with {below.name!r} of {below.provider}."
            )


async def _tries(
    model: Model, request: ModelRequest, policy: CallPolicy
) -> AsyncIterator[ModelPart | Retrying]:
    """Stream one model's parts, with its retries."""
    for attempt in range(1, policy.max_retries + 2):
        watchdog = Watchdog(policy.timeout_ms / 1000 if policy.timeout_ms else None)
        heard = False
        try:
            async with closing(model.stream(request)) as parts:
                # A model on the device may wait in a queue first: that is no silence.
                if not model.profile.on_device:
                    watchdog.start()
                while (part := await watchdog.wait(anext(parts, None))) is not None:
                    if model.profile.on_device:
                        _hear(watchdog, part)
                    heard = True
                    if isinstance(part, Finish):
                        part.result.provider, part.result.model = model.provider, model.name
                        part.result.on_device = model.profile.on_device
                    yield part
            return
        except TimeoutError:
            fault: ModelError = _timeout(model, policy.timeout_ms, heard=heard)
        except ModelError as raised:
            fault = raised
        finally:
            watchdog.close()
        if not fault.retryable or attempt > policy.max_retries:
            raise fault
        yield Retrying(attempt, fault)
        await policy.clock.sleep(_wait_ms(fault, attempt, policy.entropy) / 1000)


def _hear(watchdog: Watchdog, part: ModelPart) -> None:
    """Every sign of life starts the silence anew; loading and waiting have no deadline."""
    if isinstance(part, LoadProgress | Queued):
        watchdog.pause()
    else:
        watchdog.start()


def _timeout(model: Model, timeout_ms: float, *, heard: bool) -> ModelTimeoutError:
    """Give the fault of a deadline; an answer that had begun would only take as long again."""
    silence = "showed no sign of life" if model.profile.on_device else "did not finish its answer"
    return ModelTimeoutError(
        f"{model.provider} {silence} within {timeout_ms / 1000:g} s for the model "
        f"{model.name!r}. Try again, raise llm_timeout_ms, or use a faster model.",
        provider=model.provider,
        model=model.name,
        retryable=not heard,
    )


def _wait_ms(fault: ModelError, attempt: int, entropy: Entropy) -> float:
    if fault.retry_after_ms is not None:
        return min(fault.retry_after_ms, _LONGEST_WISH_MS)
    wait: float = _FIRST_WAIT_MS * 2 ** (attempt - 1) + entropy.random() * _JITTER_MS
    return wait

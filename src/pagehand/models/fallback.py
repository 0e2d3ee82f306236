"""A ladder of models: when one fails for a reason of its own, the next is asked.

What another model cannot mend stops at once: a wrong key, a forbidden model, refused content, a
request that is wrong in itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from ..errors import (
    AttachmentsNotSupportedError,
    ConfigError,
    ContextWindowExceededError,
    DeviceLostError,
    ModelError,
    ModelTimeoutError,
    NetworkError,
    OverloadedError,
    RateLimitError,
    ServerError,
    StreamInterruptedError,
)
from .attachments import attached, refuse_known
from .base import Model, ModelPart, ModelRequest
from .profiles import ModelProfile

_REST_SECONDS = 60.0
_FALLS = (
    OverloadedError,
    ServerError,
    NetworkError,
    StreamInterruptedError,
    ModelTimeoutError,
    RateLimitError,  # its quota too
    DeviceLostError,
    ContextWindowExceededError,
)


class FallbackModel:
    """Models to be tried in order. `profile` is what all of them can do, but for attachments:
    those need only one that takes them.

    A call goes through `retry.call`, which retries each model before it goes on to the next.
    """

    def __init__(self, rungs: Sequence[Model]) -> None:
        if not rungs:
            raise ConfigError("A ladder of models needs at least one model.")
        self.models = tuple(rungs)
        self._resting: dict[int, float] = {}  # by id of a model: when it is asked again
        self.provider = rungs[0].provider
        self.name = rungs[0].name

    @property
    def profile(self) -> ModelProfile:
        """What every model of the ladder can do: a prompt must fit whichever answers."""
        profiles = [model.profile for model in self.models]
        first = profiles[0]
        return replace(
            first,
            native_tools=all(each.native_tools for each in profiles),
            output_schema=all(each.output_schema for each in profiles),
            images=_best([each.images for each in profiles]),
            pdf=_best([each.pdf for each in profiles]),
            files=_best([each.files for each in profiles]),
            context_window=_smallest([each.context_window for each in profiles]),
            most_tools=_smallest([each.most_tools for each in profiles]),
            constrains=all(each.constrains for each in profiles),
        )

    def rungs(self, request: ModelRequest, now: float) -> list[Model]:
        """Give the models to try at `now` (seconds), in order.

        One that failed rests a while; one that is known not to take an attachment is passed over.
        """
        fit = [model for model in self.models if _takes(model, request)] or list(self.models)
        awake = [model for model in fit if self._resting.get(id(model), 0.0) <= now]
        return awake or fit

    def rest(self, model: Model, fault: ModelError, now: float) -> None:
        """Let a model that failed rest; a prompt too long for it says nothing of the next one."""
        if not isinstance(fault, ContextWindowExceededError):
            self._resting[id(model)] = now + _REST_SECONDS

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Ask the first model alone: only a call that knows its retries can go down the ladder."""
        return self.models[0].stream(request)


def _takes(model: Model, request: ModelRequest) -> bool:
    try:
        refuse_known(attached(request.messages), model.name, model.profile)
    except AttachmentsNotSupportedError:
        return False
    return True


def falls(fault: ModelError) -> bool:
    """Whether the next model of a ladder may succeed where this one failed."""
    return isinstance(fault, _FALLS)


def _best(values: list[bool | None]) -> bool | None:
    """What the ladder takes if one of its models does: the others are passed over then."""
    if True in values:
        return True
    return None if None in values else False


def _smallest(values: list[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)

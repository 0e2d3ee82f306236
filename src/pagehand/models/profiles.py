"""What families of models can do, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

COMPACT_BELOW = 16_000
"""Windows (tokens) under this get the short prompts: a small local model reads slowly."""


@dataclass(slots=True, frozen=True)
class ModelProfile:
    """Facts of a family.

    `context_window` is in tokens, None when unknown. `constrains` says that the decoder itself
    can be held to a JSON Schema; `output_schema` that the provider takes one as a request.
    `thinks_first` marks models that must write freely before they are held to a shape.
    `plan_steps` and `step_rounds` are what a very small model can keep in hand: steps of one plan,
    model calls of one step; None means as many as the agent allows. `max_output_tokens` caps a call
    that names no cap of its own: a small model may never come to an end. `temperature` is what a
    call gets that names none. `only_copies` marks a model that cannot make up a sensible number: a
    tool that needs one is offered to it only where one is in sight, and one call a round is all it
    is asked for.
    """

    native_tools: bool = True
    output_schema: bool = True
    on_device: bool = False
    constrains: bool = False
    thinks_first: bool = False
    context_window: int | None = None
    max_output_tokens: int | None = None
    plan_steps: int | None = None
    step_rounds: int | None = None
    temperature: float | None = None
    only_copies: bool = False

    @property
    def compact(self) -> bool:
        """Whether the short prompts fit this model better."""
        return self.context_window is not None and self.context_window < COMPACT_BELOW


CLOUD = ModelProfile()
ON_DEVICE = ModelProfile(
    native_tools=False,
    output_schema=False,
    on_device=True,
    constrains=True,
    context_window=4_096,
    max_output_tokens=512,
)

# First match wins; the pattern is searched in the model's name, case-folded.
_FAMILIES: tuple[tuple[re.Pattern[str], dict[str, object]], ...] = (
    (re.compile(r"qwen-?3|deepseek-r1|qwq"), {"thinks_first": True}),
    # The model that ships with the site: SmolLM2-135M-Instruct. Of a second step or a third round
    # it makes a repetition, or undoes what it did.
    (
        re.compile(r"^embedded$|smollm2?-135m"),
        {
            "plan_steps": 1,
            "step_rounds": 2,
            "max_output_tokens": 160,
            "temperature": 0.0,
            "only_copies": True,
        },
    ),
)


def profile_of(name: str, base: ModelProfile = CLOUD) -> ModelProfile:
    """Give the profile of a model by its name, laid over what its provider offers anyway."""
    for pattern, facts in _FAMILIES:
        if pattern.search(name.casefold()):
            return replace(base, **facts)  # type: ignore[arg-type]
    return base

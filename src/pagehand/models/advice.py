"""Which model to run on a device: one proposal with its reason, and what else there is.

What a device does not tell is taken for little. A model is proposed only where nothing that is
known speaks against it, and only if its skill with tools is published; of those that fit, the one
that calls tools best is proposed, so a better device never gets a worse proposal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .device import Device, read_device
from .local_models import EMBEDDED_FACTS, GGUF_MODELS, WEB_LLM_MODELS, LocalModelFacts

BROWSER = "browser"
_GIBIBYTE = 1 << 30
# Of the memory that a device tells, a model may take this part: the page, the browser and the
# system live in it too, and a GPU often has no other.
_SHARE = 2
_ASSUMED_MEMORY = 2 * _GIBIBYTE
_ASSUMED_STORAGE = _GIBIBYTE
# What WebLLM asks of a GPU at least, in bytes (web-llm 0.2.86, detectGPUDevice).
_LEAST_BUFFER = 1 << 28
_LEAST_STORAGE_BUFFER = 1 << 27
# Percent of calls right: under this a download is not worth it, and only from this on a model goes
# before the browser's own, of which no figure is published but which is there already.
_WORTH_IT = 40.0
_BEFORE_BROWSER = 60.0
_CORES_FOR_GGUF = 4
_EMBEDDED_BYTES = EMBEDDED_FACTS.download_bytes or 0


@dataclass(slots=True, frozen=True)
class Proposal:
    """A model, why, and the bytes that have to be fetched for it; None is unknown."""

    model: str
    reason: str
    size_bytes: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {"model": self.model, "reason": self.reason, "sizeBytes": self.size_bytes}


@dataclass(slots=True, frozen=True)
class Advice:
    """The model to take (`embedded`, `browser`, `web-llm:…`), or None where none fits; the others
    with what speaks for or against them."""

    model: str | None
    reason: str
    size_bytes: int | None = None
    alternatives: tuple[Proposal, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the wire form."""
        return {
            "model": self.model,
            "reason": self.reason,
            "sizeBytes": self.size_bytes,
            "alternatives": [each.to_dict() for each in self.alternatives],
        }


def advise(device: Mapping[str, Any] | Device) -> Advice:
    """Propose a model for a device, with a reason and alternatives.

    `device` is a Device or a mapping of its fields in either spelling. Raises ConfigError naming a
    field that is unknown or cannot be.
    """
    facts = device if isinstance(device, Device) else read_device(device)
    builds = [_Build(each, tuple(_lacks(each, facts)), facts) for each in WEB_LLM_MODELS]
    fitting = [each for each in builds if each.worth_it and not each.lacks]
    best = max(fitting, key=_Build.rank, default=None)
    if facts.browser_model == "available" and (best is None or best.percent < _BEFORE_BROWSER):
        chosen = Proposal(
            BROWSER,
            "The browser has a model of its own ready, so there is nothing to download; how well "
            "it calls tools is not published.",
            0,
        )
    elif best is not None:
        chosen = Proposal(best.facts.model, best.fits(), best.still_to_download)
    elif _embedded_fits(facts):
        chosen = _embedded(facts, first=True)
    else:
        return _nothing(facts)
    others = [*_better(builds, best), *_nearby(fitting, best), *_elsewhere(facts, best)]
    alternatives = tuple(
        each
        for index, each in enumerate(others)
        if each.model != chosen.model and each.model not in [one.model for one in others[:index]]
    )
    return Advice(chosen.model, chosen.reason, chosen.size_bytes, alternatives)


@dataclass(slots=True, frozen=True)
class _Build:
    """One of WebLLM's builds on a device: `lacks` says in words what it misses there."""

    facts: LocalModelFacts
    lacks: tuple[str, ...]
    device: Device

    @property
    def percent(self) -> float:
        return self.facts.skill.percent if self.facts.skill else 0.0

    @property
    def worth_it(self) -> bool:
        return self.percent >= _WORTH_IT

    def rank(self) -> tuple[float, int]:
        """Give what orders builds: the better one, and of equals the one that takes less."""
        return self.percent, -(self.facts.memory_bytes or 0)

    @property
    def still_to_download(self) -> int | None:
        return 0 if _is_cached(self.facts, self.device) else self.facts.download_bytes

    def fits(self) -> str:
        told = self.device.memory_bytes
        room = (
            f"the {_memory(told)} that this device tells"
            if told is not None
            else f"the {_memory(_ASSUMED_MEMORY)} assumed here, as this browser tells no memory"
        )
        return (
            f"{self.facts.label} fits: it needs {_memory(self.facts.memory_bytes or 0)} of {room}, "
            f"{self.calls()} and {self.fetched()}."
        )

    def takes(self) -> str:
        return (
            f"{self.facts.label} takes {_memory(self.facts.memory_bytes or 0)} of memory, "
            f"{self.calls()} and {self.fetched()}."
        )

    def calls(self) -> str:
        skill = self.facts.skill
        if skill is None:
            return "its skill with tools is not published"
        return f"gets {skill.percent:.0f} % of single calls right ({skill.measure}, live)"

    def fetched(self) -> str:
        if _is_cached(self.facts, self.device):
            return "is stored here already"
        if self.facts.download_bytes is not None:
            return f"is {_download(self.facts.download_bytes)} to download"
        return f"is at most {_download(self.facts.memory_bytes or 0)} to download"


def _lacks(facts: LocalModelFacts, device: Device) -> list[str]:
    """Give in words what a device lacks for a build of WebLLM's."""
    gpu = device.webgpu
    lacks: list[str] = []
    if gpu.available is not True:
        unknown = " (this browser does not tell whether it has it)" if gpu.available is None else ""
        lacks.append(f"WebGPU{unknown}")
    if facts.needs_f16 and gpu.shader_f16 is not True:
        lacks.append("16-bit shaders (shader-f16)")
    needed = max(_LEAST_BUFFER, facts.buffer_bytes or 0)
    if gpu.max_buffer_bytes is not None and gpu.max_buffer_bytes < needed:
        lacks.append(f"GPU buffers of {_memory(needed)}")
    bound = gpu.max_storage_buffer_bytes
    if bound is not None and bound < _LEAST_STORAGE_BUFFER:
        lacks.append(f"GPU storage buffers of {_memory(_LEAST_STORAGE_BUFFER)}")
    memory = _ASSUMED_MEMORY if device.memory_bytes is None else device.memory_bytes
    if (facts.memory_bytes or 0) * _SHARE > memory:
        unknown = " (this browser does not tell its memory)" if device.memory_bytes is None else ""
        least = _memory((facts.memory_bytes or 0) * _SHARE)
        lacks.append(f"a device with {least} of memory, half of it for the model{unknown}")
    storage = _ASSUMED_STORAGE if device.storage_bytes is None else device.storage_bytes
    if not _is_cached(facts, device) and (facts.most_to_download or 0) > storage:
        unknown = " (unknown here)" if device.storage_bytes is None else ""
        lacks.append(f"{_download(facts.most_to_download or 0)} of storage{unknown}")
    return lacks


def _better(builds: list[_Build], best: _Build | None) -> list[Proposal]:
    """Give the better model that lacks least, if there is one."""
    least = best.rank() if best else (0.0, 0)
    missed = [each for each in builds if each.lacks and each.worth_it and each.rank() > least]
    found = min(
        (each for each in missed if best is None or each.percent > best.percent),
        key=lambda each: (len(each.lacks), [-part for part in each.rank()]),
        default=None,
    )
    if found is None:
        return []
    reason = f"{found.facts.label} {found.calls()}; it needs {_listed(found.lacks)}."
    return [Proposal(found.facts.model, reason, found.facts.download_bytes)]


def _nearby(fitting: list[_Build], best: _Build | None) -> list[Proposal]:
    """Give the best that fits, one that takes less, and one that is stored already."""
    if best is None:
        return []
    taken = best.facts.memory_bytes or 0
    smaller = [
        each
        for each in fitting
        if each.facts.label != best.facts.label and (each.facts.memory_bytes or 0) < taken
    ]
    stored = [each for each in fitting if each.still_to_download == 0 and each is not best]
    found = [max(group, key=_Build.rank) for group in (smaller, stored) if group]
    return [
        Proposal(best.facts.model, best.fits(), best.still_to_download),
        *(Proposal(each.facts.model, each.takes(), each.still_to_download) for each in found),
    ]


def _elsewhere(device: Device, best: _Build | None) -> list[Proposal]:
    """Give what runs without WebLLM: the browser's own model, a GGUF file, the embedded model."""
    found: list[Proposal] = []
    if device.browser_model == "available":
        found.append(Proposal(BROWSER, "The browser has a model of its own ready.", 0))
    elif device.browser_model in ("downloadable", "downloading"):
        state = "is fetching" if device.browser_model == "downloading" else "can fetch"
        found.append(Proposal(BROWSER, f"The browser {state} a model of its own, of unknown size."))
    if best is None and (file := _gguf(device)) is not None:
        found.append(file)
    if _embedded_fits(device):
        found.append(_embedded(device, first=False))
    return found


def _gguf(device: Device) -> Proposal | None:
    """Give the best GGUF file for a processor that has the cores for it."""
    if device.cores is None or device.cores < _CORES_FOR_GGUF:
        return None
    memory = _ASSUMED_MEMORY if device.memory_bytes is None else device.memory_bytes
    storage = _ASSUMED_STORAGE if device.storage_bytes is None else device.storage_bytes
    fitting = [
        each
        for each in GGUF_MODELS
        if each.skill is not None
        and each.skill.percent >= _WORTH_IT
        and (each.download_bytes or 0) * _SHARE <= memory
        and (_is_cached(each, device) or (each.download_bytes or 0) <= storage)
    ]
    best = max(fitting, key=lambda each: each.skill.percent if each.skill else 0.0, default=None)
    if best is None or best.skill is None:
        return None
    slow = (
        ""
        if device.isolated is not False
        else ", on one core only, as the page is not cross-origin isolated"
    )
    return Proposal(
        best.model,
        f"{best.label} runs without WebGPU on the processor{slow}; it gets "
        f"{best.skill.percent:.0f} % of single calls right ({best.skill.measure}, live) and is "
        f"{_download(best.download_bytes or 0)} to download.",
        0 if _is_cached(best, device) else best.download_bytes,
    )


def _nothing(device: Device) -> Advice:
    told = _memory(device.memory_bytes or 0)
    return Advice(
        None,
        f"Not even the embedded model fits: its file is {_download(_EMBEDDED_BYTES)}, which is "
        f"more than half of the {told} of memory that this device tells; take a model of a "
        "provider.",
    )


def _embedded_fits(device: Device) -> bool:
    memory = device.memory_bytes
    return memory is None or memory >= _EMBEDDED_BYTES * _SHARE


def _embedded(device: Device, *, first: bool) -> Proposal:
    cached = _is_cached(EMBEDDED_FACTS, device)
    fetched = "is stored here already" if cached else f"is {_download(_EMBEDDED_BYTES)} to download"
    why = "none of the better ones fits here" if first else "it is the weakest, but runs everywhere"
    return Proposal(
        EMBEDDED_FACTS.model,
        f"The embedded model comes with the site and {fetched}; {why}.",
        0 if cached else _EMBEDDED_BYTES,
    )


def _is_cached(facts: LocalModelFacts, device: Device) -> bool:
    return facts.model in device.cached or facts.model.partition(":")[2] in device.cached


def _listed(parts: tuple[str, ...]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _memory(count: float) -> str:
    """Give an amount of memory as its makers count it."""
    if count < _GIBIBYTE:
        return f"{count / (1 << 20):.0f} MB"
    return f"{count / _GIBIBYTE:.1f}".removesuffix(".0") + " GB"


def _download(count: float) -> str:
    return f"{count / 1e6:.0f} MB" if count < 1e9 else f"{count / 1e9:.1f} GB"

"""The self-test of a model, on the platform this Python runs on. Apart from `root`, which every
page loads: few ask for it."""

from __future__ import annotations

from typing import Any

from .ports import Platform
from .root import platform_here
from .tools import probe as _probe
from .tools.probe import ProbeResult


async def probe_model(
    model: Any, *, platform: Platform | None = None, **options: Any
) -> ProbeResult:
    """Put ten small tasks to a model, to see how it calls tools; see `pagehand.tools.probe`."""
    return await _probe.probe_model(model, platform=platform_here(platform), **options)

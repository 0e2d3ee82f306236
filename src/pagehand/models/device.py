"""What is known of the device that a page runs on; what is not known is None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest, to_wire

_BROWSER_STATES = ("available", "downloadable", "downloading", "unavailable")


@dataclass(slots=True, frozen=True)
class WebGpu:
    """What WebGPU offers here; None is unknown. Limits in bytes, `shader_f16` is its feature."""

    available: bool | None = None
    shader_f16: bool | None = None
    max_buffer_bytes: float | None = None
    max_storage_buffer_bytes: float | None = None

    def __post_init__(self) -> None:
        _check_kinds(self, switches=("available", "shader_f16"), where="webgpu.")


@dataclass(slots=True, frozen=True)
class Device:
    """What is known of a device; None is unknown.

    `memory_bytes` is the memory that the browser tells of, `storage_bytes` what a site may still
    store. `browser_model` is the state of the browser's own model: available, downloadable,
    downloading or unavailable. `isolated` says that the page is cross-origin isolated. `cached`
    names the models that are stored here already. Raises ConfigError for a value that cannot be.
    """

    webgpu: WebGpu = field(default_factory=WebGpu)
    memory_bytes: float | None = None
    cores: float | None = None
    storage_bytes: float | None = None
    browser_model: str | None = None
    isolated: bool | None = None
    cached: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_kinds(self, switches=("isolated",), where="")
        if self.browser_model not in (None, *_BROWSER_STATES):
            raise ConfigError(
                f"The device's browserModel must be one of {', '.join(_BROWSER_STATES)} or None, "
                f"got {self.browser_model!r}."
            )


def read_device(device: Mapping[str, Any]) -> Device:
    """Read the facts of a device, in either spelling. Raises ConfigError."""
    values = _named(device, Device, "device")
    if values.get("webgpu") is not None:
        values["webgpu"] = WebGpu(**_named(values["webgpu"], WebGpu, "device's webgpu"))
    if "cached" in values:
        values["cached"] = _names(values["cached"])
    return Device(**{name: value for name, value in values.items() if value is not None})


def _named(given: Any, kind: type, what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ConfigError(f"The {what} must be a dict of facts, got {given!r:.80}.")
    known = [each.name for each in fields(kind)]
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = from_wire(str(key))
        if name not in known:
            hint = nearest(name, known)
            raise ConfigError(
                f"The {what} has no fact {key!r}" + (f"; did you mean {hint!r}?" if hint else ".")
            )
        values[name] = value
    return values


def _names(cached: Any) -> tuple[str, ...]:
    listed = isinstance(cached, list | tuple | set | frozenset)
    if cached is not None and not (listed and all(isinstance(each, str) for each in cached)):
        raise ConfigError(f"The device's cached must be a list of model names, got {cached!r:.80}.")
    return tuple(cached or ())


def _check_kinds(record: Any, *, switches: tuple[str, ...], where: str) -> None:
    """Refuse what is no number of at least zero, or no switch."""
    for name in (each.name for each in fields(record)):
        value = getattr(record, name)
        is_number = name.endswith("_bytes") or name == "cores"
        if value is None or not (is_number or name in switches):
            continue
        if name in switches:
            if not isinstance(value, bool):
                raise ConfigError(
                    f"The device's {where}{to_wire(name)} must be true, false or None, "
                    f"got {value!r:.80}."
                )
        elif isinstance(value, bool) or not isinstance(value, int | float) or not _is_size(value):
            raise ConfigError(
                f"The device's {where}{to_wire(name)} must be a number of at least 0 or None, "
                f"got {value!r:.80}."
            )


def _is_size(value: float) -> bool:
    return value >= 0 and (isinstance(value, int) or math.isfinite(value))

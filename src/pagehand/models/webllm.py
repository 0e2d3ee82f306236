"""WebLLM's settings, as far as they concern a model's window and where its files lie.

Its `appConfig` lists models; a record's `overrides` replace what the model's own settings say
(https://github.com/mlc-ai/web-llm, src/config.ts). Keys may be in either spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError
from ..names import from_wire, nearest, to_wire
from ..ports import EngineOptions

_SMALL_BUILD_WINDOW = 1_024
_WINDOW, _SLIDING = "context_window_size", "sliding_window_size"
_OPTIONS = {
    "context_window_tokens": "context_window",
    "context_window": "context_window",
    "model": "model_url",
    "model_url": "model_url",
    "model_lib": "model_lib_url",
    "model_lib_url": "model_lib_url",
    "overrides": "overrides",
}


def webllm_context_window(app_config: Mapping[str, Any], model_id: str) -> int | None:
    """Give the window, in tokens, that a record sets for its model; None when it sets none.

    Raises ConfigError for an id that the config does not list.
    """
    overrides = _get(_records(app_config)[_place(app_config, model_id)], "overrides") or {}
    sizes = (_get(overrides, _WINDOW), _get(overrides, _SLIDING))
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def with_webllm_context_window(
    app_config: Mapping[str, Any], model_id: str, tokens: int
) -> dict[str, Any]:
    """Give a copy of the config in which a model has a window of `tokens`.

    It costs memory of the GPU, and no new download. Raises ConfigError for an id that the config
    does not list, and for a number of tokens that is none.
    """
    checked_tokens(tokens)
    place = _place(app_config, model_id)
    records = list(_records(app_config))
    record = dict(records[place])
    overrides = dict(_get(record, "overrides") or {})
    _set(overrides, _WINDOW, tokens, like=record)
    if (_get(overrides, _SLIDING) or 0) > 0:
        _set(overrides, _SLIDING, -1, like=record)  # only one of the two may be set
    record["overrides"] = overrides
    records[place] = record
    changed = dict(app_config)
    _set(changed, "model_list", records, like=changed)
    return changed


def expected_window(name: str, options: EngineOptions | None) -> int | None:
    """Give the window, in tokens, that a model on the device will have as far as can be told
    before it is loaded: the one that was asked for, or that its name tells; else None.
    """
    if options is not None and options.context_window is not None:
        return options.context_window
    return _SMALL_BUILD_WINDOW if name.endswith("-1k") else None


def engine_options(options: Mapping[str, Any]) -> EngineOptions | None:
    """Read the `provider_options` of a model on the device; None when there are none.

    Raises ConfigError for an option that is unknown or of the wrong kind.
    """
    values: dict[str, Any] = {}
    for key, value in options.items():
        field = _OPTIONS.get(from_wire(key))
        if field is None:
            hint = nearest(from_wire(key), _OPTIONS)
            raise ConfigError(
                f"provider_options: a model on the device knows no {key!r}"
                + (f"; did you mean {hint!r}?" if hint else ".")
            )
        if value is not None:
            values[field] = _checked(key, field, value)
    return EngineOptions(**values) if values else None


def checked_tokens(tokens: object) -> int:
    """Give a number of tokens. Raises ConfigError for anything else."""
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
        raise ConfigError(f"A context window is a number of tokens of at least 1, got {tokens!r}.")
    return tokens


def _checked(key: str, field: str, value: object) -> object:
    if field == "context_window":
        return checked_tokens(value)
    if field == "overrides":
        if not isinstance(value, Mapping):
            raise ConfigError(f"provider_options: {key} must be a dict, got {value!r}.")
        return dict(value)
    if not isinstance(value, str):
        raise ConfigError(f"provider_options: {key} must be a URL as text, got {value!r}.")
    return value


def _records(app_config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    records = _get(app_config, "model_list")
    if not isinstance(records, list | tuple):
        raise ConfigError("WebLLM's app config has no list of models (model_list).")
    return list(records)


def _place(app_config: Mapping[str, Any], model_id: str) -> int:
    ids = [str(_get(record, "model_id")) for record in _records(app_config)]
    if model_id in ids:
        return ids.index(model_id)
    hint = nearest(model_id, ids)
    raise ConfigError(
        f"WebLLM's app config lists no model {model_id!r}"
        + (f"; did you mean {hint!r}?" if hint else ".")
    )


def _get(record: Mapping[str, Any], name: str) -> Any:
    """Give a field in either spelling."""
    return record.get(name, record.get(to_wire(name)))


def _set(record: dict[str, Any], name: str, value: object, *, like: Mapping[str, Any]) -> None:
    """Set a field in the spelling in which it stands, or in that of another record."""
    wire = to_wire(name)
    camel = wire in record or (name not in record and ("modelId" in like or "modelList" in like))
    record[wire if camel else name] = value

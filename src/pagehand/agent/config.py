"""Every setting of an agent, with its default, and the judgement of what a user gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..errors import ConfigError
from ..models.caching import resolve_prompt_caching
from ..models.links import Fetch
from ..models.prices import read_prices
from ..models.spec import ModelInput, is_ladder, is_model, with_secrets_wrapped
from ..models.thinking import resolve_thinking
from ..names import from_wire, nearest, to_wire
from ..ports import CredentialStore
from ..secret import Secret
from ..storage.memory import ContextStore
from ..tools.formats import CALL_FORMATS
from ..tools.loop import RepairHook
from ..tools.tool import ToolsInput
from .logging import LEVELS

STAGES = ("planner", "executor", "replanner", "synthesizer")


@dataclass(slots=True)
class AgentConfig:
    """The settings of an agent. Dicts may use these names or their camelCase.

    Model: `model`, or `provider_type` with `model`, `base_url`, `api_key`, `headers` and
    `provider_options` beside it; `planner` and `synthesizer` override it for their stages (the
    replanner shares the planner's). Each may be a list: a ladder, tried in order. `credential_ref`
    names a key in `credentials`. `context_window_tokens` is the window in use, in tokens.

    `thinking` (true, a level, or a dict of level, budget_tokens, include_thoughts) and
    `stage_thinking` by stage say how much a model thinks; `prompt_caching` (true, false, or a dict
    of ttl and key) marks what a provider may keep. `vision` and `inputs` (images, pdf, files) say
    better than the profile what the model takes; `fetch_attachment` fetches links for providers
    that take none. `prices` by 'provider:model' are laid over the known ones.

    `tool_mode` native or prompted overrides what the model's profile says; `tool_format` (fenced,
    tags, envelope) is how a prompted model is told to write calls. `repair_hook` gets
    `{raw, error, tools}` of a call that nothing else could repair, and may give a better one.

    Caps: `max_iterations` executed steps a run, `max_steps_per_task` model calls a step,
    `max_revisions` new plans a run, `max_plan_steps` steps a plan, `max_tool_calls` calls a run
    (None = no cap), `max_concurrent_runs` (None = no cap).

    Times are in milliseconds; `llm_timeout_ms` 0 means no limit.
    """

    model: ModelInput | None = field(default=None, repr=False)
    provider_type: str | None = None
    base_url: str | None = None
    api_key: Any = None
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    provider_options: dict[str, Any] = field(default_factory=dict, repr=False)
    credential_ref: str | None = None
    credentials: CredentialStore | None = None
    planner: ModelInput | None = field(default=None, repr=False)
    synthesizer: ModelInput | None = field(default=None, repr=False)
    tools: ToolsInput | None = None
    tool_mode: str = "auto"
    system_prompt: str = ""
    prompts: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    describe_state: Callable[[], Any] | None = None
    memory: ContextStore | None = None
    session_id: str = "default"
    max_iterations: int = 8
    max_steps_per_task: int = 8
    max_revisions: int = 2
    max_plan_steps: int = 8
    max_tool_calls: int | None = None
    max_concurrent_runs: int | None = None
    replan: bool = True
    replan_after: str | Callable[..., Any] = "failure"
    synthesize: bool | str = True
    temperature: float | None = None
    tool_format: str = "auto"
    repair_hook: RepairHook | None = None
    thinking: Any = None
    stage_thinking: Mapping[str, Any] = field(default_factory=dict)
    prompt_caching: Any = True
    vision: bool | None = None
    inputs: Mapping[str, bool | None] = field(default_factory=dict)
    fetch_attachment: Fetch | None = None
    prices: Mapping[str, Any] = field(default_factory=dict)
    context_window_tokens: int | None = None
    llm_timeout_ms: float = 120_000
    llm_max_retries: int = 2
    client_name: str = "pagehand"
    log_level: str = "warn"
    logger: Any = None
    raise_on_abort: bool = False

    def __post_init__(self) -> None:
        """Wrap keys at once, so that no log or traceback shows them."""
        self.api_key = _wrapped(self.api_key)
        if isinstance(self.provider_options, Mapping):
            self.provider_options = with_secrets_wrapped(self.provider_options)
        for stage in ("model", "planner", "synthesizer"):
            setattr(self, stage, _sealed(getattr(self, stage)))


def _sealed(spec: Any) -> Any:
    """Give a model as a user wrote it, its secrets wrapped."""
    if is_ladder(spec):
        return [_sealed(rung) for rung in spec]
    if not isinstance(spec, Mapping):
        return spec
    sealed = dict(spec)
    for key, value in spec.items():
        if from_wire(key) == "api_key":
            sealed[key] = _wrapped(value)
        elif from_wire(key) == "provider_options" and isinstance(value, Mapping):
            sealed[key] = with_secrets_wrapped(value)
    return sealed


def _wrapped(key: Any) -> Any:
    return Secret(key) if isinstance(key, str) and key else key


_FIELDS = tuple(each.name for each in fields(AgentConfig))
_ALIASES = {"chat_timeout_ms": "llm_timeout_ms"}
_SPEC_FIELDS = (
    *("provider_type", "base_url", "api_key", "credential_ref"),
    *("headers", "provider_options"),
)
_DEPRECATED = {"planner_model": "planner", "synthesizer_model": "synthesizer"}
# The smallest value that makes sense, by field.
_AT_LEAST = {
    "max_iterations": 1,
    "max_steps_per_task": 1,
    "max_revisions": 0,
    "max_plan_steps": 1,
    "max_tool_calls": 0,
    "max_concurrent_runs": 1,
    "context_window_tokens": 512,
    "llm_timeout_ms": 0,
    "llm_max_retries": 0,
}
_MOST = 10**9
_INPUTS = ("images", "pdf", "files")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "tool_mode": ("auto", "native", "prompted"),
    "tool_format": ("auto", *CALL_FORMATS),
    "synthesize": (True, False, "auto"),
    "log_level": (*LEVELS, "none"),
}


def read_config(
    config: AgentConfig | Mapping[str, Any] | None, values: Mapping[str, Any]
) -> AgentConfig:
    """Give the settings of a config object or dict and of keyword fields laid over it.

    Raises ConfigError: for an unknown field with the nearest known name, for a value outside its
    range, for a field of the wrong kind.
    """
    if isinstance(config, AgentConfig):
        given: dict[str, Any] = {}
        base = config
    elif config is None or isinstance(config, Mapping):
        given, base = dict(config or {}), AgentConfig()
    else:
        raise ConfigError(
            f"The config must be an AgentConfig or a dict, got {type(config).__name__}."
        )
    named = _known({**given, **values})
    made = replace(base, **named)
    _judge(made)
    return made


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key, value in values.items():
        name = from_wire(str(key))
        name = _ALIASES.get(name, name)
        if name in _DEPRECATED:
            stage = _DEPRECATED[name]
            known.setdefault(stage, value)
        elif name in _FIELDS:
            known[name] = value
        else:
            hint = nearest(name, (*_FIELDS, *_ALIASES))
            shown = to_wire(hint) if hint and key != name else hint
            raise ConfigError(
                f"There is no setting {key!r}." + (f" Did you mean {shown!r}?" if shown else "")
            )
    # A field given as None means: the default.
    return {name: value for name, value in known.items() if value is not None}


def _judge(config: AgentConfig) -> None:
    for name, least in _AT_LEAST.items():
        value = getattr(config, name)
        if value is None:
            continue
        kinds = int | float if name.endswith("_ms") else int
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= _MOST:
            raise ConfigError(
                f"{name} must be a {'number' if name.endswith('_ms') else 'whole number'} of at "
                f"least {least}, got {value!r}."
            )
    for name, choices in _CHOICES.items():
        if getattr(config, name) not in choices:
            shown = ", ".join(repr(choice) for choice in choices)
            raise ConfigError(f"{name} must be one of {shown}, got {getattr(config, name)!r}.")
    trigger = config.replan_after
    if trigger not in ("failure", "always") and not callable(trigger):
        raise ConfigError(
            f"replan_after must be 'failure', 'always' or a function, got {trigger!r}."
        )
    if config.describe_state is not None and not callable(config.describe_state):
        raise ConfigError("describe_state must be a function that gives a text.")
    if config.repair_hook is not None and not callable(config.repair_hook):
        raise ConfigError("repair_hook must be a function of {raw, error, tools}.")
    if not isinstance(config.prompts, Mapping):
        raise ConfigError("prompts must be a dict of functions by stage.")
    for stage, builder in config.prompts.items():
        if stage not in STAGES or not callable(builder):
            raise ConfigError(
                f"prompts[{stage!r}] is not a stage's function: use {', '.join(STAGES)} with "
                "functions of the stage's context."
            )
    _judge_model_settings(config)
    warmth = config.temperature
    if warmth is not None and not (isinstance(warmth, int | float) and 0 <= warmth <= 2):
        raise ConfigError(f"temperature must lie between 0 and 2, got {config.temperature!r}.")


def _judge_model_settings(config: AgentConfig) -> None:
    resolve_thinking(config.thinking)
    _judge_keys(config.stage_thinking, STAGES, "stage_thinking")
    for stage, setting in config.stage_thinking.items():
        resolve_thinking(setting, where=f"stage_thinking[{stage!r}]")
    resolve_prompt_caching(config.prompt_caching)
    _judge_keys(config.inputs, _INPUTS, "inputs")
    for name, takes in {**config.inputs, "vision": config.vision}.items():
        if takes is not None and not isinstance(takes, bool):
            raise ConfigError(f"{name} must be true or false, got {takes!r}.")
    if not isinstance(config.prices, Mapping):
        raise ConfigError("prices must be a dict by 'provider:model'.")
    read_prices(config.prices)
    if config.fetch_attachment is not None and not callable(config.fetch_attachment):
        raise ConfigError(
            "fetch_attachment must be an async function of an address that gives the bytes and "
            "the media type."
        )
    store = config.credentials
    if store is not None and not callable(getattr(store, "get_api_key", None)):
        raise ConfigError(
            "credentials must be a credential store, such as a MemoryCredentialStore."
        )


def _judge_keys(value: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a dict by {', '.join(known)}.")
    for key in value:
        if key not in known:
            hint = nearest(str(key), known)
            raise ConfigError(
                f"{where} has no entry {key!r}" + (f"; did you mean {hint!r}?" if hint else ".")
            )


def base_model(config: AgentConfig, default: ModelInput | None) -> ModelInput:
    """Give what the config names as its model. Raises ConfigError when it names none."""
    beside = {name: value for name in _SPEC_FIELDS if (value := getattr(config, name))}
    model = config.model
    if model is None:
        if beside or default is None:
            raise ConfigError(
                "No model is named: give model='provider:model', such as 'openai:gpt-6.2-sol' with "
                "an api_key, or 'openai-compatible:qwen3' with a base_url."
            )
        return default
    if not beside:
        return model
    if is_model(model) or is_ladder(model):
        what = "A ready model" if is_model(model) else "A ladder of models"
        raise ConfigError(f"{what} takes no {', '.join(beside)} beside it.")
    if isinstance(model, Mapping):
        return {**beside, **{from_wire(key): value for key, value in model.items()}}
    if isinstance(model, str):
        return {**beside, "model": model}
    raise ConfigError(f"Give {', '.join(beside)} inside the ModelSpec, not beside it.")

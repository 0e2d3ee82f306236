"""pagehand: an agent that lives in a web page, and runs on CPython alike.

The public names are imported when they are first used, so `import pagehand` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "root": (
        "check_model",
        "create_agent",
        "generate",
        "generate_structured",
        "run_tool_loop",
        "stream",
    ),
    "agent.agent": ("Agent", "get_current_run_id"),
    "agent.config": ("AgentConfig",),
    "agent.prompts": ("Prompt", "PromptContext"),
    "agent.run": ("StepControl",),
    "agent.stream": ("RunStream",),
    "cancel": ("AbortController", "AbortSignal"),
    "errors": (
        "AgentAborted",
        "AttachmentsNotSupportedError",
        "AuthenticationError",
        "BusyError",
        "ConfigError",
        "ContentRefusedError",
        "ContextWindowExceededError",
        "CorsError",
        "DeviceLostError",
        "EngineError",
        "ImagesNotSupportedError",
        "InvalidRequestError",
        "MalformedResponseError",
        "ModelError",
        "ModelNotFoundError",
        "ModelTimeoutError",
        "NetworkError",
        "OverloadedError",
        "PagehandError",
        "PermissionDeniedError",
        "QuotaExceededError",
        "RateLimitError",
        "ServerError",
        "StreamInterruptedError",
        "ToolBudgetError",
        "ToolDeniedError",
        "ToolError",
        "ToolInputError",
        "ToolTimeoutError",
        "WebGPUUnavailableError",
    ),
    "events": ("Event", "event_from_dict"),
    "messages": ("Message",),
    "models.advice": ("Advice", "Proposal", "advise"),
    "models.base": (
        "GenerateResult",
        "Model",
        "ModelRequest",
        "ToolCall",
        "ToolDefinition",
        "supports_native_tools",
        "supports_structured_output",
    ),
    "models.device": ("Device", "WebGpu"),
    "models.generate": ("ModelStream", "StructuredResult"),
    "models.overflow": ("context_overflow_of", "overflow_of"),
    "models.profiles": ("Capabilities", "ModelProfile", "ThinkingKnob"),
    "models.attachments": ("attachment_kind", "to_file_part"),
    "models.caching": (
        "PromptCaching",
        "build_instructions",
        "resolve_prompt_caching",
        "with_rolling_breakpoint",
    ),
    "models.prices": ("Cost", "Price", "cost_of"),
    "models.registry": ("list_providers",),
    "models.resolve": ("build_model_from_stage", "resolve_model"),
    "models.spec": ("ModelSettings", "ModelSpec", "resolve_stage"),
    "models.thinking": ("Thinking", "merge_provider_options", "resolve_thinking"),
    "models.webllm": ("webllm_context_window", "with_webllm_context_window"),
    "storage.credentials": ("MemoryCredentialStore",),
    "plan": ("Plan", "PlanStep", "RunResult", "StepResult", "ToolCallRecord"),
    "secret": ("redact_headers",),
    "storage.memory": ("ContextStore", "MemoryStore"),
    "tools.probe": ("ProbeProgress", "ProbeResult"),
    "tools.search": ("search_tools",),
    "trial": ("probe_model",),
    "tools.standalone": ("ToolLoopResult",),
    "tools.tool": (
        "Tool",
        "ToolContext",
        "define_tool",
        "is_read_only_tool",
        "mark_read_only",
        "tool",
    ),
    "usage": ("Usage",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'pagehand' has no attribute {name!r}")
    value: object = getattr(import_module(f"pagehand.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]

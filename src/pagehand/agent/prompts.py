"""What each stage is told, in two sizes: full, and compact for windows under 16 000 tokens.

The system text holds only what stays the same for a whole run (so that providers can cache it):
the rules, the tools where the stage shows them, then the host's `system_prompt`. In the compact
size it is the same for all stages, and a stage's own rules open the user text. Whatever
changes stands in the user text. A host replaces a stage's text with `prompts={stage: function}`,
where the function takes the PromptContext and gives a Prompt or a `{system, prompt}` dict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import ConfigError
from ..messages import Message
from ..plan import PlanStep
from ..tools.formats import call_rules
from ..tools.results import clip


@dataclass(slots=True, frozen=True)
class Prompt:
    """A stage's two texts."""

    system: str
    prompt: str


@dataclass(slots=True)
class PromptContext:
    """Everything a stage's text may draw on.

    `done` holds a line for each finished step, `remaining` the steps that are left, `findings`
    excerpts of what tools returned; `mode` is native or prompted, then in a `call_format`.
    """

    goal: str
    state: str | None = None
    catalogue: str = ""
    mode: str = "native"
    call_format: str = "envelope"
    compact: bool = False
    history: Sequence[Message] = ()
    step: PlanStep | None = None
    index: int = 0
    total: int = 0
    done: list[str] = field(default_factory=list)
    remaining: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    max_plan_steps: int = 8
    nudge: str = ""


# Every rule of a stage has its own line, in both sizes: tests hold a table of them.

# A model on the device keeps what it has read of a prompt's beginning. In the compact size all
# stages begin alike, so that the rules and the tools are read once and not by every stage.
_COMPACT = """\
You work on your own for a user, in an agent with tools.
- Use the tools for all they can do or look up.
- Never ask the user a question, for confirmation or for permission; the host decides what may run.
- Unclear? Take the likeliest meaning and state the assumption."""

_PLANNER = """\
You are the planner of an agent that works on its own. Turn the request into a short list of \
ordered steps that other stages carry out with the tools below.

Rules
- Plan the use of tools for everything they can do or look up. A question that needs data is a \
task, not small talk.
- Usually 1 to 5 steps, never more than {max_plan_steps}. Each step is one clear action with an \
outcome that can be checked; name the tools it likely needs.
- Never ask the user anything and never plan a step that asks the user or waits for an answer.
- When the request is ambiguous, take the most reasonable reading and write the assumption into \
the step.
- Whether a tool may run is decided by the host, never by a question in a step.
- Leave `steps` empty only for a greeting, small talk or a question that can be answered without \
any tool; then write the complete answer for the user into `thought`.

Answer with one JSON object and nothing else:
{{"thought": "how you read the request", "steps": [{{"description": "what to do", \
"expectedOutcome": "what is true afterwards", "suggestedTools": ["tool_name"]}}]}}"""

_PLANNER_COMPACT = """\
Plan the request below. Answer with JSON only:
{{"thought": "...", "steps": [{{"description": "...", "suggestedTools": ["..."]}}]}}
- As few steps as possible, at most {max_plan_steps}. Plan no step that asks.
- Write an assumption into the step.
- Only for small talk or what needs no tool: empty steps, the answer in thought."""

_EXECUTOR = """\
You are the executor of an agent that works on its own. Carry out the current step of the plan, \
and only that step, with the tools you have.

Rules
- Act: look things up with tools instead of guessing, and call tools instead of describing calls.
- Never ask a question and never ask for confirmation or permission; the host decides which tools \
may run.
- When something is left open, pick a sensible default and state the assumption in your result.
- After a tool fails, read its message and try another way before you give up. Do not repeat a \
call that was denied.
- Finish with a short report of what was done and every fact found that later steps or the answer \
need (names, numbers, ids).
- Only when the step is truly impossible (a tool is missing or denied, credentials or permissions \
are missing, the data does not exist) end your report with {blocker}."""

_EXECUTOR_COMPACT = """\
Carry out the current step below, only that.
- Call tools; do not describe or guess.
- Left open? Take a sensible default.
- A tool failed? Try another way.
- End with a short report of what was done and found, with assumptions.
- Truly impossible (tool missing or denied, no access, no data)? End with {blocker}."""

_REPLANNER = """\
You are the replanner of an agent that works on its own. After a step, decide how the run goes on.

Rules
- continue: the remaining steps still lead to the goal.
- revise: the remaining steps no longer fit; give new ones in `steps`. Prefer this to an empty \
finish: route around a failure with other tools or other arguments.
- finish: the goal is reached, or nothing that is left to try can reach it.
- Never plan a step that asks the user or waits for an answer; for what is unclear take the most \
reasonable reading and write the assumption into the step.
- A denied tool stays denied: the host decides, do not plan to ask for permission.

Answer with one JSON object and nothing else:
{"decision": "continue" | "revise" | "finish", "reason": "why", "steps": [{"description": "what \
to do", "suggestedTools": ["tool_name"]}]}"""

_REPLANNER_COMPACT = """\
A step of the plan ended. Decide how to go on. Answer with JSON only:
{"reason": "...", "decision": "continue" | "revise" | "finish", "steps": [{"description": "..."}]}
- continue: the remaining steps still fit.
- revise: give new steps; prefer this to finishing empty, go around the failure.
- finish: the goal is reached or nothing is left to try.
- Plan no step that asks. A denied tool stays denied."""

_SYNTHESIZER = """\
You write the answer of an agent that has finished its work. The user sees only your text.

Rules
- Answer the request directly from the progress and the findings; invent nothing that is not in \
them.
- Say what was done and what was found; say plainly what failed or could not be done.
- Mention the assumptions that were made.
- Do not ask for confirmation or permission. End with a question only when the request truly \
cannot be completed without the user.
- Plain language or Markdown, in the language of the request; no JSON, no talk of steps, stages or \
tools by their internal names."""

_SYNTHESIZER_COMPACT = """\
Write the final answer for the user from the progress below, in the user's language.
- Say what was done and found; invent nothing; say what failed.
- Mention assumptions.
- A question only if nothing can be done without the user.
- Plain text, no JSON."""

NUDGE = (
    "The last plan had no steps. Tools are available: if any of the listed tools can do or look "
    "up part of this request, plan steps that use them. Leave `steps` empty only if none can."
)

# How much of the conversation and of results stages read: turns and characters, full and compact.
_HISTORY_TURNS = (8, 4)
_HISTORY_CHARS = (1_500, 400)
_STATE_CHARS = (8_000, 1_500)


def planner_prompt(context: PromptContext) -> Prompt:
    """The planner's default texts."""
    rules = _PLANNER_COMPACT if context.compact else _PLANNER
    return _prompt(
        context,
        rules.format(max_plan_steps=context.max_plan_steps),
        _history(context),
        _state(context),
        f"Request: {context.goal}",
        context.nudge,
        tools=True,
    )


def executor_prompt(context: PromptContext, blocker: str) -> Prompt:
    """The executor's default texts."""
    rules = (_EXECUTOR_COMPACT if context.compact else _EXECUTOR).format(blocker=blocker)
    prompted = context.mode == "prompted"
    if prompted:
        rules = f"{rules}\n\n{call_rules(context.call_format, compact=context.compact)}"
    step = context.step or PlanStep(context.goal)
    tools = ", ".join(step.suggested_tools)
    place = f" ({context.index + 1} of {context.total})" if context.total > 1 else ""
    return _prompt(
        context,
        rules,
        f"Goal: {context.goal}",
        _state(context),
        _listed("Earlier steps and their results:", context.done),
        f"Current step{place}: {step.description}",
        f"Expected outcome: {step.expected_outcome}" if step.expected_outcome else "",
        f"Suggested tools: {tools}" if tools else "",
        tools=prompted,
    )


def replanner_prompt(context: PromptContext) -> Prompt:
    """The replanner's default texts."""
    return _prompt(
        context,
        _REPLANNER_COMPACT if context.compact else _REPLANNER,
        f"Goal: {context.goal}",
        _state(context),
        _listed("Progress:", context.done),
        _listed("Remaining plan:", context.remaining or ["(nothing)"]),
    )


def synthesizer_prompt(context: PromptContext) -> Prompt:
    """The synthesizer's default texts."""
    return _prompt(
        context,
        _SYNTHESIZER_COMPACT if context.compact else _SYNTHESIZER,
        f"Request: {context.goal}",
        _state(context),
        _listed("Progress:", context.done or ["(no step was carried out)"]),
        _listed("Findings of the tools:", context.findings),
    )


def _prompt(context: PromptContext, rules: str, *blocks: str, tools: bool = False) -> Prompt:
    """Put a stage's texts together: what stays the same first, what changes last."""
    listed = f"Tools:\n{context.catalogue or '(none)'}"
    if not context.compact:
        return Prompt(_join(rules, listed if tools else ""), _join(*blocks))
    shared = tools or context.mode == "prompted"
    return Prompt(_join(_COMPACT, listed if shared else ""), _join(rules, *blocks))


def build(
    stage: str,
    context: PromptContext,
    default: Callable[[PromptContext], Prompt],
    override: Callable[[PromptContext], Any] | None,
    system_prompt: str,
) -> Prompt:
    """Give a stage's texts: the host's own builder or the default, then the `system_prompt`.

    Raises ConfigError when the host's builder gives neither a Prompt nor `{system, prompt}`.
    """
    made = override(context) if override else default(context)
    if isinstance(made, Mapping) and {"system", "prompt"} <= made.keys():
        made = Prompt(str(made["system"]), str(made["prompt"]))
    if not isinstance(made, Prompt):
        raise ConfigError(
            f"prompts[{stage!r}] must give a Prompt or a dict with `system` and `prompt`, got "
            f"{type(made).__name__}."
        )
    if system_prompt:
        made = replace(made, system=f"{made.system}\n\n{system_prompt}")
    return made


def _history(context: PromptContext) -> str:
    turns, chars = _HISTORY_TURNS[context.compact], _HISTORY_CHARS[context.compact]
    lines = [f"{message.role}: {clip(message.text, chars)}" for message in context.history[-turns:]]
    return _listed("Recent conversation:", lines)


def _state(context: PromptContext) -> str:
    if not context.state:
        return ""
    return f"Current state:\n{clip(context.state, _STATE_CHARS[context.compact])}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"- {line}" for line in lines)]) if lines else ""


def _join(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block)

"""The stage prompts carry every rule, in both sizes; the compact ones are short."""

import pytest

from pagehand.agent.prompts import (
    PromptContext,
    executor_prompt,
    planner_prompt,
    replanner_prompt,
    synthesizer_prompt,
)
from pagehand.plan import PlanStep

STAGES = {
    "planner": planner_prompt,
    "executor": lambda context: executor_prompt(context, "[BLOCKER]"),
    "replanner": replanner_prompt,
    "synthesizer": synthesizer_prompt,
}

# A rule a row: the stage, the rule, the words that carry it in the full and the compact size.
RULES = [
    (
        "planner",
        "tools for all they can do or look up",
        "use of tools for everything they can do or look up",
        "Use the tools for all they can do or look up",
    ),
    (
        "planner",
        "a question that needs data is a task",
        "A question that needs data is a task",
        "look up",
    ),
    (
        "planner",
        "never ask the user",
        "Never ask the user anything",
        "Never ask the user",
    ),
    (
        "planner",
        "no step that asks",
        "never plan a step that asks",
        "Plan no step that asks",
    ),
    (
        "planner",
        "ambiguity gets the best reading",
        "most reasonable reading",
        "likeliest meaning",
    ),
    (
        "planner",
        "the assumption is stated",
        "write the assumption into the step",
        "Write an assumption into the step",
    ),
    (
        "planner",
        "permission is the host's",
        "decided by the host",
        "the host decides what may run",
    ),
    (
        "planner",
        "an empty plan only for small talk",
        "only for a greeting, small talk",
        "Only for small talk",
    ),
    (
        "executor",
        "never ask",
        "Never ask a question",
        "Never ask the user a question",
    ),
    (
        "executor",
        "never ask for confirmation",
        "never ask for confirmation or permission",
        "for confirmation or for permission",
    ),
    (
        "executor",
        "look things up",
        "look things up with tools instead of guessing",
        "Call tools; do not describe or guess",
    ),
    (
        "executor",
        "sensible defaults",
        "sensible default",
        "sensible default",
    ),
    (
        "executor",
        "the assumption is stated",
        "state the assumption",
        "state the assumption",
    ),
    (
        "executor",
        "blocker only when truly impossible",
        "Only when the step is truly impossible",
        "Truly impossible",
    ),
    (
        "executor",
        "the blocker's mark",
        "end your report with [BLOCKER]",
        "End with [BLOCKER]",
    ),
    (
        "executor",
        "permission is the host's",
        "the host decides",
        "the host decides",
    ),
    (
        "executor",
        "another way after a failure",
        "try another way",
        "Try another way",
    ),
    (
        "replanner",
        "revise before an empty finish",
        "Prefer this to an empty finish",
        "prefer this to finishing empty",
    ),
    (
        "replanner",
        "around a failure",
        "route around a failure",
        "go around the failure",
    ),
    (
        "replanner",
        "no step that asks",
        "Never plan a step that asks the user",
        "Plan no step that asks",
    ),
    (
        "replanner",
        "ambiguity gets the best reading",
        "most reasonable reading",
        "likeliest meaning and state",
    ),
    (
        "replanner",
        "permission is the host's",
        "the host decides",
        "the host decides what may run",
    ),
    (
        "synthesizer",
        "what was done and found",
        "Say what was done and what was found",
        "Say what was done and found",
    ),
    (
        "synthesizer",
        "assumptions are mentioned",
        "Mention the assumptions",
        "Mention assumptions",
    ),
    (
        "synthesizer",
        "no confirmation",
        "Do not ask for confirmation",
        "for confirmation",
    ),
    (
        "synthesizer",
        "a question only when nothing else is possible",
        "End with a question only when the request truly cannot be completed",
        "A question only if nothing can be done without the user",
    ),
]


@pytest.mark.parametrize(
    ("stage", "rule", "full", "compact"), RULES, ids=lambda value: str(value)[:40]
)
def test_a_rule_stands_in_both_sizes(stage, rule, full, compact):
    for size, words in ((False, full), (True, compact)):
        prompt = STAGES[stage](PromptContext("goal", compact=size))
        text = prompt.system + prompt.prompt
        assert words in text, f"{stage} ({'compact' if size else 'full'}) lacks: {rule}"


@pytest.mark.parametrize("stage", STAGES)
def test_the_compact_text_is_at_most_250_tokens(stage):
    """By four characters a token, the usual measure of English prose."""
    prompt = STAGES[stage](PromptContext("", compact=True, mode="prompted"))
    assert len(prompt.system + prompt.prompt) / 4 <= 250


def test_compact_stages_begin_alike():
    """A model on the device reads the common beginning once."""
    context = PromptContext("g", catalogue="- a tool", compact=True, mode="prompted")
    assert len({build(context).system for build in STAGES.values()}) == 1


def test_what_changes_stands_in_the_users_text():
    context = PromptContext(
        "plant a tree",
        state="rain all day",
        done=["[done] a: b"],
        remaining=["c"],
        findings=["t: x"],
        step=PlanStep("the step", expected_outcome="the outcome", suggested_tools=("t",)),
        total=2,
    )
    for build in STAGES.values():
        prompt = build(context)
        assert "plant a tree" in prompt.prompt and "rain all day" in prompt.prompt
        assert "plant a tree" not in prompt.system and "rain all day" not in prompt.system
    executor = STAGES["executor"](context).prompt
    for words in ("the step", "the outcome", "Suggested tools: t", "(1 of 2)", "[done] a: b"):
        assert words in executor


def test_the_conversation_is_bounded():
    from pagehand.messages import user

    turns = [user(f"turn {number} " + "x" * 5_000) for number in range(20)]
    for compact, turns_kept, chars in ((False, 8, 1_500), (True, 4, 400)):
        text = planner_prompt(PromptContext("g", history=turns, compact=compact)).prompt
        assert text.count("user: turn") == turns_kept
        assert "turn 19" in text and len(text) < turns_kept * (chars + 60) + 1_000

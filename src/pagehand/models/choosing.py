"""Which tool a request asks for, told by a very small model in small questions.

Asked to name a tool, a model of a hundred million parameters names the one it likes. Two readings
of its likelihoods together are right far more often (docs/small-models.md has the figures):

- how likely a tool's name is after examples in which each tool's own description stands for a
  request, less how likely it is anyway, after a request that says nothing;
- how likely the request's own words are as an example of what the tool's description says.

How well the words of tool and request fit, which the asker counts (`fits`), helps a little more.
That nothing is to be called is one more choice, `answer`, with a description like the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .base import ToolDefinition
from .judge import Judge

_ANSWER = ToolDefinition("answer", "Answer a question or chat.", {})
_SAYS_NOTHING = "Please."
_WORDS_WEIGH = 3.0  # in natural logarithms, for the tool whose words fit best
# How much likelier `answer` must be than every tool: the words of a request fit it always a little.
_ANSWER_LEAD = 4.9
_LONGEST_TASK = 400  # characters; what a request asks for stands at its beginning

Scores = Mapping[str, float]


class Chooser:
    """Chooses among tools; what does not depend on the request is asked once for a set of tools."""

    def __init__(self) -> None:
        self._anyway: dict[tuple[str, ...], Scores] = {}

    async def choose(
        self,
        judge: Judge,
        task: str,
        tools: Sequence[ToolDefinition],
        *,
        must: bool,
        words: Scores | None = None,
    ) -> ToolDefinition | None:
        """Give the tool that a request asks for, None for none; `must` rules none out.

        `words` says from 0 to 1 how well the words of each tool fit the request.
        """
        if must and len(tools) == 1:
            return tools[0]
        task = task[:_LONGEST_TASK]
        choices = [*tools, _ANSWER]
        named = await _named(judge, task, choices)
        fits = {
            each.name: await _fits(judge, task, each)
            + _WORDS_WEIGH * (words or {}).get(each.name, 0.0)
            for each in choices
        }
        if not must:
            best = max(named[tool.name] + fits[tool.name] for tool in tools)
            if named[_ANSWER.name] + fits[_ANSWER.name] > best + _ANSWER_LEAD:
                return None
        anyway = await self._named_anyway(judge, choices)
        return max(tools, key=lambda tool: fits[tool.name] + named[tool.name] - anyway[tool.name])

    async def _named_anyway(self, judge: Judge, choices: Sequence[ToolDefinition]) -> Scores:
        key = tuple(each.name for each in choices)
        if key not in self._anyway:
            self._anyway[key] = await _named(judge, _SAYS_NOTHING, choices)
        return self._anyway[key]


async def _named(judge: Judge, task: str, choices: Sequence[ToolDefinition]) -> Scores:
    examples = "".join(f"Request: {_line(each)}\nTool: {each.name}\n\n" for each in choices)
    prompt = f"{examples}Request: {task}\nTool:"
    return {each.name: await judge.weigh(prompt, f" {each.name}\n") for each in choices}


async def _fits(judge: Judge, task: str, choice: ToolDefinition) -> float:
    return await judge.weigh(f'{_line(choice)} For example: "', f'{task}"')


def _line(tool: ToolDefinition) -> str:
    """Give what a tool does in one sentence."""
    said = " ".join(tool.description.split()) or tool.name.replace("_", " ").capitalize() + "."
    first, point, _ = said.partition(". ")
    return first + (point.strip() or "")

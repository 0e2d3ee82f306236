"""Small questions to an engine whose decoder can be held to a grammar and tells its likelihoods.

The questions are raw text without a chat template: a very small model goes on with a pattern far
better than it follows an instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..cancel import closing
from ..ports import Engine, EngineAnswer, EngineOptions, EngineProgress, EngineRequest
from ..usage import Usage
from .spans import Pieces, literal

LIKELIHOOD = "likelihood"
"""The word among an engine's constraints that says it can be asked such questions."""


class Judge(Protocol):
    """Whoever answers small questions."""

    async def weigh(self, prompt: str, text: str) -> float:
        """Give the natural logarithm of how likely `text` is after `prompt`."""
        ...

    async def pick(self, prompt: str, choices: Sequence[str], end: str) -> str:
        """Give the choice that the model writes after `prompt`, each followed by `end`."""
        ...

    async def copy(self, prompt: str, pieces: Pieces, end: str) -> str:
        """Give the piece of a request that the model writes after `prompt`, followed by `end`."""
        ...


class EngineJudge:
    """A judge over an engine. `tell` hears its signs of life; `usage` counts what was asked."""

    def __init__(
        self,
        engine: Engine,
        model: str,
        options: EngineOptions | None,
        tell: Callable[[EngineProgress], None],
    ) -> None:
        self.usage = Usage()
        self._engine = engine
        self._model = model
        self._options = options
        self._tell = tell

    async def weigh(self, prompt: str, text: str) -> float:
        """See Judge. Raises EngineError."""
        answer = await self._ask(prompt, f"root ::= {literal(text)}", text)
        return answer.likelihood if answer.likelihood is not None else float("-inf")

    async def pick(self, prompt: str, choices: Sequence[str], end: str) -> str:
        """See Judge. Raises EngineError."""
        some = " | ".join(literal(choice + end) for choice in choices)
        answer = await self._ask(prompt, f"root ::= {some}", max(choices, key=len) + end)
        written = answer.text.removesuffix(end)
        return written if written in choices else choices[0]

    async def copy(self, prompt: str, pieces: Pieces, end: str) -> str:
        """See Judge. Raises EngineError."""
        answer = await self._ask(prompt, pieces.grammar(end), pieces.request.text + end)
        return answer.text.removesuffix(end)

    async def _ask(self, prompt: str, grammar: str, longest: str) -> EngineAnswer:
        asked = EngineRequest(
            [],
            prompt=prompt,
            grammar=grammar,
            max_output_tokens=len(longest.encode()) + 1,  # no token is shorter than a byte
            temperature=0.0,
            model=self._model,
            options=self._options,
        )
        answer: EngineAnswer | None = None
        async with closing(self._engine.generate(asked)) as steps:
            async for step in steps:
                if isinstance(step, EngineAnswer):
                    answer = step
                else:
                    self._tell(step)
        assert answer is not None, "an engine's last word is its answer"
        used = answer.input_tokens, answer.output_tokens
        self.usage += Usage(*used, sum(used), cached_input_tokens=answer.cached_input_tokens)
        return answer

"""The marks that models put around calls, as data: a format more is a row more."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ..models.incoming import Marks
from ..models.thoughts import CLOSING, TAGS

FORMATS = ("auto", "fenced", "tags", "tokens", "envelope", "json", "python", "none")
"""What a reader can be told to look for; `auto` is all of them. `python` alone also takes a sole
`name(key="value")` that stands by itself."""


class Opening(NamedTuple):
    """What opens a place where calls stand, and what closes it ("": nothing does)."""

    mark: str
    closing: str
    format: str


_OPENINGS = [
    Opening(mark, closing, format)
    for format, mark, closing in [
        ("tags", "<tool_call>", "</tool_call>"),
        ("tags", "<tool_calls>", "</tool_calls>"),
        ("tags", "<toolcall>", "</toolcall>"),
        ("tags", "<TOOLCALL>", "</TOOLCALL>"),
        ("tags", "<tool_use>", "</tool_use>"),
        ("tags", "<function_call>", "</function_call>"),
        ("tags", "<function_calls>", "</function_calls>"),
        ("tags", "<seed:tool_call>", "</seed:tool_call>"),
        ("tags", "<minimax:tool_call>", "</minimax:tool_call>"),
        ("tags", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),
        ("tags", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),
        ("tokens", "<|tool_call|>", ""),
        ("tokens", "<|tool_call>", "<tool_call|>"),
        ("tokens", "<|function_call|>", ""),
        ("tokens", "<|python_tag|>", ""),
        ("tokens", "<|tool_call_start|>", "<|tool_call_end|>"),
        ("tokens", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        ("tokens", "<|tool_call_begin|>", "<|tool_call_end|>"),
        ("tokens", "<|START_ACTION|>", "<|END_ACTION|>"),
        ("tokens", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        ("tokens", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
        ("tokens", "<|tool▁calls▁begin|>", "<|tool▁calls▁end|>"),
        ("tokens", "<|tool▁call▁begin|>", "<|tool▁call▁end|>"),
        ("tokens", "<start_function_call>", "<end_function_call>"),
        ("tokens", "<|channel|>commentary to=", "<|call|>"),
        ("tokens", "<|channel|>analysis to=", "<|call|>"),
        ("tokens", "[TOOL_CALLS]", ""),
        ("tokens", "functools[", "]"),
    ]
]

FUNCTIONS = {
    "<function=": "</function>",
    "<function name=": "</function>",
    "<invoke name=": "</invoke>",
    "<｜DSML｜invoke name=": "</｜DSML｜invoke>",
}
"""What a call written in tags begins with, its name behind it, and what ends it."""

PARAMETERS = {
    "<parameter=": "</parameter>",
    "<parameter name=": "</parameter>",
    "<param=": "</param>",
    "<param name=": "</param>",
    "<｜DSML｜parameter name=": "</｜DSML｜parameter>",
}
"""What an argument in tags begins with, and what ends it."""

SEPARATORS = (
    "<tool_sep>",
    "<|message|>",
    "<|constrain|>json",
    "<|tool_call_argument_begin|>",
    "<｜tool▁sep｜>",
    "<|tool▁sep|>",
    "[ARGS]",
    "[CALL_ID]",
)
"""What may stand between a call's name and its arguments."""

FENCE = "```"

_FENCES = frozenset(["tool_call", "tool_calls", "tool_use", "tool", "function_call"])
_CODE_FENCES = frozenset(["", "json", "jsonc", "json5", "tool_code", "python", "py", "xml"])

# Left by templates; they belong to no answer.
_SILENT = (
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|CHATBOT_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|im_start|>assistant",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|role_end|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|start|>assistant",
    "<|channel>",
    "<|channel|>final<|message|>",
    "<|channel|>final <|constrain|>json<|message|>",
    "<|channel|>commentary<|message|>",
    "<|end|>",
    "<|return|>",
)
SILENT = frozenset(_SILENT)
ENDINGS = frozenset(
    [opening.closing for opening in _OPENINGS if opening.closing not in ("", "]")]
    + [*FUNCTIONS.values(), "</s>"]
)
"""What may close a place where calls stand. Models mix them up, so each closes any."""


def fence_kind(language: str) -> str:
    """Give what a code fence's language says: "calls", "maybe" calls, or "code"."""
    word = language.casefold()
    if word in _FENCES:
        return "calls"
    return "maybe" if word in _CODE_FENCES else "code"


@cache
def openings(format: str) -> dict[str, Opening]:
    """Give the openings that a format knows, by their mark."""
    return {each.mark: each for each in _OPENINGS if format in (each.format, "auto")}


@cache
def functions(format: str) -> frozenset[str]:
    """Give the beginnings of calls in tags that a format knows."""
    return frozenset(FUNCTIONS) if format in ("tags", "auto") else frozenset()


@cache
def text_marks(format: str) -> Marks:
    """Give what ends plain text: all that may open a call or a thought, or that belongs to none."""
    brackets = {"auto": "{[", "json": "{[", "envelope": "{[", "python": "["}.get(format, "")
    calls = [*openings(format), *functions(format), *ENDINGS] if format != "none" else []
    return Marks([*calls, *brackets, "`", *SILENT, *TAGS, *CLOSING])


@cache
def call_marks() -> Marks:
    """Give what cannot stand inside a call's brackets, outside of its strings."""
    return Marks([*openings("auto"), *FUNCTIONS, *ENDINGS, *SILENT, FENCE])


@cache
def separators() -> Marks:
    """Give what stands between a call's name and its arguments."""
    return Marks(SEPARATORS)


@cache
def fence_marks() -> Marks:
    """Give what closes a code block."""
    return Marks([FENCE])

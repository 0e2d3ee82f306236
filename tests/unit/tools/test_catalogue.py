"""The tools as lines that a model reads."""

from pagehand.tools.catalogue import catalogue
from pagehand.tools.tool import Tool, define_tool

NOTE = define_tool(
    "add_note",
    "Add a note\nto the board",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "colour": {"enum": ["red", "blue"]},
        },
        "required": ["text"],
    },
    lambda arguments: None,
)


def test_the_catalogue():
    assert catalogue([NOTE]) == (
        '- add_note{text: string, tags?: string[], colour?: "red"|"blue"}: Add a note to the board'
    )
    hinted = Tool("x", "X", {"type": "object"}, print, prompt_hint="(a number)")
    assert catalogue([hinted]) == "- x (a number): X"
    assert catalogue([NOTE], description_chars=6).endswith(": Add a…")

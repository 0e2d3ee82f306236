"""The grammar of a call that a decoder is held to."""

from pagehand.tools.grammar import call_grammar
from pagehand.tools.tool import define_tool

TEXT = {"type": "string"}
NOTE = define_tool(
    "add_note",
    "Add a note",
    {"type": "object", "properties": {"text": TEXT, "tag": TEXT}, "required": ["text"]},
    print,
)


def rules(tool, call_format="tags", **options):
    made = call_grammar([tool], call_format, **{"act": True, "report": False, **options})
    return dict(line.split(" ::= ", 1) for line in made.splitlines())


def test_a_call_stands_in_the_marks_of_its_format():
    body = r'"{" "\"text\": " (text) "}"'
    named = r'"{\"name\": \"add_note\", \"arguments\": "'
    assert rules(NOTE)["call"] == f'"<tool_call>" ({named} ({body}) "}}") "</tool_call>"'
    assert rules(NOTE, "fenced")["call"].startswith(r'"```tool_call\n" (')
    assert r"{\"tool\": \"add_note\", \"args\": " in rules(NOTE, "envelope")["call"]


def test_a_round_may_be_a_call_or_words():
    assert rules(NOTE)["root"] == "call"
    assert rules(NOTE, report=True)["root"] == "call | words"
    assert rules(NOTE, act=False, report=True)["root"] == "words"


def shape(schema):
    whole = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    tool = define_tool("t", "T", whole, print)
    return rules(tool)["call"].split(r'\"a\": " (')[1].removesuffix(') "}") "}") "</tool_call>"')


def test_kinds_of_arguments():
    assert shape({"type": "integer"}) == "whole"
    assert shape({"type": "number"}) == "number"
    assert shape({"type": "boolean"}) == "flag"
    assert shape({"type": ["string", "null"]}) == 'text | "null"'
    assert shape({"enum": ["a", 2]}) == r'"\"a\"" | "2"'
    assert shape({"const": True}) == '"true"'
    assert shape({"type": "array", "items": TEXT}) == '"[" ((text) (", " (text)){0,8})? "]"'
    assert shape({"anyOf": [TEXT, {"type": "integer"}]}) == "(text) | (whole)"
    assert shape({"type": "object"}) == "object"
    assert shape({}) == shape({"type": "odd"}) == shape(True) == "value"


def test_a_schema_without_end_ends_in_any_value():
    deep = TEXT
    for _ in range(30):
        deep = {"type": "array", "items": deep}
    assert "(value)" in shape(deep)

"""Which tools a model is offered."""

from pagehand.models.profiles import ModelProfile
from pagehand.tools.offering import fillable, offered
from pagehand.tools.tool import define_tool

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


def test_tools_that_need_a_number_need_one_in_sight():
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    remove = define_tool("remove", "Remove", number, lambda arguments: None)
    assert fillable([NOTE, remove], "Remove it") == [NOTE]
    assert fillable([NOTE, remove], "Remove note 2") == [NOTE, remove]


def test_a_small_model_is_offered_the_likeliest_tools_in_their_order():
    names = ("play_song", "send_mail", "set_alarm", "read_news")
    empty = {"type": "object", "properties": {}}
    tools = [define_tool(name, name.replace("_", " "), empty, print) for name in names]
    few = ModelProfile(tools_at_once=2)
    got = offered(tools, "Set an alarm and play a song", few)
    assert [tool.name for tool in got] == ["play_song", "set_alarm"]
    assert offered(tools, "Set an alarm", ModelProfile()) == tools


def test_a_model_that_only_copies_keeps_its_tools_when_all_need_a_number():
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    remove = define_tool("remove", "Remove", number, lambda arguments: None)
    assert offered([remove], "Remove it", ModelProfile(only_copies=True)) == [remove]

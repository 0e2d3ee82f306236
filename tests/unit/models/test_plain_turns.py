"""Conversations in the order that every chat template takes."""

from hypothesis import given
from hypothesis import strategies as st

from pagehand.messages import Message, TextPart, ToolCallPart, ToolResultPart, user
from pagehand.models.plain_turns import plain_turns

ROLES = ("system", "user", "assistant", "tool")
WORD = st.text("abc ", max_size=4)


def turn(role, text):
    return Message(role, [TextPart(text)])


def shape(*turns):
    return [(each["role"], each["content"]) for each in plain_turns(turns)]


def test_an_ordinary_conversation_stays_as_it_is():
    turns = [turn("system", "Be brief."), user("hi"), turn("assistant", "hello"), user("bye")]
    assert shape(*turns) == [
        ("system", "Be brief."),
        ("user", "hi"),
        ("assistant", "hello"),
        ("user", "bye"),
    ]


def test_turns_of_one_role_become_one():
    assert shape(turn("system", "a"), turn("system", "b"), user("c"), user("d")) == [
        ("system", "a\n\nb"),
        ("user", "c\n\nd"),
    ]


def test_calls_and_results_of_other_models_become_what_they_said():
    call = Message("assistant", [TextPart("I look."), ToolCallPart("c", "add", '{"a":1}')])
    result = Message("tool", [ToolResultPart("c", "add", "done")])
    assert shape(user("hi"), call, result, user("and?")) == [
        ("user", "hi"),
        ("assistant", 'I look.\nadd({"a":1})'),
        ("user", "add: done\n\nand?"),
    ]


def test_what_the_assistant_said_first_is_told_by_the_user():
    summary = turn("assistant", "[Summary of earlier conversation] a")
    assert shape(turn("system", "s"), summary, user("b")) == [
        ("system", "s"),
        ("user", "[Summary of earlier conversation] a\n\nb"),
    ]


def test_a_late_system_turn_is_told_by_the_user():
    assert shape(user("a"), turn("system", "b")) == [("user", "a\n\nb")]


@given(st.lists(st.tuples(st.sampled_from(ROLES), WORD)))
def test_roles_take_turns_and_no_word_is_lost(conversation):
    turns = plain_turns(turn(role, text) for role, text in conversation)
    roles = [each["role"] for each in turns]
    body = roles[1:] if roles[:1] == ["system"] else roles
    assert body == ["user", "assistant"] * (len(body) // 2) + ["user"] * (len(body) % 2)
    assert "\n\n".join(each["content"] for each in turns) == "\n\n".join(
        text for _role, text in conversation if text
    )

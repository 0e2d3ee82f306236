"""A conversation made sound before it goes to a provider."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.messages import (
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    assistant,
    system,
    user,
)
from pagehand.models.base import GenerateResult, ModelRequest
from pagehand.models.turns import (
    INTERRUPTED,
    fresh_ids,
    merged,
    safe_id,
    short_id,
    sign,
    sound,
    split_system,
)


def call(id, name="t"):
    return ToolCallPart(id, name, {})


def result(id, output="done"):
    return ToolResultPart(id, "t", output)


def shape(messages):
    return [
        (message.role, [getattr(part, "id", None) or part.text for part in message.parts])
        for message in messages
    ]


def test_a_call_without_a_result_gets_one():
    mended = sound([user("u"), Message("assistant", [call("a"), call("b")]),
                    Message("tool", [result("b")])], "me", safe_id)  # fmt: skip
    assert shape(mended) == [("user", ["u"]), ("assistant", ["a", "b"]), ("tool", ["a", "b"])]
    first, second = mended[-1].parts
    assert (first.output, first.ok) == (INTERRUPTED, False) and second.output == "done"


def test_a_result_without_a_call_is_left_out():
    mended = sound([Message("tool", [result("x")]), user("u"), Message("tool", [result("y")])],
                   "me", safe_id)  # fmt: skip
    assert shape(mended) == [("user", ["u"])]


def test_results_of_several_messages_are_gathered():
    mended = sound([user("u"), Message("assistant", [call("a"), call("b")]),
                    Message("tool", [result("a")]), Message("tool", [result("b")])],
                   "me", safe_id)  # fmt: skip
    assert shape(mended)[1:] == [("assistant", ["a", "b"]), ("tool", ["a", "b"])]


def test_data_of_another_model_does_not_travel():
    answer = GenerateResult(
        parts=[
            ReasoningPart("r", {"signature": "s"}),
            TextPart("t", {"id": 1}),
            ToolCallPart("a", "t", {}, {"sig": 2}),
        ]
    )
    sign(answer, "me")
    turn = Message("assistant", list(answer.parts))
    mine = sound([user("u"), turn, Message("tool", [result("a")])], "me", safe_id)[1]
    assert [part.provider_data for part in mine.parts] == [
        {"signature": "s"},
        {"id": 1},
        {"sig": 2},
    ]
    other = sound([user("u"), turn, Message("tool", [result("a")])], "you", safe_id)[1]
    assert [part.provider_data for part in other.parts] == [None, None, None]
    assert turn.parts[0].provider_data == {"signature": "s", "by": "me"}


def test_ids_become_fit_alike_in_calls_and_results():
    odd = "functions.add:0|é"
    mended = sound([Message("assistant", [call(odd)]), Message("tool", [result(odd)])],
                   "me", safe_id)  # fmt: skip
    assert mended[1].parts[0].id == mended[2].parts[0].id == safe_id(odd)


@pytest.mark.parametrize(
    ("made_up", "fit"),
    [
        ("functions.now", "functions_now"),
        ("my tool", "my_tool"),
        ("зачем", "unknown"),
        ("", "unknown"),
        ("x" * 100, "x" * 64),
        ("get-it_2", "get-it_2"),
    ],
)
def test_a_name_that_a_model_made_up_becomes_fit_alike_in_call_and_result(made_up, fit):
    turn = Message("assistant", [ToolCallPart("a", made_up, {}, {"sig": 1, "by": "me"})])
    answer = Message("tool", [ToolResultPart("a", made_up, "There is no such tool.")])
    _, asked, told = sound([user("u"), turn, answer], "me", safe_id)
    assert (asked.parts[0].name, told.parts[0].name) == (fit, fit)
    # a signature is of the call as it was
    assert asked.parts[0].provider_data == ({"sig": 1} if fit == made_up else None)


def test_each_call_keeps_its_own_result_where_ids_come_twice():
    mended = sound(
        [
            user("u"),
            Message("assistant", [call("a"), call("a")]),
            Message("tool", [result("a", "one"), result("a", "two")]),
            Message("assistant", [call("a"), call("a_2")]),
            Message("tool", [result("a_2", "four"), result("a", "three")]),
        ],
        "me",
        safe_id,
    )
    assert shape(mended)[1:] == [
        ("assistant", ["a", "a_2"]),
        ("tool", ["a", "a_2"]),
        ("assistant", ["a_3", "a_2_2"]),
        ("tool", ["a_3", "a_2_2"]),
    ]
    told = [part.output for message in mended if message.role == "tool" for part in message.parts]
    assert told == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    "silent",
    [
        Message("assistant", []),
        Message("assistant", [TextPart(" \n")]),
        Message("assistant", [ReasoningPart("long", {"signature": "s", "by": "me"})]),
        Message("user", [ToolResultPart("x", "t", "no call")]),
        system(""),
    ],
)
def test_a_turn_in_which_nothing_is_said_is_left_out(silent):
    mended = sound([user("q"), silent, user("go on"), assistant("a"), silent, assistant("b")],
                   "me", safe_id)  # fmt: skip
    assert [(message.role, message.text) for message in mended] == [
        ("user", "q\n\ngo on"),
        ("assistant", "a\n\nb"),
    ]


def test_the_user_begins():
    mended = sound([system("s"), assistant("Welcome"), user("hi")], "me", safe_id)
    assert [message.role for message in mended] == ["system", "user", "assistant", "user"]


@given(st.text(), st.text())
def test_fit_ids(one, other):
    for fit, form in ((safe_id, r"[A-Za-z0-9_-]{1,64}"), (short_id, r"[A-Za-z0-9]{9}")):
        assert re.fullmatch(form, fit(one))
        assert fit(fit(one)) == fit(one)
        if one != other and not re.fullmatch(form, one) and not re.fullmatch(form, other):
            assert fit(one) != fit(other)


def test_turns_alternate():
    turns = merged([system("s"), user("a"), Message("tool", [result("x")]), user(" "),
                    assistant("b"), assistant("c"), user("d")])  # fmt: skip
    assert [(side, len(parts)) for side, parts in turns] == [
        ("user", 2),
        ("assistant", 2),
        ("user", 1),
    ]
    assert split_system([system("s"), user("a"), system("t")])[0] == ["s", "t"]


PARTS = st.lists(st.sampled_from("abc").map(call) | st.text("xy", max_size=2).map(TextPart),
                 max_size=4)  # fmt: skip
TURNS = st.lists(
    st.one_of(
        st.builds(Message, st.just("assistant"), PARTS),
        st.builds(Message, st.just("tool"), st.lists(st.sampled_from("abcd").map(result))),
        st.just(user("u")),
    ),
    max_size=8,
)


@given(TURNS)
def test_every_call_has_its_result_right_behind_it(messages):
    mended = sound(messages, "me", safe_id)
    for place, message in enumerate(mended):
        calls = [part.id for part in message.parts if isinstance(part, ToolCallPart)]
        if message.role != "system" and place:
            assert mended[place - 1].role != message.role
        if calls:
            assert [part.id for part in mended[place + 1].parts] == calls
        if message.role == "tool":
            assert place and mended[place - 1].role == "assistant"
    ids = [part.id for turn in mended for part in turn.parts if isinstance(part, ToolCallPart)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("used", [[], ["call_0"], ["call_1", "x"]])
def test_fresh_ids_are_fresh(used):
    request = ModelRequest([Message("assistant", [call(id) for id in used])])
    ids = fresh_ids(request)
    found = [next(ids) for _ in range(3)]
    assert len(set(found)) == 3 and not set(found) & set(used)

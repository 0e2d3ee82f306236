"""Thoughts between tags, split from the answer as it comes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.models.base import ModelWarning, ReasoningDelta, TextDelta
from pagehand.models.thoughts import TAGS, ThoughtSplitter


def split(*pieces, inside=False):
    """The parts of an output, neighbours of one kind joined."""
    splitter = ThoughtSplitter(inside)
    found = []
    for part in [part for piece in pieces for part in splitter.feed(piece)] + splitter.finish():
        last = found[-1] if found else None
        if type(part) is type(last) and not isinstance(part, ModelWarning):
            last.text += part.text
        else:
            found.append(part)
    return found


def told(*pieces, inside=False):
    """Text, thoughts, and the warnings by whether they begin anew."""
    parts = split(*pieces, inside=inside)
    text = "".join(part.text for part in parts if isinstance(part, TextDelta))
    thought = "".join(part.text for part in parts if isinstance(part, ReasoningDelta))
    return text, thought, [part.anew for part in parts if isinstance(part, ModelWarning)]


@pytest.mark.parametrize(
    ("output", "text", "thought"),
    [
        ("<think>a</think>b", "b", "a"),
        ("<think>\n a b \n</think>\n\n b\n", "b\n", "a b"),
        ("\n<think></think>\nb", "b", ""),
        ("one <think>a</think> two", "one two", "a"),
        ("one<think>a</think> two", "one two", "a"),
        ("<think>a</think><think>b</think>c", "c", "ab"),
        ("<think>a <think>b</think> c</think>d", "d", "a <think>b</think> c"),
        ("<think>I say <think> here.</think>Answer", "Answer", "I say <think> here."),
        ("<think>`<think>` is a tag</think>Answer", "Answer", "`<think>` is a tag"),
        ("So `<think>` and '<think>' are.", "So `<think>` and '<think>' are.", ""),
        ('{"a": "x <think> y"} <think>', '{"a": "x <think> y"} <think>', ""),
        ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```", ""),
        ("<tool_call><think>x</think>", "<tool_call><think>x</think>", ""),
        ("a < b <think>c</think>", "a < b ", "c"),
        ("</think>a", "a", ""),
        ("  \n ", "  \n ", ""),
    ],
)  # fmt: skip
def test_answer_and_thought(output, text, thought):
    assert told(output) == told(*output) == (text, thought, [])


@pytest.mark.parametrize("opening", TAGS)
def test_every_pair_of_tags(opening):
    assert told(f"{opening}a</x>{TAGS[opening]}b") == ("b", "a</x>", [])


def test_a_tag_cut_anywhere_streams_what_is_certain():
    splitter = ThoughtSplitter()
    assert splitter.feed("<think>a</th") == [ReasoningDelta("a")]
    assert splitter.feed("ink>b") == [TextDelta("b")]
    assert splitter.feed(" c <th") == [TextDelta(" c ")]
    assert splitter.finish() == [TextDelta("<th")]


def test_a_prompt_that_opened_the_thought():
    assert told("a</think>b", inside=True) == ("b", "a", [])
    assert told("<think>a</think>b", inside=True) == ("b", "a", [])
    assert told("a[/THINK]b", inside=True) == ("b", "a", [])


def test_a_thought_that_never_ends_says_so():
    assert told("<think>a") == ("", "a", [False])
    assert told("a", inside=True) == ("", "a", [False])


def test_a_closing_tag_alone_begins_the_answer_anew():
    splitter = ThoughtSplitter()
    first, warning, last = splitter.feed("a</think>b")
    assert (first, last) == (TextDelta("a"), TextDelta("b"))
    assert warning.anew


PIECES = st.sampled_from([*TAGS, *TAGS.values(), "<", ">", "`", "{", "\n", " ", "a", "</th", "<|"])


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join), st.booleans(), st.integers(0, 60))
def test_the_pieces_do_not_matter(output, inside, cut):
    whole = split(output, inside=inside)
    assert split(*output, inside=inside) == whole
    assert split(output[:cut], output[cut:], inside=inside) == whole


@given(st.text())
def test_text_without_tags_is_unchanged(text):
    if not any(tag in text for tag in (*TAGS, *TAGS.values())):
        assert told(text) == (text, "", [])

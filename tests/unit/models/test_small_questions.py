"""What a very small model is asked: which tool, then each argument; nothing is written freely."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import ConfigError, EngineError
from pagehand.messages import user
from pagehand.models.base import ModelRequest, ToolDefinition
from pagehand.models.choosing import Chooser
from pagehand.models.filling import Filler
from pagehand.models.local import LocalModel
from pagehand.models.profiles import ON_DEVICE, profile_of
from pagehand.models.spans import Request, literal
from pagehand.ports import EngineAnswer, EngineInfo, EngineProgress


def tool(name, description="", **properties):
    return ToolDefinition(
        name,
        description or name.replace("_", " ").capitalize() + ".",
        {"type": "object", "properties": properties, "required": list(properties)},
    )


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
ADD = tool("add_note", "Add a note to the board.", text=TEXT)
LIST = tool("list_notes", "List the notes on the board.")
MOVE = tool("move_note", "Move a note.", number=WHOLE, place=WHOLE)


class ScriptedJudge:
    """Likes what it is told to like: `likes` by a piece of the prompt and the text that follows."""

    def __init__(self, likes=(), picks=()):
        self.likes = dict(likes)
        self.picks = list(picks)
        self.asked = []

    async def weigh(self, prompt, text):
        self.asked.append((prompt, text))
        return next(
            (
                weight
                for (asked, told), weight in self.likes.items()
                if asked in prompt.splitlines()[-2:].__str__() and told in text
            ),
            -20.0,
        )

    async def pick(self, prompt, choices, end):
        self.asked.append((prompt, tuple(choices)))
        return self.picks.pop(0) if self.picks else choices[0]

    async def copy(self, prompt, pieces, end):
        return await self.pick(prompt, pieces.texts(), end)


async def test_the_likeliest_of_both_readings_is_chosen():
    likes = {("Add a note", 'Milk is out"'): -1.0, ("Milk is out", "list_notes"): -18.0}
    judge = ScriptedJudge(likes)
    chosen = await Chooser().choose(judge, "Milk is out", [ADD, LIST], must=True)
    assert chosen is ADD


async def test_what_is_likely_anyway_counts_less():
    likes = {
        ("Please.", "list_notes"): -1.0,  # the name it likes, whatever is asked
        ("Milk is out", "list_notes"): -1.0,
        ("Milk is out", "add_note"): -9.0,
    }
    judge = ScriptedJudge(likes)
    assert await Chooser().choose(judge, "Milk is out", [ADD, LIST], must=True) is ADD


async def test_what_does_not_depend_on_the_request_is_asked_once():
    chooser, judge = Chooser(), ScriptedJudge()
    await chooser.choose(judge, "one", [ADD, LIST], must=True)
    first = len(judge.asked)
    await chooser.choose(judge, "two", [ADD, LIST], must=True)
    assert len(judge.asked) - first == first - 3  # the three names after "Please."


async def test_no_tool_is_chosen_only_where_an_answer_is_far_likelier():
    likes = {("Hello", "answer"): -2.0, ("Answer a question", 'Hello"'): -5.0}
    judge = ScriptedJudge(likes)
    assert await Chooser().choose(judge, "Hello", [ADD, LIST], must=False) is None
    assert await Chooser().choose(judge, "Hello", [ADD, LIST], must=True) is not None
    close = ScriptedJudge({("Hello", "answer"): -18.0})
    assert await Chooser().choose(close, "Hello", [ADD, LIST], must=False) is not None


async def test_the_only_tool_that_must_be_called_is_not_asked_for():
    judge = ScriptedJudge()
    assert await Chooser().choose(judge, "x", [ADD], must=True) is ADD
    assert judge.asked == []


async def test_the_words_decide_between_what_is_equally_likely():
    chosen = await Chooser().choose(
        ScriptedJudge(), "show it", [ADD, LIST], must=True, words={"list_notes": 1.0}
    )
    assert chosen is LIST


async def fill(definition, task, *picks):
    judge = ScriptedJudge(picks=picks)
    return await Filler(judge, task, definition).fill(), judge


async def test_numbers_are_read_off_the_request_and_used_once():
    values, judge = await fill(MOVE, "Move note 3 to place 12", "3")
    assert values == {"number": 3, "place": 12}
    assert [choices for _, choices in judge.asked] == [("3", "12")]  # the second is what is left


async def test_a_number_that_is_not_there_is_left_out():
    values, _ = await fill(MOVE, "Move that note to place 2")
    assert values == {"number": 2}


async def test_a_value_that_is_named_is_not_asked_for():
    theme = tool("set_theme", theme={"enum": ["light", "dark"]})
    values, judge = await fill(theme, "Make it Dark, please")
    assert values == {"theme": "dark"} and judge.asked == []
    values, judge = await fill(theme, "My eyes hurt", "dark")
    assert values == {"theme": "dark"} and judge.asked[0][1] == ("light", "dark")


async def test_a_text_is_a_piece_of_the_request_and_pieces_are_used_once():
    mail = tool("send_mail", "Send a mail.", to=TEXT, text=TEXT)
    values, judge = await fill(mail, "Write Ann that dinner is ready", "Ann", "dinner")
    assert values == {"to": "Ann", "text": "dinner is ready"}  # a text takes the rest
    assert all("Ann" not in choice for choice in judge.asked[1][1])


async def test_objects_and_lists_are_filled_in_depth():
    order = tool(
        "order",
        "Order goods.",
        customer={"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
        colours={"type": "array", "items": TEXT},
        counts={"type": "array", "items": WHOLE},
        paid={"type": "boolean"},
        kind={"const": "goods"},
    )
    values, _ = await fill(
        order, "Get Mary 2 lamps in red, green and blue", "False", "Mary", "red, green and blue"
    )
    assert values == {
        "customer": {"name": "Mary"},
        "colours": ["red", "green", "blue"],
        "counts": [2],
        "paid": False,
        "kind": "goods",
    }


async def test_a_schema_that_says_nothing_gives_no_arguments():
    without = {"properties": 5, "required": ["x"]}
    for schema in ({}, {"type": "object"}, without, {"required": ["a"]}, {"required": 5}):
        judge = ScriptedJudge()
        assert await Filler(judge, "Do it", ToolDefinition("a", "b", schema)).fill() == {}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7), ("3.5", 3.5), ("-2", -2), ("80%", 80), ("#4", 4), ("€20", 20), ("twelve", 12),
        ("A-99", None), ("4711b", None), ("12:30", None), ("1.2.3", None), ("..", None),
        ("²", None), ("9" * 400, int("9" * 400)), ("1e5", None), ("", None),
    ],
)  # fmt: skip
def test_which_words_are_numbers(text, number):
    words = Request(f"take {text}").words
    assert (words[-1].number if len(words) > 1 else None) == number


WORDS = st.lists(
    st.sampled_from(["the", "red", "Car:", "of", "Ann", '"x"', "to", "(4", "+", "5)", "é", "you"]),
    min_size=1,
    max_size=12,
)


def _written_by(grammar, end):
    """Give every text that a grammar of pieces allows."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    texts = []

    def follow(rule, before):
        lead, rest = re.fullmatch(r'("(?:[^"\\]|\\.)*") \((.*)\)', rules[rule]).groups()
        text = before + _plain(lead)
        for way in rest.split(" | "):
            if way.startswith("m"):
                follow(way, text)
            else:
                assert _plain(way) == end
                texts.append(text)

    for start in rules["root"].split(" | "):
        follow(start, "")
    return texts


def _plain(quoted):
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), quoted[1:-1])


@given(WORDS, st.sets(st.integers(0, 11), max_size=3))
def test_the_grammar_of_pieces_writes_the_pieces(words, taken):
    request = Request(" ".join(words))
    request.taken = taken
    pieces = request.pieces(frozenset({"red"}))
    if not pieces.first:
        return
    written = _written_by(pieces.grammar('"\n'), '"\n')
    assert set(pieces.texts()) <= set(written)
    assert all(text in request.text for text in written)


@given(st.text(max_size=300))
def test_any_request_is_taken_apart(text):
    request = Request(text)
    for word in request.words:
        assert text[word.start : word.end] == word.bare
    for piece in request.pieces(frozenset()).texts():
        assert piece in text


@given(st.text(max_size=40))
def test_a_literal_holds_no_open_quote(text):
    assert re.fullmatch(r'"(?:[^"\\\n\r]|\\.)*"', literal(text))


class WeighingEngine:
    """Answers raw prompts: a grammar's first choice, with a likelihood by length."""

    def __init__(self, *texts, constraints=("likelihood",)):
        self.texts = list(texts)
        self.info = EngineInfo("embedded", 2048, constraints)
        self.requests = []

    async def load(self, model, on_progress, options=None):
        return self.info

    async def generate(self, request):
        self.requests.append(request)
        yield EngineProgress("queued", done=2)
        yield EngineProgress("start")
        if request.prompt is None:
            text = self.texts.pop(0)
            yield EngineAnswer(text, "stop", 3, 2)
            return
        if isinstance(self.texts[:1][0] if self.texts else None, Exception):
            raise self.texts.pop(0)
        first = re.search(r'"((?:[^"\\]|\\.)*)"', request.grammar)
        yield EngineAnswer(_plain(f'"{first[1]}"'), "stop", 5, 2, likelihood=-float(len(first[1])))


def local(engine):
    return LocalModel("embedded", engine=engine, profile=profile_of("embedded", ON_DEVICE))


async def parts_of(model, **options):
    request = ModelRequest([user("x")], tools=[ADD, LIST], task="Add a note: tea", **options)
    return [part async for part in model.stream(request)]


async def test_a_call_comes_as_the_parts_of_any_model():
    engine = WeighingEngine()
    parts = await parts_of(local(engine), tool_choice="required")
    kinds = [part.type for part in parts if part.type not in ("alive", "queued")]
    assert kinds == ["tool-call-start", "tool-call-delta", "tool-call-end", "finish"]
    assert any(part.type == "queued" and part.ahead == 2 for part in parts)
    result = parts[-1].result
    [call] = result.tool_calls
    assert result.finish_reason == "tool-calls" and call.name in ("add_note", "list_notes")
    assert result.usage.input_tokens == 5 * len(engine.requests)
    assert all(request.temperature == 0.0 and request.grammar for request in engine.requests)


async def test_told_to_call_nothing_it_writes():
    engine = WeighingEngine("Done.")
    parts = await parts_of(local(engine), tool_choice="none")
    assert parts[-1].result.text == "Done." and len(engine.requests) == 1


async def test_an_engine_without_likelihoods_takes_no_tools():
    with pytest.raises(ConfigError, match="prompted"):
        await parts_of(local(WeighingEngine(constraints=("json-schema",))))


async def test_a_fault_of_the_engine_is_raised_and_a_stop_leaves_nothing_running():
    with pytest.raises(EngineError, match="crashed"):
        await parts_of(local(WeighingEngine(EngineError("crashed"))))
    model = local(WeighingEngine())
    request = ModelRequest([user("x")], tools=[ADD, LIST], task="Add a note: tea")
    stream = model.stream(request)
    await anext(stream)
    await stream.aclose()
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

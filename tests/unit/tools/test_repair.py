"""Broken calls made whole: the ladder's own steps, then the model's and the host's help."""

import json
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pagehand import ToolInputError
from pagehand.models.base import ToolCall
from pagehand.schema import fits
from pagehand.tools.repair import RepairLadder, repair_call
from pagehand.tools.tool import define_tool, tool
from tests.support.schemas import OBJECTS, breakages


@tool(read_only=True)
def get_weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{city} {days}"


@tool
def set_note(text: str, tags: list[str] | None = None) -> None:
    """Keep a note."""


SEARCH = define_tool(
    "search_docs",
    "Search.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 5},
            "kind": {"enum": ["all", "docs"]},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    lambda arguments: arguments,
    read_only=True,
)
TOOLS = [get_weather, set_note, SEARCH]
VIENNA = {"city": "Vienna"}


def call(name, raw="", **options):
    return ToolCall("1", name, {}, raw, broken=True, **options)


def repaired(raw):
    found = repair_call(raw, TOOLS)
    return found.name, found.arguments, found.steps


@pytest.mark.parametrize(
    ("raw", "arguments", "steps"),
    [
        # nothing is wrong
        ({"name": "get_weather", "arguments": VIENNA}, VIENNA, ()),
        ('{"name": "get_weather", "arguments": {"city": "Vienna"}}', VIENNA, ()),
        (ToolCall("1", "get_weather", VIENNA), VIENNA, ()),
        # json
        (call("get_weather", '{"city": "Vienna",}'), VIENNA, ("json",)),
        (call("get_weather", "{'city': 'Vienna'}"), VIENNA, ("json",)),
        (call("get_weather", "{city: “Vienna”}"), VIENNA, ("json",)),
        (call("get_weather", '{"city": "Vienna" /* the capital */}'), VIENNA, ("json",)),
        (call("get_weather", '{"city": "Vienna"'), VIENNA, ("json",)),
        (call("get_weather", '```json\n{"city": "Vienna"}\n```'), VIENNA, ("json",)),
        (call("get_weather", '{"city": "Vienna"}{"city": "Vienna"}'), VIENNA, ("json",)),
        (call("get_weather", '{"city": "Vienna"}\n{"city": "Vienna"}'), VIENNA, ("json",)),
        (call("get_weather", json.dumps(json.dumps(VIENNA))), VIENNA, ("json",)),
        ({"name": "get_weather", "arguments": '{"city": "Vienna"}'}, VIENNA, ("json",)),
        ({"name": "get_weather", "arguments": json.dumps('{"city": "Vienna"}')}, VIENNA, ("json",)),
        ('{"name": "get_weather", "arguments": {"city": "Vienna"}', VIENNA, ("json",)),
        ('[{"name": "get_weather", "arguments": {"city": "Vienna"}}]', VIENNA, ("json",)),
        ({"tool": "get_weather", "city": "Vienna"}, VIENNA, ("json",)),
        # name
        ({"tool": "GetWeather", "args": VIENNA}, VIENNA, ("name",)),
        ({"action": "functions.get_weather", "input": VIENNA}, VIENNA, ("name",)),
        ({"name": "get_weatherget_weather", "parameters": VIENNA}, VIENNA, ("name",)),
        (ToolCall("1", "get_wether", VIENNA), VIENNA, ("name",)),
        # coerce
        (ToolCall("1", "get_weather", VIENNA | {"days": "3"}), VIENNA | {"days": 3}, ("coerce",)),
        (ToolCall("1", "get_weather", VIENNA | {"days": None}), VIENNA | {"days": 1}, ("coerce",)),
        (ToolCall("1", "get_weather", {"City": "Vienna"}), VIENNA, ("coerce",)),
        ({"name": "get_weather", "arguments": "Vienna"}, VIENNA, ("coerce",)),
        ({"name": "get_weather", "arguments": 5}, {"city": "5"}, ("coerce",)),
        ({"name": "get_weather", "arguments": [VIENNA]}, VIENNA, ("coerce",)),
        # several
        (
            {
                "type": "function",
                "function": {"name": "getWeather", "arguments": '{"city": "Vienna", "days": "3"}'},
            },
            VIENNA | {"days": 3},
            ("json", "name", "coerce"),
        ),
    ],
    ids=lambda case: str(case)[:60],
)
def test_the_first_valid_form_wins(raw, arguments, steps):
    assert repaired(raw) == ("get_weather", arguments, steps)
    get_weather.check_input(arguments)


def test_a_foreign_schema_is_fitted_too():
    arguments = {"query": 5, "kind": "Docs", "zebra": 1, "limit": None}
    expected = {"query": "5", "kind": "docs", "limit": 5}
    assert repaired({"name": "search_docs", "arguments": arguments}) == (
        "search_docs",
        expected,
        ("coerce",),
    )
    assert repaired({"name": "search-docs", "arguments": '"words"'})[1] == {"query": "words"}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"name": "get_note", "arguments": {}}, "no tool 'get_note'.*mean 'set_note'.*get_weather"),
        (call("get_weather", '{"city": "Vien'), "ends inside a value"),
        (call("get_weather", '{"city": "Vienna", "days": 1'), "ends inside a value"),
        (call("get_weather", '{"city": "Vienna",'), "ends inside a value"),
        (call("get_weather", "{"), "ends inside a value"),
        (call("set_note", '{"text": "a {"b": 1} c", "tags": []}'), "could mean several things"),
        (call("get_weather", '{"city": "Vienna"', cut=True), "ended inside the call"),
        (call("get_weather", '{"city": "Vienna"}{"city": "Linz"}'), "no JSON|several values"),
        (call("get_weather", '{"city": "Vienna"}\n{"city": "Linz"}'), "several values"),
        (call("get_weather", "I do not know"), "no JSON"),
        (call("get_weather", '["Vienna", "Linz"]'), "no JSON object.*city: string"),
        (ToolCall("1", "get_weather", {}), "city.*It takes .city: string, days.: integer"),
        (ToolCall("1", "get_weather", VIENNA | {"days": "many"}), "days"),
        (ToolCall("1", "search_docs", {"query": "x", "kind": "books"}), "kind"),
        (ToolCall("1", "search_docs", {"query": "x", "limits": 3}), "limits|additional"),
        ({"arguments": {}}, "names no tool"),
        ("nonsense", "no JSON"),
        ("5", "no JSON object"),
        ('[{"name": "get_weather"}, {"name": "set_note"}]', "one call"),
    ],
    ids=lambda case: str(case)[:60],
)
def test_what_cannot_be_repaired_says_what_would_be_right(raw, said):
    with pytest.raises(ToolInputError, match=f"(?s){said}"):
        repair_call(raw, TOOLS)


def test_numbers_that_json_has_not_are_null():
    found = repaired(call("get_weather", '{"city": "Vienna", "days": NaN}'))
    assert found == ("get_weather", VIENNA | {"days": 1}, ("json", "coerce"))
    with pytest.raises(ToolInputError):
        repair_call(ToolCall("1", "get_weather", {"city": math.inf}), TOOLS)
    price = define_tool(
        "price", "", {"type": "object", "properties": {"of": {"type": "number"}},
                      "required": ["of"]}, lambda arguments: None
    )  # fmt: skip
    for number in (math.nan, math.inf):
        with pytest.raises(ToolInputError, match="number"):
            repair_call(ToolCall("1", "price", {"of": number}), [price])


def test_a_large_text_is_repaired():
    text = 'print("{x}")\n' * 16_000
    raw = json.dumps({"text": text})[:-1] + ",}"
    assert repaired(call("set_note", raw)) == ("set_note", {"text": text}, ("json",))
    with pytest.raises(ToolInputError, match=r"read|ends"):
        repair_call(call("set_note", '{"text": "' + 'a "b" {c, ' * 20_000), TOOLS)


def test_brackets_quotes_and_tags_inside_texts_stay():
    text = 'if (a) { say "}" </tool_call> ``` [1,2'
    raw = json.dumps({"text": text, "tags": ["a"]})
    broken = raw.replace('"tags"', "tags")
    assert repaired(call("set_note", broken))[1] == {"text": text, "tags": ["a"]}


def test_many_tools_are_not_all_listed():
    many = [define_tool(f"tool_{n}", "", {"type": "object"}, lambda a: a) for n in range(500)]
    with pytest.raises(ToolInputError) as caught:
        repair_call({"name": "x" * 10_000}, many)
    assert len(str(caught.value)) < 1_000


def test_what_only_the_tool_itself_can_convert_is_left_to_it():
    import datetime

    @tool
    def remind(at: datetime.datetime) -> None:
        """Remind."""

    naive = {"at": "2026-12-01T10:00:00"}
    found = repair_call({"name": "remind", "arguments": naive}, [remind])
    assert (found.arguments, found.steps) == (naive, ())


async def test_a_valid_call_passes_the_ladder_as_it_is():
    def refuse(*_):
        raise AssertionError("nobody is asked")

    ladder = RepairLadder(TOOLS, reask=refuse, hook=refuse)
    for valid in (
        ToolCall("1", "get_weather", VIENNA),
        ToolCall("2", "set_note", {"text": "a", "tags": None}),
        ToolCall("3", "search_docs", {"query": "a"}),
        ToolCall("4", "unknown", {}, by_provider=True),
    ):
        assert await ladder.repair(valid) is valid
    assert valid.arguments == {}


async def test_the_ladder_fills_in_what_was_repaired():
    written = call("GetWeather", "{'city': 'Vienna', days: '2'}")
    found = await RepairLadder(TOOLS).repair(written)
    assert (found.id, found.name, found.arguments) == ("1", "get_weather", VIENNA | {"days": 2})
    assert found.repairs == ("json", "name", "coerce")
    assert (found.written_name, found.raw, found.broken) == ("GetWeather", written.raw, False)
    assert written.broken and written.name == "GetWeather"


def asking(*answers):
    """Give a function that answers in turn, and the list of what it was asked."""
    asked = []
    left = list(answers)

    async def ask(*question):
        asked.append(question)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask, asked


@pytest.mark.parametrize(
    "answer",
    [
        VIENNA,
        {"name": "get_weather", "arguments": VIENNA},
        '{"name": "get_weather", "arguments": {"city": "Vienna"}}',
        "Sure: ```json\n{'city': 'Vienna'}\n```",
    ],
    ids=str,
)
async def test_the_model_is_asked_once_more(answer):
    reask, asked = asking(answer)
    hook, told = asking()
    broken = ToolCall("1", "get_weather", {"town": "Vienna"})
    found = await RepairLadder(TOOLS, reask=reask, hook=hook).repair(broken)
    assert (found.name, found.arguments) == ("get_weather", VIENNA)
    assert found.repairs[-1] == "reask"
    [(again, fault, which)] = asked
    assert again is broken and which is get_weather and "city" in str(fault)
    assert told == []


async def test_the_host_has_the_last_word():
    reask, asked = asking({"town": "Vienna"})
    hook, told = asking({"name": "get_weather", "arguments": VIENNA})
    broken = call("get_weather", '{"town": "Vien')
    found = await RepairLadder(TOOLS, reask=reask, hook=hook).repair(broken)
    assert (found.arguments, found.repairs) == (VIENNA, ("hook",))
    assert len(asked) == 1
    [(question,)] = told
    assert set(question) == {"raw", "error", "tools"}
    assert question["raw"] == '{"name": "get_weather", "arguments": {"town": "Vien}'
    assert "city" in question["error"]
    assert [each["name"] for each in question["tools"]] == [each.name for each in TOOLS]
    assert json.loads(json.dumps(question["tools"]))[2]["inputSchema"] == SEARCH.input_schema


async def test_a_sync_hook_and_one_that_gives_nothing():
    broken = ToolCall("1", "get_weather", {})
    ladder = RepairLadder(TOOLS, hook=lambda question: VIENNA)
    assert (await ladder.repair(broken)).repairs == ("hook",)
    reask, asked = asking(None)
    with pytest.raises(ToolInputError, match="city"):
        await RepairLadder(TOOLS, reask=reask, hook=lambda question: None).repair(broken)
    assert len(asked) == 1


async def test_what_reask_or_hook_raise_is_told():
    broken = ToolCall("1", "get_weather", {})
    reask, _ = asking(RuntimeError("the model is busy"))
    with pytest.raises(ToolInputError, match=r"city.*the model is busy"):
        await RepairLadder(TOOLS, reask=reask).repair(broken)

    def hook(question):
        raise ValueError

    with pytest.raises(ToolInputError, match="ValueError"):
        await RepairLadder(TOOLS, hook=hook).repair(broken)


async def test_a_repair_leads_nowhere_else():
    write = {"name": "set_note", "arguments": {"text": "a"}}
    read = {"name": "search_docs", "arguments": {"query": "a"}}
    known = ToolCall("1", "get_weather", {})
    for answer in (write, read):
        for offered in ({"reask": asking(answer)[0]}, {"hook": asking(answer)[0]}):
            with pytest.raises(ToolInputError, match="another"):
                await RepairLadder(TOOLS, **offered).repair(known)
    # No tool is named: the model stays on the side of what is nearest, the host may choose.
    unknown = ToolCall("1", "read_docs", {"query": "a"})
    with pytest.raises(ToolInputError, match="reads and the other writes"):
        await RepairLadder(TOOLS, reask=asking(write)[0]).repair(unknown)
    assert (await RepairLadder(TOOLS, reask=asking(read)[0]).repair(unknown)).name == "search_docs"
    assert (await RepairLadder(TOOLS, hook=asking(write)[0]).repair(unknown)).name == "set_note"
    strange = ToolCall("1", "zzzz", {})
    with pytest.raises(ToolInputError, match="reads and the other writes"):
        await RepairLadder(TOOLS, reask=asking(write)[0]).repair(strange)


async def test_a_cut_call_is_never_repaired():
    reask, asked = asking(VIENNA)
    hook, told = asking(VIENNA)
    cut = ToolCall("1", "get_weather", dict(VIENNA), cut=True)
    with pytest.raises(ToolInputError, match="ended inside"):
        await RepairLadder(TOOLS, reask=reask, hook=hook).repair(cut)
    assert asked == told == []


WRITINGS = {
    "plain": lambda text: text,
    "trailing comma": lambda text: text[:-1] + ",}",
    "no last bracket": lambda text: text[:-1],
    "comment": lambda text: "{/* the call */" + text[1:],
    "fence": lambda text: f"```json\n{text}\n```",
    "twice": lambda text: text * 2,
    "as text": json.dumps,
    "single quotes": lambda text: text.replace('"', "'"),
    "Python": lambda text: repr(json.loads(text)),
    "too many brackets": lambda text: text + "}",
}


@settings(deadline=None)  # each schema is compiled
@given(OBJECTS, st.data(), st.sampled_from(sorted(WRITINGS)))
def test_a_broken_call_comes_back_equal_or_is_refused(pair, data, writing):
    schema, value = pair
    taker = define_tool("take_it", "", schema, lambda arguments: arguments)
    broken = value
    if data.draw(st.booleans()):
        broken = data.draw(st.sampled_from(breakages(schema, value)))
        assume(not fits(schema, broken))
    text = WRITINGS[writing](json.dumps(broken))
    name = data.draw(st.sampled_from(["take_it", "takeIt", "functions.take_it", "tke_it"]))
    try:
        found = repair_call({"name": name, "arguments": text}, [taker])
    except ToolInputError:
        return
    assert found.name == "take_it"
    assert fits(schema, found.arguments)
    assert said(found.arguments, schema) == said(value, schema)


@settings(deadline=None)
@given(OBJECTS, st.data())
def test_a_call_without_its_end_never_says_another_value(pair, data):
    schema, value = pair
    taker = define_tool("take_it", "", schema, lambda arguments: arguments)
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))
    try:
        found = repair_call(ToolCall("1", "take_it", {}, text[:cut], broken=True), [taker])
    except ToolInputError:
        return
    assert begins(value, filled(found.arguments, schema))


def begins(whole, part):
    """Whether nothing in a value differs from another; it may lack what came later."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and begins(whole[key], item) for key, item in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and all(map(begins, whole, part))
    return json.dumps(whole) == json.dumps(part)


def said(value, schema):
    """Give a value as JSON, without what stands at its default."""
    return json.dumps(filled(value, schema), sort_keys=True)


def filled(value, schema):
    if isinstance(value, list):
        return [filled(item, schema["items"]) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: filled(item, schema["properties"][key]) for key, item in value.items()}
    return {
        key: item
        for key, item in found.items()
        if item is not None and item != schema["properties"][key].get("default")
    }

"""Which tool a written name means, and which it does not."""

import difflib
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagehand.names import words_of
from pagehand.tools.tool import Tool
from pagehand.tools.tool_names import match_tool


def tools(*names, reading=()):
    return [
        Tool(name, "", {}, lambda arguments, context: None, read_only=name in reading)
        for name in names
    ]


def meant(name, *names):
    found = match_tool(name, tools(*names))
    return found and found.name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("get_weather", ["get", "weather"]),
        ("getUserID", ["get", "user", "id"]),
        ("listHTTPRoutes_v2", ["list", "http", "routes", "v2"]),
        ("web-search tool", ["web", "search", "tool"]),
        ("__", []),
    ],
)
def test_words_of_a_name(name, words):
    assert words_of(name) == words


@pytest.mark.parametrize(
    "name",
    [
        "get_weather",
        "Get_Weather",
        "GET-WEATHER",
        "getWeather",
        "get weather",
        "getweather",
        "`get_weather()`",
        "functions.get_weather",
        "functions.getWeather",
        "mcp.server.get_weather",
        "server__get_weather",
        "mcp__server__get_weather",
        "tools/get_weather",
        "default_api:get_weather",
        "get_weatherget_weather",
        "get_weather.get_weather",
        "get_wether",
        "get_weahter",
        "get_wheater",
        "gt_weather",
        "getwether",
        "functions.get_wether",
    ],
)
def test_spellings_of_one_name(name):
    assert meant(name, "get_weather", "search_web", "set_alarm") == "get_weather"


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("search", ["docs__search", "notes"], "docs__search"),
        ("functions.search", ["docs__search"], "docs__search"),
        ("docs.search", ["docs__search", "wiki__search"], "docs__search"),
        ("docs__serch", ["docs__search", "wiki__search"], "docs__search"),
        ("Search", ["search", "SEARCH"], None),
        ("SEARCH", ["search", "SEARCH"], "SEARCH"),
        ("webSearch", ["web_search", "web-search"], None),
        ("search", ["docs__search", "wiki__search"], None),
        ("github__create_issue", ["gitlab__create_issue"], None),
        ("search.delete", ["search", "delete"], None),
        ("get_usr", ["get_user", "get_users"], None),
        ("list_file", ["list_files", "delete_file"], "list_files"),
        ("weather", ["get_weather"], None),
        ("", ["a"], None),
        ("...", ["a"], None),
    ],
)
def test_what_fits_two_fits_none(name, names, found):
    assert meant(name, *names) == found


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("get_note", "set_note"),
        ("getnote", "set_note"),
        ("set_note", "get_note"),
        ("jet_note", "set_note"),  # as near to get_note
        ("list_files", "lost_files"),
        ("read_email", "send_email"),
        ("delete_files", "delete_all_files"),
        ("delete_all_files", "delete_files"),
        ("unlock_door", "lock_door"),
        ("undelete_record", "delete_record"),
        ("enable_notifications", "disable_notifications"),
        ("increase_volume_of_speaker", "decrease_volume_of_speaker"),
        ("calendar_event_list", "calendar_event_edit"),
        ("server_long_name__get_it", "server_long_name__set_it"),
        ("export_contacts", "import_contacts"),
        ("set_position_x", "set_position_y"),
        ("route_v1", "route_v2"),
        ("get_top_10_results", "get_top_100_results"),
        ("get_minimum_price", "get_maximum_price"),
    ],
)
def test_a_word_that_stands_for_itself_is_no_slip(name, tool):
    assert meant(name, tool) is None
    assert meant(name, tool, "unrelated") is None


def test_a_word_of_another_tool_is_no_slip():
    assert meant("text_server", "test_server") == "test_server"
    assert meant("text_server", "test_server", "text_note") is None


def test_a_tool_of_the_other_kind_within_the_margin_forbids_a_guess():
    both = tools("read_item", "send_item", reading=["read_item"])
    assert match_tool("raed_item", both) is both[0]
    assert match_tool("sned_item", both) is both[1]
    assert match_tool("rend_item", both) is None


def test_long_names_and_many_tools():
    many = tools(*(f"do_thing_number_{number}" for number in range(5_000)))
    assert match_tool("x" * 10_000, many) is None
    assert match_tool("a." * 5_000, many) is None
    assert match_tool("DoThingNumber_77", many) is many[77]
    assert match_tool("do_thing_numbr_77", many) is None  # as near to others
    assert match_tool("do", tools("d" * 64)) is None


WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=8)
NAMES = st.lists(WORDS, min_size=2, max_size=3).map(tuple)


@given(st.lists(NAMES, min_size=1, max_size=6, unique_by="".join), st.data())
def test_every_spelling_gives_the_tool_itself(names, data):
    known = tools(*map("_".join, names))
    place = data.draw(st.sampled_from(range(len(names))))
    first, *rest = names[place]
    spelling = data.draw(
        st.sampled_from(
            [
                first + "".join(map(str.capitalize, rest)),
                "-".join([first, *rest]),
                "_".join([first, *rest]).upper(),
                "functions." + "_".join([first, *rest]),
                "_".join([first, *rest]) * 2,
            ]
        )
    )
    others = {"".join(each) for each in names}
    assume(first * 2 not in others)
    assert match_tool(spelling, known) is known[place]


def ratio(one, other):
    return difflib.SequenceMatcher(None, one, other).ratio()


@given(st.lists(NAMES, min_size=2, max_size=6, unique_by="".join), st.data())
def test_a_slip_gives_its_tool_or_none(names, data):
    known = tools(*map("_".join, names))
    place = data.draw(st.sampled_from(range(len(names))))
    name = known[place].name
    at = data.draw(st.integers(0, len(name) - 1))
    written = name[:at] + data.draw(st.sampled_from(["", "e", name[at] * 2])) + name[at + 1 :]
    assume("".join(words_of(written)) not in map("".join, names))
    assume(all(ratio(name, other.name) < 0.7 for other in known if other is not known[place]))
    assert match_tool(written, known) in (None, known[place])

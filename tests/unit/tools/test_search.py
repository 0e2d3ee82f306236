"""Finding tools by words, and by a request in plain language."""

import pytest

from pagehand.tools.search import rank_tools, search_tools
from pagehand.tools.tool import Tool


def a_tool(name, description="", **properties):
    schema = {"type": "object", "properties": properties}
    return Tool(name, description, schema, lambda arguments, context: None)


OFFICE = [
    a_tool("mail__send_message", "Send an e-mail to somebody."),
    a_tool("mail__list_messages", "List the newest e-mails."),
    a_tool("calendar__create_event", "Put an appointment into the calendar."),
    a_tool("calendar__list_events", "Show the appointments of a day."),
    a_tool("files__searchFiles", "Find files by their content."),
    a_tool("files__delete-file", "Remove a file for good."),
    a_tool("contacts__find_person", "Look up an address or a phone number."),
]


def found(query, catalog=OFFICE, **options):
    return [tool.name for tool in search_tools(catalog, query, **options)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("event", ["calendar__create_event", "calendar__list_events"]),
        ("EVENTS", ["calendar__create_event", "calendar__list_events"]),
        ("list events", ["calendar__list_events", "mail__list_messages", "calendar__create_event"]),
        ("cal", ["calendar__create_event", "calendar__list_events"]),
        ("searching files", ["files__searchFiles", "files__delete-file"]),
        ("file", ["files__searchFiles", "files__delete-file"]),
        ("phone number", ["contacts__find_person"]),
        ("e-mail", ["mail__send_message", "mail__list_messages"]),
        ("li", []),
        ("zebra", []),
    ],
)
def test_words_find_tools(query, names):
    assert found(query)[: len(names)] == names
    assert bool(names) == bool(found(query))


def test_a_name_counts_more_than_a_server_and_that_more_than_a_description():
    catalog = [
        a_tool("web__fetch", "Gets notes."),
        a_tool("notes__fetch"),
        a_tool("web__notes"),
        a_tool("notes__notes", "Notes."),
    ]
    expected = ["notes__notes", "web__notes", "notes__fetch", "web__fetch"]
    assert found("note", catalog) == expected
    # One word in a name and one in a description: 4, and 5 for a name with its server.
    two = [a_tool("s__alpha", "beta"), a_tool("beta__alpha"), a_tool("s__other", "alpha beta")]
    assert found("alpha beta", two) == ["beta__alpha", "s__alpha", "s__other"]


def test_equals_keep_their_order_and_a_limit_cuts():
    catalog = [a_tool(f"thing_{number}") for number in (3, 1, 2)]
    assert found("thing", catalog) == ["thing_3", "thing_1", "thing_2"]
    assert found("thing", catalog, limit=2) == ["thing_3", "thing_1"]
    assert len(found("thing", [a_tool(f"thing_{number}") for number in range(30)])) == 10


def test_one_server():
    assert found("list", server="Mail") == ["mail__list_messages"]
    assert found("", server="files") == ["files__searchFiles", "files__delete-file"]
    assert found("list", server="none") == []
    assert len(found("")) == len(OFFICE)


def test_entries_without_a_function():
    catalog = [
        {"name": "search", "server": "docs", "description": "Searches the docs."},
        {"name": "docs__fetch", "server": "docs"},
        {"name": "fetch", "server": "web", "description": None},
    ]
    assert search_tools(catalog, "docs search") == catalog[:2]
    assert search_tools(catalog, "fetch", server="docs") == [catalog[1]]


def test_a_changed_catalogue_is_read_anew():
    catalog = [a_tool("first")]
    assert found("second", catalog) == []
    catalog.append(a_tool("second"))
    assert found("second", catalog) == ["second"]


def test_scripts_without_spaces():
    catalog = [a_tool("files_list", "列出文件"), a_tool("mail_list", "列出邮件")]
    assert found("文件", catalog)[0] == "files_list"
    assert found("ФАЙЛЫ", [a_tool("list", "Показать файлы")]) == ["list"]


SHOPPING = [
    a_tool("search_products", "Search the catalogue.", query={"type": "string"}),
    a_tool("add_to_cart", "Put a product into the cart."),
    a_tool("remove_from_cart", "Take a product out of the cart."),
    a_tool("show_cart", "Show what is in the cart."),
    a_tool("track_order", "Tell where a parcel is.", order_id={"description": "order number"}),
    a_tool("checkout", "Pay for everything in the cart."),
]
HOME = [
    a_tool("set_light", "Switch a light.", room={"enum": ["kitchen", "bedroom", "hall"]}),
    a_tool("set_temperature", "Set the heating of a room, in degrees."),
    a_tool("play_music", "Play a song, an artist or a radio station."),
    a_tool("lock_door", "Lock or unlock a door."),
    a_tool("vacuum_floor", "Send the robot to clean."),
]
TEXTS = [
    a_tool("translate_text", "Translate a text.", target_language={"type": "string"}),
    a_tool("summarize_text", "Make a text shorter."),
    a_tool("count_words", "Count the words of a text."),
    a_tool("convert_units", "Convert between units of measure."),
    a_tool("create_note", "Keep a note."),
    a_tool("delete_note", "Throw a note away."),
]


@pytest.mark.parametrize(
    ("request_text", "catalog", "name"),
    [
        ("Could you add two bottles of milk to my cart?", SHOPPING, "add_to_cart"),
        ("Delete the shoes from the cart, please", SHOPPING, "remove_from_cart"),
        ("Where is my parcel?", SHOPPING, "track_order"),
        ("find red running shoes in the catalogue", SHOPPING, "search_products"),
        ("Turn on the light in the kitchen", HOME, "set_light"),
        ("It is cold, turn the heating up to 22 degrees", HOME, "set_temperature"),
        ("Please start some music by Bach", HOME, "play_music"),
        ("Is the front door locked?", HOME, "lock_door"),
        ("I need a translation of this letter into French", TEXTS, "translate_text"),
        ("How many words are in this essay?", TEXTS, "count_words"),
        ("erase the note about the dentist", TEXTS, "delete_note"),
        ("make a new note: buy bread", TEXTS, "create_note"),
        ("What appointments do I have on Friday?", OFFICE, "calendar__list_events"),
        ("Send an e-mail to Ada", OFFICE, "mail__send_message"),
    ],
)
def test_a_request_ranks_its_tool_first(request_text, catalog, name):
    ranked = rank_tools(request_text, catalog)
    assert [tool.name for tool, _ in ranked][:1] == [name]
    assert {tool.name for tool, _ in ranked} == {tool.name for tool in catalog}


def test_what_fits_nothing_keeps_the_order_and_scores_nothing():
    ranked = rank_tools("zzz", HOME)
    assert [tool for tool, _ in ranked] == HOME
    assert {score for _, score in ranked} == {0.0}
    assert rank_tools("anything", []) == []
    assert [tool for tool, _ in rank_tools("", HOME)] == HOME


def test_ten_thousand_tools_and_a_long_request():
    many = [
        a_tool(f"server{number % 50}__do_thing_{number}", f"Does thing {number} in lists.")
        for number in range(10_000)
    ]
    assert found("thing 77", many)[0] == "server27__do_thing_77"
    ranked = rank_tools("do thing 77 " + "x" * 100_000 + " word" * 20_000, many)
    assert ranked[0][0].name == "server27__do_thing_77"

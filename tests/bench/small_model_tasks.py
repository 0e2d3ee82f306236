"""The tool tasks that small models are measured on: our own, fixed, never used to tune anything.

A task is a request, the tools that are offered, and the calls that would be right. Several values
of an argument may be right: then they stand in a tuple.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pagehand.tools.tool import Tool

Properties = dict[str, Any]

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
NUMBER = {"type": "number"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that is right. Arguments that are not named here may be anything."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """One request of a kind; `wanted` is in order for two steps, in any order else."""

    id: str
    kind: str
    request: str
    tools: tuple[str, ...]
    wanted: tuple[Wanted, ...]


def _tool(
    name: str,
    description: str,
    properties: Properties | None = None,
    *,
    optional: tuple[str, ...] = (),
    read_only: bool = False,
) -> Tool:
    fields = properties or {}
    schema = {
        "type": "object",
        "properties": fields,
        "required": [field for field in fields if field not in optional],
    }

    def execute(arguments: dict[str, Any], _context: object) -> dict[str, Any]:
        return {"done": True, **arguments}

    return Tool(name, description, schema, execute, read_only=read_only)


def _enum(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


_ALL = [
    _tool("add_task", "Add a task to the to-do list.", {"text": TEXT}),
    _tool("list_tasks", "List the open tasks.", read_only=True),
    _tool("complete_task", "Mark a task as done.", {"number": WHOLE}),
    _tool("start_timer", "Start a timer that rings after some minutes.", {"minutes": WHOLE}),
    _tool("stop_timer", "Stop the timer that is running."),
    _tool("set_alarm", "Set an alarm clock for a time of the day.", {"time": TEXT}),
    _tool("send_message", "Send a text message to a person.", {"to": TEXT, "text": TEXT}),
    _tool("call_person", "Start a phone call with a person.", {"person": TEXT}),
    _tool("read_messages", "Read the newest messages.", read_only=True),
    _tool("find_recipe", "Find a recipe for a dish.", {"dish": TEXT}, read_only=True),
    _tool("add_to_shopping_list", "Put an item on the shopping list.", {"item": TEXT}),
    _tool("show_shopping_list", "Show the shopping list.", read_only=True),
    _tool("get_weather", "Tell the weather of a place.", {"place": TEXT}, read_only=True),
    _tool("find_route", "Find the way to a place.", {"destination": TEXT}, read_only=True),
    _tool("find_restaurant", "Find a restaurant nearby.", {"cuisine": TEXT}, read_only=True),
    _tool("book_table", "Book a table in a restaurant.", {"restaurant": TEXT, "people": WHOLE}),
    _tool("play_song", "Play a song.", {"title": TEXT}),
    _tool("set_volume", "Set how loud the sound is, from 0 to 100.", {"level": WHOLE}),
    _tool("pause_playback", "Pause the music or the video."),
    _tool("open_file", "Open a file.", {"path": TEXT}, read_only=True),
    _tool("delete_file", "Delete a file for ever.", {"path": TEXT}),
    _tool("rename_file", "Give a file another name.", {"path": TEXT, "name": TEXT}),
    _tool("search_files", "Search all files for a word.", {"word": TEXT}, read_only=True),
    _tool("take_photo", "Take a photo with the camera."),
    _tool("convert_units", "Convert an amount from one unit to another.",
          {"amount": NUMBER, "source": TEXT, "target": TEXT}, read_only=True),
    _tool("define_word", "Look a word up in the dictionary.", {"word": TEXT}, read_only=True),
    _tool("translate_text", "Translate a text.", {"text": TEXT, "language": TEXT}, read_only=True),
    _tool("calculate", "Work out an arithmetic expression.", {"expression": TEXT}, read_only=True),
    _tool("set_brightness", "Set the brightness of the screen in percent.", {"percent": WHOLE}),
    _tool("set_theme", "Choose the colours of the page.", {"theme": _enum("light", "dark")}),
    _tool("water_plants", "Water the plants in the garden.", {"minutes": WHOLE}),
    _tool("open_garage", "Open the garage door."),
    _tool("close_garage", "Close the garage door."),
    _tool("feed_cat", "Give the cat food."),
    _tool("track_parcel", "Tell where a parcel is.", {"parcel": TEXT}, read_only=True),
    _tool("get_stock_price", "Tell the price of a share.", {"company": TEXT}, read_only=True),
    _tool("get_news", "Read the news about a topic.", {"topic": TEXT}, read_only=True),
    _tool("order_taxi", "Order a taxi to a place.", {"destination": TEXT}),
    _tool("buy_ticket", "Buy a train ticket to a city.", {"city": TEXT}),
    _tool("show_balance", "Show how much money is in the account.", read_only=True),
    _tool("transfer_money", "Transfer money to a person.", {"person": TEXT, "amount": NUMBER}),
    _tool("lock_screen", "Lock the screen of the computer."),
    _tool("take_screenshot", "Take a picture of the screen.", read_only=True),
    _tool("empty_trash", "Empty the trash."),
    _tool("connect_wifi", "Connect to a wireless network.", {"network": TEXT}),
    _tool("print_document", "Print a document.", {"name": TEXT, "copies": WHOLE}),
    _tool("run_tests", "Run the tests of a project.", {"project": TEXT}),
    _tool("show_diff", "Show what has changed in a branch.", {"branch": TEXT}, read_only=True),
    _tool("merge_branch", "Merge a branch into main.", {"branch": TEXT}),
    _tool("create_issue", "Report a bug in the issue tracker.", {"title": TEXT}),
    _tool("log_meal", "Write down what was eaten.", {"meal": TEXT}),
    _tool("log_weight", "Write down the body weight in kilograms.", {"kilograms": NUMBER}),
    _tool("start_workout", "Start a workout.", {"sport": TEXT}),
    _tool("mute_microphone", "Mute the microphone."),
    _tool("join_call", "Join a video conference.", {"name": TEXT}),
    _tool("share_screen", "Share the screen in the conference."),
    _tool("get_population", "Tell how many people live in a country.", {"country": TEXT},
          read_only=True),
    _tool("roll_dice", "Roll dice.", {"sides": WHOLE}, read_only=True),
    _tool("tell_joke", "Tell a joke.", read_only=True),
    _tool("show_calendar", "Show the appointments of a day.", {"day": TEXT}, read_only=True),
]  # fmt: skip
_NESTED = [
    _tool("create_order", "Order goods for a customer.", {
        "customer": {
            "type": "object",
            "properties": {"name": TEXT, "city": TEXT},
            "required": ["name", "city"],
        },
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"product": TEXT, "count": WHOLE},
                "required": ["product", "count"],
            },
        },
    }),
    _tool("plan_trip", "Plan a trip over several cities.", {
        "cities": {"type": "array", "items": TEXT},
        "budget": {"type": "object", "properties": {"amount": NUMBER, "currency": TEXT},
                   "required": ["amount", "currency"]},
    }, optional=("budget",)),
    _tool("invite_people", "Invite people to an event.", {
        "event": {"type": "object", "properties": {"title": TEXT, "day": TEXT},
                  "required": ["title", "day"]},
        "guests": {"type": "array", "items": TEXT},
    }),
]  # fmt: skip
TOOLS = {tool.name: tool for tool in [*_ALL, *_NESTED]}
_EVERYDAY = tuple(tool.name for tool in _ALL)

_TODO = ("add_task", "list_tasks", "complete_task", "start_timer")
_PHONE = ("send_message", "call_person", "read_messages", "set_alarm", "take_photo")
_KITCHEN = ("find_recipe", "add_to_shopping_list", "show_shopping_list", "start_timer", "log_meal")
_FILES = ("open_file", "delete_file", "rename_file", "search_files", "print_document")
_SOUND = ("play_song", "set_volume", "pause_playback", "set_brightness", "set_theme")
_CITY = ("get_weather", "find_route", "find_restaurant", "order_taxi", "buy_ticket")
_ORDERS = ("create_order", "plan_trip", "invite_people", "track_parcel")


def _some(count: int, *names: str) -> tuple[str, ...]:
    """Give `count` tools of the everyday ones with these among them, in their usual order."""
    others = [name for name in _EVERYDAY if name not in names][: count - len(names)]
    return tuple(name for name in _EVERYDAY if name in names or name in others)


def _single(request: str, tools: tuple[str, ...], name: str, **arguments: Any) -> Any:
    return "single", request, tools, (Wanted(name, arguments),)


def _of(count: int, request: str, name: str, **arguments: Any) -> Any:
    return f"choice-{count}", request, _some(count, name), (Wanted(name, arguments),)


def _none(request: str, tools: tuple[str, ...]) -> Any:
    return "none", request, tools, ()


def _more(kind: str, request: str, tools: tuple[str, ...], *wanted: Wanted) -> Any:
    return kind, request, tools, wanted


_ROWS: list[Any] = [
    _single("Add a task: renew the passport", _TODO, "add_task", text="renew the passport"),
    _single("I must not forget to buy stamps", _TODO, "add_task", text="buy stamps"),
    _single("What do I still have to do?", _TODO, "list_tasks"),
    _single("Tick off number 2", _TODO, "complete_task", number=2),
    _single("Wake me in 25 minutes", _TODO, "start_timer", minutes=25),
    _single("Text Lena that I will be late", _PHONE, "send_message", to="Lena",
            text=("I will be late", "that I will be late")),
    _single("Ring Grandma", _PHONE, "call_person", person="Grandma"),
    _single("Did anybody write to me?", _PHONE, "read_messages"),
    _single("Set the alarm to 6:30", _PHONE, "set_alarm", time=("6:30", "06:30")),
    _single("How do I cook lasagne?", _KITCHEN, "find_recipe", dish="lasagne"),
    _single("We are out of olive oil", _KITCHEN, "add_to_shopping_list", item="olive oil"),
    _single("What do we need from the shop?", _KITCHEN, "show_shopping_list"),
    _single("I had a cheese sandwich for lunch", _KITCHEN, "log_meal",
            meal=("cheese sandwich", "a cheese sandwich", "a cheese sandwich for lunch")),
    _single("Open report.txt", _FILES, "open_file", path="report.txt"),
    _single("Throw away old.log", _FILES, "delete_file", path="old.log"),
    _single("Which files mention Berlin?", _FILES, "search_files", word="Berlin"),
    _single("Play Clair de Lune", _SOUND, "play_song", title="Clair de Lune"),
    _single("Turn the volume to 40", _SOUND, "set_volume", level=40),
    _single("Switch to dark colours", _SOUND, "set_theme", theme="dark"),
    _single("Hold the music for a moment", _SOUND, "pause_playback"),
    _single("Is it sunny in Lisbon?", _CITY, "get_weather", place="Lisbon"),
    _single("How do I get to the main station?", _CITY, "find_route",
            destination=("main station", "the main station")),
    _single("I feel like Thai food", _CITY, "find_restaurant", cuisine=("Thai", "Thai food")),
    _single("Get me a cab to the airport", _CITY, "order_taxi",
            destination=("airport", "the airport")),
    _of(20, "Convert 12 miles to kilometres", "convert_units", amount=12, source="miles",
        target=("kilometres", "kilometers")),
    _of(20, "What does the word serendipity mean?", "define_word", word="serendipity"),
    _of(20, "Where is parcel 8842?", "track_parcel", parcel=("8842", "parcel 8842")),
    _of(20, "Open the garage please", "open_garage"),
    _of(20, "How much money do I have?", "show_balance"),
    _of(20, "What is going on in politics?", "get_news", topic="politics"),
    _of(20, "Make the screen brighter, 80 percent", "set_brightness", percent=80),
    _of(20, "Remind me with a timer in 10 minutes", "start_timer", minutes=10),
    _of(60, "How many people live in Norway?", "get_population", country="Norway"),
    _of(60, "Tell me something funny", "tell_joke"),
    _of(60, "Run the tests of atlas", "run_tests", project="atlas"),
    _of(60, "I weigh 71.5 kilograms today", "log_weight", kilograms=71.5),
    _of(60, "Give the cat something to eat", "feed_cat"),
    _of(60, "Say good night in Italian", "translate_text", text="good night", language="Italian"),
    _of(60, "What is 18 * 7?", "calculate", expression="18 * 7"),
    _of(60, "Mute me", "mute_microphone"),
    _more("parallel", "Add milk and bread to the shopping list", _KITCHEN,
          Wanted("add_to_shopping_list", {"item": "milk"}),
          Wanted("add_to_shopping_list", {"item": "bread"})),
    _more("parallel", "Set the volume to 20 and the brightness to 50", _SOUND,
          Wanted("set_volume", {"level": 20}), Wanted("set_brightness", {"percent": 50})),
    _more("parallel", "What is the weather in Rome and in Paris?", _CITY,
          Wanted("get_weather", {"place": "Rome"}), Wanted("get_weather", {"place": "Paris"})),
    _more("parallel", "Delete a.txt and b.txt", _FILES,
          Wanted("delete_file", {"path": "a.txt"}), Wanted("delete_file", {"path": "b.txt"})),
    _more("parallel", "Call Tim and send Eva the message hello", _PHONE,
          Wanted("call_person", {"person": "Tim"}),
          Wanted("send_message", {"to": "Eva", "text": "hello"})),
    _none("Thank you, that is all", _TODO),
    _none("What is the capital of Sweden?", _TODO),
    _none("Who are you?", _PHONE),
    _none("Write a short poem about the sea", _KITCHEN),
    _none("Why is the sky blue?", _FILES),
    _none("Good morning", _SOUND),
    _none("Explain what an index is", _FILES),
    _more("two-step", "Find a recipe for pancakes, then put flour on the shopping list", _KITCHEN,
          Wanted("find_recipe", {"dish": "pancakes"}),
          Wanted("add_to_shopping_list", {"item": "flour"})),
    _more("two-step", "Search the files for invoice, then print the document invoice with 2 copies",
          _FILES, Wanted("search_files", {"word": "invoice"}),
          Wanted("print_document", {"name": "invoice", "copies": 2})),
    _more("two-step", "Look at my open tasks and then finish task 4", _TODO,
          Wanted("list_tasks", {}), Wanted("complete_task", {"number": 4})),
    _more("two-step", "Pause the music, then set the volume to 10", _SOUND,
          Wanted("pause_playback", {}), Wanted("set_volume", {"level": 10})),
    _more("two-step", "Check the weather in Vienna and then buy a ticket to Vienna", _CITY,
          Wanted("get_weather", {"place": "Vienna"}), Wanted("buy_ticket", {"city": "Vienna"})),
    _more("nested", "Order 3 lamps for Mary in Leeds", _ORDERS,
          Wanted("create_order", {"customer": {"name": "Mary", "city": "Leeds"},
                                  "items": [{"product": ("lamp", "lamps"), "count": 3}]})),
    _more("nested", "Ship 2 chairs to Ben in Cork", _ORDERS,
          Wanted("create_order", {"customer": {"name": "Ben", "city": "Cork"},
                                  "items": [{"product": ("chair", "chairs"), "count": 2}]})),
    _more("nested", "Plan a trip to Turin and Genoa", _ORDERS,
          Wanted("plan_trip", {"cities": ["Turin", "Genoa"]})),
    _more("nested", "Plan a trip to Lyon for 900 euros", _ORDERS,
          Wanted("plan_trip", {"cities": ["Lyon"],
                               "budget": {"amount": 900, "currency": ("euros", "EUR", "euro")}})),
    _more("nested", "Invite Ida and Max to the picnic on Sunday", _ORDERS,
          Wanted("invite_people", {"event": {"title": ("picnic", "the picnic"), "day": "Sunday"},
                                   "guests": ["Ida", "Max"]})),
]  # fmt: skip


def _numbered(rows: list[Any]) -> list[Task]:
    seen: dict[str, int] = {}
    tasks = []
    for kind, request, tools, wanted in rows:
        seen[kind] = seen.get(kind, 0) + 1
        tasks.append(Task(f"{kind}-{seen[kind]:02}", kind, request, tools, wanted))
    return tasks


TASKS = _numbered(_ROWS)


def is_right(wanted: tuple[Wanted, ...], calls: list[tuple[str, dict[str, Any]]]) -> bool:
    """Whether these calls, and no others, are the ones that are wanted."""
    left = list(calls)
    for call in wanted:
        found = next(
            (each for each in left if each[0] == call.name and _fits(call.arguments, each[1])), None
        )
        if found is None:
            return False
        left.remove(found)
    return not left


def names_right(wanted: tuple[Wanted, ...], calls: list[tuple[str, dict[str, Any]]]) -> bool:
    """Whether the right tools were called, whatever their arguments."""
    return sorted(call.name for call in wanted) == sorted(name for name, _ in calls)


def _fits(wanted: Any, given: Any) -> bool:
    match wanted:
        case tuple():
            return any(_fits(each, given) for each in wanted)
        case dict():
            return isinstance(given, dict) and all(
                key in given and _fits(value, given[key]) for key, value in wanted.items()
            )
        case list():
            return (
                isinstance(given, list)
                and len(given) == len(wanted)
                and all(_fits(each, value) for each, value in zip(wanted, given, strict=True))
            )
        case str():
            return isinstance(given, str) and _plain(wanted) == _plain(given)
        case _:
            return bool(wanted == given) and not isinstance(given, bool)


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" .!?\"'").split())

"""The wheel in a stock Pyodide: no worker of ours, the interpreter's own loop."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.loop.scenarios import run_all
from tests.support.scripted_server import Answer, ScriptedServer, calls, chunk, fault, text

ROOT = Path(__file__).resolve().parents[2]
PLAN = json.dumps({"thought": "t", "steps": [{"description": "add it"}]})

CELL = """
from pagehand import create_agent, tool

notes = []

@tool
def add_note(text: str) -> str:
    '''Add a note.'''
    notes.append(text)
    return "added"

agent = await create_agent(
    model="openai-compatible:m", base_url={url!r}, api_key="sk-canary-77", tools=[add_note],
    llm_max_retries=0,
)
"""


def cell(selenium, url, code):
    return selenium.run_async(CELL.format(url=url) + code)


def test_an_agent_runs_in_a_cell(playground):
    script = [
        text(PLAN),
        calls(("add_note", {"text": "water the fern"})),
        text("Added."),
        text("Done."),
    ]
    with ScriptedServer(script) as server:
        told = cell(
            playground,
            server.url,
            """
events = [event async for event in agent.stream("Add a note that says water the fern")]
streamed = "".join(event.delta for event in events if event.type == "final.text-delta")
f"{notes} {events[0].type} {events[-1].type} {streamed}"
""",
        )
        assert server.headers[0]["authorization"] == "Bearer sk-canary-77"
    assert told == "['water the fern'] run.start run.complete Done."


FAULTS = {
    "a wrong key": (
        [fault(401, "bad key sk-canary-77")],
        "AuthenticationError",
        "check the API key",
    ),
    "no CORS": ([Answer(cors=False)], "CorsError", "Allow this origin on the server"),
    "a malformed stream": (
        [Answer(["not json"])] * 3,
        "MalformedResponseError",
        "OpenAI-compatible",
    ),
    "a cut stream": (
        [Answer([chunk(content="ha")], cut=True)] * 3,
        "StreamInterruptedError",
        "in the middle of",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told(playground, name):
    script, kind, said = FAULTS[name]
    with ScriptedServer(script) as server:
        told = cell(
            playground,
            server.url,
            """
try:
    await agent.run("Add a note that says water the fern")
except Exception as fault:
    told = f"{type(fault).__name__}: {fault}"
told
""",
        )
    assert told.startswith(kind) and said in told
    assert "sk-canary-77" not in told


def test_a_dead_endpoint_is_told(playground):
    with ScriptedServer([]) as server:
        url = server.url
    told = cell(
        playground,
        url,
        """
try:
    await agent.run("Add a note that says water the fern")
except Exception as fault:
    told = f"{type(fault).__name__}: {fault}"
told
""",
    )
    assert told.startswith("NetworkError") and "could not be reached" in told


def test_a_stop_ends_the_request(playground):
    with ScriptedServer([Answer([chunk(content="{")], hold=True)]) as server:
        told = cell(
            playground,
            server.url,
            """
from pagehand import AbortController
controller = AbortController()
def on_event(event):
    if event.type == "run.start":
        import asyncio
        asyncio.get_running_loop().call_later(0.2, controller.abort)
result = await agent.run("Add a note", signal=controller.signal, on_event=on_event)
str(result.stopped)
""",
        )
        assert told == "True"
        assert server.gone.wait(10)


def test_without_a_site_there_is_no_local_model(playground):
    told = playground.run_async("""
from pagehand import ConfigError, create_agent
try:
    await create_agent(model="embedded")
except ConfigError as fault:
    told = str(fault)
told
""")
    assert "openai-compatible" in told


def test_run_sync_can_block(playground):
    script = [text(PLAN), text("did it"), text("Done.")]
    with ScriptedServer(script) as server:
        told = cell(playground, server.url, 'agent.run_sync("Add a note that says hi").text')
    assert told == "Done."


def test_every_scenario_gives_the_same_events(playground):
    """The same file of scenarios, run inside Pyodide, tells event for event what CPython does."""
    source = (ROOT / "tests" / "loop" / "scenarios.py").read_text()
    told = json.loads(
        playground.run_async(f"""
import json, sys, types
module = types.ModuleType("scenarios")
sys.modules["scenarios"] = module
exec(compile({source!r}, "scenarios.py", "exec"), module.__dict__)
json.dumps(await module.run_all())
""")
    )
    with ThreadPoolExecutor(1) as other:  # this thread's loop belongs to Playwright
        expected = other.submit(asyncio.run, run_all()).result()
    assert told.keys() == expected.keys()
    for name, events in told.items():
        assert events == json.loads(json.dumps(expected[name])), name

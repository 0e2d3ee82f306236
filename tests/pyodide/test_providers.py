"""Every provider from inside a browser: the same runs, with the browser's own fetch and CORS."""

import base64
import json

import pytest

from tests.providers.cases import CASES, PNG
from tests.support.providers import answers
from tests.support.providers.server import ProviderServer
from tests.support.providers.wire import KEY

PLAN = {"thought": "One step is enough.", "steps": [{"description": "Look it up."}]}
CELL = """
import json
from pagehand import create_agent, define_tool

spec, thinking, image = json.loads({asked!r})
schema = {{"type": "object", "properties": {{"city": {{"type": "string"}}}}, "required": ["city"]}}
tool = define_tool("get_weather", "Give the weather", schema, lambda args, context: "21 °C")
agent = await create_agent(model=spec, tools=[tool], thinking=thinking, llm_max_retries=0)
thoughts = []
def on_event(event):
    if event.type == "step.reasoning-delta":
        thoughts.append(event.delta)
result = await agent.run("How warm is it?", images=image, on_event=on_event)
await agent.close()
json.dumps([result.text, "".join(thoughts), result.usage.to_dict()])
"""


@pytest.mark.parametrize("name", CASES)
def test_a_run_in_a_browser(playground, name):
    case = CASES[name]
    script = [
        answers.thinking_then_text("I plan.", json.dumps(PLAN)),
        answers.calls([("get_weather", {"city": "Zürich 🌞"})], thought="I look."),
        answers.text("21 °C.", thought="There it is."),
        answers.text("It is 21 °C in Zürich 🌞.", thought="I write."),
    ]
    with ProviderServer(case.wire(), script, step=13) as server:
        image = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        images = [image] if case.sees is not False else []
        asked = json.dumps([case.spec(server), "high" if case.thinks else None, images])
        told = json.loads(playground.run_async(CELL.format(asked=asked)))
        assert server.faults == []
    text, thoughts, usage = told
    assert text == "It is 21 °C in Zürich 🌞."
    assert thoughts == ("I look.There it is." if case.thinks and case.tells else "")
    assert usage["inputTokens"] == 4 * 100
    assert KEY not in text

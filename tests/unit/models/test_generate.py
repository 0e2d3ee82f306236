"""A model without an agent."""

import pydantic
import pytest

from pagehand import ConfigError, MalformedResponseError, generate_structured, run_tool_loop, tool
from pagehand.models.base import ToolCall, ToolCallEnd
from pagehand.models.profiles import ModelProfile
from pagehand.testing import ScriptedModel, scripted_platform


class City(pydantic.BaseModel):
    name: str
    size: int = 1


@pytest.mark.parametrize(
    ("target", "expected"),
    [(City, City(name="Rome", size=3)), ({"type": "object"}, {"name": "Rome", "size": 3})],
)
async def test_structured(target, expected):
    model = ScriptedModel(['{"name": "Rome", "size": 3}'], chunk=5)
    partial = []
    result = await generate_structured(
        model, target, "a city", platform=scripted_platform(), on_partial=partial.append
    )
    assert result.object == expected
    assert result.usage.total_tokens == 15  # generate's own fields are here too
    assert {"name": "Rome"} in partial
    assert model.requests[0].output_schema["type"] == "object"


@pytest.mark.parametrize("answer", ['{"size": 3}', "no json", "[1]"])
async def test_what_does_not_fit_is_refused(answer):
    with pytest.raises(MalformedResponseError):
        await generate_structured(
            ScriptedModel([answer]), City, "a city", platform=scripted_platform()
        )


async def test_nothing_to_ask():
    with pytest.raises(ConfigError, match="nothing to ask"):
        await generate_structured(ScriptedModel([]), City, platform=scripted_platform())


@tool
def double(number: int) -> int:
    """Double it."""
    return number * 2


async def test_a_native_tool_loop():
    model = ScriptedModel([[ToolCallEnd(ToolCall("c", "double", {"number": 4}, ""))], "It is 8."])
    heard = []
    result = await run_tool_loop(
        model, [double], "double 4", platform=scripted_platform(), on_event=heard.append
    )
    assert result.text == "It is 8."
    assert [(call.name, call.output) for call in result.tool_calls] == [("double", 8)]
    assert [message.role for message in result.messages] == ["user", "assistant", "tool"]
    assert result.result.usage.total_tokens == 30
    assert "call-done" in [event.type for event in heard]


async def test_a_prompted_tool_loop():
    model = ScriptedModel(
        [
            '{"reply": "", "actions": [{"tool": "double", "args": {"number": "4"}}]}',
            '{"reply": "It is 8.", "actions": []}',
        ],
        profile=ModelProfile(native_tools=False, output_schema=False),
    )
    result = await run_tool_loop(
        model, [double], "double 4", platform=scripted_platform(), system="Be brief."
    )
    assert result.text == "It is 8."
    assert "double{number: integer}" in model.requests[0].messages[0].text
    assert model.requests[0].messages[0].text.startswith("Be brief.")


async def test_rounds_are_capped():
    call = [ToolCallEnd(ToolCall("c", "double", {"number": 4}, ""))]
    result = await run_tool_loop(
        ScriptedModel([call, call]), [double], "x", max_steps=2, platform=scripted_platform()
    )
    assert len(result.tool_calls) == 2 and result.text == ""
    with pytest.raises(ConfigError, match="mode"):
        await run_tool_loop(ScriptedModel([]), [], "x", mode="magic", platform=scripted_platform())

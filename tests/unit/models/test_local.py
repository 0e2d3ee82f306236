"""Models on the device, over a scripted engine."""

import asyncio

import pytest

from pagehand import ConfigError, generate
from pagehand.errors import EngineError, ModelTimeoutError
from pagehand.messages import Message, ToolResultPart, user
from pagehand.models.base import ModelRequest, ToolDefinition
from pagehand.models.local import LocalModel
from pagehand.models.profiles import ON_DEVICE, profile_of
from pagehand.models.retry import CallPolicy, call
from pagehand.ports import EngineAnswer, EngineInfo, EngineProgress
from pagehand.testing import CountingEntropy, InstantClock, scripted_platform
from pagehand.usage import Usage


class ScriptedEngine:
    """Loads in two steps and answers each request with the next item of its script."""

    def __init__(self, *script, window=2048, constraints=("json-schema",)):
        self.script = list(script)
        self.info = EngineInfo("tiny", window, constraints)
        self.requests = []
        self.loads = 0
        self.stopped = False

    async def load(self, model, on_progress):
        self.loads += 1
        on_progress(0.5, "half")
        await asyncio.sleep(0)
        on_progress(1.0, "there")
        return self.info

    async def generate(self, request):
        self.requests.append(request)
        item = self.script.pop(0)
        if isinstance(item, BaseException):
            raise item
        yield EngineProgress("start")
        yield EngineProgress("prompt", done=3, total=3)
        if item is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped = True
        for piece in item.split(" "):
            yield EngineProgress("text", piece)
        yield EngineAnswer(item.replace(" ", ""), "stop", 3, 2)


def local(engine, name="embedded"):
    return LocalModel(name, engine=engine, profile=profile_of(name, ON_DEVICE))


async def parts_of(model, request, **policy):
    settings = CallPolicy(InstantClock(), CountingEntropy(), max_retries=0, **policy)
    return [part async for part in call(model, request, settings)]


async def test_the_first_call_loads_and_tells():
    engine = ScriptedEngine("he llo", "a gain")
    model = local(engine)
    parts = await parts_of(model, ModelRequest([user("hi")]))
    assert [(part.progress, part.text) for part in parts if part.type == "load-progress"] == [
        (0.5, "half"),
        (1.0, "there"),
    ]
    assert [part.text for part in parts if part.type == "text-delta"] == ["he", "llo"]
    result = parts[-1].result
    assert (result.text, result.usage) == ("hello", Usage(3, 2, 5))
    assert model.profile.context_window == 2048
    await parts_of(model, ModelRequest([user("hi")]))
    assert engine.loads == 1


async def test_a_schema_goes_to_a_decoder_that_can_be_held():
    schema = {"type": "object"}
    engine = ScriptedEngine("{}", "{}", constraints=())
    await parts_of(local(engine), ModelRequest([user("hi")], output_schema=schema))
    assert engine.requests[0].json_schema is None
    engine = ScriptedEngine("{}")
    await parts_of(local(engine), ModelRequest([user("hi")], output_schema=schema))
    assert engine.requests[0].json_schema == schema


async def test_a_thinking_model_thinks_first():
    engine = ScriptedEngine("let me see", "{}")
    model = local(engine, "wllama:qwen3.gguf")
    parts = await parts_of(model, ModelRequest([user("hi")], output_schema={"type": "object"}))
    first, second = engine.requests
    assert first.json_schema is None and second.json_schema == {"type": "object"}
    assert second.messages[1] == {"role": "assistant", "content": "letmesee"}
    result = parts[-1].result
    assert (result.text, result.reasoning) == ("{}", "letmesee")
    assert result.usage == Usage(6, 4, 10)


async def test_a_call_without_a_cap_gets_the_profiles():
    engine = ScriptedEngine("a", "a")
    model = local(engine)
    await parts_of(model, ModelRequest([user("hi")]))
    await parts_of(model, ModelRequest([user("hi")], max_output_tokens=7))
    assert [request.max_output_tokens for request in engine.requests] == [160, 7]


async def test_messages_become_plain_text():
    engine = ScriptedEngine("ok")
    turns = [user("hi"), Message("tool", [ToolResultPart("c", "add", "done")])]
    await parts_of(local(engine), ModelRequest(turns))
    assert engine.requests[0].messages[1] == {"role": "user", "content": "add: done"}


async def test_native_tools_are_refused():
    request = ModelRequest([user("hi")], tools=[ToolDefinition("a", "b", {})])
    with pytest.raises(ConfigError, match="prompted"):
        await parts_of(local(ScriptedEngine()), request)


async def test_silence_is_given_up_and_the_engine_stopped():
    engine = ScriptedEngine(None)
    with pytest.raises(ModelTimeoutError, match="no sign of life"):
        await parts_of(local(engine), ModelRequest([user("hi")]), timeout_ms=30)
    assert engine.stopped


async def test_a_slow_load_is_no_silence():
    class Slow(ScriptedEngine):
        async def load(self, model, on_progress):
            on_progress(0.1, "begun")
            await asyncio.sleep(0.15)
            return self.info

    parts = await parts_of(local(Slow("ok")), ModelRequest([user("hi")]), timeout_ms=50)
    assert parts[-1].result.text == "ok"


async def test_an_engine_fault_is_told():
    platform = scripted_platform(engine=ScriptedEngine(EngineError("part 2 is damaged")))
    with pytest.raises(EngineError, match="part 2"):
        await generate("embedded", "hi", platform=platform)

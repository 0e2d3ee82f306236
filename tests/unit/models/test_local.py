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
from pagehand.models.thinking import Thinking
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

    async def load(self, model, on_progress, options=None):
        self.options = options
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
    assert (first.thinking, second.thinking) == (None, False)
    result = parts[-1].result
    assert (result.text, result.reasoning) == ("{}", "letmesee")
    assert result.usage == Usage(6, 4, 10)


async def test_a_call_without_a_cap_gets_the_profiles():
    engine = ScriptedEngine("a", "a")
    model = local(engine)
    await parts_of(model, ModelRequest([user("hi")]))
    await parts_of(model, ModelRequest([user("hi")], max_output_tokens=7))
    assert [request.max_output_tokens for request in engine.requests] == [96, 7]


async def test_messages_become_plain_text():
    engine = ScriptedEngine("ok")
    turns = [user("hi"), Message("tool", [ToolResultPart("c", "add", "done")])]
    await parts_of(local(engine), ModelRequest(turns))
    assert engine.requests[0].messages == [{"role": "user", "content": "hi\n\nadd: done"}]


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
        async def load(self, model, on_progress, options=None):
            on_progress(0.1, "begun")
            await asyncio.sleep(0.15)
            return self.info

    parts = await parts_of(local(Slow("ok")), ModelRequest([user("hi")]), timeout_ms=50)
    assert parts[-1].result.text == "ok"


async def test_an_engine_fault_is_told():
    platform = scripted_platform(engine=ScriptedEngine(EngineError("part 2 is damaged")))
    with pytest.raises(EngineError, match="part 2"):
        await generate("embedded", "hi", platform=platform)


async def test_thoughts_in_the_text_come_out_as_reasoning():
    engine = ScriptedEngine("<thi nk>hm m</thi nk>yes")
    parts = await parts_of(local(engine), ModelRequest([user("hi")]))
    assert "".join(part.text for part in parts if part.type == "text-delta") == "yes"
    assert "".join(part.text for part in parts if part.type == "reasoning-delta") == "hmm"
    result = parts[-1].result
    assert (result.text, result.reasoning) == ("yes", "hmm")
    assert result.usage.reasoning_tokens is None


async def test_a_thought_whose_beginning_was_not_seen_takes_back_what_was_said():
    engine = ScriptedEngine("hm m</think>y es")
    parts = await parts_of(local(engine), ModelRequest([user("hi")]))
    assert [part.anew for part in parts if part.type == "warning"] == [True]
    result = parts[-1].result
    assert (result.text, result.reasoning) == ("yes", "hmm")


async def test_the_template_of_a_model_that_always_thinks_opens_the_thought():
    engine = ScriptedEngine("hm m</think>y es", "y es")
    model = local(engine, "web-llm:DeepSeek-R1-Distill-Qwen-7B-q4f16_1-MLC")
    parts = await parts_of(model, ModelRequest([user("hi")]))
    assert not [part for part in parts if part.type == "warning"]
    assert (parts[-1].result.text, parts[-1].result.reasoning) == ("yes", "hmm")
    still = ModelRequest([user("hi")], thinking=Thinking("none"))
    assert (await parts_of(model, still))[-1].result.text == "yes"
    assert [request.thinking for request in engine.requests] == [None, False]


async def test_an_answer_that_is_only_thought_is_empty_and_says_so():
    engine = ScriptedEngine("<think>hm m")
    parts = await parts_of(local(engine), ModelRequest([user("hi")]))
    assert [part.anew for part in parts if part.type == "warning"] == [False]
    assert (parts[-1].result.text, parts[-1].result.reasoning) == ("", "hmm")


async def test_tags_of_a_thinking_model_do_not_go_into_its_second_turn():
    engine = ScriptedEngine("<think>let me see</think>it is 2", '{"a":2}')
    model = local(engine, "wllama:qwen3.gguf")
    parts = await parts_of(model, ModelRequest([user("hi")], output_schema={"type": "object"}))
    assert engine.requests[1].messages[1]["content"] == "letmesee\n\nitis2"
    result = parts[-1].result
    assert (result.text, result.reasoning) == ('{"a":2}', "letmesee\n\nitis2")
    assert not [part for part in parts if part.type == "warning"]


async def test_an_answer_is_never_asked_to_be_longer_than_the_window():
    engine = ScriptedEngine("a", window=100)
    await parts_of(local(engine), ModelRequest([user("hi")], max_output_tokens=4000))
    assert engine.requests[0].max_output_tokens == 100


async def test_a_busy_engine_says_how_many_come_first_and_that_is_no_silence():
    class Busy(ScriptedEngine):
        async def generate(self, request):
            yield EngineProgress("queued", done=2)
            yield EngineProgress("queued", done=1)
            await asyncio.sleep(0.15)
            yield EngineProgress("load", "again", progress=0.5)
            await asyncio.sleep(0.15)
            yield EngineProgress("start")
            yield EngineAnswer("ok", "stop", 3, 2, 1)

    parts = await parts_of(local(Busy()), ModelRequest([user("hi")]), timeout_ms=50)
    assert [part.ahead for part in parts if part.type == "queued"] == [2, 1]
    assert [part.text for part in parts if part.type == "load-progress"][-1] == "again"
    result = parts[-1].result
    assert (result.text, result.usage.cached_input_tokens) == ("ok", 1)


async def test_a_call_names_its_model():
    engine = ScriptedEngine("ok")
    await parts_of(local(engine), ModelRequest([user("hi")]))
    assert (engine.requests[0].model, engine.options) == ("embedded", None)

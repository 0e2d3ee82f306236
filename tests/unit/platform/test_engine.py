"""The Engine port over a channel, with a scripted engine worker at the other end."""

import asyncio
from contextlib import aclosing

import pytest

from pagehand.errors import (
    ContextWindowExceededError,
    DeviceLostError,
    EngineError,
    WebGPUUnavailableError,
)
from pagehand.platform.engine import RpcEngine, SiteEngines
from pagehand.platform.rpc import RemoteError
from pagehand.ports import EngineAnswer, EngineOptions, EngineProgress, EngineRequest
from tests.support.pipe import pair

USAGE = {"inputTokens": 5, "outputTokens": 2, "cachedInputTokens": 3}
ANSWER = {"text": "hello", "finishReason": "stop", "usage": USAGE}


def engine_of(**handlers):
    asked = []

    def watched(method, answer):
        async def handle(params, context):
            asked.append(params)
            return await answer(context)

        return f"engine.{method}", handle

    peer, other, _ = pair(dict(watched(*item) for item in handlers.items()))
    return RpcEngine(lambda: peer), asked, other


async def test_a_load_tells_its_progress_and_passes_its_options():
    async def load(context):
        context.progress({"progress": 0.5, "text": "half"})
        return {"model": "web-llm:tiny", "contextWindow": 8192, "constraints": ["grammar"]}

    engine, asked, _other = engine_of(load=load)
    heard = []
    options = EngineOptions(8192, model_lib_url="https://site/lib.wasm", overrides={"top_p": 1})
    info = await engine.load("web-llm:tiny", lambda *news: heard.append(news), options)
    assert asked == [
        {
            "model": "web-llm:tiny",
            "options": {
                "contextWindow": 8192,
                "modelLibUrl": "https://site/lib.wasm",
                "overrides": {"top_p": 1},
            },
        }
    ]
    assert heard == [(0.5, "half")]
    assert (info.model, info.context_window, info.constraints) == (
        "web-llm:tiny",
        8192,
        ("grammar",),
    )


async def test_everything_of_a_request_goes_over_and_every_sign_of_life_comes_back():
    async def generate(context):
        context.progress({"kind": "queued", "ahead": 2})
        context.progress({"kind": "load", "progress": 0.25, "text": "again"})
        context.progress({"kind": "start"})
        context.progress({"kind": "prompt", "done": 3, "total": 5})
        context.progress({"kind": "text", "text": "hello"})
        return ANSWER

    engine, asked, _other = engine_of(generate=generate)
    turns = [{"role": "user", "content": "hi"}]
    request = EngineRequest(
        turns, 7, 0.5, thinking=False, model="embedded", grammar="root ::= x", stop=("end",)
    )
    steps = [step async for step in engine.generate(request)]
    assert asked == [
        {
            "model": "embedded",
            "messages": turns,
            "maxOutputTokens": 7,
            "temperature": 0.5,
            "thinking": False,
            "grammar": "root ::= x",
            "stop": ["end"],
        }
    ]
    assert steps == [
        EngineProgress("queued", done=2),
        EngineProgress("load", "again", progress=0.25),
        EngineProgress("start"),
        EngineProgress("prompt", done=3, total=5),
        EngineProgress("text", "hello"),
        EngineAnswer("hello", "stop", 5, 2, 3),
    ]


async def test_leaving_early_cancels_at_the_other_end():
    cancelled = asyncio.Event()

    async def generate(context):
        context.progress({"kind": "start"})
        context.signal.on_abort(cancelled.set)
        await asyncio.Event().wait()

    engine, _asked, _other = engine_of(generate=generate)
    async with aclosing(engine.generate(EngineRequest([]))) as steps:
        assert (await anext(steps)).kind == "start"
    await cancelled.wait()


@pytest.mark.parametrize(
    ("name", "kind", "retryable"),
    [
        ("EngineError", EngineError, True),
        ("EngineError", EngineError, False),
        ("DeviceLostError", DeviceLostError, True),
        ("WebGPUUnavailableError", WebGPUUnavailableError, False),
        ("RateLimitError", EngineError, False),  # no engine says this
    ],
)
async def test_faults_keep_their_kind_and_whether_to_try_again(name, kind, retryable):
    async def fail(context):
        raise RemoteError({"name": name, "message": "so it is", "retryable": retryable})

    engine, _asked, _other = engine_of(load=fail)
    with pytest.raises(kind, match="so it is") as raised:
        await engine.load("embedded", lambda *_news: None)
    assert type(raised.value) is kind
    assert raised.value.retryable is retryable
    assert raised.value.model == "embedded"


async def test_an_overflow_says_which_model_and_how_much():
    async def fail(context):
        details = {"tokens": 5000, "window": 4096}
        raise RemoteError(
            {"name": "ContextWindowExceededError", "message": "long", "details": details}
        )

    engine, _asked, _other = engine_of(generate=fail)
    with pytest.raises(ContextWindowExceededError, match=r"web-llm:tiny.*5000") as raised:
        async for _step in engine.generate(EngineRequest([], model="web-llm:tiny")):
            pass
    assert (raised.value.tokens, raised.value.window) == (5000, 4096)


@pytest.mark.parametrize(
    ("model", "end"),
    [("browser", "page"), ("embedded", "worker"), ("web-llm:browser", "worker")],
)
async def test_the_page_has_the_browser_s_own_model_and_the_worker_all_others(model, end):
    def engine_at(place):
        async def load(context):
            return {"model": f"{model} in the {place}", "contextWindow": 1024}

        async def generate(context):
            return ANSWER | {"text": place}

        return engine_of(load=load, generate=generate)[0]

    engines = SiteEngines(engine_at("page"), engine_at("worker"))
    info = await engines.load(model, lambda *_news: None)
    assert info.model == f"{model} in the {end}"
    (answer,) = [step async for step in engines.generate(EngineRequest([], model=model))]
    assert answer.text == end


async def test_whatever_is_loaded_answers_in_the_worker():
    async def generate(context):
        return ANSWER

    worker, asked, _other = engine_of(generate=generate)
    page, not_asked, _other = engine_of(generate=generate)
    async for _step in SiteEngines(page, worker).generate(EngineRequest([])):
        pass
    assert len(asked) == 1 and not_asked == []

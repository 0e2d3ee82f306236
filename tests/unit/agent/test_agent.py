"""The agent between and beside its runs."""

import asyncio
import json

import pytest

from pagehand import (
    AgentAborted,
    BusyError,
    ConfigError,
    MemoryStore,
    create_agent,
    define_tool,
    get_current_run_id,
)
from pagehand.cancel import AbortController
from pagehand.errors import ServerError
from pagehand.models.base import ToolCall, ToolCallEnd
from pagehand.testing import ScriptedModel, scripted_platform

PLAN = json.dumps({"thought": "", "steps": [{"description": "do it"}]})
SCRIPT = [PLAN, "did it", "Done."]


def never(started=None):
    async def wait(_request):
        if started is not None:
            started.set()
        await asyncio.Event().wait()

    return wait


async def agent_of(script, **options):
    options.setdefault("platform", scripted_platform())
    return await create_agent(model=ScriptedModel(script), **options)


async def test_runs_go_side_by_side():
    met = asyncio.Barrier(2)
    ids = []

    async def meet(_request):
        ids.append(get_current_run_id())
        await met.wait()
        return PLAN

    agent = await agent_of([meet, meet, "did it", "did it", "Done.", "Done."])
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(agent.run("a b c")) for _ in range(2)]
    assert {run.result().run_id for run in runs} == set(ids)
    assert agent.usage.total_tokens == 90
    assert get_current_run_id() is None and agent.active_runs() == 0


async def test_runs_on_one_session_wait_for_each_other():
    order = []

    def note(name):
        def answer(_request):
            order.append(name)
            return {"plan": PLAN}.get(name.split()[0], name)

        return answer

    script = [note(name) for name in ("plan 1", "step 1", "Done 1", "plan 2", "step 2", "Done 2")]
    memory = MemoryStore()
    agent = await agent_of(script, memory=memory)
    async with asyncio.TaskGroup() as group:
        group.create_task(agent.run("a b c"))
        group.create_task(agent.run("d e f"))
    assert order == ["plan 1", "step 1", "Done 1", "plan 2", "step 2", "Done 2"]
    assert len(await memory.load("default")) == 4


async def test_a_session_without_a_store_lives_in_the_agent():
    agent = await agent_of([*SCRIPT, *SCRIPT])
    await agent.run("my name is Ada", session_id="s")
    await agent.run("what is my name", session_id="s")
    model = agent._models.planner
    assert "my name is Ada" in model.requests[3].messages[-1].text


async def test_an_explicit_history_wins():
    memory = MemoryStore()
    await memory.append("default", [{"role": "user", "content": "stored"}])
    agent = await agent_of(SCRIPT, memory=memory)
    await agent.run("a b c", history=[{"role": "user", "content": "given"}])
    asked = agent._models.planner.requests[0].messages[-1].text
    assert "given" in asked and "stored" not in asked


async def test_too_many_runs_are_refused():
    started = asyncio.Event()
    agent = await agent_of([never(started)], max_concurrent_runs=1)
    controller = AbortController()
    first = asyncio.ensure_future(agent.run("a b c", signal=controller.signal))
    await started.wait()
    with pytest.raises(BusyError, match="max_concurrent_runs"):
        await agent.run("d e f")
    controller.abort()
    assert (await first).stopped


async def test_closing_stops_what_runs():
    started = asyncio.Event()
    agent = await agent_of([never(started)])
    running = asyncio.ensure_future(agent.run("a b c"))
    await started.wait()
    await agent.close()
    assert (await running).stopped
    with pytest.raises(ConfigError, match="closed"):
        await agent.run("d e f")


async def test_closing_can_wait():
    gate = asyncio.Event()

    async def slow(_request):
        await gate.wait()
        return PLAN

    agent = await agent_of([slow, "did it", "Done."])
    running = asyncio.ensure_future(agent.run("a b c"))
    while agent.active_runs() == 0:
        await asyncio.sleep(0)
    closing = asyncio.ensure_future(agent.close(wait_for_runs=True))
    await asyncio.sleep(0)
    gate.set()
    await closing
    assert (await running).text == "Done."


async def test_waiting_has_an_end():
    started = asyncio.Event()
    agent = await agent_of([never(started)], log_level="silent")
    running = asyncio.ensure_future(agent.run("a b c"))
    await started.wait()
    await agent.close(wait_for_runs=True, timeout_ms=10)
    assert (await running).stopped


async def test_usage_counts_failed_runs_and_can_be_reset():
    agent = await agent_of([PLAN, ServerError("x", retryable=False)])
    with pytest.raises(ServerError):
        await agent.run("a b c")
    assert agent.usage.total_tokens == 15
    agent.reset_usage()
    assert agent.usage.total_tokens is None


async def test_abort_can_raise():
    controller = AbortController()
    controller.abort()
    agent = await agent_of([], raise_on_abort=True)
    with pytest.raises(AgentAborted):
        await agent.run("a b c", signal=controller.signal)


async def test_a_task_that_is_cancelled_stays_cancelled():
    started, events = asyncio.Event(), []
    agent = await agent_of([never(started)])
    running = asyncio.ensure_future(agent.run("a b c", on_event=events.append))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [event.type for event in events][-2:] == ["stopped", "run.complete"]
    assert agent.active_runs() == 0


@pytest.mark.parametrize("request_", ["", "   ", None, 5])
async def test_an_empty_request_is_refused(request_):
    agent = await agent_of([])
    with pytest.raises(ConfigError, match="no request"):
        await agent.run(request_)


async def test_a_bad_history_is_refused():
    agent = await agent_of([])
    for history in ([5], [{"role": "user"}], [{"role": "boss", "content": "x"}]):
        with pytest.raises(ConfigError, match="essage 0"):
            await agent.run("a b c", history=history)


async def test_a_store_that_fails_fails_the_run_and_tells():
    class Broken(MemoryStore):
        async def load(self, session_id):
            raise OSError("disk gone")

    events = []
    agent = await agent_of([], memory=Broken())
    with pytest.raises(OSError, match="disk gone"):
        await agent.run("a b c", on_event=events.append)
    assert [event.type for event in events] == ["error", "run.complete"]
    assert events[0].phase == "run"


async def test_a_stream_gives_events_and_then_the_result():
    agent = await agent_of(SCRIPT)
    heard = []
    run = agent.stream("a b c", on_event=heard.append)
    events = [event async for event in run]
    assert events == heard and events[-1].type == "run.complete"
    assert run.result.text == "Done."


async def test_leaving_a_stream_stops_the_run():
    agent = await agent_of([PLAN, never()])
    iterator = aiter(agent.stream("a b c"))
    async for event in iterator:
        if event.type == "step.start":
            break
    await iterator.aclose()
    assert agent.active_runs() == 0


async def test_a_stream_raises_the_runs_fault():
    agent = await agent_of([PLAN, ServerError("x", retryable=False)])
    with pytest.raises(ServerError):
        async for _ in agent.stream("a b c"):
            pass


def test_run_sync():
    async def make():
        return await agent_of(SCRIPT)

    agent = asyncio.run(make())
    assert agent.run_sync("a b c").text == "Done."


async def test_run_sync_says_when_it_cannot_block():
    from pagehand.platform.native import native_platform

    agent = await agent_of(SCRIPT, platform=native_platform())
    with pytest.raises(ConfigError, match="await agent"):
        agent.run_sync("a b c")


async def test_async_handlers_are_awaited():
    heard = []

    async def listen(event):
        await asyncio.sleep(0)
        heard.append(event.type)

    agent = await agent_of(SCRIPT, on_event=listen)
    await agent.run("a b c")
    assert heard[0] == "run.start" and heard[-1] == "run.complete"


async def test_a_controller_in_place_of_its_signal_is_refused():
    agent = await agent_of([])
    with pytest.raises(ConfigError, match="AbortController"):
        await agent.run("a b c", signal=AbortController())
    assert agent.active_runs() == 0
    await agent.close()


async def test_a_handler_may_close_the_agent():
    async def close(event):
        if event.type == "run.complete":
            await agent.close()

    agent = await agent_of(SCRIPT, on_event=close)
    assert (await agent.run("a b c")).text == "Done."


async def test_a_stream_is_one_run():
    stream = (await agent_of(SCRIPT)).stream("a b c")
    _ = [event async for event in stream]
    with pytest.raises(ConfigError, match="one run"):
        aiter(stream)


async def test_nothing_is_told_after_the_end():
    kept, heard = [], []

    def keep(arguments, context):
        kept.append(context)

    call = [ToolCallEnd(ToolCall("c", "keep", {}, ""))]
    tool = define_tool("keep", "Keeps its context", {"type": "object"}, keep)
    agent = await agent_of([PLAN, call, "did it", "Done."], tools=[tool])
    await agent.run("a b c", on_event=heard.append)
    kept[0].progress(1.0, None, "too late")
    assert heard[-1].type == "run.complete"


async def test_a_signal_at_every_event_ends_the_run_once():
    """Whatever moment it fires at: one `run.complete`, last; no task is left."""
    events = []
    await (await agent_of(SCRIPT)).run("a b c", on_event=events.append)
    for moment in range(len(events)):
        controller, heard = AbortController(), []

        def listen(event, heard=heard, controller=controller, moment=moment):
            heard.append(event)
            if len(heard) == moment + 1:
                controller.abort()

        agent = await agent_of(SCRIPT)
        result = await agent.run("a b c", on_event=listen, signal=controller.signal)
        assert [event.type for event in heard].count("run.complete") == 1
        assert heard[-1].type == "run.complete"
        assert result.stopped == (heard[-1].status == "cancelled")
        assert asyncio.all_tasks() == {asyncio.current_task()}

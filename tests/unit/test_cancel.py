"""Signals and the scope that obeys them."""

import asyncio
import contextlib

import pytest

from pagehand.cancel import AbortController, abort_scope, closing
from pagehand.errors import AgentAborted


async def waiting_in_scope(controller) -> asyncio.Task:
    """A task that waits inside a scope for ever."""
    started = asyncio.Event()

    async def work():
        async with abort_scope(controller.signal):
            started.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(work())
    await started.wait()
    return task


async def test_a_signal_cancels_what_runs_inside():
    controller = AbortController()
    asyncio.get_running_loop().call_soon(controller.abort, "enough")
    with pytest.raises(AgentAborted, match="enough"):
        async with abort_scope(controller.signal):
            await asyncio.Event().wait()
    await asyncio.sleep(0)  # the task is not left cancelled
    assert asyncio.current_task().cancelling() == 0


async def test_a_signal_that_fired_before():
    controller = AbortController()
    controller.abort()
    with pytest.raises(AgentAborted):
        async with abort_scope(controller.signal):
            raise AssertionError("the body must not run")


async def test_a_cancellation_from_elsewhere_stays_one():
    controller = AbortController()
    task = await waiting_in_scope(controller)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_just_before_the_signal_stays_one():
    controller = AbortController()
    task = await waiting_in_scope(controller)
    task.cancel()
    controller.abort()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_an_inner_scope_does_not_eat_the_outer_signal():
    outer, inner = AbortController(), AbortController()
    loop = asyncio.get_running_loop()
    loop.call_soon(outer.abort)
    loop.call_soon(inner.abort)

    async def work():
        async with abort_scope(outer.signal):
            with contextlib.suppress(AgentAborted):
                async with abort_scope(inner.signal):
                    await asyncio.Event().wait()
            await asyncio.Event().wait()

    with pytest.raises(AgentAborted):
        await work()
    assert asyncio.current_task().cancelling() == 0


async def test_a_signal_in_the_last_turn_of_the_body():
    controller = AbortController()
    with pytest.raises(AgentAborted):
        async with abort_scope(controller.signal):
            controller.abort()
    await asyncio.sleep(0)
    assert asyncio.current_task().cancelling() == 0


async def test_scopes_nest():
    outer, inner = AbortController(), AbortController()
    asyncio.get_running_loop().call_soon(inner.abort)
    async with abort_scope(outer.signal):
        with pytest.raises(AgentAborted):
            async with abort_scope(inner.signal):
                await asyncio.Event().wait()
        await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(outer.abort)
    with pytest.raises(AgentAborted):
        async with abort_scope(outer.signal), abort_scope(AbortController().signal):
            await asyncio.Event().wait()


async def test_no_signal_is_no_scope():
    async with abort_scope(None):
        pass


def test_listeners_are_called_once_and_can_leave():
    controller, heard = AbortController(), []
    controller.signal.on_abort(lambda: heard.append("a"))
    leave = controller.signal.on_abort(lambda: heard.append("b"))
    leave()
    controller.abort()
    controller.abort()
    controller.signal.on_abort(lambda: heard.append("late"))
    assert heard == ["a", "late"]


async def test_leaving_early_closes_the_source():
    closed = []

    async def numbers():
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    async with closing(numbers()) as items:
        async for _ in items:
            break
    assert closed == [True]

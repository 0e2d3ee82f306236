"""Calls over a channel: answers, faults, progress, cancel."""

import asyncio
import json

import pytest

from pagehand.errors import RateLimitError
from pagehand.platform.rpc import RemoteError
from tests.support.pipe import pair


async def test_a_call_and_its_progress():
    async def add(params, context):
        context.progress("half")
        return params["a"] + params["b"]

    peer, _, pipe = pair({"add": add})
    heard = []
    assert await peer.call("add", {"a": 1, "b": 2}, on_progress=heard.append) == 3
    assert heard == ["half"]
    assert all(message["v"] == 1 for message in pipe.sent)


async def test_faults_cross_by_name():
    async def fail(params, context):
        raise RateLimitError("slow down", status=429)

    async def forward(params, context):
        raise RemoteError({"name": "OddError", "message": "odd", "retryable": True})

    peer, _, _ = pair({"fail": fail, "forward": forward})
    with pytest.raises(RemoteError, match="slow down") as raised:
        await peer.call("fail")
    assert (raised.value.name, raised.value.retryable) == ("RateLimitError", True)
    assert raised.value.details == {"status": 429}
    with pytest.raises(RemoteError) as raised:
        await peer.call("forward")
    assert raised.value.to_dict() == {"name": "OddError", "message": "odd", "retryable": True}
    with pytest.raises(RemoteError, match="no method 'nothing'"):
        await peer.call("nothing")


async def test_cancelling_cancels_at_the_other_end():
    aborted = asyncio.Event()
    started = asyncio.Event()

    async def wait(params, context):
        context.signal.on_abort(aborted.set)
        started.set()
        await aborted.wait()
        return "late"

    peer, _, _ = pair({"wait": wait})
    task = asyncio.ensure_future(peer.call("wait"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(aborted.wait(), 5)


async def test_notifications_and_foreign_messages():
    heard = asyncio.Event()

    async def ping(params, context):
        heard.set()

    peer, _other, pipe = pair({"ping": ping})
    peer.notify("ping")
    pipe.ends[0].other.listener(json.dumps({"hello": "stranger"}))
    pipe.ends[0].other.listener(json.dumps({"v": 1, "re": 99, "result": 1}))
    pipe.ends[0].other.listener(json.dumps({"v": 1, "id": 99, "cancel": True}))
    await asyncio.wait_for(heard.wait(), 5)


async def test_a_cancel_in_the_same_turn_as_its_request():
    aborted = []

    async def wait(params, context):
        aborted.append(context.signal.aborted)

    _, _, pipe = pair({"wait": wait})
    listener = pipe.ends[0].other.listener
    listener(json.dumps({"v": 1, "id": 1, "method": "wait"}))
    listener(json.dumps({"v": 1, "id": 1, "cancel": True}))
    await asyncio.sleep(0)
    assert aborted == [True]


@pytest.mark.parametrize("text", ["no json", "[]", "5", '{"v": 1, "re": []}', '{"v": 1, "id": {}}'])
async def test_what_is_no_message_is_passed_over(text):
    _, _, pipe = pair({})
    pipe.ends[0].other.listener(text)
    await asyncio.sleep(0)


async def test_an_odd_error_still_ends_the_call():
    peer, _, pipe = pair({})
    call = asyncio.ensure_future(peer.call("x"))
    await asyncio.sleep(0)
    pipe.ends[0].listener(json.dumps({"v": 1, "re": 1, "error": "it broke"}))
    with pytest.raises(RemoteError, match="it broke"):
        await call


async def test_an_infinity_crosses_as_null():
    async def give(params, context):
        return {"a": float("inf"), "b": [float("nan"), 1]}

    peer, _, _ = pair({"give": give})
    assert await peer.call("give") == {"a": None, "b": [None, 1]}

"""What the loop costs a model call on CPython, beside a bare client making the same requests."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from typing import Any

import httpx2

from pagehand import create_agent, define_tool
from pagehand.platform.native import native_platform
from pagehand.ports import HttpRequest, HttpResponse
from tests.bench.answering import serving
from tests.bench.loop_server import STEPS, TOOL

CALLS = 2 + 2 * STEPS
RUNS = 15
NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Recording:
    """An Http that keeps the bodies of what it sends."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.bodies: list[str] = []

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send on and keep."""
        assert isinstance(request.body, str)
        self.bodies.append(request.body)
        response: HttpResponse = await self.inner.send(request)
        return response


async def bodies_of_a_run(url: str) -> list[str]:
    """The request bodies of one run, for the bare client to repeat."""
    platform = native_platform()
    recording = Recording(platform.http)
    platform.http = recording
    agent = await create_agent(**settings(url), platform=platform)
    await agent.run("Add five notes to the board")
    await recording.inner.aclose()
    return recording.bodies


def settings(url: str) -> dict[str, Any]:
    """The agent under measure."""
    tool = define_tool(TOOL, "Add a note", NOTE, lambda arguments: "added")
    return {"model": "openai-compatible:m", "base_url": url, "tools": [tool]}


async def bare(client: httpx2.AsyncClient, url: str, bodies: list[str]) -> None:
    """The least a client must do: send, read the stream line by line, parse every chunk."""
    headers = {"content-type": "application/json"}
    for body in bodies:
        text = []
        async with client.stream(
            "POST", f"{url}/chat/completions", content=body, headers=headers
        ) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: ") and line != "data: [DONE]":
                    choices = json.loads(line[6:])["choices"]
                    if choices:
                        text.append(choices[0]["delta"].get("content") or "")


async def measure(url: str) -> tuple[list[float], list[float]]:
    """Seconds of a run, ours and bare, in turn."""
    bodies = await bodies_of_a_run(url)
    assert len(bodies) == CALLS, len(bodies)
    platform = native_platform()
    agent = await create_agent(**settings(url), platform=platform)
    ours, theirs = [], []
    async with httpx2.AsyncClient(timeout=None) as client:
        for _ in range(RUNS + 2):
            started = time.perf_counter()
            result = await agent.run("Add five notes to the board")
            middle = time.perf_counter()
            await bare(client, url, bodies)
            ours.append(middle - started)
            theirs.append(time.perf_counter() - middle)
            assert result.applied == STEPS
    await platform.http.aclose()  # type: ignore[attr-defined]
    return ours[2:], theirs[2:]


def main() -> None:
    """Print medians and the ratio."""
    with serving("loop_server.py") as address:
        ours, theirs = asyncio.run(measure(f"{address}/v1"))
    per_call = [1000 * statistics.median(times) / CALLS for times in (ours, theirs)]
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(f"loop, CPython: {per_call[0]:.2f} ms a model call ({CALLS} calls, {STEPS} tool calls)")
    print(f"bare httpx client, the same requests: {per_call[1]:.2f} ms a call")
    print(f"ratio {ratio:.2f} (budget 1.5), {RUNS} runs of each, in turn")


if __name__ == "__main__":
    main()

"""The script of the stream benchmarks: one step without a tool, then a long answer.

The model's name says how the answer comes: `burst` as fast as the connection takes it, each chunk
in a write of its own; `paced` PACE chunks a second, each with the time at which it was sent.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.answering import Answer, chunk, end, run

BURST = 5_000
PACE = 200
PACED = 1_000

PLAN = json.dumps({"thought": "I write it.", "steps": [{"description": "Gather the facts"}]})


def _text(text: str) -> Answer:
    return Answer([chunk({"content": text}) + end("stop", 1)])


BURST_CHUNKS = [chunk({"content": f"word{number} "}) for number in range(BURST)]


def _burst() -> Iterator[bytes]:
    yield from BURST_CHUNKS
    yield end("stop", BURST)


def _paced() -> Iterator[bytes]:
    for number in range(PACED):
        ending = "\n\n" if number % 40 == 39 else " "
        yield chunk({"content": f"{time.time() * 1000:.0f}{ending}"})
    yield end("stop", PACED)


def answer(request: dict[str, Any]) -> Answer:
    """What the conversation wants next."""
    if "response_format" in request:
        return _text(PLAN)
    if request.get("tools"):
        return _text("The facts are gathered.")
    if request["model"] == "paced":
        return Answer(_paced(), pause_s=1 / PACE)
    return Answer(_burst())


if __name__ == "__main__":
    run(answer)

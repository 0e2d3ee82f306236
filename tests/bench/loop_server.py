"""The script of the loop benchmarks: a plan of STEPS steps, one tool call and a report for each
step, then the answer. What is answered depends only on the conversation; each text that a client
wants streamed has CHUNKS chunks. Any chat completions client can use it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.answering import CHUNK, Answer, chunk, end, run, usage

STEPS = 5
CHUNKS = 40
TOOL = "add_note"

WORDS = " ".join(f"word{number}" for number in range(CHUNKS))
PLAN = json.dumps(
    {
        "thought": "Five notes are to be added, one after another, and then I report.",
        "steps": [{"description": f"Add note {number}"} for number in range(STEPS)],
    }
)


def _streamed(text: str) -> Answer:
    size = -(-len(text) // CHUNKS)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    first = chunk({"role": "assistant", "content": ""})
    body = first + b"".join(chunk({"content": piece}) for piece in pieces)
    return Answer([body + end("stop", CHUNKS)])


def _whole(text: str) -> Answer:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    body = {**CHUNK, "object": "chat.completion", "choices": choices, "usage": usage(CHUNKS)}
    return Answer([json.dumps(body).encode()], content_type="application/json")


def _call(number: int) -> Answer:
    arguments = json.dumps({"text": f"note {number}"})
    function = {"name": TOOL, "arguments": arguments}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    body = chunk({"role": "assistant", "tool_calls": [call]}) + end("tool_calls", CHUNKS)
    return Answer([body])


STREAMED = {"plan": _streamed(PLAN), "call": _call(1), "report": _streamed(WORDS)}
WHOLE = {"plan": _whole(PLAN)}


def kind_of(request: dict[str, Any]) -> str:
    """What a conversation wants next."""
    if request.get("tools"):
        return "report" if request["messages"][-1]["role"] == "tool" else "call"
    return "plan" if "response_format" in request else "report"


def answer(request: dict[str, Any]) -> Answer:
    """The scripted answer, streamed where the client asks for a stream."""
    return (STREAMED if request.get("stream") else WHOLE)[kind_of(request)]


if __name__ == "__main__":
    run(answer)

"""The scripted server of the loop benchmark, in a process of its own: answers ready-made bytes.

Any chat completions client can use it. What it answers depends only on the conversation: a plan of
STEPS steps, then for each step one tool call and a report, then the answer; each streamed text has
CHUNKS chunks.
"""

from __future__ import annotations

import asyncio
import json
import sys

STEPS = 5
CHUNKS = 40
TOOL = "add_note"


def _chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps({**body, "choices": [choice]}).encode() + b"\n\n"


def _end(finish: str) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": CHUNKS, "total_tokens": 100 + CHUNKS}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    tail = json.dumps({**body, "choices": [], "usage": usage}).encode()
    return _chunk({}, finish) + b"data: " + tail + b"\n\ndata: [DONE]\n\n"


def _streamed(text: str) -> bytes:
    size = -(-len(text) // CHUNKS)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    first = _chunk({"role": "assistant", "content": ""})
    return first + b"".join(_chunk({"content": piece}) for piece in pieces) + _end("stop")


def _call(number: int) -> bytes:
    arguments = json.dumps({"text": f"note {number}"})
    function = {"name": TOOL, "arguments": arguments}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return _chunk({"role": "assistant", "tool_calls": [call]}) + _end("tool_calls")


WORDS = " ".join(f"word{number}" for number in range(CHUNKS))
PLAN = json.dumps(
    {
        "thought": "Five notes are to be added, one after another, and then I report what was done.",
        "steps": [{"description": f"Add note {number}"} for number in range(STEPS)],
    }
)
ANSWERS = {
    "plan": _streamed(PLAN),
    "call": _call(1),
    "report": _streamed(WORDS),
}


def kind_of(request: dict[str, object]) -> str:
    """What a conversation wants next."""
    messages = request.get("messages")
    assert isinstance(messages, list)
    if request.get("tools"):
        return "report" if messages[-1]["role"] == "tool" else "call"
    return "plan" if "response_format" in request else "report"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    cors = b"access-control-allow-origin: *\r\naccess-control-allow-headers: *, authorization\r\n"
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode().lower().split("\r\n")
            length = next(
                (int(line.split(":")[1]) for line in lines if line.startswith("content-length")), 0
            )
            body = await reader.readexactly(length) if length else b""
            if not head.startswith(b"POST"):
                writer.write(b"HTTP/1.1 204 No Content\r\n" + cors + b"content-length: 0\r\n\r\n")
                continue
            answer = ANSWERS[kind_of(json.loads(body))]
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                + cors
                + f"content-length: {len(answer)}\r\n\r\n".encode()
                + answer
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    """Serve on a free port of loopback and print its address."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=2**22)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)

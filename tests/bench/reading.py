"""How fast each wire reads a stream, beside the bare work: finding events and parsing their JSON.

The same file runs on CPython and inside Pyodide. The largest recorded stream of a wire is read
again and again; where no recordings lie beside the checkout, a stream of the same form is made.
"""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import subprocess
import time
import tracemalloc
from binascii import crc32
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pagehand import ModelSpec, generate
from pagehand.models.event_stream import EventStreamDecoder
from pagehand.ports import HttpRequest
from pagehand.testing import scripted_platform

BATCH = 16_384
PROVIDERS = {
    "openai-chat": "openai-compatible",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "bedrock": "amazon-bedrock",
}


class Tape:
    """An answer of bytes in batches, as a network gives them."""

    status = 200

    def __init__(self, body: bytes, kind: str) -> None:
        self._body = body
        self.headers = {"content-type": kind}

    async def batches(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), BATCH):
            yield self._body[start : start + BATCH]

    async def read(self) -> bytes:
        return self._body

    async def close(self) -> None:
        """Nothing is open."""


class TapeHttp:
    """A network with one answer."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    async def send(self, request: HttpRequest) -> Tape:
        return self._tape


def kind_of(wire: str) -> str:
    return "application/vnd.amazon.eventstream" if wire == "bedrock" else "text/event-stream"


async def read(wire: str, body: bytes) -> Any:
    """Read a stream as an agent does."""
    options = {"region": "us-east-1"} if wire == "bedrock" else {}
    spec = ModelSpec(
        f"{PROVIDERS[wire]}:m", base_url="http://t/v1", api_key="k", provider_options=options
    )
    platform = scripted_platform(http=TapeHttp(Tape(body, kind_of(wire))))
    return await generate(spec, "hi", platform=platform, max_retries=0)


def bare(wire: str, body: bytes) -> int:
    """The least that any reader does: find the events and parse their JSON."""
    if wire == "bedrock":
        decoder = EventStreamDecoder()
        return sum(
            len(decoder.feed(body[start : start + BATCH])) for start in range(0, len(body), BATCH)
        )
    count = 0
    for block in body.split(b"\n\n"):
        for line in block.split(b"\n"):
            if line.startswith(b"data:") and line[5:].strip() not in (b"", b"[DONE]"):
                json.loads(line[5:])
                count += 1
    return count


async def measure(streams: dict[str, bytes], seconds: float) -> dict[str, dict[str, float]]:
    """Give megabytes a second, ours and bare in turn, by wire; about so many seconds each."""
    told = {}
    for wire, body in streams.items():
        ours = theirs = 0.0
        times = 0
        await read(wire, body)
        while ours < seconds:
            started = time.perf_counter()
            await read(wire, body)
            middle = time.perf_counter()
            bare(wire, body)
            ours += middle - started
            theirs += time.perf_counter() - middle
            times += 1
        size = len(body) * times / 1e6
        told[wire] = {"ours": size / ours, "bare": size / theirs, "bytes": len(body)}
    return told


async def memory(streams: dict[str, bytes]) -> dict[str, dict[str, float]]:
    """Give the peak of Python's memory (MB) while a stream is read, the stream itself left out."""
    told = {}
    for wire, body in streams.items():
        tracemalloc.start()
        result = await read(wire, body)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        told[wire] = {"peak": peak, "stream": len(body) / 1e6, "text": len(result.text) / 1e6}
    return told


def made(wire: str, size: int) -> bytes:
    """Make a stream of a text in small deltas, of at least `size` bytes."""
    head, delta, tail = _FORMS[wire]
    count = -(-size // len(delta))
    return b"".join([*head, *([delta] * count), *tail])


def _event(value: Any) -> bytes:
    return f"event: {value.get('type', 'message')}\ndata: {json.dumps(value)}\n\n".encode()


def _frame(kind: str, value: Any) -> bytes:
    """One frame of AWS's binary event stream."""
    pairs = {":event-type": kind, ":message-type": "event", ":content-type": "application/json"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for name, text in pairs.items()
    )
    payload = json.dumps(value).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    frame = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return frame + struct.pack(">I", crc32(frame))


_WORDS = "a few more words "
_FORMS: dict[str, tuple[list[bytes], bytes, list[bytes]]] = {
    "openai-chat": (
        [],
        _event({"choices": [{"index": 0, "delta": {"content": _WORDS}, "finish_reason": None}]}),
        [_event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})],
    ),
    "openai-responses": (
        [],
        _event({"type": "response.output_text.delta", "output_index": 0, "delta": _WORDS}),
        [_event({"type": "response.completed", "response": {"status": "completed"}})],
    ),
    "anthropic": (
        [_event({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}})],
        _event(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": _WORDS},
            }
        ),
        [
            _event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            _event({"type": "message_stop"}),
        ],
    ),
    "gemini": (
        [],
        _event({"candidates": [{"content": {"parts": [{"text": _WORDS}]}}]}),
        [_event({"candidates": [{"finishReason": "STOP"}]})],
    ),
    "bedrock": (
        [],
        _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": _WORDS}}),
        [_frame("messageStop", {"stopReason": "end_turn"})],
    ),
}


def largest_recorded(folder: Path) -> dict[str, bytes]:
    """Give the largest recorded stream of each wire."""
    names = {"anthropic-messages": "anthropic", "bedrock-converse": "bedrock"}
    found: dict[str, bytes] = {}
    for path in sorted(folder.glob("*/*.json")):
        case = json.loads(path.read_text())
        wire = names.get(case["protocol"], case["protocol"])
        if case["status"] != 200 or wire not in PROVIDERS or not case["streaming"]:
            continue
        encoded = case.get("body_base64")
        body = base64.b64decode(encoded) if encoded else case["body"].encode()
        if len(body) > len(found.get(wire, b"")) and not case["expected"]["stream_error"]:
            found[wire] = body
    return found


async def both(folder: Path) -> dict[str, Any]:
    """Measure everything on this Python."""
    recorded = largest_recorded(folder)
    streams = {wire: recorded.get(wire) or made(wire, 60_000) for wire in PROVIDERS}
    return {
        "recorded": sorted(recorded),
        "speed": await measure(streams, seconds=1.0),
        "memory": await memory({wire: made(wire, 10_000_000) for wire in PROVIDERS}),
    }


def show(name: str, told: dict[str, Any]) -> None:
    """Print a row for each wire."""
    for wire, speed in told["speed"].items():
        kept = told["memory"][wire]
        source = "recorded" if wire in told["recorded"] else "made"
        print(
            f"  {name:8} {wire:17} {speed['ours']:6.1f} MB/s, bare {speed['bare']:6.1f} MB/s, "
            f"{speed['bare'] / speed['ours']:4.1f} x ({source}, {speed['bytes'] / 1000:.0f} kB); "
            f"{kept['stream']:.0f} MB stream: peak {kept['peak']:.1f} MB for {kept['text']:.1f} MB "
            "of text"
        )


def main() -> None:
    """Measure on CPython, then the same inside Pyodide under Node."""
    root = Path(__file__).resolve().parents[2]
    folder = root.parent / "shared" / "material" / "traffic"
    show("CPython", asyncio.run(both(folder)))
    script = root / "tests" / "bench" / "reading.mjs"
    done = subprocess.run(
        ["node", str(script), str(root), str(folder)], capture_output=True, text=True, check=True
    )
    show("Pyodide", json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()

"""An HTTP server of ready-made answers for the benchmarks, in a process of its own.

A script decides from the request's JSON what is answered. The first part of a path names the
client (`/ours/v1/chat/completions`); `GET /log` tells what each client did so far.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

CORS = (
    b"access-control-allow-origin: *\r\naccess-control-allow-headers: *, authorization\r\n"
    b"access-control-max-age: 600\r\n"
)
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A body in pieces, each sent by itself, `pause_s` seconds apart."""

    pieces: Iterable[bytes]
    pause_s: float = 0
    content_type: str = "text/event-stream"


@dataclass(slots=True)
class Client:
    """What a client did: `first_byte` and `last_byte` are of its last answer, ms since 1970."""

    calls: int = 0
    preflights: int = 0
    first_byte: float = 0
    last_byte: float = 0


Script = Callable[[dict[str, Any]], Answer]


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One event of a streamed chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({**CHUNK, "choices": [choice]}).encode() + b"\n\n"


def end(finish: str, output_tokens: int) -> bytes:
    """The last events of a streamed chat completion."""
    tail = json.dumps({**CHUNK, "choices": [], "usage": usage(output_tokens)}).encode()
    return chunk({}, finish) + b"data: " + tail + b"\n\ndata: [DONE]\n\n"


def usage(output_tokens: int) -> dict[str, int]:
    """Counters as a provider reports them."""
    total = 100 + output_tokens
    return {"prompt_tokens": 100, "completion_tokens": output_tokens, "total_tokens": total}


@dataclass(slots=True)
class _Server:
    script: Script
    clients: dict[str, Client] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                request, *headers = head.decode().lower().split("\r\n")
                length = next(
                    (int(line.split(":")[1]) for line in headers if "content-length:" in line), 0
                )
                body = await reader.readexactly(length)
                method, path, _ = request.split()
                await self._answer(writer, method, path, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(
        self, writer: asyncio.StreamWriter, method: str, path: str, body: bytes
    ) -> None:
        if method == "get":
            log = json.dumps({name: asdict(client) for name, client in self.clients.items()})
            writer.write(_whole(Answer([log.encode()], content_type="application/json")))
            return
        client = self.clients.setdefault(path.split("/")[1], Client())
        if method == "options":
            client.preflights += 1
            writer.write(b"HTTP/1.1 204 No Content\r\n" + CORS + b"content-length: 0\r\n\r\n")
            return
        client.calls += 1
        answer = self.script(json.loads(body))
        if isinstance(answer.pieces, list) and len(answer.pieces) == 1:
            client.first_byte = time.time() * 1000
            writer.write(_whole(answer))
            await writer.drain()
        else:
            await self._stream(writer, answer, client)
        client.last_byte = time.time() * 1000

    async def _stream(self, writer: asyncio.StreamWriter, answer: Answer, client: Client) -> None:
        head = _head(answer) + b"transfer-encoding: chunked\r\n\r\n"
        started = time.monotonic()
        client.first_byte = time.time() * 1000
        for number, piece in enumerate(answer.pieces):
            writer.write(head + b"%x\r\n%b\r\n" % (len(piece), piece))
            head = b""
            await writer.drain()
            due = started + (number + 1) * answer.pause_s
            await asyncio.sleep(max(0, due - time.monotonic()))
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _head(answer: Answer) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: " + answer.content_type.encode() + b"\r\n" + CORS


def _whole(answer: Answer) -> bytes:
    body = b"".join(answer.pieces)
    return _head(answer) + b"content-length: %d\r\n\r\n" % len(body) + body


async def _main(script: Script) -> None:
    server = await asyncio.start_server(_Server(script).serve, "127.0.0.1", 0, limit=2**22)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


def run(script: Script) -> None:
    """Serve on a free port of loopback and print its address, until the process is ended."""
    try:
        asyncio.run(_main(script))
    except KeyboardInterrupt:
        sys.exit(0)


@contextmanager
def serving(name: str) -> Iterator[str]:
    """Run a server of this folder in a process of its own; gives its address."""
    path = Path(__file__).with_name(name)
    process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def log_of(address: str, client: str) -> Client:
    """Ask a server what a client did so far."""
    with urllib.request.urlopen(f"{address}/log") as answer:
        return Client(**json.load(answer).get(client, {}))

"""A scripted OpenAI-compatible server on loopback, with every bad habit a test may want.

Each request takes the next answer of the script. It serves any origin (CORS), so that a page can
use it, and keeps what it was asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """One answer. `chunks` are the texts of the stream's `data:` lines, or raw bytes.

    `hold` keeps the stream open after its last chunk until the server closes or the client goes;
    `cut` breaks the connection there; `cors=False` sends no CORS header.
    """

    chunks: Sequence[str | bytes] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    hold: bool = False
    cut: bool = False
    cors: bool = True


def chunk(**delta: Any) -> str:
    """One stream chunk with a delta."""
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def end(reason: str = "stop", usage: tuple[int, int] = (11, 7)) -> list[str]:
    """The chunks that end a stream."""
    tokens = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return [
        json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        json.dumps({"choices": [], "usage": tokens | {"total_tokens": sum(usage)}}),
        "[DONE]",
    ]


def text(value: str, pieces: int = 4) -> Answer:
    """An answer that streams a text in about that many pieces."""
    size = max(1, -(-len(value) // pieces))
    parts = [value[start : start + size] for start in range(0, len(value), size)]
    return Answer([*(chunk(content=part) for part in parts), *end()])


def calls(*wanted: tuple[str, dict[str, Any]], said: str = "") -> Answer:
    """An answer that asks for tools, their arguments cut in two."""
    chunks = [chunk(content=said)] if said else []
    for index, (name, arguments) in enumerate(wanted):
        raw = json.dumps(arguments)
        half = len(raw) // 2
        head = {"id": f"call_{index}", "type": "function"}
        chunks += [
            chunk(
                tool_calls=[
                    {"index": index, **head, "function": {"name": name, "arguments": raw[:half]}}
                ]
            ),
            chunk(tool_calls=[{"index": index, "function": {"arguments": raw[half:]}}]),
        ]
    return Answer([*chunks, *end("tool_calls")])


def fault(status: int, message: str, **headers: str) -> Answer:
    """An error answer in OpenAI's form."""
    body = json.dumps({"error": {"message": message, "type": "test_error"}}).encode()
    return Answer(status=status, body=body, headers=headers)


Script = Sequence[Answer] | Callable[[dict[str, Any], int], Answer]


class ScriptedServer:
    """The server; `with ScriptedServer(script) as server:` runs it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.preflights = 0  # how often a browser asked whether a page may ask at all
        self.gone = threading.Event()  # a client left while its answer was held open
        self.held = threading.Event()  # an answer is held open
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Keep the test's output clean."""

            def do_OPTIONS(self) -> None:
                server.preflights += 1
                self._head(204, {"content-length": "0"}, cors=server._peek_cors())

            def do_GET(self) -> None:
                self._head(200, {"content-length": "0"}, cors=server._peek_cors())

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                server._serve(self, json.loads(self.rfile.read(length) or b"{}"))

            def _head(self, status: int, headers: dict[str, str], *, cors: bool) -> None:
                self.send_response(status)
                if cors:
                    self.send_header("access-control-allow-origin", "*")
                    self.send_header("access-control-allow-methods", "*")
                    # A wildcard does not cover `authorization`.
                    self.send_header("access-control-allow-headers", "authorization, *")
                    self.send_header("access-control-expose-headers", "*")
                    self.send_header("access-control-max-age", "600")
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL a client is given."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, request: dict[str, Any]) -> Answer:
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        if callable(self._script):
            return self._script(request, position)
        if position >= len(self._script):
            return fault(500, f"the script has only {len(self._script)} answers")
        return self._script[position]

    def _peek_cors(self) -> bool:
        if callable(self._script):
            return True
        position = min(len(self.requests), len(self._script) - 1)
        return self._script[position].cors if self._script else True

    def _serve(self, handler: Any, request: dict[str, Any]) -> None:
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        answer = self._next(request)
        if answer.body is not None:
            length = {"content-length": str(len(answer.body)), "content-type": "application/json"}
            head = length | {name.lower(): value for name, value in answer.headers.items()}
            handler._head(answer.status, head, cors=answer.cors)
            handler.wfile.write(answer.body)
            return
        head = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
        handler._head(answer.status, head | answer.headers, cors=answer.cors)
        try:
            for piece in answer.chunks:
                data = piece if isinstance(piece, bytes) else f"data: {piece}\n\n".encode()
                self._write(handler, data)
            if answer.hold:
                self.held.set()
                while not self._closing.wait(0.02):
                    self._write(handler, b": still here\n\n")
            if answer.cut:
                handler.close_connection = True
                handler.connection.close()
            else:
                handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            handler.close_connection = True
            self.gone.set()

    @staticmethod
    def _write(handler: Any, data: bytes) -> None:
        handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        handler.wfile.flush()

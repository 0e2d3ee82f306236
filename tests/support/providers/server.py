"""A provider on loopback: it judges each request, then gives the next answer of its script.

It serves any origin (CORS), so that a page can use it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .answers import Answer
from .wire import Rendered, Wire


@dataclass(frozen=True)
class Seen:
    """A request as it came: the path with its query, header names in lower case."""

    path: str
    headers: dict[str, str]
    body: Any


Script = Sequence[Answer] | Callable[[Seen, int], Answer]


class ProviderServer:
    """The server; `with ProviderServer(wire, script) as server:` runs it.

    `faults` are the rules that requests broke, as `request 0: $.messages[1]: …`; each such request
    was refused in the provider's own form and took no answer of the script. `step` cuts streams
    into pieces of so many bytes, wherever that falls.
    """

    def __init__(self, wire: Wire, script: Script, *, step: int | None = None) -> None:
        self.wire = wire
        self.requests: list[Seen] = []
        self.faults: list[str] = []
        self.preflights = 0
        self.held = threading.Event()  # an answer is held open
        self.gone = threading.Event()  # a client left before the end of its answer
        self._script = script
        self._step = step
        self._given = 0
        self._issued: list[Any] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """The base URL a client is given: it ends as the provider's own does."""
        return self.origin + self.wire.base

    def __enter__(self) -> ProviderServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[Rendered, Answer]:
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        with self._lock:
            number = len(self.requests)
            self.requests.append(Seen(path, headers, body))
            outside = self.wire.judge_call(path, headers, raw)
            inside = self.wire.judge(path, body, self._issued)
            self.faults += [f"request {number}: {fault}" for fault in outside + inside]
            if outside or inside:
                return self._refusal(outside, inside), Answer()
            answer = self._next(self.requests[-1])
            rendered = self.wire.render(answer, path, body, number)
            if rendered.turn is not None:
                self._issued.append(rendered.turn)
            return rendered, answer

    def _refusal(self, outside: list[str], inside: list[str]) -> Rendered:
        if any(fault.startswith("path") for fault in outside):
            return self.wire.refuse(404, "not_found", "; ".join(outside))
        if outside:
            return self.wire.refuse(401, "authentication", "; ".join(outside))
        return self.wire.refuse(400, "invalid_request", "; ".join(inside))

    def _next(self, seen: Seen) -> Answer:
        position = self._given
        self._given += 1
        if callable(self._script):
            return self._script(seen, position)
        if position < len(self._script):
            return self._script[position]
        self.faults.append(f"request {len(self.requests) - 1}: the script has no answer left")
        return Answer(text="the script has no answer left")

    def _send(self, handler: Any, rendered: Rendered, answer: Answer) -> None:
        if rendered.body is not None:
            length = {"content-length": str(len(rendered.body))}
            _head(handler, rendered.status, {**rendered.headers, **length})
            handler.wfile.write(rendered.body)
            return
        _head(handler, rendered.status, {**rendered.headers, "transfer-encoding": "chunked"})
        events = rendered.events[: len(rendered.events) // 2] if answer.cut else rendered.events
        try:
            for piece in self._cut(events):
                handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                handler.wfile.flush()
            if answer.hold:
                self.held.set()
                while not self._closing.wait(0.02):
                    handler.wfile.write(b"1\r\n\n\r\n")
                    handler.wfile.flush()
            if answer.cut:
                handler.close_connection = True
                handler.connection.close()
            else:
                handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            handler.close_connection = True
            self.gone.set()

    def _cut(self, events: Sequence[bytes]) -> Sequence[bytes]:
        if self._step is None:
            return events
        whole = b"".join(events)
        return [whole[at : at + self._step] for at in range(0, len(whole), self._step)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Keep the test's output clean."""

            def do_OPTIONS(self) -> None:
                server.preflights += 1
                _head(self, 204, {"content-length": "0"})

            def do_GET(self) -> None:
                """Nothing is listed here."""
                nothing = server.wire.refuse(404, "not_found", f"nothing at {self.path}")
                server._send(self, nothing, Answer())

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server._send(self, *server._answer(self.path, headers, raw))

        return Handler


def _head(handler: Any, status: int, headers: dict[str, str]) -> None:
    handler.send_response(status)
    handler.send_header("access-control-allow-origin", "*")
    handler.send_header("access-control-allow-methods", "*")
    # A wildcard does not cover `authorization`.
    handler.send_header("access-control-allow-headers", "authorization, *")
    handler.send_header("access-control-expose-headers", "*")
    handler.send_header("access-control-max-age", "600")
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()

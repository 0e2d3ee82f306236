"""A web server that serves a site, keeps what it was asked for, and breaks files on demand."""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Fault(Enum):
    """What happens to a file on its way: absent, one byte changed, or half of it and then a cut."""

    MISSING = "missing"
    DAMAGED = "damaged"
    CUT = "cut"


@dataclass
class FaultySite:
    """What is served: a folder, files that a test adds (path → file), headers, faults by path."""

    root: Path
    headers: Mapping[str, str]
    added: Mapping[str, Path]
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def file(self, path: str) -> Path | None:
        """The file of a path, or None when there is none or it counts as missing."""
        found = self.added.get(path) or self.root / path
        absent = self.faults.get(path) is Fault.MISSING
        return None if absent or not found.is_file() else found


@contextmanager
def serving_faults(
    root: Path, *, headers: Mapping[str, str], added: Mapping[str, Path]
) -> Iterator[FaultySite]:
    """Serve on loopback while the block runs."""
    site = FaultySite(root, headers, added)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0].lstrip("/")
            site.asked.append(path)
            file = site.file(path)
            if file is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            data = file.read_bytes()
            fault = site.faults.get(path)
            if fault is Fault.DAMAGED:
                middle = len(data) // 2
                data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", content_type(file))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if fault is Fault.CUT else data)
            self.close_connection = fault is Fault.CUT

        def end_headers(self) -> None:
            for name, value in site.headers.items():
                self.send_header(name, value)
            super().end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing about each request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def content_type(file: Path) -> str:
    """The content type that browsers want for a file of a site."""
    known = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
    guessed = known.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    return guessed or "application/octet-stream"

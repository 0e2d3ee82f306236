"""Serves a built site on loopback, with the headers that a good static host sends."""

import gzip
import mimetypes
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from building.steps import BuildError, digest, say

STRICT_CSP = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "object-src 'none'; base-uri 'self'"
)
"""The policy that a site must work under, sent with every file."""

_HASHED = re.compile(r"\.[0-9a-f]{12}\.")
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".whl": "application/zip",
    ".pack": "application/octet-stream",
}
_COMPRESSED_TYPES = ("text/", "application/wasm", "application/json", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Options:
    """How files are served.

    `prefix` is the folder of the host that the site lies in, such as `/some/where`. `isolated`
    sends the headers for cross-origin isolation (threads), `csp` a content security policy.
    `types` overrides content types by suffix, `compress` sends gzip where plain hosts do.
    """

    prefix: str = ""
    isolated: bool = False
    csp: str = ""
    types: tuple[tuple[str, str], ...] = ()
    compress: bool = False


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: object, options: Options, root: Path) -> None:
        self._options = options
        super().__init__(*arguments, directory=str(root))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file, or 304 when the browser has it."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with a file's headers."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        file = self._file()
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        data = file.read_bytes()
        etag = f'"{digest(data)[:20]}"'
        kind = self.guess_type(str(file))
        unchanged = self.headers.get("If-None-Match") == etag
        packed = self._packs(kind)
        body = b"" if unchanged else gzip.compress(data, 6) if packed else data
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK)
        self.send_header("ETag", etag)
        self.send_header("Content-Type", kind)
        if not unchanged:
            self.send_header("Content-Length", str(len(body)))
        if packed and not unchanged:
            self.send_header("Content-Encoding", "gzip")
        hashed = _HASHED.search(file.name)
        keep = "public, max-age=31536000, immutable" if hashed else "no-cache"
        self.send_header("Cache-Control", keep)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _file(self) -> Path | None:
        path = self.path.partition("?")[0]
        prefix = self._options.prefix
        if not path.startswith(prefix + "/"):
            return None
        file = Path(self.translate_path(path.removeprefix(prefix)))
        file = file / "index.html" if file.is_dir() else file
        return file if file.is_file() else None

    def _packs(self, kind: str) -> bool:
        accepted = "gzip" in self.headers.get("Accept-Encoding", "")
        return self._options.compress and accepted and kind.startswith(_COMPRESSED_TYPES)

    def guess_type(self, path: object) -> str:
        """Give the content type by suffix."""
        types = {**_TYPES, **dict(self._options.types)}
        suffix = Path(str(path)).suffix
        guessed = types.get(suffix) or mimetypes.guess_type(str(path))[0]
        kind = guessed or "application/octet-stream"
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    def end_headers(self) -> None:
        """Add the headers that every answer carries."""
        self.send_header("X-Content-Type-Options", "nosniff")
        if self._options.csp:
            self.send_header("Content-Security-Policy", self._options.csp)
        if self._options.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            self.send_header("Cross-Origin-Resource-Policy", "cross-origin")
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing about each request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a visitor who left before the answer was through."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def serving(root: Path, options: Options | None = None, *, port: int = 0) -> Iterator[str]:
    """Serve a folder while the block runs; give its address, which ends in a slash.

    Raises BuildError when the port is taken.
    """
    options = options or Options()
    handler = partial(_Handler, options=options, root=root)
    try:
        server = _Server(("127.0.0.1", port), handler)
    except OSError as fault:
        raise BuildError(
            f"Port {port} of this machine cannot be used ({fault.strerror}); try --port."
        ) from None
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{options.prefix}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def serve(root: Path, options: Options, *, port: int) -> None:
    """Serve a folder until the user stops it with Ctrl+C."""
    with serving(root, options, port=port) as address:
        say(f"pagehand is at {address}  (stop with Ctrl+C)")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            say("Stopped.")

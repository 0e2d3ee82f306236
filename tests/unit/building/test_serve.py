"""The server of a built site sends what a good static host sends."""

import gzip
import http.client
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from building.serve import STRICT_CSP, Options, serving

HASHED = "boot.0123456789ab.js"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("<p>hello</p>")
    (tmp_path / HASHED).write_text("export {};")
    (tmp_path / "a.wasm").write_bytes(b"\0asm" * 100)
    return tmp_path


def get(
    address: str, path: str, headers: Mapping[str, str] | None = None
) -> tuple[int, Mapping[str, str], bytes]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    try:
        connection.request("GET", parts.path + path, headers=dict(headers or {}))
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_an_entry_is_asked_for_again_and_not_sent_again(root: Path) -> None:
    with serving(root) as address:
        status, headers, body = get(address, "")
        assert (status, body) == (200, b"<p>hello</p>")
        assert headers["Cache-Control"] == "no-cache"
        again = get(address, "index.html", {"If-None-Match": headers["ETag"]})
        assert (again[0], again[2]) == (304, b"")


def test_a_hashed_file_is_kept_for_ever(root: Path) -> None:
    with serving(root) as address:
        assert "immutable" in get(address, HASHED)[1]["Cache-Control"]


def test_types_and_policies_stand_on_every_file(root: Path) -> None:
    with serving(root, Options(csp=STRICT_CSP, isolated=True)) as address:
        for path, kind in (("a.wasm", "application/wasm"), (HASHED, "text/javascript")):
            headers = get(address, path)[1]
            assert headers["Content-Type"].startswith(kind)
            assert headers["Content-Security-Policy"] == STRICT_CSP
            assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"


def test_the_site_may_lie_in_a_folder_of_its_host(root: Path) -> None:
    with serving(root, Options(prefix="/deep/folder")) as address:
        assert address.endswith("/deep/folder/")
        assert get(address, "index.html")[0] == 200
        assert get(address.removesuffix("deep/folder/"), "index.html")[0] == 404


def test_nothing_outside_the_folder_is_served(root: Path) -> None:
    secret = root.parent / "secret.txt"
    secret.write_text("secret")
    with serving(root) as address:
        assert get(address, "../secret.txt")[0] == 404
        assert get(address, "%2e%2e/secret.txt")[0] == 404


def test_what_hosts_compress_comes_compressed_when_wanted(root: Path) -> None:
    with serving(root, Options(compress=True)) as address:
        plain = get(address, "a.wasm")
        packed = get(address, "a.wasm", {"Accept-Encoding": "gzip"})
    assert packed[1]["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed[2]) == plain[2]

"""The agent worker boots in a real browser, wherever and however a static host serves it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Route

from building.serve import STRICT_CSP, Options, serving
from tests.support.boots import visit
from tests.support.faulty_site import Fault, serving_faults

WASM_BLOCKED = "default-src 'self'; script-src 'self'; worker-src 'self'"


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(isolated=True),
        Options(csp=STRICT_CSP),
        Options(csp=STRICT_CSP, isolated=True),
        Options(prefix="/some/where/deep", csp=STRICT_CSP),
        Options(compress=True),
    ],
    ids=["plain", "isolated", "csp", "csp, isolated", "sub-path", "compressed"],
)
def test_a_first_visit_boots(built_site: Path, visitor: BrowserContext, options: Options) -> None:
    with serving(built_site, options) as address:
        foreign = []
        visitor.on("request", lambda request: foreign.append(request.url))
        booted = visit(visitor, address)
        assert booted.error == ""
        assert booted.source == "cold"
        assert booted.answers()
        assert booted.page.evaluate("crossOriginIsolated") is options.isolated
        assert [url for url in foreign if not url.startswith(address)] in ([], _icon(address))


def _icon(address: str) -> list[str]:
    """The one thing that a browser asks for by itself."""
    return [address[: address.index("/", 8)] + "/favicon.ico"]


def test_progress_goes_through_the_phases(built_site: Path, visitor: BrowserContext) -> None:
    with serving(built_site) as address:
        booted = visit(visitor, address)
    assert booted.phases == ["download", "compile", "python", "ready"]
    downloads = [item["progress"] for item in booted.progress if item["phase"] == "download"]
    assert downloads == sorted(downloads)
    assert downloads[-1] == 1
    assert booted.progress[-1] == {"phase": "ready", "progress": 1, "text": "Ready"}


def test_every_module_of_the_package_imports(built_site: Path, visitor: BrowserContext) -> None:
    """The pruned library has all that the package imports, its packages included."""
    with serving(built_site) as address:
        page = visitor.new_page()
        page.set_default_timeout(0)
        page.goto(f"{address}NOTICES.txt")
        failures = page.evaluate(_IMPORT_ALL, _scripts(built_site))
    assert failures == {}


def _scripts(site: Path) -> dict[str, str]:
    files = json.loads((site / "manifest.json").read_text())["files"]
    return {name: files[f"worker/{name}.js"]["url"] for name in ("boot",)}


_IMPORT_ALL = """async ({ boot }) => {
  const { boot: start } = await import(new URL(boot, location.href));
  const { python, complete } = await start({ onProgress() {}, useSnapshot: false });
  await complete();
  const failures = python.runPython(`
import importlib, json, pkgutil, pagehand
failures = {}
for module in pkgutil.walk_packages(pagehand.__path__, "pagehand."):
    if module.name.startswith(("pagehand.platform.native", "pagehand.cli", "pagehand.__main__")):
        continue
    try:
        importlib.import_module(module.name)
    except Exception as fault:
        failures[module.name] = repr(fault)
json.dumps(failures)`);
  return JSON.parse(failures);
}"""


def test_a_wrong_content_type_is_borne_and_told(built_site: Path, visitor: BrowserContext) -> None:
    with serving(built_site, Options(types=((".wasm", "text/plain"),))) as address:
        booted = visit(visitor, address)
        assert booted.source == "cold"
        assert booted.answers()
        assert any("application/wasm" in warning for warning in booted.warnings)


def test_blocked_webassembly_is_one_clear_message(
    built_site: Path, visitor: BrowserContext
) -> None:
    with serving(built_site, Options(csp=WASM_BLOCKED)) as address:
        booted = visit(visitor, address)
    assert "WebAssembly is blocked" in booted.error
    assert "'wasm-unsafe-eval'" in booted.error


BROKEN = [
    (name, fault)
    for name in ("py/stdlib.pack", "py/pagehand.pack", "py/pyodide.asm.mjs", "py/pyodide.asm.wasm")
    for fault in Fault
    # one changed byte of machine code may well compile, and then even run
    if (name, fault) != ("py/pyodide.asm.wasm", Fault.DAMAGED)
]


@pytest.mark.parametrize(("name", "fault"), BROKEN)
def test_a_broken_file_is_named(
    built_site: Path, visitor: BrowserContext, name: str, fault: Fault
) -> None:
    path = json.loads((built_site / "manifest.json").read_text())["files"][name]["url"]
    with serving_faults(built_site, headers={}, added={}) as site:
        site.faults[path] = fault
        booted = visit(visitor, f"{site.address}/")
    assert Path(name).stem in booted.error


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda route: route.fulfill(body="<p>hello</p>", content_type="text/html"), "text/html"),
        (lambda route: route.fulfill(status=503), "503"),
        (lambda route: route.abort(), "cannot be fetched"),
        (lambda route: None, "nothing came for 2 s"),
    ],
    ids=["a page instead", "server error", "no connection", "silence"],
)
def test_a_host_that_does_not_give_the_wasm(
    built_site: Path,
    visitor: BrowserContext,
    answer: Callable[[Route], None],
    expected: str,
) -> None:
    visitor.route("**/pyodide.asm.*.wasm", answer)
    with serving(built_site) as address:
        booted = visit(visitor, address, silenceMs=2000)
    assert expected in booted.error

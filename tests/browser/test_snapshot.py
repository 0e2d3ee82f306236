"""A second visit restores a snapshot of Python's memory; a bad one gives a normal boot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from building.serve import STRICT_CSP, Options, serving
from tests.support.boots import snapshots, visit, wait_for_snapshot

HEAP_OFFSET = 64
_CHANGE = """async () => {
  const folder = await navigator.storage.getDirectory();
  for await (const [name, file] of folder.entries()) {
    if (!name.startsWith("pagehand-snapshot-")) continue;
    const before = new Uint8Array(await (await file.getFile()).arrayBuffer());
    const after = await (%s)(before);
    const writable = await file.createWritable();
    await writable.write(after);
    await writable.close();
  }
}"""
_WITH_RIGHT_DIGEST = f"""async (data) => {{
  data.fill(7, {HEAP_OFFSET});
  const digest = await crypto.subtle.digest("SHA-256", data.subarray({HEAP_OFFSET}));
  data.set(new Uint8Array(digest), {HEAP_OFFSET // 2});
  return data;
}}"""
DAMAGES = {
    "garbage": "async () => new Uint8Array(100_000).fill(7)",
    "empty": "async () => new Uint8Array(0)",
    "cut short": "async (data) => data.slice(0, data.length >> 1)",
    "a hole of zeros": "async (data) => data.fill(0, 16_000_000, 22_000_000)",
    "one bit": "async (data) => { data[20_000_000] ^= 1; return data; }",
    "of another build": "async (data) => { data[3] ^= 255; return data; }",
    "garbage with a right digest": _WITH_RIGHT_DIGEST,
}


@pytest.fixture
def visitor(returning_visitor: BrowserContext) -> BrowserContext:
    """A profile on disk: one in memory has no room for many snapshots."""
    return returning_visitor


@pytest.fixture
def address(built_site: Path) -> Iterator[str]:
    """The site under a strict policy, in a folder of its host."""
    with serving(built_site, Options(prefix="/site", csp=STRICT_CSP)) as served:
        yield served


def first_visit(visitor: BrowserContext, address: str) -> Page:
    """Visit with nothing stored, and stay until the snapshot is."""
    booted = visit(visitor, address)
    assert (booted.source, booted.error) == ("cold", "")
    assert len(wait_for_snapshot(booted.page)) == 1
    return booted.page


def change(page: Page, how: str) -> None:
    """Change the stored snapshot by a JavaScript function from its bytes to others."""
    page.evaluate(_CHANGE % how)


def test_a_second_visit_wakes_python(visitor: BrowserContext, address: str) -> None:
    first_visit(visitor, address).close()
    for _ in range(2):
        booted = visit(visitor, address)
        assert (booted.source, booted.error) == ("snapshot", "")
        assert booted.answers()
        assert booted.phases[-1] == "ready"
        booted.page.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_snapshot_gives_a_normal_boot(
    visitor: BrowserContext, address: str, damage: str
) -> None:
    change(first_visit(visitor, address), DAMAGES[damage])
    booted = visit(visitor, address)
    assert (booted.source, booted.error) == ("cold", "")
    assert booted.answers()
    wait_for_snapshot(booted.page)  # a new one takes its place
    booted = visit(visitor, address)
    assert (booted.source, booted.error) == ("snapshot", "")


def test_a_snapshot_of_another_key_is_not_used_and_goes(
    visitor: BrowserContext, address: str
) -> None:
    page = first_visit(visitor, address)
    name = snapshots(page)[0]
    other = name[:-4] + ("0000" if name[-4:] != "0000" else "1111")
    page.evaluate(
        """async ([name, other]) => {
          const folder = await navigator.storage.getDirectory();
          await (await folder.getFileHandle(name)).move(other);
        }""",
        [name, other],
    )
    booted = visit(visitor, address)
    assert booted.source == "cold"
    assert wait_for_snapshot(booted.page, name) == [name]


def test_sites_of_one_origin_keep_apart(
    built_site: Path, visitor: BrowserContext, tmp_path: Path
) -> None:
    host = tmp_path / "host"
    host.mkdir()
    for name in ("one", "two"):
        (host / name).symlink_to(built_site)
    with serving(host) as address:
        one, two = f"{address}one/", f"{address}two/"
        first_visit(visitor, one)
        booted = visit(visitor, two)
        assert (booted.source, booted.error) == ("cold", "")
        wait_for_snapshot(booted.page, count=2)
        for site in (one, two):
            booted = visit(visitor, site)
            assert (booted.source, booted.error) == ("snapshot", "")


def test_a_visit_may_forbid_snapshots(visitor: BrowserContext, address: str) -> None:
    page = first_visit(visitor, address)
    booted = visit(visitor, address, snapshot=False)
    assert booted.source == "cold"
    assert snapshots(page) == []


def test_two_tabs_at_once(visitor: BrowserContext, address: str) -> None:
    first_visit(visitor, address)
    pages = [visitor.new_page(), visitor.new_page()]
    for page in pages:
        page.goto(f"{address}NOTICES.txt")
        page.evaluate(_START)
    for page in pages:
        assert page.evaluate("booted") == {"source": "snapshot"}


_START = """() => {
  const worker = new Worker(new URL("worker/agent.js", location.href), { type: "module" });
  window.booted = new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if (data.error) resolve(data.error);
      if (data.result) resolve({ source: data.result.source });
    };
  });
  worker.postMessage({ v: 1, id: 1, method: "boot", params: {} });
}"""


def replaced(route: Route, old: str, new: str) -> None:
    """Serve a script with one thing in it changed."""
    response = route.fetch()
    text = response.text()
    assert old in text
    route.fulfill(response=response, body=text.replace(old, new))


@pytest.mark.parametrize(
    ("script", "old", "new"),
    [
        ("snapshot", "navigator.storage.getDirectory()", "navigator.storage.gone()"),
        ("pyodide.asm", "API.makeSnapshot=function", "API.gone=function"),
    ],
    ids=["without OPFS", "without Pyodide's private part"],
)
def test_where_no_snapshot_can_be_made_every_visit_boots(
    visitor: BrowserContext, address: str, script: str, old: str, new: str
) -> None:
    visitor.route(f"**/{script}.*js", lambda route: replaced(route, old, new))
    for _ in range(2):
        booted = visit(visitor, address)
        assert (booted.source, booted.error) == ("cold", "")
        assert booted.answers()


def test_a_snapshot_that_cannot_be_restored_gives_a_normal_boot(
    visitor: BrowserContext, address: str
) -> None:
    first_visit(visitor, address)
    visitor.route(
        "**/pyodide.asm.*.mjs",
        lambda route: replaced(route, "API.restoreSnapshot=function", "API.gone=function"),
    )
    booted = visit(visitor, address)
    assert (booted.source, booted.error) == ("cold", "")
    assert booted.answers()


def test_random_numbers_differ_after_each_restore(
    built_site: Path, visitor: BrowserContext, address: str
) -> None:
    first_visit(visitor, address)
    drawn = [visitor.new_page(), visitor.new_page()]
    numbers = set()
    for page in drawn:
        page.goto(f"{address}NOTICES.txt")
        numbers.add(page.evaluate(_DRAW, _boot_script(built_site)))
    assert len(numbers) == 2


def _boot_script(site: Path) -> str:
    return next((site / "worker").glob("boot.*.js")).relative_to(site).as_posix()


_DRAW = """async (script) => {
  const { boot } = await import(new URL(script, location.href));
  const { python, result } = await boot({ onProgress() {} });
  return `${result.source} ${python.runPython("import random; random.random()")}`;
}"""

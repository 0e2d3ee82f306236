"""How long it takes until the agent could ask its model, beside a stock Pyodide.

Each round starts new browsers with new profiles, ways interleaved, and takes the time from
`new Worker` until a server on loopback has the first model request. Run by
`build_wheel.py bench`; prints medians and ratios and asserts nothing.
"""

from __future__ import annotations

import gzip
import json
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import brotli
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from building import browser as browsers
from building import pyodide
from building.serve import serving
from building.site import build_site
from tests.support.boots import wait_for_snapshot
from tests.support.scripted_server import Answer, ScriptedServer, text

ROUNDS = 5
PYDANTIC = "pydantic.TypeAdapter(dict[str, int]).validate_python({'a': '1'})"
"""What a typed tool or a structured answer asks of pydantic first."""

_STOCK_WORKER = """
import { loadPyodide } from "./core/pyodide.mjs";
self.onunhandledrejection = ({ reason }) => self.postMessage(String(reason));
self.onmessage = async ({ data: { wheels, url, pydantic } }) => {
  const python = await loadPyodide({ indexURL: new URL("./core/", import.meta.url).href });
  const urls = wheels.map((name) => new URL(`./wheels/${name}`, import.meta.url).href);
  await python.loadPackage(urls, { messageCallback() {}, checkIntegrity: false });
  if (pydantic) python.runPython(`import pydantic\\n${pydantic}`);
  await python.runPythonAsync(`
import pagehand
agent = await pagehand.create_agent(
    model="m", provider_type="openai-compatible", api_key="k", base_url="${url}")
await agent.run("hello")`);
};
"""
_START_STOCK = """(data) => {
  const began = performance.timeOrigin + performance.now();
  const worker = new Worker("stock.js", { type: "module" });
  worker.onmessage = ({ data }) => (window.fault = data);
  worker.postMessage(data);
  return began;
}"""
_START_OURS = """(baseURL) => {
  const began = performance.timeOrigin + performance.now();
  const worker = new Worker(new URL("worker/agent.js", location.href), { type: "module" });
  const config = { model: "m", providerType: "openai-compatible", apiKey: "k", baseURL };
  const send = (id, method, params) => worker.postMessage({ v: 1, id, method, params });
  worker.onmessage = ({ data }) => {
    const { re, result, error } = typeof data === "string" ? JSON.parse(data) : data;
    if (re === 1 && result) window.bootSource = result.source;
    if (error) window.fault = error.message;
  };
  send(1, "boot", {});
  send(2, "agent.create", { agentId: "a", config, tools: [], hooks: [] });
  send(3, "agent.run", { agentId: "a", input: "hello", options: {} });
  return began;
}"""


class Bell:
    """A model server that notes when its first request comes."""

    def __init__(self) -> None:
        self.rung = threading.Event()
        self.at = 0.0

    def answer(self, _request: dict[str, Any], _position: int) -> Answer:
        """Note the time and say hello."""
        if not self.rung.is_set():
            self.at = time.time()
            self.rung.set()
        return text("Hello.")


@contextmanager
def stock_site(wheels: list[Path]) -> Iterator[str]:
    """Npm's own files and the wheels from source, as a user without our build would serve them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(pyodide.CORE, root / "core")
        (root / "wheels").mkdir()
        for wheel in wheels:
            shutil.copy(wheel, root / "wheels")
        (root / "stock.js").write_text(_STOCK_WORKER)
        (root / "NOTICES.txt").touch()
        with serving(root) as address:
            yield address


class Rounds:
    """Measures each way once a round, in seconds."""

    def __init__(self, playwright: Playwright, ours: str, stock: str, wheels: list[str]) -> None:
        self._playwright = playwright
        self._program = browsers.find().path
        self._ours, self._stock, self._wheels = ours, stock, wheels
        self.seconds: dict[str, list[float]] = {}

    def run(self) -> None:
        """One round."""
        for name, extra in (("stock", ""), ("stock, pydantic", PYDANTIC)):
            with tempfile.TemporaryDirectory() as profile, self._browser(profile) as context:
                self._take(name, context, self._stock, _START_STOCK, {"pydantic": extra})
        with tempfile.TemporaryDirectory() as profile:
            with self._browser(profile) as context:
                page = self._take("first visit", context, self._ours, _START_OURS)
                self._expect(page, "cold")
                wait_for_snapshot(page)
            with self._browser(profile) as context:
                page = self._take("second visit", context, self._ours, _START_OURS)
                self._expect(page, "snapshot")
                page.evaluate(_REMOVE_SNAPSHOTS)
            with self._browser(profile) as context:
                page = self._take("second, no snapshot", context, self._ours, _START_OURS)
                self._expect(page, "cold")

    @contextmanager
    def _browser(self, profile: str) -> Iterator[BrowserContext]:
        context = self._playwright.chromium.launch_persistent_context(
            profile, executable_path=self._program, args=list(browsers.FLAGS)
        )
        yield context
        context.close()

    def _take(
        self,
        name: str,
        context: BrowserContext,
        address: str,
        start: str,
        data: dict[str, Any] | None = None,
    ) -> Page:
        bell = Bell()
        page = context.new_page()
        page.goto(f"{address}NOTICES.txt")
        with ScriptedServer(bell.answer) as server:
            given = {**data, "url": server.url, "wheels": self._wheels} if data else server.url
            began = page.evaluate(start, given) / 1000
            while not bell.rung.wait(0.05):
                if fault := page.evaluate("window.fault"):
                    raise RuntimeError(f"{name}: {fault}")
            self.seconds.setdefault(name, []).append(bell.at - began)
        return page

    @staticmethod
    def _expect(page: Page, source: str) -> None:
        found = page.evaluate("bootSource")
        if found != source:
            raise RuntimeError(f"This visit booted {found}, but {source} was to be measured.")


_REMOVE_SNAPSHOTS = """async () => {
  const folder = await navigator.storage.getDirectory();
  for await (const name of folder.keys()) await folder.removeEntry(name);
}"""


def print_times(seconds: dict[str, list[float]]) -> None:
    """Print medians, spreads and ratios."""
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print("\nFrom `new Worker` to the first model request, seconds")
    print(f"{'way':22}{'median':>8}{'least':>8}{'most':>8}{'/ stock':>9}{'/ with pydantic':>17}")
    for name, values in seconds.items():
        ratios = medians[name] / medians["stock"], medians[name] / medians["stock, pydantic"]
        print(
            f"{name:22}{medians[name]:8.2f}{min(values):8.2f}{max(values):8.2f}"
            f"{ratios[0]:9.2f}{ratios[1]:17.2f}"
        )


def print_bytes(site: Path) -> None:
    """Print what a first visit loads until ready, as plain static hosts send it.

    Packs are gzipped by the build and not compressed again; everything else a host compresses.
    """
    files = json.loads((site / "manifest.json").read_text())["files"]
    needed = [name for name in files if _is_of_first_load(name)]
    print(f"\nFirst load, kB\n{'file':34}{'raw':>9}{'gzip':>9}{'brotli':>9}")
    totals = [0.0, 0.0, 0.0]
    for name in needed:
        data = (site / files[name]["url"]).read_bytes()
        packed = name.endswith(".pack")
        sizes = [len(gzip.decompress(data) if packed else data)]
        sizes += [len(data)] * 2 if packed else [len(gzip.compress(data, 9)), _brotli(data)]
        totals = [total + size for total, size in zip(totals, sizes, strict=True)]
        print(f"{name:34}" + "".join(f"{size / 1000:9.1f}" for size in sizes))
    print(f"{'all':34}" + "".join(f"{total / 1000:9.1f}" for total in totals))


def _is_of_first_load(name: str) -> bool:
    if name.startswith("worker/"):
        return not name.startswith(("worker/engine", "worker/model", "worker/snapshot_maker"))
    return name in {
        "py/pyodide.mjs",
        "py/pyodide.asm.mjs",
        "py/pyodide.asm.wasm",
        "py/stdlib.pack",
        "py/pagehand.pack",
        "py/helpers.pack",
    }


def _brotli(data: bytes) -> int:
    return len(brotli.compress(data, quality=11))


def main(rounds: int = ROUNDS) -> None:
    """Measure and print."""
    site = build_site()
    print_bytes(site)
    wheels = [path for path in sorted((site / "py").glob("*.whl")) if "micropip" not in path.name]
    names = [path.name for path in wheels]
    with serving(site) as ours, stock_site(wheels) as stock, sync_playwright() as playwright:
        measured = Rounds(playwright, ours, stock, names)
        for number in range(rounds):
            print(f"round {number + 1} of {rounds} …", flush=True)
            measured.run()
    print_times(measured.seconds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)

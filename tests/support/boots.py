"""Boots the site's agent worker in a page of a real browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext, Page

_BOOT = """(params) => new Promise((resolve) => {
  const worker = new Worker(new URL("worker/agent.js", location.href), { type: "module" });
  const progress = [];
  const began = performance.now();
  worker.onerror = (event) => resolve({ error: { message: event.message }, progress });
  worker.onmessage = ({ data }) => {
    const message = typeof data === "string" ? JSON.parse(data) : data;
    if (message.progress) return progress.push(message.progress);
    const ms = performance.now() - began;
    resolve({ result: message.result, error: message.error, progress, ms });
  };
  window.agentWorker = worker;
  worker.postMessage({ v: 1, id: 1, method: "boot", params });
})"""

_ASK = """(method) => new Promise((resolve) => {
  agentWorker.onmessage = ({ data }) => {
    const { result, error } = typeof data === "string" ? JSON.parse(data) : data;
    resolve({ result, error });
  };
  agentWorker.postMessage({ v: 1, id: 2, method, params: {} });
})"""

_SNAPSHOTS = """async () => {
  const folder = await navigator.storage.getDirectory();
  const names = [];
  for await (const name of folder.keys()) {
    if (name.startsWith("pagehand-snapshot-")) names.push(name);
  }
  return names;
}"""

_STORED = f"""async ([wanted, count]) => {{
  const names = {_SNAPSHOTS};
  const isMade = async () => {{
    const found = await names();
    return found.length >= count && (!wanted || found.includes(wanted));
  }};
  const isBusy = async () => (await navigator.locks.query()).held.length > 0;
  for (const limit = performance.now() + 60_000; performance.now() < limit; ) {{
    if ((await isMade()) && !(await isBusy())) return names();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }}
  throw new Error("No snapshot was stored within 60 s.");
}}"""


@dataclass(frozen=True)
class Booted:
    """How a boot ended: `source` is snapshot or cold, or `error` says what went wrong."""

    source: str
    error: str
    phases: list[str]
    progress: list[dict[str, Any]]
    warnings: list[str]
    ms: float
    page: Page

    def answers(self) -> bool:
        """Whether Python serves this worker: it knows that no such agent was ever created."""
        answer = self.page.evaluate(_ASK, "agent.call")
        return bool(answer["error"]["name"] == "ConfigError")


def visit(context: BrowserContext, address: str, **params: Any) -> Booted:
    """Open a page of the site and boot the agent worker in it."""
    page = context.new_page()
    page.goto(f"{address}NOTICES.txt")
    return boot(page, **params)


def boot(page: Page, **params: Any) -> Booted:
    """Boot the agent worker in a page that stands at the top of a site."""
    page.set_default_timeout(0)
    answer = page.evaluate(_BOOT, params)
    result = answer.get("result") or {}
    progress = answer["progress"]
    return Booted(
        source=result.get("source", ""),
        error=(answer.get("error") or {}).get("message", ""),
        phases=list(dict.fromkeys(item["phase"] for item in progress)),
        progress=progress,
        warnings=result.get("warnings", []),
        ms=answer.get("ms", 0),
        page=page,
    )


def wait_for_snapshot(page: Page, name: str = "", count: int = 1) -> list[str]:
    """Wait until so many snapshots are stored, that one among them; give the names of all."""
    names: list[str] = page.evaluate(_STORED, [name, count])
    return names


def snapshots(page: Page) -> list[str]:
    """Give the names of the snapshots that are stored now."""
    names: list[str] = page.evaluate(_SNAPSHOTS)
    return names

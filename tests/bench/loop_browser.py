"""What the loop costs a model call in the browser, beside a JavaScript agent in the same page.

Both make the same run on the scripted server: a plan, five steps with one tool call each, the
answer. The peer is @dudko.dev/agent-web from npm; it asks for its plan in one piece, everything
else is streamed to both.
"""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from building.steps import CACHE, ROOT, run
from tests.bench.answering import Client, log_of, serving
from tests.bench.browsing import page_of_site
from tests.bench.loop_server import STEPS

CALLS = 2 + 2 * STEPS
RUNS = 10
WARM_UP = 3
NODE_MODULES = ROOT / "web" / "node_modules"
OPTIONAL = ("anthropic", "deepseek", "google", "openai", "xai")


def bundle_peer() -> Path:
    """The peer as one script that sets the global `peer`."""
    bundle = CACHE / "bench" / "peer.js"
    external = [f"--external:@ai-sdk/{name}" for name in OPTIONAL]
    run(
        [
            NODE_MODULES / ".bin" / "esbuild",
            Path(__file__).with_name("peer.js"),
            f"--outfile={bundle}",
            *("--bundle", "--minify", "--format=iife", "--global-name=peer", "--target=es2022"),
            *("--external:@browser-ai/*", "--log-level=error", *external),
        ],
        env={**os.environ, "NODE_PATH": str(NODE_MODULES)},
    )
    return bundle


def measure(page: Page, address: str) -> tuple[dict[str, list[dict[str, Any]]], list[float]]:
    """Runs of both and ms of as many bare requests, in turn."""
    ours = page.evaluate_handle("(address) => bench.openOurs(address)", address)
    theirs = page.evaluate_handle("(address) => bench.openPeer(address)", address)
    runs: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    bare: list[float] = []
    for _ in range(WARM_UP + RUNS):
        for name, agent in (("ours", ours), ("peer", theirs)):
            runs[name].append(page.evaluate("(agent) => bench.timedRun(agent)", agent))
        bare.append(page.evaluate("(all) => bench.timedFetches(...all)", [address, CALLS]))
    return runs, bare


def report(name: str, runs: list[dict[str, Any]], client: Client) -> None:
    """Print a client's figures."""
    per_call = [each["ms"] / CALLS for each in runs]
    median = statistics.median(per_call[WARM_UP:])
    count = WARM_UP + RUNS
    print(
        f"{name}: {median:.1f} ms a model call (best {min(per_call):.1f}, the first run "
        f"{per_call[0]:.1f}); a run makes {client.calls / count:g} calls, "
        f"{client.preflights / count:.1f} preflights, {runs[-1]['applied']} tool calls and "
        f"{sum(runs[-1]['events'].values())} events"
    )


def main() -> None:
    """Print medians and the ratio."""
    bundle = bundle_peer()
    with serving("loop_server.py") as address, page_of_site() as page:
        page.add_script_tag(path=bundle)
        page.add_script_tag(path=Path(__file__).with_name("loop_browser.js"), type="module")
        page.wait_for_function("globalThis.bench")
        runs, bare = measure(page, address)
        clients = {name: log_of(address, name) for name in runs}
    for name in runs:
        assert clients[name].calls == (WARM_UP + RUNS) * CALLS, (name, clients[name])
        assert all(each["applied"] == STEPS for each in runs[name]), name
    report("loop in the browser, pagehand", runs["ours"], clients["ours"])
    report("@dudko.dev/agent-web, the same run", runs["peer"], clients["peer"])
    floor = statistics.median(bare[WARM_UP:]) / CALLS
    print(f"bare requests in the page, read and parsed: {floor:.1f} ms each")
    pairs = zip(runs["ours"][WARM_UP:], runs["peer"][WARM_UP:], strict=True)
    ratio = statistics.median(ours["ms"] / theirs["ms"] for ours, theirs in pairs)
    print(f"ratio {ratio:.2f} (budget 0.5), {RUNS} runs of each, in turn")


if __name__ == "__main__":
    main()

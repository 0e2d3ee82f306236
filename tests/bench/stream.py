"""What a streamed chunk costs from the socket to an event in the page, and whether the page keeps
its frame rate meanwhile.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.bench.answering import log_of, serving
from tests.bench.browsing import page_of_site
from tests.bench.stream_server import BURST, PACE, PACED

RUNS = 10
WARM_UP = 2
IDLE_MS = 3_000
Pieces = list[tuple[float, str]]


def prepare(page: Page) -> None:
    """Put stream.js into the page."""
    page.add_script_tag(path=Path(__file__).with_name("stream.js"), type="module")
    page.wait_for_function("globalThis.bench")


def open_agent(page: Page, address: str, model: str) -> Any:
    """Our agent, asking a model of the scripted server."""
    return page.evaluate_handle("(all) => bench.openAgent(...all)", [address, model])


def ours(page: Page, agent: Any) -> Pieces:
    """The answer as it comes through our agent."""
    pieces: Pieces = page.evaluate("(agent) => bench.agentStream(agent)", agent)
    return pieces


def bare(page: Page, address: str, model: str) -> Pieces:
    """The answer as it comes through a bare reader."""
    pieces: Pieces = page.evaluate("(all) => bench.bareStream(...all)", [address, model])
    return pieces


def measure_burst(page: Page, address: str) -> None:
    """Print the time from the server's first byte to the last event in the page."""
    agent = open_agent(page, address, "burst")
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    counts = {}
    for _ in range(WARM_UP + RUNS):
        for name in times:
            pieces = ours(page, agent) if name == "ours" else bare(page, address, "burst")
            assert len("".join(text for _, text in pieces).split()) == BURST, name
            times[name].append(pieces[-1][0] - log_of(address, name).first_byte)
            counts[name] = len(pieces)
    times = {name: each[WARM_UP:] for name, each in times.items()}
    medians = {name: statistics.median(each) for name, each in times.items()}
    ratio = statistics.median(a / b for a, b in zip(*times.values(), strict=True))
    print(f"{BURST} chunks, first byte to last event in the page:")
    print(f"  pagehand {medians['ours']:.0f} ms (in {counts['ours']} events in the last run)")
    print(f"  bare JavaScript reader {medians['bare']:.0f} ms")
    print(f"  ratio {ratio:.2f} (budget 3), {RUNS} runs of each, in turn")


def measure_latency(page: Page, address: str) -> None:
    """Print how long a single chunk takes at a steady pace."""
    agent = open_agent(page, address, "paced")
    for name, pieces in (
        ("pagehand", ours(page, agent)),
        ("bare JavaScript reader", bare(page, address, "paced")),
    ):
        late = sorted(at - float(sent) for at, text in pieces for sent in text.split())
        assert len(late) == PACED, len(late)
        print(
            f"a chunk at {PACE} a second, server to page event, {name}: median "
            f"{statistics.median(late):.1f} ms, 95 % within {late[int(len(late) * 0.95)]:.1f} ms"
        )


def report_frames(name: str, gaps: list[float]) -> None:
    """Print frames a second."""
    print(
        f"frames, {name}: median {1000 / statistics.median(gaps):.0f} a second, mean "
        f"{1000 / statistics.mean(gaps):.0f}, 99 % of gaps within "
        f"{sorted(gaps)[int(len(gaps) * 0.99)]:.0f} ms, the longest {max(gaps):.0f} ms"
    )


def measure_frames(page: Page, address: str) -> None:
    """Print the page's frame rate, idle and while an answer comes."""
    report_frames("the page idle", page.evaluate("(ms) => bench.idleFrames(ms)", IDLE_MS))
    streamed = page.evaluate("(address) => bench.chatFrames(address)", address)
    assert streamed["status"] == "complete", streamed["status"]
    report_frames(f"{PACE} tokens a second (budget 60)", streamed["gaps"])


def main() -> None:
    """Print medians and ratios."""
    with serving("stream_server.py") as address:
        with page_of_site() as page:
            prepare(page)
            measure_burst(page, address)
            measure_latency(page, address)
        with page_of_site("index.html") as page:
            prepare(page)
            measure_frames(page, address)


if __name__ == "__main__":
    main()

"""What tests of the page do with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Worker, expect

Opener = Callable[..., Page]


def send(page: Page, request: str) -> None:
    """Type a request and press Enter."""
    page.get_by_label("Your request").fill(request)
    page.get_by_label("Your request").press("Enter")


def status(page: Page) -> Locator:
    """The line above the message box."""
    return page.locator(".status .text")


def run(page: Page, request: str) -> Locator:
    """Send a request and wait for its end; give the run's card."""
    send(page, request)
    expect(status(page)).to_have_text(re.compile(r"^Done in .+"))
    return page.locator("article.run").last


def worker_of(page: Page, role: str) -> Worker:
    """The worker that runs last with a role: agent or engine."""
    return [worker for worker in page.workers if f"/{role}." in worker.url][-1]


def open_gate(page: Page, name: str) -> None:
    """Let the scenario go on."""
    page.workers[0].evaluate(f"open({json.dumps(name)})")


def seen(page: Page) -> dict[str, Any]:
    """What the page has sent to the worker."""
    found: dict[str, Any] = page.workers[0].evaluate("seen")
    return found


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(
        page.evaluate(
            """() => Math.max(
              document.documentElement.scrollWidth - innerWidth,
              ...[...document.querySelector("pagehand-chat").shadowRoot
                .querySelectorAll(".scroller, .column, .dock, header, aside")]
                .map((each) => each.scrollWidth - each.clientWidth))"""
        )
    )


def wait_for_workers(page: Page, count: int) -> None:
    """Wait until as many workers run; the browser tells of their coming and going late."""
    while len(page.workers) < count:
        page.wait_for_event("worker")
    while len(page.workers) > count:
        with page.workers[-1].expect_event("close"):
            pass

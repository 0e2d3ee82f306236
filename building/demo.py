"""One real run in a headless browser: the built page, the embedded model, a request of yours."""

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from playwright.sync_api import Error, Page, sync_playwright

from building.browser import FLAGS, Browser, find
from building.serve import Options, serving
from building.site import build_site
from building.steps import ROOT, BuildError, say, step

OUTPUT = ROOT / "dist" / "demo"
SILENCE_MS = 10 * 60_000
"""A run that tells nothing for so long is given up; a small machine reads prompts slowly."""

_MORE = "(seen) => pagehandDemo.events.length > seen || document.querySelector(\"pagehand-chat\")\
.shadowRoot.querySelector('[role=alert]')"
_SINCE = "(seen) => pagehandDemo.events.slice(seen)"
_SHOWN = ("description", "name", "input", "output", "summary", "status", "text", "message", "delta")


def run_demo(request: str, *, install: bool) -> int:
    """Do the request in the page; give 0 when the run completed.

    `dist/demo/` then holds events.jsonl and screen.png. Raises BuildError when the page breaks.
    """
    browser = find(install=install)
    site = build_site()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    with serving(site, Options(isolated=True)) as address:
        events, notes = _run(browser, f"{address}index.html?demo", request)
    say(f"Events and a picture are in {OUTPUT.relative_to(ROOT)}.")
    for note in notes:
        say(f"note: {note}")
    status = events[-1]["status"]
    if status != "complete":
        say(f"The run did not complete: it is {status}.")
        return 1
    return 0


def _run(browser: Browser, address: str, request: str) -> tuple[list[dict[str, Any]], list[str]]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser.path, args=list(FLAGS))
        page = started.new_page(viewport={"width": 1280, "height": 800})
        page.on("pageerror", lambda fault: say(f"  page error: {fault.message}"))
        try:
            with step(f"Asking: {request}"):
                events = list(_events(page, address, request))
            with suppress(Error):  # the page writes an answer a moment after the event
                page.locator("pagehand-markdown.answer p").last.wait_for(timeout=2_000)
            return events, page.evaluate("pagehandDemo.notes()")
        except Error as fault:
            raise BuildError(f"The page did not finish the run: {fault.message}") from fault
        finally:
            page.screenshot(path=OUTPUT / "screen.png")
            started.close()


def _events(page: Page, address: str, request: str) -> Iterator[dict[str, Any]]:
    """Ask, then give the run's events as they come; each is printed and written down."""
    page.goto(address)
    box = page.get_by_label("Your request")
    box.fill(request)
    box.press("Enter")
    seen = 0
    last_type = ""
    with (OUTPUT / "events.jsonl").open("w", encoding="utf-8") as file:
        while last_type != "run.complete":
            page.wait_for_function(_MORE, arg=seen, timeout=SILENCE_MS)
            fresh = page.evaluate(_SINCE, seen)
            if not fresh:
                alert = page.locator("pagehand-chat [role=alert]").first.inner_text()
                raise BuildError(f"The agent could not start:\n{alert}")
            for event in fresh:
                seen += 1
                file.write(json.dumps(event, ensure_ascii=False) + "\n")
                if not event["type"] == last_type == _repeated(last_type):
                    say(f"  {_line(event)}")
                last_type = event["type"]
                yield event


def _repeated(kind: str) -> str:
    """The same name when events of that kind come in rows, of which one is shown."""
    return kind if kind.endswith("-delta") or kind == "model.load" else ""


def _line(event: dict[str, Any]) -> str:
    facts = {**event, **event.get("step", {})} if isinstance(event.get("step"), dict) else event
    shown = [json.dumps(facts[key], ensure_ascii=False) for key in _SHOWN if facts.get(key)]
    return f"{event['type']}  {'  '.join(shown)[:160]}".rstrip()

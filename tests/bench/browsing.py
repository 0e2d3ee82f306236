"""A page of the built site in a headless browser, for the benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from building import browser as browsers
from building.serve import serving
from building.site import build_site


@contextmanager
def page_of_site(path: str = "NOTICES.txt") -> Iterator[Page]:
    """Open a page of the site in a new browser. The default page has no script of its own."""
    program = browsers.find().path
    with serving(build_site()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(browsers.FLAGS))
        page = browser.new_page()
        page.set_default_timeout(0)
        page.goto(address + path)
        yield page
        browser.close()

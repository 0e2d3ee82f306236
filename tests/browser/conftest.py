"""What browser tests share: the built site, and a real Chromium for each test module.

The browser lives for a module and not longer: Playwright's loop would be in the way of the
asyncio tests of other rooms.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from building import browser as browsers
from building.site import build_site


@pytest.fixture(scope="session")
def built_site() -> Path:
    """The folder of the site, built when it is not."""
    return build_site()


@pytest.fixture(scope="module")
def real_browser() -> Iterator[Browser]:
    """A headless browser."""
    with sync_playwright() as playwright:
        program = str(browsers.find().path)
        browser = playwright.chromium.launch(
            executable_path=program, headless=True, args=list(browsers.FLAGS)
        )
        yield browser
        browser.close()


@pytest.fixture
def visitor(real_browser: Browser) -> Iterator[BrowserContext]:
    """Somebody with empty caches and storage, who leaves nothing on disk."""
    context = real_browser.new_context()
    yield context
    context.close()


@pytest.fixture
def returning_visitor(real_browser: Browser, tmp_path: Path) -> Iterator[BrowserContext]:
    """Somebody with an empty profile on disk, who may visit a site several times."""
    context = real_browser.browser_type.launch_persistent_context(
        tmp_path / "profile",
        executable_path=browsers.find().path,
        headless=True,
        args=list(browsers.FLAGS),
    )
    yield context
    context.close()

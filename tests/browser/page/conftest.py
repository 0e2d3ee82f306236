"""The page's own files, served with a stand-in for the agent worker that plays scenarios."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from building.serve import STRICT_CSP, Options, serving
from pagehand.models.registry import list_providers
from tests.browser.page.driving import Opener

ROOT = Path(__file__).parents[3]
FIXTURES = Path(__file__).parent
LOUD = ("error", "warning")
# What a browser says when a page looks for its GPU and its own model, and there is none.
PROBES = r"No available adapters|Unable to create a text session"
# What the page's own scripts import from there.
SHARED_WITH_WORKERS = ("rpc.js", "queue.js", "coalesce.js", "stop_texts.js", "engine_error.js")


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's own files, with the stand-in where the agent worker would be."""
    folder = tmp_path_factory.mktemp("page") / "site"
    shutil.copytree(ROOT / "web", folder, ignore=shutil.ignore_patterns("node_modules", "test"))
    worker = folder / "worker"
    worker.mkdir()
    for name in SHARED_WITH_WORKERS:
        shutil.copy(ROOT / "worker" / name, worker)
    shutil.copy(FIXTURES / "fake_agent.js", worker / "agent.js")
    shutil.copy(FIXTURES / "fake_engine.js", worker / "engine.js")
    shutil.copy(FIXTURES / "scenarios.js", worker)
    (worker / "providers.js").write_text(f"export default {json.dumps(list_providers())};\n")
    (folder / "host.html").write_text("<!doctype html><title>host</title>\n")
    return folder


@pytest.fixture(scope="module")
def site(site_folder: Path) -> Iterator[str]:
    """The address of the page, served under the strict policy."""
    with serving(site_folder, Options(csp=STRICT_CSP)) as address:
        yield address


@pytest.fixture
def open_page(real_browser: Browser, site: str) -> Iterator[Opener]:
    """Opens the page in a context of its own. No request may leave, no fault may go unseen."""
    contexts: list[BrowserContext] = []
    foreign: list[str] = []
    faults: list[str] = []

    def open_it(
        width: int = 1280,
        *,
        path: str = "",
        prelude: str = "",
        init: str = "",
        expected_faults: str = "",
        **options: Any,
    ) -> Page:
        context = real_browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)

        def leaves(url: str) -> bool:
            return not url.startswith((site, "data:", "blob:"))

        def refuse(route: Any) -> None:
            foreign.append(route.request.url)
            route.abort()

        def take(fault: str) -> None:
            if not re.search("|".join(filter(None, (PROBES, expected_faults))), fault):
                faults.append(fault)

        context.route(leaves, refuse)
        if init:
            context.add_init_script(init)
        if prelude:
            agent = (FIXTURES / "fake_agent.js").read_text()
            context.route(
                "**/worker/agent.js",
                lambda route: route.fulfill(
                    body=prelude + agent,
                    content_type="text/javascript",
                    headers={"Content-Security-Policy": STRICT_CSP},
                ),
            )
        page = context.new_page()
        page.on("pageerror", lambda fault: take(str(fault)))
        page.on("console", lambda line: take(line.text) if line.type in LOUD else None)
        page.goto(site + path)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert foreign == []
    assert faults == []

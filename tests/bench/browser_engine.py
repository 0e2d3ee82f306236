"""The engine worker of the built site, in a real browser, as the Engine port of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Page, async_playwright

from building.browser import FLAGS, find
from pagehand.platform.engine import read_answer, request_params
from pagehand.ports import EngineAnswer, EngineInfo, EngineOptions, EngineProgress, EngineRequest
from tests.support.engine_page import served


class PageEngine:
    """An engine behind a page. Nothing streams: the answer comes whole."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def load(
        self,
        model: str,
        on_progress: Callable[[float, str], None],
        options: EngineOptions | None = None,
    ) -> EngineInfo:
        """Load a model."""
        info = await self._call("engine.load", {"model": model})
        on_progress(1.0, "loaded")
        return EngineInfo(info["model"], info["contextWindow"], tuple(info["constraints"]))

    async def generate(
        self, request: EngineRequest
    ) -> AsyncIterator[EngineProgress | EngineAnswer]:
        """Write."""
        yield EngineProgress("start")
        yield read_answer(await self._call("engine.generate", request_params(request)))

    async def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        args = ["worker", method, params, ""]
        answer = await self._page.evaluate("(args) => engine.call(...args)", args)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        result: dict[str, Any] = answer["result"]
        return result


@asynccontextmanager
async def page_engine(site: Path) -> AsyncIterator[PageEngine]:
    """Serve a built site, open a page with an engine worker, give the engine."""
    browser = find()
    with served(site) as server:
        async with async_playwright() as playwright:
            running = await playwright.chromium.launch(
                executable_path=str(browser.path), args=list(FLAGS)
            )
            page = await running.new_page()
            await page.goto(f"{server.address}/test/engine.html")
            await page.wait_for_function("() => window.engine")
            yield PageEngine(page)
            await running.close()

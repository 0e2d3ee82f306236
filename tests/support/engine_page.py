"""A page that speaks to an engine worker, for browser tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

from building.serve import STRICT_CSP
from tests.support.faulty_site import FaultySite, serving_faults

_TESTS = Path(__file__).parents[1]
FIXTURES = _TESTS / "browser" / "fixtures"
RPC = _TESTS.parent / "worker" / "rpc.js"
ISOLATED = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
HELLO = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}]


class Engine:
    """A page with an engine worker in it; `worker` is the end that the page itself holds."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def call(
        self, method: str, params: dict[str, Any], *, end: str = "worker", cancel_on: str = ""
    ) -> dict[str, Any]:
        """Give `{"result" | "error": …, "progress": […]}`."""
        arguments = [end, f"engine.{method}", params, cancel_on]
        answer: dict[str, Any] = self.page.evaluate("(args) => engine.call(...args)", arguments)
        return answer

    def load(
        self, model: str = "embedded", options: dict[str, Any] | None = None, *, end: str = "worker"
    ) -> dict[str, Any]:
        """Load a model."""
        return self.call("load", {"model": model, "options": options or {}}, end=end)

    def generate(
        self, messages: list[dict[str, str]] = HELLO, *, end: str = "worker", cancel_on: str = "",
        **params: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Ask for a short answer at temperature 0."""
        params = {"messages": messages, "temperature": 0, "maxOutputTokens": 8, **params}
        return self.call("generate", params, end=end, cancel_on=cancel_on)


@contextmanager
def served(
    folder: Path,
    *,
    isolated: bool = True,
    csp: str = STRICT_CSP,
    added: Mapping[str, Path] | None = None,
) -> Iterator[FaultySite]:
    """Serve a built site with the page, and with files that a test adds."""
    page = {f"test/{name}": FIXTURES / name for name in ("engine.html", "engine.js")}
    page["test/rpc.js"] = RPC
    headers = {"Content-Security-Policy": csp, **(ISOLATED if isolated else {})}
    with serving_faults(folder, headers=headers, added={**page, **(added or {})}) as server:
        yield server


def open_engine(context: BrowserContext, address: str) -> Engine:
    """Open the page with an engine worker of its own."""
    page = context.new_page()
    page.goto(f"{address}/test/engine.html")
    page.wait_for_function("() => window.engine")
    return Engine(page)

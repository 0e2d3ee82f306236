"""A stock Pyodide: npm's own files, with the site's wheels and lock beside them.

pytest-pyodide serves this folder and drives the browser; options in pyproject.toml name the folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from building import browser as browsers
from building.site import build_site

ROOT = Path(__file__).resolve().parents[2]
NPM = ROOT / "web" / "node_modules" / "pyodide"


@pytest.fixture(scope="session", autouse=True)
def distribution(request: pytest.FixtureRequest) -> Path:
    """The folder that is served."""
    folder = Path(request.config.option.dist_dir)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(NPM, folder)
    packages = build_site() / "py"
    for path in [*packages.glob("*.whl"), packages / "pyodide-lock.json"]:
        shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def playwright_browsers() -> Iterator[dict[str, Browser]]:
    """The browser that every other browser test uses, with the same flags."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(browsers.find().path), args=list(browsers.FLAGS)
        )
        yield {"chrome": started}
        started.close()


@pytest.fixture
def playground(selenium, web_server_main, distribution):
    """An interpreter in which the wheel was installed by its address, as a user does it."""
    host, port, _ = web_server_main
    [wheel] = distribution.glob("pagehand-*.whl")
    selenium.run_js("await pyodide.loadPackage('micropip')")
    selenium.run_async(f"""
        import micropip
        await micropip.install("http://{host}:{port}/{wheel.name}")
    """)
    return selenium

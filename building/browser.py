"""The one place that knows browsers: where they lie, which is new enough, how they are started."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from building.steps import BuildError, run, say, step

MINIMUM_MAJOR = 137
"""The first Chromium that has all a site needs: JSPI (stack switching) without a flag, OPFS
access handles that several readers may hold, and module workers."""

FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""How every headless browser of ours is started; each gets a fresh profile besides."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
          "microsoft-edge", "microsoft-edge-stable", "msedge")  # fmt: skip
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
)


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser on this machine: its program and its version, such as `156.0.8078.114`."""

    path: Path
    version: str

    @property
    def major(self) -> int:
        """The part of the version before its first dot."""
        return int(self.version.split(".")[0])


def find(*, install: bool = False) -> Browser:
    """Give the browser to use and print its version.

    `PAGEHAND_BROWSER` wins; then Chrome, Chromium or Edge where they usually lie; then
    Playwright's own; then, with `install`, root's rights and apt, the distribution's chromium.
    Raises BuildError when none of these is there, or when it is too old.
    """
    browser = _describe(_wanted() or _usual() or _of_playwright() or _installed(install=install))
    if browser.major < MINIMUM_MAJOR:
        raise BuildError(
            f"{browser.path} is version {browser.version}, but {MINIMUM_MAJOR} or newer is "
            "needed. Update it, or name another one in PAGEHAND_BROWSER."
        )
    say(f"Browser: {browser.path} {browser.version}")
    return browser


def _wanted() -> Path | None:
    name = os.environ.get("PAGEHAND_BROWSER")
    if not name:
        return None
    found = shutil.which(name)
    if found is None:
        raise BuildError(f"PAGEHAND_BROWSER names {name}, but no such program exists.")
    return Path(found)


def _usual() -> Path | None:
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    return Path(found) if found else next(filter(Path.exists, map(Path, _PLACES)), None)


def _of_playwright() -> Path | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def _installed(*, install: bool) -> Path:
    command = _command_that_installs()
    allowed = install and command[0] == "apt-get" and os.geteuid() == 0
    if not allowed:
        words = " ".join(command if command[0] != "apt-get" else ["sudo", *command])
        raise BuildError(
            "No Chrome, Chromium or Edge was found. Name one in PAGEHAND_BROWSER, or run: " + words
        )
    with step("Installing chromium from the distribution"):
        run(["apt-get", "update"], quiet=True)
        run(command, quiet=True)
    return Path(shutil.which("chromium") or "/usr/bin/chromium")


def _command_that_installs() -> list[str]:
    if shutil.which("apt-get"):
        return ["apt-get", "install", "-y", "chromium"]
    return [sys.executable, "-m", "playwright", "install", "chromium"]


def _describe(path: Path) -> Browser:
    if os.name == "nt":  # there the program does not answer --version
        query = f"(Get-Item '{path}').VersionInfo.ProductVersion"
        command = ["powershell", "-NoProfile", "-Command", query]
    else:
        command = [str(path), "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    version = re.search(r"\d+(\.\d+)+", answer)
    if version is None:
        raise BuildError(f"{path} does not tell its version, so it cannot be used.")
    return Browser(path, version[0])

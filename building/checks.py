"""The whole test command: style, types and architecture first, then every test."""

import os
import subprocess
import sys
from pathlib import Path

from building import browser
from building.site import WEB, build_site
from building.steps import ROOT, run, say, step

_NODE_BIN = WEB / "node_modules" / ".bin"
PYTHON_CHECKS: dict[str, list[str | Path]] = {
    "Style (ruff)": ["ruff", "check", "."],
    "Format (ruff)": ["ruff", "format", "--check", "."],
    "Types (mypy)": ["mypy"],
    "Architecture (import-linter)": ["lint-imports", "--no-cache"],
}
JAVASCRIPT_CHECKS: dict[str, list[str | Path]] = {
    "Types (tsc, page)": [_NODE_BIN / "tsc", "-p", WEB],
    "Types (tsc, workers)": [_NODE_BIN / "tsc", "-p", ROOT / "worker"],
    "Style (eslint)": [
        *(_NODE_BIN / "eslint", "-c", WEB / "eslint.config.js"),
        *("web", "worker", "tests/browser", "tests/bench"),
    ],
    "Tests of the page's pure parts (node)": [
        *("node", "--test"),
        *sorted((WEB / "test").glob("*.test.js")),
    ],
}


def run_checks(*, install: bool) -> int:
    """Run all checks and tests; give pytest's exit code, whose report comes last.

    Raises BuildError at the first check that fails.
    """
    found = browser.find(install=install)
    build_site()
    scripts = Path(sys.executable).parent
    for name, command in PYTHON_CHECKS.items():
        with step(name):
            run([scripts / command[0], *command[1:]], quiet=True)
    for name, command in JAVASCRIPT_CHECKS.items():
        with step(name):
            run(command, quiet=True)
    say("• Tests (pytest) …")
    environment = {**os.environ, "PAGEHAND_BROWSER": str(found.path)}
    return subprocess.call([sys.executable, "-m", "pytest"], cwd=ROOT, env=environment)

"""`python -m pagehand "request"`, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scripted_server import ScriptedServer, fault, text

ROOT = Path(__file__).resolve().parents[3]
PLAN = json.dumps({"thought": "t", "steps": [{"description": "do it"}]})


def run(*arguments, stdin="", **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AGENT_")}
    return subprocess.run(
        [sys.executable, "-m", "pagehand", *arguments],
        env=clean | {"PYTHONPATH": str(ROOT / "src")} | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("by_stdin", [False, True])
def test_a_run(by_stdin):
    with ScriptedServer([text(PLAN), text("did it"), text("All done.")]) as server:
        done = run(
            *([] if by_stdin else ["Do it now please"]),
            stdin="Do it now please" if by_stdin else "",
            AGENT_BASE_URL=server.url,
            AGENT_MODEL="m",
            AGENT_API_KEY="sk-canary-55",
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "All done.\n"
    assert "Step 1 of 1: do it" in done.stderr
    assert "sk-canary-55" not in done.stdout + done.stderr


def test_a_fault():
    with ScriptedServer([fault(401, "bad key sk-canary-55")]) as server:
        done = run(
            "Do it", AGENT_BASE_URL=server.url, AGENT_MODEL="m", AGENT_API_KEY="sk-canary-55"
        )
    assert done.returncode == 1 and done.stdout == ""
    assert "AuthenticationError" in done.stderr and "check the API key" in done.stderr
    assert "sk-canary-55" not in done.stderr


def test_a_missing_setting():
    done = run("Do it")
    assert done.returncode == 1
    assert "Set AGENT_BASE_URL and AGENT_MODEL" in done.stderr


def test_usage():
    assert run("--help").stdout.startswith("Usage: python -m pagehand")
    nothing = run()
    assert nothing.returncode == 2 and "Usage" in nothing.stderr

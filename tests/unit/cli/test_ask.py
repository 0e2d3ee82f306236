"""`python -m pagehand "request"`, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.providers import answers
from tests.support.providers.anthropic import Anthropic
from tests.support.providers.server import ProviderServer
from tests.support.providers.wire import KEY
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
    assert "Set AGENT_MODEL" in done.stderr


def test_another_provider_thinks():
    thought = answers.thinking_then_text("hm", PLAN)
    script = [thought, answers.text("did it"), answers.text("All done.")]
    with ProviderServer(Anthropic(), script) as server:
        done = run(
            "Do it now please",
            AGENT_BASE_URL=server.url,
            AGENT_MODEL="anthropic:claude-sonnet-4-5",
            AGENT_API_KEY=KEY,
            AGENT_THINKING="2048",
        )
        assert server.faults == []
        assert server.requests[0].body["thinking"]["budget_tokens"] == 2_048
    assert (done.returncode, done.stdout) == (0, "All done.\n"), done.stderr


def test_options_that_are_no_json():
    done = run(
        "Do it", AGENT_MODEL="openai:gpt-5", AGENT_PROVIDER_OPTIONS='{"secretAccessKey": "canary'
    )
    assert done.returncode == 1 and "must be a JSON object" in done.stderr
    assert "canary" not in done.stderr


def test_usage():
    assert run("--help").stdout.startswith("Usage: python -m pagehand")
    nothing = run()
    assert nothing.returncode == 2 and "Usage" in nothing.stderr

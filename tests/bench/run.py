"""Runs every benchmark and prints medians and ratios, each with its budget beside it.

`python3 build_wheel.py bench` calls this. No time is asserted: only a benchmark that cannot be run
to its end counts as failed, the others go on, and the exit code is 1 then.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "boot": "The start of the worker, and what a first visit loads",
    "call_reading": "Reading tool calls from text as it streams, and repairing one",
    "loop": "What the loop costs a model call on CPython",
    "loop_browser": "What the loop costs a model call in the browser",
    "reading": "Reading a provider's stream, wire by wire, beside parsing its events alone",
    "stream": "A streamed chunk, from the socket to an event in the page",
}


def main() -> int:
    """Run the parts one after another; give the exit code."""
    paths = [str(ROOT), str(ROOT / "src")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    failed = []
    for part, title in PARTS.items():
        print(f"\n{title}", flush=True)
        command = [sys.executable, "-m", f"tests.bench.{part}"]
        if subprocess.call(command, cwd=ROOT, env=environment):
            failed.append(part)
    for part in failed:
        print(f"\nThe benchmark {part} failed; its output above tells why.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

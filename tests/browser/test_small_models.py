"""The evaluation of small models, on four of its tasks: the whole set takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.small_model_tasks import TASKS
from tests.bench.small_models import SMALL_SAMPLE

ROOT = Path(__file__).parents[2]


def evaluate(out: Path) -> str:
    # A process of its own: the evaluation drives its browser from an event loop.
    command = [sys.executable, "-m", "tests.bench.small_models", "--only", ",".join(SMALL_SAMPLE)]
    done = subprocess.run(
        [*command, "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_embedded_model_makes_simple_calls(built_site: Path, tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    evaluate(out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == [task.id for task in TASKS if task.id in SMALL_SAMPLE]
    assert sum(line["right"] for line in lines) >= 3
    # What is there is not run again, only told of.
    assert "single" in evaluate(out)
    assert len(out.read_text().splitlines()) == len(SMALL_SAMPLE)

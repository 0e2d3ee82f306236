"""How well a small model acts: `python -m tests.bench.small_models [--setting …] [--only …]`.

Each task of `small_model_tasks.py` is put to a real model, bare (one request with its tools, no
agent) or through the whole agent. One JSON line a task goes to the file of `--out`; a task whose
line is there is not run again, so a sweep can be stopped, resumed and spread (`--part 1/3`).

Settings, bare: `questions` (the model's own way, where it has one: small questions), `fenced`,
`tags` and `envelope` (the model writes freely), `held` (an envelope, its decoder held to a JSON
Schema). A line says whether the call was right as the model wrote it (`unrepaired`) and after
repair (`right`). `agent` runs the whole agent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pagehand.agent.agent import Agent
from pagehand.agent.config import read_config
from pagehand.models.base import Model
from pagehand.models.resolve import resolve_model
from pagehand.models.spec import ModelSettings
from pagehand.platform.native import native_platform
from pagehand.ports import Platform
from pagehand.tools.loop import CallRepaired, LoopEvent
from pagehand.tools.standalone import run_tool_loop
from tests.bench.browser_engine import page_engine
from tests.bench.small_model_tasks import TASKS, TOOLS, Task, is_right, names_right

SITE = Path("dist/site")
BARE = ("questions", "fenced", "tags", "envelope", "held")
_LONGEST_ANSWER = 96  # tokens
SMALL_SAMPLE = ("single-01", "single-08", "choice-20-04", "none-01")
AGENT_SAMPLE = (
    *("single-01", "single-04", "single-08", "single-11", "single-18", "single-21"),
    *("choice-20-01", "choice-60-01", "parallel-01", "none-02", "two-step-03", "nested-03"),
)


@asynccontextmanager
async def platform_for(model: str) -> AsyncIterator[Platform]:
    """Give the platform that a model needs: a browser's engine for one on the device."""
    platform = native_platform()
    if model.split(":")[0] not in ("embedded", "wllama", "web-llm"):
        yield platform
        return
    async with page_engine(SITE) as engine:
        yield replace(platform, engine=engine)


async def run_bare(task: Task, setting: str, model: Model, platform: Platform) -> dict[str, Any]:
    """Put one request with its tools to a model, for one round."""
    profile = model.profile
    if setting != "questions":
        profile = replace(profile, small_questions=False, constrains=setting == "held")
    model.profile = profile  # type: ignore[misc]
    repairs: list[CallRepaired] = []

    def hear(event: LoopEvent) -> None:
        if isinstance(event, CallRepaired):
            repairs.append(event)

    told = "envelope" if setting in ("questions", "held") else setting
    outcome = await run_tool_loop(
        model,
        [TOOLS[name] for name in task.tools],
        task.request,
        platform=platform,
        mode="native" if setting == "questions" else "prompted",
        call_format=told,
        max_steps=1,
        max_output_tokens=_LONGEST_ANSWER,
        timeout_ms=0,
        on_event=hear,
    )
    calls = [(record.name, record.input) for record in outcome.tool_calls if record.ok]
    return {"calls": calls, "repairs": len(repairs), "usage": outcome.result.usage.to_dict()}


async def run_agent(task: Task, model: str, platform: Platform) -> dict[str, Any]:
    """Put one request to a whole agent."""
    tools = [TOOLS[name] for name in task.tools]
    config = read_config({"model": model, "tools": tools, "llmTimeoutMs": 0}, {})
    agent = Agent(config, platform)
    result = await agent.run(task.request)
    calls = [
        (record.name, record.input)
        for step in result.trace
        for record in step.tool_calls
        if record.ok
    ]
    return {"calls": calls, "repairs": 0, "usage": result.usage.to_dict(), "text": result.text}


async def sweep(model: str, setting: str, tasks: list[Task], out: Path) -> None:
    """Run the tasks that `out` has no line of yet."""
    done = {line["id"] for line in _lines(out) if line["setting"] == setting}
    todo = [task for task in tasks if task.id not in done]
    if not todo:
        return
    async with platform_for(model) as platform:
        made = resolve_model(model, platform, ModelSettings())
        for task in todo:
            started = time.perf_counter()
            if setting == "agent":
                found = await run_agent(task, model, platform)
            else:
                found = await run_bare(task, setting, made, platform)
            right = is_right(task.wanted, found["calls"])
            line = {
                "id": task.id,
                "kind": task.kind,
                "setting": setting,
                "model": model,
                "right": right,
                "unrepaired": right and not found["repairs"],
                "names": names_right(task.wanted, found["calls"]),
                "seconds": round(time.perf_counter() - started, 1),
                **found,
            }
            with out.open("a") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            mark = "✓" if right else "~" if line["names"] else "✗"
            print(f"{mark} {setting} {task.id} {line['seconds']} s {found['calls']}", flush=True)


def _lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def report(out: Path) -> None:
    """Print the success by setting and kind."""
    table: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in _lines(out):
        table[line["setting"], line["kind"]].append(line)
        table[line["setting"], "all"].append(line)
    print("setting    kind       tasks unrepaired  right tool right")
    for (setting, kind), lines in table.items():
        counts = [sum(line[key] for line in lines) for key in ("unrepaired", "right", "names")]
        print(f"{setting:10} {kind:10} {len(lines):5} {counts[0]:10} {counts[1]:6} {counts[2]:10}")


def main(arguments: list[str]) -> None:
    """Read the command line, run, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--setting", action="append", choices=(*BARE, "agent"))
    parser.add_argument("--only", default="", help="ids or kinds, with commas")
    parser.add_argument(
        "--part", default="1/1", help="such as 2/3: every third task from the second"
    )
    parser.add_argument("--out", type=Path, default=Path(".cache/small_models.jsonl"))
    given = parser.parse_args(arguments)
    wanted = {each for each in given.only.split(",") if each}
    part, parts = map(int, given.part.split("/"))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    for setting in given.setting or ["questions"]:
        chosen = wanted or set(AGENT_SAMPLE if setting == "agent" else ())
        tasks = [task for task in TASKS if not chosen or {task.id, task.kind} & chosen]
        asyncio.run(sweep(given.model, setting, tasks[part - 1 :: parts], given.out))
    report(given.out)


if __name__ == "__main__":
    main(sys.argv[1:])

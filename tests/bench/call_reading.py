"""How fast tool calls are read from the text of a model, and what the repair of one costs.

The same file runs on CPython and inside Pyodide. Every text is read whole, in pieces the size of a
token, and one character at a time.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagehand.models.base import ToolCall
from pagehand.tools.prompted import ToolCallStream
from pagehand.tools.repair import repair_call
from pagehand.tools.tool import Tool, define_tool

STEPS = {"whole": 0, "by 4": 4, "by 1": 1}


def tools() -> list[Tool]:
    """Twenty tools, as an agent offers them."""
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "count": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["path"],
    }
    names = ["write_file", *(f"other_tool_{number}" for number in range(19))]
    return [define_tool(name, name, schema, lambda arguments: None) for name in names]


def call(content: str) -> str:
    """A call in JSON with a text as its largest argument."""
    arguments = {"path": "notes.md", "content": content, "count": 3, "tags": ["a", "b"]}
    return json.dumps({"name": "write_file", "arguments": arguments})


def texts(size: int) -> dict[str, str]:
    """Outputs of about so many characters each, by what they hold."""
    words = "A few **plain** words, `code` and a [link](https://example.org) in {braces}.\n"
    line = 'Some words and a "quoted" one, <b>tags</b> and {braces}.\n'
    small = f"<tool_call>\n{call('short')}\n</tool_call>\n"
    tags = "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n"
    large = line * (size // len(line))
    return {
        "prose": words * (size // len(words)),
        "many calls": small * (size // len(small)),
        "one large call": f"<tool_call>{call(large)}</tool_call>",
        "large, in tags": f"{tags}<parameter=content>\n{large}\n</parameter>\n</function>\n",
        "envelope": json.dumps({"reply": large, "actions": []}),
        "thought": f"<think>{words * (size // len(words))}</think>Done.",
    }


def read(text: str, offered: list[Tool], step: int) -> int:
    """Read a text in pieces; give how many parts came out."""
    stream = ToolCallStream(offered)
    step = step or len(text)
    count = sum(len(stream.feed(text[at : at + step])) for at in range(0, len(text), step))
    return count + len(stream.finish())


def seconds_of(work: Callable[[], object], least: float = 0.3) -> float:
    """Give the seconds that a piece of work takes, on average over some time."""
    work()
    started = time.perf_counter()
    times = 0
    while (passed := time.perf_counter() - started) < least:
        work()
        times += 1
    return passed / times


def rates(text: str, offered: list[Tool]) -> dict[str, float]:
    """Give megabytes a second by step."""
    return {
        name: len(text) / 1e6 / seconds_of(lambda step=step: read(text, offered, step))
        for name, step in STEPS.items()
    }


def both(size: int) -> dict[str, Any]:
    """Measure everything on this Python: MB/s by text and step, milliseconds a repair."""
    offered = tools()
    speed = {name: rates(text, offered) for name, text in texts(size).items()}
    good = json.dumps({"path": "a", "content": "x" * 200, "count": 3, "tags": ["a"]})
    broken = {
        "nothing": ToolCall("1", "write_file", json.loads(good), good),
        "name": ToolCall("1", "functions.writeFile", json.loads(good), good),
        "json": ToolCall("1", "write_file", {}, good[:-1] + ",}", broken=True),
        "coerce": ToolCall("1", "write_file", {"path": "a", "count": "3", "tags": "a"}, "{}"),
    }
    repair = {
        name: seconds_of(lambda wanted=wanted: repair_call(wanted, offered)) * 1e3
        for name, wanted in broken.items()
    }
    return {"speed": speed, "repair": repair}


def show(name: str, told: dict[str, Any]) -> None:
    """Print a row for each text, and one for the repairs."""
    for text, speed in told["speed"].items():
        rates = ", ".join(f"{step} {rate:6.2f}" for step, rate in speed.items())
        print(f"  {name:8} {text:15} {rates} MB/s")
    repairs = ", ".join(f"{kind} {cost:.2f} ms" for kind, cost in told["repair"].items())
    print(f"  {name:8} one repair: {repairs}")


def main() -> None:
    """Measure on CPython, then the same inside Pyodide under Node."""
    root = Path(__file__).resolve().parents[2]
    show("CPython", both(100_000))
    script = root / "tests" / "bench" / "call_reading.mjs"
    done = subprocess.run(
        ["node", str(script), str(root)], capture_output=True, text=True, check=True
    )
    show("Pyodide", json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()

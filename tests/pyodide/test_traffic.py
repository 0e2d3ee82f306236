"""Recorded provider answers, read inside Pyodide as on CPython."""

import json
from pathlib import Path

from tests.traffic import reading

SOURCE = (Path(__file__).resolve().parents[1] / "traffic" / "reading.py").read_text()


def test_every_recorded_answer(playground, material, capsys):
    cases = {
        f"{path.parent.name}/{path.name}": case
        for path in sorted((material / "traffic").glob("*/*.json"))
        if (case := json.loads(path.read_text()))["protocol"] in reading.PROVIDER_OF
    }
    playground.set_script_timeout(900)
    told = json.loads(
        playground.run_async(f"""
import json, sys, types
module = types.ModuleType("reading")
sys.modules["reading"] = module
exec(compile({SOURCE!r}, "reading.py", "exec"), module.__dict__)
cases = json.loads({json.dumps(cases)!r})
json.dumps(await module.run_cases(cases, shortest=10, times=5))
""")
    )
    with capsys.disabled():
        print(f"\nPyodide: {told['read']} recorded answers read, {told['cuts']} cuts")
    assert told["read"] == len(cases) > 0
    assert told["wrong"] == {}

// Runs tests/bench/reading.py inside Pyodide, under Node, and prints what it measured as JSON.

import { loadPyodide } from "../../web/node_modules/pyodide/pyodide.mjs";

const [root, folder] = process.argv.slice(2);
const pyodide = await loadPyodide();
pyodide.mountNodeFS("/project", root);
try {
  pyodide.mountNodeFS("/recorded", folder);
} catch {
  pyodide.FS.mkdirTree("/recorded"); // nothing is recorded here
}
const told = await pyodide.runPythonAsync(`
import json, sys
from pathlib import Path
sys.path[:0] = ["/project", "/project/src"]
from tests.bench import reading
json.dumps(await reading.both(Path("/recorded")))
`);
console.log(told);

// Runs tests/bench/call_reading.py inside Pyodide, under Node, and prints what it measured as JSON.

import { loadPyodide } from "../../web/node_modules/pyodide/pyodide.mjs";

const [root] = process.argv.slice(2);
const pyodide = await loadPyodide();
pyodide.mountNodeFS("/project", root);
const told = await pyodide.runPythonAsync(`
import json, sys
sys.path[:0] = ["/project", "/project/src"]
from tests.bench import call_reading
json.dumps(call_reading.both(50_000))
`);
console.log(told);

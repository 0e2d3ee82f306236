// Runs a Python file inside Pyodide under Node, with one folder of this machine mounted at /build.
// The build uses it because byte code must be made by the very Python that will run it.
//
//   node in_pyodide.mjs <script.py> <folder>

import { readFile } from "node:fs/promises";
import { loadPyodide } from "../web/node_modules/pyodide/pyodide.mjs";

const [script, folder] = process.argv.slice(2);
const python = await loadPyodide();
python.FS.mkdir("/build");
python.mountNodeFS("/build", folder);
try {
  python.runPython(await readFile(script, "utf8"), { filename: script });
} catch (fault) {
  console.error(fault.message);
  process.exit(1);
}
process.exit(0);

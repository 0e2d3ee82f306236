// Pyodide's own files: two scripts and the compiled interpreter, fetched side by side.

import { bootError } from "./boot_error.js";

/**
 * @param {import("./download.js").Downloads} downloads
 * @returns {Promise<import("./python.js").Core>}
 */
export async function fetchCore(downloads) {
  const [pyodide, module, wasm] = await Promise.all([
    script("py/pyodide.mjs", import("../py/pyodide.mjs")),
    script("py/pyodide.asm.mjs", import("../py/pyodide.asm.mjs")),
    downloads.module("py/pyodide.asm.wasm"),
  ]);
  return { loadPyodide: pyodide.loadPyodide, createModule: module.default, wasm };
}

/**
 * @template T
 * @param {string} name
 * @param {Promise<T>} loading
 */
function script(name, loading) {
  return loading.catch((fault) => {
    const advice = "Check that the site's files are complete, then reload the page.";
    throw bootError(`${name} cannot be loaded (${fault.message}). ${advice}`, true);
  });
}

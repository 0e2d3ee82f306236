// Starts Pyodide with what the boot fetched. Private parts of Pyodide are used here and nowhere
// else: its version is pinned, a restored interpreter is checked before it is used, and any fault
// leads to a plain start.

import { python as built } from "./assets.js";
import { readPack } from "./pack.js";

/**
 * @typedef {Omit<import("pyodide").PyodideAPI, "makeMemorySnapshot"> & {_module: any,
 *           makeMemorySnapshot: () => Uint8Array<ArrayBuffer>}} Python
 * @typedef {{loadPyodide: typeof import("pyodide").loadPyodide,
 *            createModule: (settings: any) => Promise<any>,
 *            wasm: WebAssembly.Module}} Core  Pyodide itself
 * @typedef {{extension: WebAssembly.Module, heap?: Uint8Array<ArrayBuffer>}} Memory
 *          to restore `heap`, or to make a snapshot where there is none yet
 */

/**
 * Starts the interpreter; with `memory` from a snapshot, or so that one can be made.
 * @param {Core} core
 * @param {Uint8Array<ArrayBuffer>} stdlib  the pack of the standard library
 * @param {Memory} [memory]
 * @returns {Promise<Python>}
 */
export async function startPython({ loadPyodide, createModule, wasm }, stdlib, memory) {
  const indexURL = new URL("../py/", import.meta.url).href;
  const library = [...readPack(stdlib).values()][0];
  const restore = lend(wasm, {
    [`${indexURL}pyodide.asm.wasm`]: undefined,
    [`${indexURL}python_stdlib.zip`]: library,
  });
  /** @param {any} settings */
  const createPyodideModule = async (settings) => {
    if (memory) settings.preRun.push((/** @type {any} */ M) => preload(M, memory.extension));
    const module = await createModule(settings);
    if (memory?.heap) growHeap(module, memory.heap.byteLength);
    return module;
  };
  /** @type {any} */
  const options = {
    indexURL,
    createPyodideModule,
    lockFileContents: built.lock,
    env: { PYDANTIC_DISABLE_PLUGINS: "__all__" },
    ...(memory?.heap ? { _loadSnapshot: memory.heap } : memory ? { _makeSnapshot: true } : {}),
  };
  try {
    return /** @type {any} */ (await loadPyodide(options));
  } finally {
    restore();
  }
}

/**
 * Lets Python import the extension module that was compiled by the browser. Its file is empty: the
 * loader finds the code here.
 * @param {Python} python
 * @param {WebAssembly.Module} extension
 */
export async function addExtension(python, extension) {
  const module = python._module;
  const flags = { loadAsync: true, nodelete: true };
  const path = built.extensionPath;
  module.preloadedWasm[path] = await module.loadWebAssemblyModule(extension, flags, path, {});
}

/**
 * The same before Python runs. A snapshot holds addresses in the extension's memory, so it must
 * lie at the same place whenever that snapshot is made or restored.
 * @param {any} module
 * @param {WebAssembly.Module} extension
 */
function preload(module, extension) {
  const flags = { loadAsync: false, nodelete: true };
  const path = built.extensionPath;
  module.preloadedWasm[path] = module.loadWebAssemblyModule(extension, flags, path, {});
}

/**
 * Pyodide copies a snapshot into a heap of the starting size and fails when it was larger.
 * @param {any} module
 * @param {number} bytes
 */
function growHeap(module, bytes) {
  if (module.HEAPU8.byteLength < bytes && !module.growMemory(bytes)) {
    throw new RangeError(`There is no memory for a heap of ${bytes} bytes.`);
  }
}

/**
 * Hands Pyodide what was fetched already. On its own it fetches by fixed names, cannot unpack,
 * and waits for ever when a file is missing or wrong.
 * @param {WebAssembly.Module} wasm
 * @param {Record<string, Uint8Array<ArrayBuffer> | undefined>} files  bodies by URL
 * @returns {() => void}  ends the loan
 */
function lend(wasm, files) {
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = (input, init) =>
    String(input) in files
      ? Promise.resolve(new Response(files[String(input)]))
      : fetch(input, init);
  WebAssembly.instantiateStreaming = async (_, imports) => ({
    module: wasm,
    instance: await WebAssembly.instantiate(wasm, imports),
  });
  return () => {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  };
}

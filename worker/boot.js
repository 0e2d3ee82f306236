// Starts Python in a worker, as fast as the visit allows: from a snapshot of its memory where an
// earlier visit left one, else from nothing. Whatever is wrong with a snapshot, the boot falls back.

import { createDownloads } from "./download.js";
import { bootError } from "./boot_error.js";
import { unpack } from "./pack.js";
import { addExtension, startPython } from "./python.js";
import { findSnapshot, removeSnapshots } from "./snapshot.js";
import { assets } from "./assets.js";

/**
 * @typedef {import("./python.js").Python} Python
 * @typedef {"download" | "compile" | "python" | "ready"} Phase
 * @typedef {{phase: Phase, progress: number, text: string}} BootProgress  progress from 0 to 1
 * @typedef {{source: "snapshot" | "cold", timings: Record<string, number>,
 *            warnings: string[]}} BootResult  timings in ms since the boot began, by phase
 * @typedef {{python: Python, result: BootResult, complete: () => Promise<void>}} Boot
 *          `complete` brings pydantic, which Python can then import; calling it again waits too
 */

/** A boot that hears nothing for so long gives up. */
const SILENCE_MS = 60_000;
/** What a first start fetches before it is ready. */
const COLD_FILES = [
  "py/pyodide.asm.wasm",
  "py/stdlib.pack",
  "py/pagehand.pack",
  "py/helpers.pack",
];
/** Imported before the worker is ready; the rest follows when it is first used. */
const CORE_IMPORT = "import pagehand.platform.worker";
/** What a snapshot holds besides, and the proof that a restored one works. */
const WARM_IMPORT = `
import fastjsonschema, json_repair, pydantic
class _Probe(pydantic.BaseModel):
    count: int
    names: list[str] = []
`;
const PROBE = `_Probe.model_validate({"count": "7", "names": ["a"]}).model_dump_json()`;
const PROBE_ANSWER = `{"count":7,"names":["a"]}`;

/**
 * @param {{onProgress: (progress: BootProgress) => void, useSnapshot?: boolean,
 *          silenceMs?: number}} options
 * @returns {Promise<Boot>}
 */
export async function boot({ onProgress, useSnapshot = true, silenceMs = SILENCE_MS }) {
  checkWebAssembly();
  const watch = createWatch(onProgress, silenceMs);
  const work = async () => {
    if (!useSnapshot) await removeSnapshots();
    const fetched = fetchCore(watch);
    const restored = useSnapshot ? await restore(fetched, watch) : null;
    return restored ?? start(fetched, watch);
  };
  const { python, source, complete } = await watch.guard(work());
  watch.tell("ready", 1, "Ready");
  const { warnings } = watch.downloads;
  return { python, complete, result: { source, timings: watch.timings, warnings } };
}

/**
 * Starts a second Python as a first visit does, with all packages imported, and gives its memory.
 * No user's data can be in it: this interpreter has done nothing else.
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function makeSnapshot() {
  const downloads = createDownloads(() => {});
  const names = ["py/pagehand.pack", "py/helpers.pack", "py/packages.pack"];
  const packs = Promise.all(names.map(downloads.bytes));
  const extension = downloads.module("py/pydantic_core.wasm");
  const core = await loadCore(downloads);
  const python = await startPython(core, { extension: await extension });
  for (const pack of await packs) unpack(python.FS, pack);
  python.runPython(`${CORE_IMPORT}\n${WARM_IMPORT}\n${PROBE}\nimport gc; gc.collect()`);
  return python.makeMemorySnapshot();
}

/** A browser or a policy that refuses WebAssembly is told at once. */
function checkWebAssembly() {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    throw bootError(
      "WebAssembly is blocked, so Python cannot start. Allow it: add 'wasm-unsafe-eval' to " +
        "script-src in the page's Content-Security-Policy, or leave the browser's lockdown mode.",
    );
  }
}

/**
 * Tells phases and progress, takes times, and gives up after a long silence.
 * @param {(progress: BootProgress) => void} onProgress
 * @param {number} silenceMs
 */
function createWatch(onProgress, silenceMs) {
  const began = performance.now();
  const total = COLD_FILES.reduce((sum, name) => sum + (assets[name]?.bytes ?? 0), 0);
  /** @type {Record<string, number>} */
  const timings = {};
  /** @type {(fault: Error) => void} */
  let giveUp = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let received = 0;
  let last = "";

  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const after = last ? ` after "${last}"` : "";
      const silence = `nothing came for ${silenceMs / 1000} s${after}`;
      const advice = "Check the connection, then reload the page.";
      giveUp(bootError(`Python did not start: ${silence}. ${advice}`, true));
    }, silenceMs);
  };
  /** @param {Phase} phase @param {number} progress @param {string} text */
  const tell = (phase, progress, text) => {
    hear();
    last = text;
    timings[phase] = Math.round(performance.now() - began);
    onProgress({ phase, progress, text });
  };
  const downloads = createDownloads((count) => {
    received += count;
    if (timings["python"] !== undefined) return hear();
    const progress = Math.min(received / total, 1);
    tell("download", progress, `Loading Python ${Math.floor(progress * 100)} %`);
  });
  /** @template T @param {Promise<T>} work @returns {Promise<T>} */
  const guard = async (work) => {
    const givenUp = new Promise((_, reject) => (giveUp = reject));
    hear();
    try {
      return await Promise.race([work, /** @type {Promise<never>} */ (givenUp)]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { tell, guard, timings, downloads };
}

/** @typedef {ReturnType<typeof createWatch>} Watch */

/**
 * @param {import("./download.js").Downloads} downloads
 * @returns {Promise<import("./python.js").Core>}
 */
async function loadCore(downloads) {
  const [pyodide, module, wasm, stdlib] = await Promise.all([
    script("py/pyodide.mjs", import("../py/pyodide.mjs")),
    script("py/pyodide.asm.mjs", import("../py/pyodide.asm.mjs")),
    downloads.module("py/pyodide.asm.wasm"),
    downloads.bytes("py/stdlib.pack"),
  ]);
  return { loadPyodide: pyodide.loadPyodide, createModule: module.default, wasm, stdlib };
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

/**
 * Starts every download that both ways need.
 * @param {Watch} watch
 */
function fetchCore({ downloads, tell }) {
  const core = loadCore(downloads).then((loaded) => {
    tell("compile", 1, "Python is loaded");
    return loaded;
  });
  const packs = Promise.all(["py/pagehand.pack", "py/helpers.pack"].map(downloads.bytes));
  return { core: observed(core), packs: observed(packs) };
}

/** @typedef {ReturnType<typeof fetchCore>} Fetched */

/**
 * Starts from nothing.
 * @param {Fetched} fetched
 * @param {Watch} watch
 */
async function start({ core, packs }, { tell, downloads }) {
  const loaded = await core;
  tell("python", 0, "Starting Python");
  const python = await startPython(loaded);
  for (const pack of await packs) unpack(python.FS, pack);
  python.runPython(CORE_IMPORT);
  /** @type {Promise<void> | undefined} */
  let completed;
  const complete = () => (completed ??= addPackages(python, downloads));
  return { python, source: /** @type {const} */ ("cold"), complete };
}

/**
 * @param {Python} python
 * @param {import("./download.js").Downloads} downloads
 */
async function addPackages(python, downloads) {
  const [packages, extension] = await Promise.all([
    downloads.bytes("py/packages.pack"),
    downloads.module("py/pydantic_core.wasm"),
  ]);
  await addExtension(python, extension);
  unpack(python.FS, packages);
  python.runPython("import importlib; importlib.invalidate_caches()");
}

/**
 * Starts from the snapshot of an earlier visit; null when there is none that works.
 * @param {Fetched} fetched
 * @param {Watch} watch
 */
async function restore(fetched, { tell, downloads }) {
  const stored = await findSnapshot();
  if (!stored) return null;
  try {
    const [heap, core, extension, packs, packages] = await Promise.all([
      stored.read(),
      fetched.core,
      downloads.module("py/pydantic_core.wasm"),
      fetched.packs,
      downloads.bytes("py/packages.pack"),
    ]);
    if (!heap) throw new Error("The snapshot is damaged or foreign.");
    tell("python", 0, "Waking Python");
    const python = await startPython(core, { extension, heap });
    for (const pack of [...packs, packages]) unpack(python.FS, pack);
    reseed(python);
    if (python.runPython(PROBE) !== PROBE_ANSWER) throw new Error("The snapshot does not work.");
    return { python, source: /** @type {const} */ ("snapshot"), complete: async () => {} };
  } catch {
    await removeSnapshots(); // whatever it was, a start from nothing comes next and tells its faults
    return null;
  }
}

/**
 * Python's random numbers would be the same after every restore.
 * @param {Python} python
 */
function reseed(python) {
  const seed = [...crypto.getRandomValues(new Uint8Array(32))];
  python.runPython(`import random; random.seed(bytes([${seed.join(",")}]))`);
}

/**
 * A promise whose fault may be looked at later, or never.
 * @template T
 * @param {Promise<T>} promise
 */
function observed(promise) {
  promise.catch(() => {});
  return promise;
}

// Starts Python in a worker, as fast as the visit allows: from a snapshot of its memory where an
// earlier visit left one, else from nothing. Whatever is wrong with a snapshot, the boot falls back.

import { assets } from "./assets.js";
import { bootError } from "./boot_error.js";
import { fetchCore } from "./core.js";
import { createDownloads } from "./download.js";
import { unpack } from "./pack.js";
import { addExtension, startPython } from "./python.js";
import { findSnapshot, removeSnapshots } from "./snapshot.js";
import { createWatch } from "./watch.js";

/**
 * @typedef {import("./python.js").Python} Python
 * @typedef {import("./python.js").Core} Core
 * @typedef {import("./download.js").Downloads} Downloads
 * @typedef {import("./watch.js").Watch} Watch
 * @typedef {"snapshot" | "cold"} Source
 * @typedef {{source: Source, timings: Record<string, number>, warnings: string[]}} BootResult
 *          timings in ms since the boot began, by phase
 * @typedef {{python: Python, source: Source, complete: () => Promise<void>,
 *            later: () => Promise<void>}} Started
 *          `complete` brings pydantic, which Python can then import, and all else that is missing;
 *          `later` brings what a model needs before it is asked; calling either again waits too
 */

/** A boot that hears nothing for so long gives up. */
const SILENCE_MS = 60_000;
const WASM = "py/pyodide.asm.wasm";
const EXTENSION = "py/pydantic_core.wasm";
const STDLIB = "py/stdlib.pack";
/** What all of our own code may import at any moment. */
const OWN_PACKS = ["py/pagehand.pack", "py/helpers.pack"];
/** What of our own code only a model behind a network needs. */
const LATER = "py/later.pack";
const PACKAGES = "py/packages.pack";
/** Imported before the worker is ready; the rest follows when it is first used. */
const CORE_IMPORT = "import pagehand.platform.worker";
/** What a snapshot holds besides, and the proof that a restored one works. */
const WARM_IMPORT = `
import fastjsonschema, json_repair, pydantic
from pagehand.models import anthropic, bedrock, cloud, gemini, on_device, openai_chat
from pagehand.models import openai_responses
from pagehand.tools import repair, search, written_rounds
class _Probe(pydantic.BaseModel):
    count: int
    names: list[str] = []
`;
/** After new files, so that imports see them. */
const FIND_ANEW = "import importlib; importlib.invalidate_caches()";
const PROBE = `_Probe.model_validate({"count": "7", "names": ["a"]}).model_dump_json()`;
const PROBE_ANSWER = `{"count":7,"names":["a"]}`;

/**
 * @param {{onProgress: (progress: import("./watch.js").BootProgress) => void,
 *          useSnapshot?: boolean, silenceMs?: number}} options
 * @returns {Promise<Omit<Started, "source"> & {result: BootResult}>}
 */
export async function boot({ onProgress, useSnapshot = true, silenceMs = SILENCE_MS }) {
  checkWebAssembly();
  const firstLoad = [WASM, STDLIB, ...OWN_PACKS];
  const bytes = firstLoad.reduce((sum, name) => sum + (assets[name]?.bytes ?? 0), 0);
  const watch = createWatch(onProgress, silenceMs, bytes);
  const work = async () => {
    const core = fetchCore(watch.downloads);
    core.catch(() => {}); // awaited below, maybe after another fault
    if (!useSnapshot) await removeSnapshots();
    return (useSnapshot && (await restore(core, watch))) || start(core, watch);
  };
  const { python, source, complete, later } = await watch.guard(work());
  watch.tell("ready", 1, "Ready");
  const { timings, downloads } = watch;
  return { python, complete, later, result: { source, timings, warnings: downloads.warnings } };
}

/**
 * Starts from nothing.
 * @param {Promise<Core>} core
 * @param {Watch} watch
 * @returns {Promise<Started>}
 */
async function start(core, { tell, downloads }) {
  const ownPacks = Promise.all(OWN_PACKS.map(downloads.bytes));
  const [loaded, stdlib, packs] = await Promise.all([core, downloads.bytes(STDLIB), ownPacks]);
  tell("compile", 1, "Python is loaded");
  tell("python", 0, "Starting Python");
  const python = await startPython(loaded, stdlib);
  for (const pack of packs) unpack(python.FS, pack);
  python.runPython(CORE_IMPORT);
  const later = once(() => addLater(python, downloads));
  const complete = once(async () => {
    await Promise.all([later(), addPackages(python, downloads)]);
  });
  return { python, source: "cold", complete, later };
}

/**
 * Work that is done once, however often it is asked for; what failed is tried again.
 * @param {() => Promise<void>} work
 */
function once(work) {
  /** @type {Promise<void> | undefined} */
  let done;
  return () =>
    (done ??= work().catch((fault) => {
      done = undefined;
      throw fault;
    }));
}

/**
 * @param {Python} python
 * @param {Downloads} downloads
 */
async function addLater(python, downloads) {
  unpack(python.FS, await downloads.bytes(LATER));
  python.runPython(FIND_ANEW);
}

/**
 * @param {Python} python
 * @param {Downloads} downloads
 */
async function addPackages(python, downloads) {
  const [packages, extension] = await Promise.all([
    downloads.bytes(PACKAGES),
    downloads.module(EXTENSION),
  ]);
  await addExtension(python, extension);
  unpack(python.FS, packages);
  python.runPython(FIND_ANEW);
}

/**
 * Starts from the snapshot of an earlier visit; null when there is none that works.
 * @param {Promise<Core>} core
 * @param {Watch} watch
 * @returns {Promise<Started | null>}
 */
async function restore(core, { tell, downloads }) {
  const stored = await findSnapshot();
  if (!stored) return null;
  try {
    const module = downloads.module(EXTENSION);
    const [image, loaded, extension] = await Promise.all([stored.read(), core, module]);
    const stdlib = image?.packs.get(STDLIB);
    if (!image || !stdlib) throw new Error("The snapshot is damaged or foreign.");
    tell("compile", 1, "Python is loaded");
    tell("python", 0, "Waking Python");
    const python = await startPython(loaded, stdlib, { extension, heap: image.heap });
    for (const name of [...OWN_PACKS, LATER, PACKAGES]) {
      unpack(python.FS, /** @type {Uint8Array<ArrayBuffer>} */ (image.packs.get(name)));
    }
    reseed(python);
    if (python.runPython(PROBE) !== PROBE_ANSWER) throw new Error("The snapshot does not work.");
    const nothing = async () => {};
    return { python, source: "snapshot", complete: nothing, later: nothing };
  } catch {
    await removeSnapshots(); // whatever it was: a start from nothing comes next and tells its faults
    return null;
  }
}

/**
 * Starts a second Python as a first visit does, with all packages imported, and gives its memory.
 * No user's data can be in it: this interpreter has done nothing else.
 * @returns {Promise<import("./snapshot_image.js").Image>}
 */
export async function makeSnapshot() {
  const downloads = createDownloads(() => {});
  const names = [STDLIB, ...OWN_PACKS, LATER, PACKAGES];
  const fetched = Promise.all(names.map(downloads.bytes));
  const [core, extension] = await Promise.all([
    fetchCore(downloads),
    downloads.module(EXTENSION),
  ]);
  const [stdlib, ...others] = await fetched;
  if (!stdlib) throw new Error("The standard library is missing.");
  const python = await startPython(core, stdlib, { extension });
  for (const pack of others) unpack(python.FS, pack);
  python.runPython(`${CORE_IMPORT}\n${WARM_IMPORT}\n${PROBE}\nimport gc; gc.collect()`);
  const packs = new Map([stdlib, ...others].map((pack, place) => [names[place] ?? "", pack]));
  return { heap: python.makeMemorySnapshot(), packs };
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
 * Python's random numbers would be the same after every restore.
 * @param {Python} python
 */
function reseed(python) {
  const seed = [...crypto.getRandomValues(new Uint8Array(32))];
  python.runPython(`import random; random.seed(bytes([${seed.join(",")}]))`);
}

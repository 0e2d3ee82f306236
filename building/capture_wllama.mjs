// Writes the code that wllama would put into Blob URLs to files, for pages whose content security
// policy allows workers from the site only. wllama is run up to the point where it starts its
// worker, with a Worker and a Blob that keep what they are given.
// Usage: node capture_wllama.mjs <folder of node_modules> <output folder>
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [nodeModules, output] = process.argv.slice(2).map((path) => resolve(path));

/** Replaces what stands in the text exactly once; another wllama needs another look. */
function replaceOnce(text, found, replacement) {
  const parts = text.split(found);
  if (parts.length !== 2) {
    throw new Error(
      `wllama's worker code holds ${found} ${parts.length - 1} times instead of once. ` +
        "building/capture_wllama.mjs was written for another version of wllama.",
    );
  }
  return parts.join(replacement);
}

/** The two texts: of the worker that runs llama.cpp, and of its threads. */
async function captureCode() {
  const started = deferred();
  const blobs = new Map();
  globalThis.navigator ??= { userAgent: "", hardwareConcurrency: 2 };
  globalThis.self ??= { location: { href: "https://site.invalid/" } };
  URL.createObjectURL = (blob) => {
    const url = `blob:${blobs.size}`;
    blobs.set(url, blob);
    return url;
  };
  globalThis.Worker = class {
    constructor(url) {
      this.blob = blobs.get(url);
    }
    postMessage({ verb, args: [threadBlob] }) {
      if (verb === "module.init") started.resolve([this.blob, threadBlob]);
    }
  };
  WebAssembly.Suspending ??= class {}; // the worker code is the same with and without it
  const { Wllama } = await import(pathToFileURL(join(nodeModules, "@wllama/wllama/esm/index.js")));
  const quiet = { debug() {}, log() {}, warn: console.warn, error: console.error };
  const wllama = new Wllama(
    { default: "wllama.wasm" },
    { logger: quiet, cacheManager: {}, modelManager: {} },
  );
  wllama.setCompat(null);
  wllama.loadModel([new Blob(["GGUF"])], { n_threads: 2, n_gpu_layers: 0 }).catch(started.reject);
  return Promise.all((await started.promise).map((blob) => blob.text()));
}

function deferred() {
  let resolve, reject;
  const promise = new Promise((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

const [workerCode, threadCode] = await captureCode();
const [options] = workerCode.match(/^const RUN_OPTIONS = .*;$/m);
// The options are the only part that differs between two runs: the file takes them from its URL.
const worker = replaceOnce(
  workerCode,
  options,
  "const RUN_OPTIONS = JSON.parse(decodeURIComponent(self.location.hash.slice(1)));",
);
await mkdir(output, { recursive: true });
await writeFile(join(output, "wllama-worker.js"), worker);
await writeFile(join(output, "wllama-thread.js"), threadCode);

// wllama for a page with a strict content security policy: its workers start from files of the
// site. The build swaps `FileWorkers` in where wllama creates its own ProxyToWorker.
import { Wllama as BlobWllama } from "@wllama/wllama/src/wllama.ts";

/** @typedef {{wasm: string, worker: string, thread: string}} WorkerFiles  absolute URLs */

/** Wllama whose WebAssembly, worker and thread code are the named files. */
export class Wllama extends BlobWllama {
  #files;

  /** @param {WorkerFiles} files @param {import("@wllama/wllama").WllamaConfig} [config] */
  constructor(files, config) {
    // Its own stores are not used: the models come in as Blobs.
    super({ default: files.wasm }, { ...config, cacheManager: {}, modelManager: {} });
    this.#files = files;
  }

  /** What wllama hands to its proxy, with the files added. */
  getWorkerResources() {
    return { ...super.getWorkerResources(), files: this.#files };
  }
}

/* global Worker */
// Stands in for wllama's ProxyToWorker: the same proxy, but its worker is started from a file
// instead of a Blob URL, and what cannot start is an error instead of an endless wait.
import { ProxyToWorker as BlobWorkers } from "@wllama/wllama/src/worker.ts";

export class ProxyToWorker extends BlobWorkers {
  /** @param {{name: string, blob: Blob}[]} modelFiles */
  async moduleInit(modelFiles) {
    const { worker, thread, wasm } = this.resources.files;
    if (this.multiThread) await checkIsThere(thread);
    const options = { pathConfig: { "wllama.wasm": wasm }, nbThread: this.nbThread, compat: false };
    this.worker = new Worker(`${worker}#${encodeURIComponent(JSON.stringify(options))}`, {
      type: "module",
    });
    this.worker.onmessage = this.onRecvMsg.bind(this);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.abort(event.message || `The worker ${worker} cannot start.`, "");
    };
    await this.pushTask({
      verb: "module.init",
      args: [thread, this.useAsyncFile],
      callbackId: this.taskId++,
    });
    for (const { name, blob } of modelFiles) await this.#addFile(name, blob);
  }

  /** @param {MessageEvent} event */
  onRecvMsg(event) {
    // WebAssembly that cannot start aborts with an Error, where wllama expects a text.
    if (event.data?.verb === "signal.abort") event.data.args[1] = String(event.data.args[1]);
    super.onRecvMsg(event);
  }

  /** @param {string} name @param {Blob} blob */
  async #addFile(name, blob) {
    const id = await this.fileAlloc(name, blob.size, !this.useAsyncFile);
    if (this.useAsyncFile) this.fileBlobs.set(name, blob);
    else await this.fileWrite(id, blob);
  }
}

/**
 * llama.cpp waits for ever for threads whose code is missing.
 * @param {string} url
 */
async function checkIsThere(url) {
  const { ok, status } = await fetch(url);
  if (!ok) throw new Error(`${url} answers ${status}`);
}

// Entry of the agent worker: boots Python, then hands it everything the page sends.
//
// `boot` and `engine.port` are answered here; every other message waits until Python serves it (the
// protocol is that of rpc.js; Python's end is pagehand/platform/worker.py).

import { boot } from "./boot.js";
import { createBridge } from "./bridge.js";
import { createRpc } from "./rpc.js";
import { quiet } from "./quiet.js";

const PACKAGES_AFTER_MS = 500;
const SNAPSHOT_AFTER_MS = 2_000;

const outside = createBridge(self);
/** @type {Set<(progress: any) => void>} */
const listeners = new Set();
/** @type {Promise<import("./boot.js").BootResult> | undefined} */
let booted;

/** The protocol's end for what JavaScript answers. @type {import("./rpc.js").Endpoint} */
const own = { postMessage: (message) => self.postMessage(message), onmessage: null };
/** @type {Record<string, import("./rpc.js").Handler>} */
const handlers = {
  async boot({ snapshot = true, silenceMs }, { progress }) {
    listeners.add(progress);
    booted ??= start(snapshot, silenceMs);
    try {
      return await booted;
    } finally {
      listeners.delete(progress);
    }
  },
  "engine.port"(_, { ports }) {
    if (ports[0]) outside.connectEngine(ports[0]);
  },
};
createRpc(own, handlers);

self.onmessage = (event) => {
  const message = typeof event.data === "string" ? JSON.parse(event.data) : event.data;
  if (message?.method in handlers) own.onmessage?.(event);
  else outside.fromPage(message);
};

/** @param {boolean} useSnapshot @param {number | undefined} silenceMs */
async function start(useSnapshot, silenceMs) {
  const onProgress = (/** @type {any} */ progress) => {
    for (const listener of listeners) listener(progress);
  };
  const { python, result, complete, later } = await boot({ onProgress, useSnapshot, silenceMs });
  outside.bridge.later = later;
  const serve = python.pyimport("pagehand.platform.worker").serve;
  serve(outside.bridge);
  serve.destroy();
  if (result.source === "cold") void finish(complete, useSnapshot);
  return result;
}

/**
 * What a first visit has still to do, in moments when nobody waits for this worker: bring the
 * remaining packages, and have a second worker make the snapshot for the next visit.
 * @param {() => Promise<void>} complete
 * @param {boolean} useSnapshot
 */
async function finish(complete, useSnapshot) {
  try {
    await quiet(outside, PACKAGES_AFTER_MS);
    await complete();
    await quiet(outside, SNAPSHOT_AFTER_MS);
    if (useSnapshot) {
      new Worker(new URL("./snapshot_maker.js", import.meta.url), { type: "module" });
    }
  } catch {
    // what cannot be fetched is missed only where it is imported; without a worker for the snapshot
    // the next visit starts from nothing
  }
}

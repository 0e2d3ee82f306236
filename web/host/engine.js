// The engine worker runs models on this device. All agents of a page share one per site folder, so
// that a model is in memory once; it ends when the last agent has let it go.

import { PROTOCOL } from "../../worker/rpc.js";
import { engineError } from "./faults.js";
import { startWorker } from "./workers.js";

/** @typedef {{worker: Worker, users: Set<(reason: Error) => void>}} Engine */

/** @type {Map<string, Engine>} running engines by their site folder */
const engines = new Map();
let lastPort = 0;

/**
 * Opens a port to the engine worker of a site.
 * @param {URL} base  the site's folder
 * @param {(reason: Error) => void} onLost  called when the engine worker cannot start or crashes
 * @returns {{port: MessagePort, release: () => void}}  the port is for the agent worker
 */
export function leaseEngine(base, onLost) {
  const engine = engines.get(base.href) ?? startEngine(base);
  const { port1, port2 } = new MessageChannel();
  const name = `port-${++lastPort}`;
  engine.users.add(onLost);
  engine.worker.postMessage({ v: PROTOCOL, method: "port", params: { name } }, [port1]);
  const release = () => {
    // A port does not tell that its other end is gone: what it asked for would go on.
    engine.worker.postMessage({ v: PROTOCOL, method: "port.close", params: { name } });
    engine.users.delete(onLost);
    if (engine.users.size === 0) endEngine(base, engine);
  };
  return { port: port2, release };
}

/** @param {URL} base @returns {Engine} */
function startEngine(base) {
  /** @param {Error} reason */
  const onCrash = (reason) => {
    const users = [...engine.users];
    endEngine(base, engine);
    for (const onLost of users) onLost(engineError(reason.message));
  };
  const url = new URL("worker/engine.js", base);
  /** @type {Engine} */
  const engine = { worker: startWorker(url, "pagehand engine", onCrash), users: new Set() };
  engines.set(base.href, engine);
  return engine;
}

/** @param {URL} base @param {Engine} engine */
function endEngine(base, engine) {
  engine.worker.terminate();
  engine.users.clear();
  if (engines.get(base.href) === engine) engines.delete(base.href);
}

// What Python sees of the world outside its worker (pagehand/platform/worker.py): messages as JSON
// text, to and from the page and the engine worker, and streams in batches.

import { pump } from "./pump.js";

/**
 * @typedef {(text: string) => void} Listener
 * @typedef {{send: (text: string) => void,
 *            receive: (listener: Listener) => void,
 *            engineSend: (text: string) => void,
 *            engineReceive: (listener: Listener) => void,
 *            pump: typeof pump, later: () => Promise<void>}} Bridge
 *   `later` brings the code that a model needs before it is asked
 * @typedef {{take: (data: any) => void, listen: (listener: Listener) => void}} Inbox
 */

/**
 * @param {{postMessage: (message: any) => void}} scope  the worker's own scope
 */
export function createBridge(scope) {
  const page = createInbox();
  const engine = createInbox();
  /** @type {MessagePort | undefined} */
  let enginePort;
  /** @type {string[]} */
  const forEngine = [];
  let lastActivity = performance.now();

  /** @type {Bridge} */
  const bridge = {
    send(text) {
      lastActivity = performance.now();
      scope.postMessage(text);
    },
    receive: page.listen,
    engineSend(text) {
      if (enginePort) enginePort.postMessage(text);
      else forEngine.push(text);
    },
    engineReceive: engine.listen,
    pump,
    later: async () => {},
  };
  return {
    bridge,
    /** When a message last went either way, by performance.now(). */
    get lastActivity() {
      return lastActivity;
    },
    /** Takes a message of the page. @param {any} data */
    fromPage(data) {
      lastActivity = performance.now();
      page.take(data);
    },
    /** Takes the port to the engine worker. @param {MessagePort} port */
    connectEngine(port) {
      enginePort = port;
      port.onmessage = (event) => engine.take(event.data);
      for (const text of forEngine.splice(0)) port.postMessage(text);
    },
  };
}

/** Messages wait here until somebody listens. @returns {Inbox} */
function createInbox() {
  /** @type {string[]} */
  const waiting = [];
  /** @type {Listener | undefined} */
  let listener;
  return {
    take(data) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      if (listener) listener(text);
      else waiting.push(text);
    },
    listen(given) {
      listener = given;
      for (const text of waiting.splice(0)) given(text);
    },
  };
}

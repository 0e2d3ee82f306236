// Calls between the page and its workers: JSON over postMessage, versioned, with ids, cancel and
// progress. Both ends may call. Python speaks the same protocol in pagehand/platform/rpc.py.
//
//   request       {v, id, method, params}
//   cancel        {v, id, cancel: true}
//   answer        {v, re, result} or {v, re, error}
//   progress      {v, re, progress}
//   notification  {v, method, params}
//
// Each end numbers its own requests; an answer names the request as `re`, so the two numberings
// never mix. A message is a plain object or its JSON text: a receiver takes both.

export const PROTOCOL = 1;

/**
 * @typedef {{name: string, message: string, retryable: boolean, details?: unknown}} ErrorData
 * @typedef {{v: number, id?: number, re?: number, method?: string, params?: any, cancel?: boolean,
 *            result?: any, error?: ErrorData, progress?: any}} Message
 * @typedef {{postMessage(message: any, transfer?: Transferable[]): void,
 *            onmessage: ((event: MessageEvent) => any) | null,
 *            start?: () => void}} Endpoint  a Worker, a worker's own scope, or a MessagePort
 * @typedef {{signal: AbortSignal, progress: (value: any) => void,
 *            ports: readonly MessagePort[]}} CallContext
 * @typedef {(params: any, context: CallContext) => any} Handler
 * @typedef {{signal?: AbortSignal, onProgress?: (value: any) => void,
 *            transfer?: Transferable[]}} CallOptions
 * @typedef {{call: (method: string, params?: any, options?: CallOptions) => Promise<any>,
 *            notify: (method: string, params?: any, transfer?: Transferable[]) => void,
 *            close: (reason?: unknown) => void}} Rpc
 */

/** A fault as plain data that crosses every border: `name`, `message`, `retryable`, `details`. */
export class PagehandError extends Error {
  /** @param {ErrorData} data */
  constructor({ name, message, retryable, details }) {
    super(message);
    this.name = name;
    this.retryable = retryable;
    this.details = details;
  }
}

/**
 * The plain form of anything that was thrown.
 * @param {unknown} fault
 * @returns {ErrorData}
 */
export function errorData(fault) {
  if (fault instanceof PagehandError) {
    const { name, message, retryable, details } = fault;
    return details === undefined
      ? { name, message, retryable }
      : { name, message, retryable, details };
  }
  if (fault instanceof Error || fault instanceof DOMException) {
    return { name: fault.name, message: fault.message, retryable: false };
  }
  return { name: "Error", message: String(fault), retryable: false };
}

/** @param {unknown} data @returns {Message | undefined} nothing for what is no message */
function readMessage(data) {
  if (typeof data !== "string") return /** @type {Message | undefined} */ (data);
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/**
 * Opens the protocol on an endpoint. `handlers` maps a method (or a notification) to a function.
 * @param {Endpoint} endpoint
 * @param {Record<string, Handler>} [handlers]
 * @returns {Rpc}
 */
export function createRpc(endpoint, handlers = {}) {
  let lastId = 0;
  /** @type {unknown} */
  let closedBy;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (fault: unknown) => void,
   *                      onProgress?: (value: any) => void}>} calls of ours that wait */
  const waiting = new Map();
  /** @type {Map<number, AbortController>} calls of the other end that run here */
  const running = new Map();

  /** @param {Omit<Message, "v">} message @param {Transferable[]} [transfer] */
  const send = (message, transfer = []) =>
    endpoint.postMessage({ v: PROTOCOL, ...message }, transfer);

  /** @param {Message} message @param {readonly MessagePort[]} ports */
  async function answer({ id, method, params }, ports) {
    const handler = method === undefined ? undefined : handlers[method];
    if (id === undefined) {
      await handler?.(params, { signal: new AbortController().signal, progress: () => {}, ports });
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (!handler) throw new Error(`There is no method "${method}" at this end.`);
      const progress = (/** @type {any} */ value) => {
        if (running.has(id)) send({ re: id, progress: value });
      };
      const result = await handler(params, { signal: controller.signal, progress, ports });
      send({ re: id, result });
    } catch (fault) {
      send({ re: id, error: errorData(fault) });
    } finally {
      running.delete(id);
    }
  }

  /** @param {Message} message */
  function settle({ re, result, error, progress }) {
    const call = waiting.get(/** @type {number} */ (re));
    if (!call) return; // an answer that comes after its call was given up
    if (progress !== undefined) {
      call.onProgress?.(progress);
      return;
    }
    waiting.delete(/** @type {number} */ (re));
    if (error) call.reject(new PagehandError(error));
    else call.resolve(result);
  }

  endpoint.onmessage = ({ data, ports }) => {
    const message = readMessage(data);
    if (message?.v !== PROTOCOL) return;
    if (message.re !== undefined) settle(message);
    else if (message.cancel) running.get(/** @type {number} */ (message.id))?.abort();
    else void answer(message, ports ?? []);
  };
  endpoint.start?.();

  return {
    call(method, params = {}, { signal, onProgress, transfer } = {}) {
      if (closedBy !== undefined) return Promise.reject(closedBy);
      const id = ++lastId;
      const cancel = () => send({ id, cancel: true });
      const answered = new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject, ...(onProgress && { onProgress }) });
      });
      send({ id, method, params }, transfer);
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel, { once: true });
      return answered.finally(() => signal?.removeEventListener("abort", cancel));
    },
    notify(method, params = {}, transfer) {
      if (closedBy === undefined) send({ method, params }, transfer);
    },
    close(reason) {
      closedBy = reason ?? new PagehandError({ name: "Error", message: "The connection is closed.", retryable: false });
      endpoint.onmessage = null;
      for (const controller of running.values()) controller.abort();
      for (const { reject } of waiting.values()) reject(closedBy);
      waiting.clear();
    },
  };
}

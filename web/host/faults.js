// The faults that the page's side itself raises; all others come from the worker.

import { PagehandError } from "../../worker/rpc.js";

/** A setting is unknown, missing or of the wrong kind. @param {string} message */
export function configError(message) {
  return new PagehandError({ name: "ConfigError", message, retryable: false });
}

/** A tool cannot give what was asked; the model reads the message. @param {string} message */
export function toolError(message) {
  return new PagehandError({ name: "ToolError", message, retryable: false });
}

/** A worker went away; the next run starts a new one. @param {string} message */
export function workerError(message) {
  return new PagehandError({ name: "WorkerError", message, retryable: true });
}

/** A model on this device cannot run. @param {string} message */
export function engineError(message) {
  return new PagehandError({ name: "EngineError", message, retryable: true });
}

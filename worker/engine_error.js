// The faults of the local engine, in the shape that crosses every border.
import { PagehandError } from "./rpc.js";

/**
 * @param {string} message what happened and what to do
 * @param {{retryable?: boolean, details?: unknown}} [more]
 */
export function engineError(message, { retryable = false, details } = {}) {
  return new PagehandError({ name: "EngineError", message, retryable, details });
}

/** @param {number} tokens of the prompt @param {number} window what the model can hold, in tokens */
export function windowExceededError(tokens, window) {
  return new PagehandError({
    name: "ContextWindowExceededError",
    message: `The prompt has ${tokens} tokens, but the model can hold ${window}. Send a shorter one.`,
    retryable: false,
    details: { tokens, window },
  });
}

/** @param {unknown} fault */
export function messageOf(fault) {
  return fault instanceof Error || fault instanceof DOMException ? fault.message : String(fault);
}

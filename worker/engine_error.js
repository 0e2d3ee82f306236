// The faults of the local engine, in the shape that crosses every border.
import { PagehandError } from "./rpc.js";

/**
 * The engine died in the middle of its work, and starts anew by itself when it is asked again:
 * a request that has shown nothing yet may be made once more.
 */
export class EngineDiedError extends PagehandError {}

/**
 * @param {string} message what happened and what to do
 * @param {{retryable?: boolean, details?: unknown}} [more]
 */
export function engineError(message, { retryable = false, details } = {}) {
  return new PagehandError({ name: "EngineError", message, retryable, details });
}

/** @param {string} reason what the engine said last */
export function crashError(reason) {
  return new EngineDiedError({
    name: "EngineError",
    message: `The engine crashed (${reason}). Ask again: the model is loaded anew then.`,
    retryable: true,
  });
}

/** @param {"loading" | "answering"} work what the GPU was lost at */
export function deviceLostError(work) {
  return new EngineDiedError({
    name: "DeviceLostError",
    message:
      `The GPU was lost while ${work}: it ran out of memory, or its driver started anew. Ask ` +
      "again: the model is loaded anew then. If it stays so, take a smaller model or a smaller " +
      "context window, or close other pages that use the GPU.",
    retryable: true,
  });
}

/** @param {string} reason what the browser said */
export function webgpuUnavailableError(reason) {
  return new PagehandError({
    name: "WebGPUUnavailableError",
    message:
      `This browser offers no WebGPU that WebLLM could use (${reason}). Use a browser and device ` +
      'with WebGPU, or a model that needs none: "embedded", "wllama:<URL of a GGUF>" or one of a ' +
      "provider.",
    retryable: false,
  });
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

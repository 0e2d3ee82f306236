// The one kind of fault that a boot ends with.

import { PagehandError } from "./rpc.js";

/**
 * @param {string} message  what happened, where, and what to do
 * @param {boolean} [retryable]  whether trying again may help
 */
export function bootError(message, retryable = false) {
  return new PagehandError({ name: "BootError", message, retryable });
}

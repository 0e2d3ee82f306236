// Keys that a model names by `credentialRef`. They live in the page's memory, and in the worker's:
// nothing stores them, and no event, error or log holds one.

import { configError } from "./faults.js";

export class Credentials {
  #keys;
  #tellWorker;

  /**
   * @internal
   * @param {Map<string, string>} keys  the agent's, from which each new worker gets all
   * @param {(method: string, ...args: string[]) => Promise<void>} tellWorker
   */
  constructor(keys, tellWorker) {
    this.#keys = keys;
    this.#tellWorker = tellWorker;
  }

  /**
   * Keeps a key under a name; the model's next call uses it.
   * @param {string} ref
   * @param {string} key
   * @returns {Promise<void>}
   * @throws {import("../../worker/rpc.js").PagehandError} ConfigError for an empty name or key
   */
  async setApiKey(ref, key) {
    if (!isText(ref) || !isText(key)) {
      throw configError("A key is kept under a name: give setApiKey both, and neither empty.");
    }
    this.#keys.set(ref, key);
    await this.#tellWorker("setApiKey", ref, key);
  }

  /**
   * Forgets a key; one that is not there is no error.
   * @param {string} ref
   * @returns {Promise<void>}
   */
  async deleteApiKey(ref) {
    if (this.#keys.delete(ref)) await this.#tellWorker("deleteApiKey", ref);
  }

  /** Whether there is a key under a name. @param {string} ref */
  hasApiKey(ref) {
    return this.#keys.has(ref);
  }
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value.trim() !== "";
}

// WebLLM's `appConfig` as far as it tells where a model is and how large its window. The same rule
// stands in pagehand/models/webllm.py; here it needs no worker.

import { configError } from "./faults.js";

/**
 * @typedef {{context_window_size?: number, sliding_window_size?: number} & Record<string, unknown>} Overrides
 * @typedef {{model_id: string, model?: string, model_lib?: string, overrides?: Overrides}
 *           & Record<string, unknown>} ModelRecord
 * @typedef {{model_list: ModelRecord[]} & Record<string, unknown>} AppConfig  as WebLLM takes it
 */

/**
 * The window that a record sets for its model.
 * @param {AppConfig} appConfig
 * @param {string} id
 * @returns {number | null} in tokens; null when it sets none
 * @throws {import("../../worker/rpc.js").PagehandError} ConfigError for an id that is not listed
 */
export function webLLMContextWindow(appConfig, id) {
  const { context_window_size: fixed, sliding_window_size: sliding } = recordOf(appConfig, id).overrides ?? {};
  return [fixed, sliding].find((size) => size !== undefined && size > 0) ?? null;
}

/**
 * A copy of the config in which a model has a window of so many tokens. It costs memory of the GPU,
 * and no new download.
 * @template {AppConfig} Config
 * @param {Config} appConfig
 * @param {string} id
 * @param {number} tokens
 * @returns {Config}
 * @throws {import("../../worker/rpc.js").PagehandError} ConfigError for an id that is not listed,
 *   or a number of tokens that is none
 */
export function withWebLLMContextWindow(appConfig, id, tokens) {
  if (!Number.isInteger(tokens) || tokens < 1) {
    throw configError(`A context window is a number of tokens of at least 1, got ${tokens}.`);
  }
  const chosen = recordOf(appConfig, id);
  const { overrides = {} } = chosen;
  const changed = {
    ...overrides,
    context_window_size: tokens,
    // only one of the two may be set
    ...((overrides.sliding_window_size ?? 0) > 0 && { sliding_window_size: -1 }),
  };
  return {
    ...appConfig,
    model_list: appConfig.model_list.map((each) => (each === chosen ? { ...each, overrides: changed } : each)),
  };
}

/** @param {AppConfig} appConfig @param {string} id */
export function recordOf({ model_list: records }, id) {
  if (!Array.isArray(records)) throw configError("WebLLM's app config has no list of models (model_list).");
  const found = records.find(({ model_id: known }) => known === id);
  if (found) return found;
  throw configError(`WebLLM's app config lists no model "${id}".`);
}

// Finds the best model for this device: what `"auto"` stands for.

import { deviceFacts } from "./device.js";
import { bestHere } from "./local_fit.js";
import { listWebLLMModels } from "./local_models.js";

/** @typedef {{model: string, reason: string}} Chosen */

/**
 * @param {URL} base  the site's folder
 * @returns {Promise<Chosen>}
 */
export async function bestModel(base) {
  // Without WebLLM's list there is still the browser's own model, and the site's.
  const models = listWebLLMModels({ base }).catch(() => []);
  return bestHere(await deviceFacts(), await models);
}

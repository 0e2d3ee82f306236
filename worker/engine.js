// Entry of the engine worker: one local model at a time, shared by every port.
//
// The page starts this file as a module worker and hands out ports to it: notification `port`
// {name} with one MessagePort. Worker scope and ports speak the same methods:
//
//   engine.load      {model, options?} → EngineInfo            progress: LoadProgress
//   engine.preload   the same, and the first token's wait is over
//   engine.generate  {model?, options?, messages, …} → GenerateResult   progress: GenerateProgress
//   engine.unload    {model?}
//   engine.info      → EngineInfo or null
//   engine.models    → what WebLLM can run, and whether it is kept here
//   engine.cached    → [{model, bytes}]: the models that this browser keeps
//   engine.delete    {model}: keeps it no longer
//
// A port does not tell when its other end is gone: whoever ends a worker says so by `port.close`
// {name}, and what that port asked for stops.
import { assets } from "./assets.js";
import { engineError } from "./engine_error.js";
import { createModels } from "./engine_models.js";
import { createRunner } from "./engine_runner.js";
import { createModelStore } from "./model_store.js";
import { createRpc } from "./rpc.js";

/**
 * @typedef {import("./engine_shapes.js").LoadOptions} LoadOptions
 * @typedef {import("./engine_shapes.js").LoadProgress} LoadProgress
 * @typedef {import("./engine_shapes.js").EngineInfo} EngineInfo
 * @typedef {import("./engine_shapes.js").GenerateRequest} GenerateRequest
 * @typedef {import("./engine_shapes.js").GenerateProgress} GenerateProgress
 * @typedef {import("./engine_shapes.js").GenerateResult} GenerateResult
 * @typedef {{signal: AbortSignal, onProgress: (progress: GenerateProgress) => void}} GenerateContext
 * @typedef {{signal: AbortSignal, onProgress: (progress: LoadProgress) => void}} LoadContext
 * @typedef {{prepare: (model: string, options: LoadOptions) => Promise<void>,
 *            load: (model: string, options: LoadOptions, context: LoadContext)
 *                    => Promise<EngineInfo>,
 *            generate: (request: GenerateRequest, context: GenerateContext)
 *                    => Promise<GenerateResult>,
 *            unload: () => Promise<void>}} Engine
 *   `prepare` refuses what can be refused while another model is still loaded; `generate` starts a
 *   model that died anew
 * @typedef {{list: () => Promise<{model: string, bytes: number}[]>,
 *            delete: (model: string) => Promise<void>}} CachedModels
 * @typedef {{assetUrl: (name: string) => string,
 *            store: import("./model_store.js").ModelStore}} EngineContext
 */

const context = { assetUrl, store: createModelStore() };
const handlers = { ...createRunner(context), ...createModels(context) };

/** @param {string} name in the asset table @returns {string} the absolute URL */
function assetUrl(name) {
  const asset = assets[name];
  if (!asset) throw engineError(`The site has no file "${name}". Build the site again.`);
  return new URL(asset.url, import.meta.url).href;
}

/** @type {Map<string, import("./rpc.js").Rpc>} the ports that were given a name */
const ports = new Map();

createRpc(/** @type {import("./rpc.js").Endpoint} */ (self), {
  ...handlers,
  port({ name }, { ports: [port] }) {
    if (!port) return;
    const rpc = createRpc(port, handlers);
    if (name) ports.set(name, rpc);
  },
  "port.close"({ name }) {
    ports.get(name)?.close();
    ports.delete(name);
  },
});

// The models on this device as a page deals with them: what there is, what is kept, loading before
// the first run, and the settings of WebLLM's.

import { createRpc } from "../../worker/rpc.js";
import { leaseBrowserModel } from "./browser_model.js";
import { deviceFacts } from "./device.js";
import { leaseEngine } from "./engine.js";
import { configError } from "./faults.js";
import { whyNot } from "./local_fit.js";
import { recordOf } from "./webllm_config.js";

/**
 * @typedef {import("./local_fit.js").WebLLMFacts} WebLLMFacts
 * @typedef {(progress: {progress: number, text: string}) => unknown} WatchLoad  progress from 0 to 1
 * @typedef {{base?: URL | string}} SiteOptions  `base`: the folder of the site's files; default:
 *   where pagehand.js lies
 * @typedef {SiteOptions & {onProgress?: WatchLoad, signal?: AbortSignal}} LoadOptions
 * @typedef {WebLLMFacts & {whyNot: string | null}} LocalModel  `whyNot`: a sentence where the model
 *   cannot run here
 * @typedef {{providerType: string, model: string, providerOptions?: Record<string, unknown>}} LocalParts
 * @typedef {string | LocalParts} LocalChoice
 *   `"web-llm:<id>"`, `"wllama:<URL>"`, `"embedded"`, `"browser"`, or what createWebLLMModel gives
 */

const DEFAULT_BASE = new URL("../", import.meta.url);

/** What keeps preloaded models in memory, by site and model. @type {Map<string, () => void>} */
const held = new Map();

/**
 * A model of WebLLM, ready to be an agent's `model`. It is loaded and asked for one token first, so
 * that the first run need not wait; the first time, that is a download.
 * @param {string} id  of WebLLM's list, or of `engineConfig.appConfig`
 * @param {LoadOptions & {contextWindowTokens?: number, preload?: boolean,
 *         engineConfig?: {appConfig?: import("./webllm_config.js").AppConfig}}} [options]
 *   `contextWindowTokens`: a larger window than the model's own costs memory of the GPU and no
 *   download; `preload`: default true
 * @returns {Promise<LocalParts>}
 * @throws {import("../../worker/rpc.js").PagehandError} EngineError when it cannot be loaded
 */
export async function createWebLLMModel(id, options = {}) {
  const { contextWindowTokens, preload = true, engineConfig, ...loading } = options;
  const record = engineConfig?.appConfig && recordOf(engineConfig.appConfig, id);
  const providerOptions = {
    ...(contextWindowTokens !== undefined && { contextWindowTokens }),
    ...(record?.model && { modelUrl: record.model }),
    ...(record?.model_lib && { modelLibUrl: record.model_lib }),
    ...(record?.overrides && { overrides: record.overrides }),
  };
  const model = { providerType: "web-llm", model: id, providerOptions };
  if (preload) await preloadWebLLMModel(model, loading);
  return model;
}

/**
 * Loads a model on this device and keeps it in memory until it is unloaded.
 * @param {LocalChoice} model
 * @param {LoadOptions} [options]
 * @returns {Promise<{contextWindowTokens: number}>}
 * @throws {import("../../worker/rpc.js").PagehandError} EngineError when it cannot be loaded
 */
export async function preloadWebLLMModel(model, options = {}) {
  const { release, contextWindowTokens } = await holdModel(model, options);
  const key = keyOf(model, options);
  held.get(key)?.();
  held.set(key, release);
  return { contextWindowTokens };
}

/**
 * Frees the memory of a model; an agent that still uses it loads it again.
 * @param {LocalChoice} model
 * @param {SiteOptions} [options]
 */
export async function unloadWebLLMModel(model, options = {}) {
  const key = keyOf(model, options);
  await withEngine(options, (rpc) => rpc.call("engine.unload", { model: nameOf(model) }));
  held.get(key)?.();
  held.delete(key);
}

/**
 * WebLLM's own list.
 * @param {SiteOptions} [options]
 * @returns {Promise<LocalModel[]>}
 */
export async function listLocalModels(options = {}) {
  const [models, device] = await Promise.all([listWebLLMModels(options), deviceFacts()]);
  return models.map((each) => ({ ...each, whyNot: whyNot(each, device) }));
}

/** @param {SiteOptions} [options] @returns {Promise<WebLLMFacts[]>} */
export function listWebLLMModels(options = {}) {
  return withEngine(options, (rpc) => rpc.call("engine.models"));
}

/**
 * The models that this browser keeps, and how many bytes each takes.
 * @param {SiteOptions} [options]
 * @returns {Promise<{model: string, bytes: number}[]>}
 */
export function cachedModels(options = {}) {
  return withEngine(options, (rpc) => rpc.call("engine.cached"));
}

/**
 * Keeps a model no longer; one that is loaded goes on running.
 * @param {string} model  as cachedModels names it
 * @param {SiteOptions} [options]
 * @returns {Promise<void>}
 */
export function deleteCachedModel(model, options = {}) {
  return withEngine(options, (rpc) => rpc.call("engine.delete", { model }));
}

/**
 * Loads a model and keeps it in memory until it is released.
 * @param {LocalChoice} model
 * @param {LoadOptions} [options]
 * @returns {Promise<{contextWindowTokens: number, release: () => void}>}
 */
export async function holdModel(model, { base, onProgress = () => {}, signal = new AbortController().signal } = {}) {
  const name = nameOf(model);
  const { load, release } = name === "browser" ? inPage(signal) : inWorker(base, signal);
  try {
    const { contextWindow } = await load({ model: name, options: optionsOf(model) }, onProgress);
    return { contextWindowTokens: contextWindow, release };
  } catch (fault) {
    release();
    throw fault;
  }
}

/**
 * @typedef {import("../../worker/engine_shapes.js").EngineInfo} EngineInfo
 * @typedef {{load: (params: object, onProgress: WatchLoad) => Promise<EngineInfo>, release: () => void}} Loader
 */

/** @param {AbortSignal} signal @returns {Loader} */
function inPage(signal) {
  const { handlers, release } = leaseBrowserModel();
  return {
    load: (params, progress) => handlers["engine.load"]?.(params, { signal, progress, ports: [] }),
    release,
  };
}

/** @param {URL | string | undefined} base @param {AbortSignal} signal @returns {Loader} */
function inWorker(base, signal) {
  const { rpc, release } = openEngine(base);
  return { load: (params, onProgress) => rpc.call("engine.preload", params, { onProgress, signal }), release };
}

/**
 * @template Value
 * @param {SiteOptions} options
 * @param {(rpc: import("../../worker/rpc.js").Rpc) => Promise<Value>} ask
 */
async function withEngine({ base }, ask) {
  const { rpc, release } = openEngine(base);
  try {
    return await ask(rpc);
  } finally {
    release();
  }
}

/** A way of the page's own to the engine worker. @param {URL | string | undefined} base */
function openEngine(base) {
  const { port, release } = leaseEngine(siteOf(base), (reason) => rpc.close(reason));
  const rpc = createRpc(port);
  return {
    rpc,
    release() {
      rpc.close();
      port.close();
      release();
    },
  };
}

/** @param {URL | string | undefined} base */
function siteOf(base) {
  return base === undefined ? DEFAULT_BASE : new URL(base, document.baseURI);
}

/** @param {LocalChoice} model @param {SiteOptions} options */
function keyOf(model, { base }) {
  return `${siteOf(base).href} ${nameOf(model)}`;
}

/** The name by which an engine knows a model. @param {LocalChoice} choice */
function nameOf(choice) {
  const name = typeof choice === "string" ? choice : `${choice.providerType}:${choice.model}`;
  if (/^(embedded$|browser$|web-llm:|wllama:)/.test(name)) return name;
  throw configError(
    `"${name}" is no model on this device. Name "embedded", "browser", "web-llm:<id>" or "wllama:<URL of a GGUF>".`,
  );
}

/** How an engine is to load it. @param {LocalChoice} choice */
function optionsOf(choice) {
  const { contextWindowTokens, ...others } = (typeof choice === "string" ? {} : choice.providerOptions) ?? {};
  return { ...(contextWindowTokens !== undefined && { contextWindow: contextWindowTokens }), ...others };
}

// Entry of the engine worker: one local model at a time, shared by every port.
//
// The page starts this file as a module worker and hands out ports to it: notification `port`
// {name} with one MessagePort. Worker scope and ports speak the same methods: engine.load,
// engine.generate, engine.unload, engine.info. A port does not tell when its other end is gone:
// whoever ends a worker says so by `port.close` {name}, and what that port asked for stops.
import { assets } from "./assets.js";
import { engineError } from "./engine_error.js";
import { createWllamaEngine } from "./engines/wllama.js";
import { createModelStore } from "./model_store.js";
import { createQueue, unlessAborted } from "./queue.js";
import { createRpc } from "./rpc.js";

/**
 * @typedef {{progress: number, text: string}} LoadProgress  progress from 0 to 1
 * @typedef {{model: string, contextWindow: number, maxOutputTokens?: number, threads: number,
 *            constraints: string[]}} EngineInfo  windows in tokens
 * @typedef {{messages: {role: string, content: string}[], maxOutputTokens?: number,
 *            temperature?: number, jsonSchema?: object, grammar?: string,
 *            stop?: string[], thinking?: boolean}} GenerateRequest  `thinking`: for models with a switch
 * @typedef {{kind: "prompt", done: number, total: number}
 *         | {kind: "text", text: string}} GenerateProgress  done and total in tokens
 * @typedef {{text: string, finishReason: "stop" | "length" | "cancelled",
 *            usage: {inputTokens: number, outputTokens: number, cachedInputTokens: number}}
 *          } GenerateResult
 * @typedef {{signal: AbortSignal, onProgress: (progress: GenerateProgress) => void}} GenerateContext
 * @typedef {{load: (model: string, onProgress: (progress: LoadProgress) => void)
 *                    => Promise<EngineInfo>,
 *            generate: (request: GenerateRequest, context: GenerateContext)
 *                    => Promise<GenerateResult>,
 *            unload: () => Promise<void>}} Engine
 * @typedef {{assetUrl: (name: string) => string,
 *            store: import("./model_store.js").ModelStore}} EngineContext
 */

/** Which engine runs a model, by the start of its name. */
const ENGINES = [
  { accepts: /^embedded$|^wllama:/, create: createWllamaEngine },
];

/** @returns {Record<string, import("./rpc.js").Handler>} the methods of every port */
function createHandlers() {
  const run = createQueue();
  const context = { assetUrl, store: createModelStore() };
  /**
   * @typedef {{model: string, engine: Engine, ready: Promise<EngineInfo>, info: EngineInfo | null,
   *            watchers: Set<(progress: LoadProgress) => void>}} Loaded
   * @type {Loaded | null} the model that is loaded or being loaded
   */
  let current = null;

  /** @param {string} model */
  function startLoading(model) {
    const previous = current;
    const engine = engineFor(model, context);
    const watchers = new Set();
    const report = (/** @type {LoadProgress} */ progress) => {
      for (const watch of watchers) watch(progress);
    };
    const ready = run(async () => {
      await previous?.engine.unload();
      return engine.load(model, report);
    });
    /** @type {Loaded} */
    const loaded = { model, engine, ready, info: null, watchers };
    ready.then(
      (info) => (loaded.info = info),
      () => forget(loaded),
    );
    return loaded;
  }

  /** @param {Loaded | null} loaded whose model is gone: the next load starts anew */
  function forget(loaded) {
    if (current === loaded) current = null;
  }

  return {
    /** A load is shared: a caller that cancels leaves it, and it goes on for the others. */
    async "engine.load"({ model }, { signal, progress }) {
      if (!current || current.model !== model) current = startLoading(model);
      const { watchers, ready } = current;
      watchers.add(progress);
      return unlessAborted(ready, signal).finally(() => watchers.delete(progress));
    },

    async "engine.generate"(request, { signal, progress }) {
      const loaded = current;
      if (!loaded) throw engineError("No model is loaded. Call engine.load first.");
      try {
        return await run(async () => {
          await loaded.ready;
          progress({ kind: "start" });
          return loaded.engine.generate(request, { signal, onProgress: progress });
        }, signal);
      } catch (fault) {
        if (signal.aborted) return NOTHING;
        throw fault;
      }
    },

    async "engine.unload"() {
      const loaded = current;
      current = null;
      await run(async () => loaded?.engine.unload());
    },

    "engine.info": () => current?.info ?? null,
  };
}

/** @type {GenerateResult} of a call that was cancelled before its turn came */
const NOTHING = {
  text: "",
  finishReason: "cancelled",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
};

/** @param {string} model @param {EngineContext} context */
function engineFor(model, context) {
  const entry = ENGINES.find(({ accepts }) => accepts.test(model));
  if (!entry) {
    throw engineError(
      `There is no engine for the model "${model}". Use "embedded" or "wllama:<URL of a GGUF>".`,
    );
  }
  return entry.create(context);
}

/** @param {string} name in the asset table @returns {string} the absolute URL */
function assetUrl(name) {
  const asset = assets[name];
  if (!asset) throw engineError(`The site has no file "${name}". Build the site again.`);
  return new URL(asset.url, import.meta.url).href;
}

const handlers = createHandlers();
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

// Loads one model at a time and answers one request at a time.
import { EngineDiedError, engineError } from "./engine_error.js";
import { createWebllmEngine } from "./engines/webllm.js";
import { createWllamaEngine } from "./engines/wllama.js";
import { createQueue, unlessAborted } from "./queue.js";

/**
 * @typedef {import("./engine.js").Engine} Engine
 * @typedef {import("./engine.js").EngineContext} EngineContext
 * @typedef {import("./engine.js").EngineInfo} EngineInfo
 * @typedef {import("./engine.js").GenerateContext} GenerateContext
 * @typedef {import("./engine.js").GenerateRequest} GenerateRequest
 * @typedef {import("./engine.js").GenerateResult} GenerateResult
 * @typedef {import("./engine.js").LoadOptions} LoadOptions
 * @typedef {import("./engine.js").LoadProgress} LoadProgress
 * @typedef {(progress: LoadProgress) => void} WatchLoad
 * @typedef {{model: string, options: LoadOptions, engine: Engine, info: EngineInfo}} Loaded
 * @typedef {{info: Promise<EngineInfo>, watchers: Set<WatchLoad>, abort: () => void}} Loading
 */

/** Which engine runs a model, by the start of its name. */
const ENGINES = [
  { accepts: /^embedded$|^wllama:/, create: createWllamaEngine },
  { accepts: /^web-llm:/, create: createWebllmEngine },
];

/** @type {GenerateResult} of a call that was cancelled before its turn came */
const NOTHING = {
  text: "",
  finishReason: "cancelled",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
};
/** Its answer is thrown away: what it costs is to be paid before somebody waits for it. */
const WARM_UP = { messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 1 };

/**
 * @param {EngineContext} context
 * @returns {Record<string, import("./rpc.js").Handler>} the methods of every port
 */
export function createRunner(context) {
  const run = createQueue();
  /** @type {Loaded | null} changed by tasks of the queue only */
  let current = null;
  /** @type {Map<string, Loading>} under way */
  const loads = new Map();

  /**
   * A task of the queue.
   * @param {string} model @param {LoadOptions} options
   * @param {import("./engine.js").LoadContext} loadContext
   */
  async function bring(model, options, loadContext) {
    if (current && serves(current, model, options)) return current;
    const engine = engineFor(model, context);
    await engine.prepare(model, options);
    loadContext.signal.throwIfAborted();
    const previous = current;
    current = null;
    await previous?.engine.unload();
    const info = await engine.load(model, options, loadContext);
    current = { model, options, engine, info };
    return current;
  }

  /** @param {string} key @param {string} model @param {LoadOptions} options @param {WatchLoad} first */
  function startLoading(key, model, options, first) {
    const watchers = new Set([first]);
    const onProgress = (/** @type {LoadProgress} */ news) => watchers.forEach((tell) => tell(news));
    const { signal, abort } = abortable();
    const info = run(async () => (await bring(model, options, { signal, onProgress })).info, {
      signal,
      onWait: (ahead) => onProgress({ progress: 0, text: waitText(ahead) }),
    });
    const loading = { info, watchers, abort };
    loads.set(key, loading);
    return loading;
  }

  /**
   * A load is shared: a caller that cancels leaves it, and it goes on while others wait for it.
   * @type {import("./rpc.js").Handler}
   */
  async function load({ model, options = {} }, { signal, progress }) {
    if (current && serves(current, model, options)) return current.info;
    const key = JSON.stringify([model, options]);
    const loading = loads.get(key) ?? startLoading(key, model, options, progress);
    loading.watchers.add(progress);
    try {
      return await unlessAborted(loading.info, signal);
    } finally {
      loading.watchers.delete(progress);
      if (loading.watchers.size === 0) {
        loads.delete(key);
        loading.abort();
      }
    }
  }

  /** @type {import("./rpc.js").Handler} */
  async function generate({ model, options = {}, ...request }, { signal, progress }) {
    /** @type {PromiseWithResolvers<void>} */
    const begun = Promise.withResolvers();
    const loadContext = {
      signal,
      onProgress: (/** @type {LoadProgress} */ news) => progress({ kind: "load", ...news }),
    };
    const answer = run(
      async () => {
        const { engine } = model ? await bring(model, options, loadContext) : theLoaded();
        begun.resolve();
        if (signal.aborted) return NOTHING;
        progress({ kind: "start" });
        return answerOf(engine, request, { signal, onProgress: progress });
      },
      { signal, onWait: (ahead) => progress({ kind: "queued", ahead }) },
    );
    answer.catch(begun.reject);
    try {
      await unlessAborted(begun.promise, signal); // who waits for a load need not wait to leave
      return await answer;
    } catch (fault) {
      if (signal.aborted) return NOTHING;
      throw fault;
    }
  }

  function theLoaded() {
    if (!current) throw engineError("No model is loaded. Call engine.load first.");
    return current;
  }

  return {
    "engine.load": load,
    "engine.generate": generate,

    async "engine.preload"(params, callContext) {
      const info = await load(params, callContext);
      const { signal } = callContext;
      await generate({ ...params, ...WARM_UP }, { signal, progress: () => {}, ports: [] });
      return info;
    },

    /** Without a name, whatever is loaded. */
    async "engine.unload"({ model }) {
      await run(async () => {
        if (model && current?.model !== model) return;
        const previous = current;
        current = null;
        await previous?.engine.unload();
      });
    },

    "engine.info": () => current?.info ?? null,
  };
}

/**
 * Whether what is loaded will do: a window that is large enough need not be the one asked for.
 * @param {Loaded} loaded @param {string} model @param {LoadOptions} options
 */
function serves(loaded, model, { contextWindow = 0, ...options }) {
  const { contextWindow: loadedWindow = 0, ...loadedOptions } = loaded.options;
  return (
    loaded.model === model &&
    contextWindow <= Math.max(loadedWindow, loaded.info.contextWindow) &&
    JSON.stringify(options) === JSON.stringify(loadedOptions)
  );
}

/**
 * An answer; when the engine dies before a word of it was shown, a second try.
 * @param {Engine} engine @param {GenerateRequest} request @param {GenerateContext} context
 */
async function answerOf(engine, request, { signal, onProgress }) {
  let shown = false;
  const watched = (/** @type {import("./engine.js").GenerateProgress} */ news) => {
    shown ||= news.kind === "text";
    onProgress(news);
  };
  try {
    return await engine.generate(request, { signal, onProgress: watched });
  } catch (fault) {
    if (shown || signal.aborted || !(fault instanceof EngineDiedError)) throw fault;
    return engine.generate(request, { signal, onProgress });
  }
}

/** A signal, and what sets it off. */
function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** @param {number} ahead */
const waitText = (ahead) =>
  `Waiting: the engine is at work on ${ahead} other ${ahead === 1 ? "task" : "tasks"}`;

/** @param {string} model @param {EngineContext} context */
function engineFor(model, context) {
  const entry = ENGINES.find(({ accepts }) => accepts.test(model));
  if (!entry) {
    throw engineError(
      `There is no engine for the model "${model}". Use "embedded", "wllama:<URL of a GGUF>" or ` +
        '"web-llm:<id of WebLLM\'s list>".',
    );
  }
  return entry.create(context);
}

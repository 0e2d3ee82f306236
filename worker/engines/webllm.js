// The GPU engine: WebLLM with one model. The library is large, and fetched when one is loaded.
import { crashError, deviceLostError, engineError, webgpuUnavailableError } from "../engine_error.js";
import { createAnswer } from "./webllm_answer.js";
import { createWebllmCache, folderOf } from "./webllm_cached.js";
import { gpuFault, loadFault, requestFault } from "./webllm_faults.js";
import { prebuiltRecords, recordOf, windowOf } from "./webllm_models.js";
import { bodyOf } from "./webllm_request.js";

/** The parts of a load's progress that the weights and the GPU's programs take. */
const WEIGHTS_SHARE = 0.9;
const PROGRAMS = "Loading GPU shader modules";
/** How long an answer that was stopped may take to end: the reading of a long prompt cannot stop. */
const STOP_GRACE_MS = 30_000;
const LOSS_IS_TOLD_MS = 100;

/**
 * @typedef {import("../../vendor/web-llm.js").Engine} WebLLM
 * @typedef {import("../../vendor/web-llm.js").ModelRecord} ModelRecord
 */

/**
 * @param {import("../engine.js").EngineContext} context
 * @returns {import("../engine.js").Engine}
 */
export function createWebllmEngine({ assetUrl }) {
  /** @type {{record: ModelRecord, records: ModelRecord[]} | undefined} */
  let chosen;
  /** @type {WebLLM | undefined} none before the first load, and after the GPU was lost */
  let engine;

  /** @param {import("../engine.js").LoadContext} context */
  async function start({ signal, onProgress }) {
    if (!chosen) throw engineError("No model is loaded. Call engine.load first.");
    const { record, records } = chosen;
    const { Engine } = await import("../../vendor/web-llm.js");
    const kept = (await createWebllmCache(async () => records).folders()).has(folderOf(record));
    const started = new Engine({
      appConfig: { model_list: [record], cacheBackend: "cache" },
      initProgressCallback: loadWatcher(kept, onProgress),
      logLevel: "SILENT",
    });
    const stop = () => void started.unload();
    signal.addEventListener("abort", stop);
    try {
      await started.reload(record.model_id);
      signal.throwIfAborted();
    } catch (fault) {
      await started.unload();
      signal.throwIfAborted();
      throw loadFault(fault, record, records);
    } finally {
      signal.removeEventListener("abort", stop);
    }
    // A GPU that is lost while the weights come ends the load without an error.
    if (!started.config) throw deviceLostError("loading");
    return started;
  }

  return {
    async prepare(name, options) {
      const records = await prebuiltRecords(assetUrl);
      chosen = { record: recordOf(name, options, records), records };
      await checkGpu();
    },

    async load(name, _options, context) {
      engine = await start(context);
      context.onProgress({ progress: 1, text: "The model is ready" });
      const contextWindow = windowOf(engine.config) ?? 0;
      return { model: name, contextWindow, constraints: ["json-schema", "grammar"] };
    },

    async generate(request, { signal, onProgress }) {
      engine ??= await start({
        signal,
        onProgress: (progress) => onProgress({ kind: "load", ...progress }),
      });
      const running = engine;
      const answer = createAnswer(onProgress, {
        stops: [...(request.stop ?? []), ...(running.config?.conv_template.stop_str ?? [])],
        thoughtless: request.thinking === false,
      });
      try {
        await endOf(stream(running, request, answer, signal), signal);
      } catch (fault) {
        const death = await deathOf(running, fault);
        if (death ?? fault === TOO_SLOW) {
          engine = undefined;
          running.unload().catch(() => {}); // as far as what is left of it can
        }
        if (fault !== TOO_SLOW) throw death ?? requestFault(fault, running.heldTokens);
      }
      const whole = running.config ? await running.getMessage() : "";
      return answer.finish(whole, running.heldTokens);
    },

    async unload() {
      await engine?.unload();
      engine = undefined;
    },
  };
}

/** @throws a fault that says why, where WebGPU is not there or too small */
async function checkGpu() {
  if (!("gpu" in navigator)) throw webgpuUnavailableError("it has none, or this page is not secure");
  const { Engine } = await import("../../vendor/web-llm.js");
  try {
    await new Engine().getGPUVendor();
  } catch (fault) {
    throw gpuFault(fault);
  }
}

/**
 * @param {WebLLM} engine
 * @param {import("../engine.js").GenerateRequest} request
 * @param {ReturnType<typeof createAnswer>} answer
 * @param {AbortSignal} signal
 */
async function stream(engine, request, answer, signal) {
  const stop = () => engine.interruptGenerate();
  const chunks = await engine.chat.completions.create(bodyOf(request, engine));
  signal.addEventListener("abort", stop);
  try {
    // The start of a stream takes back an earlier interrupt: one is asked again at each piece.
    for await (const chunk of chunks) {
      if (signal.aborted) stop();
      answer.take(chunk);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * What killed the engine, if it is dead.
 * @param {WebLLM} engine @param {unknown} fault what a request ended with
 */
async function deathOf(engine, fault) {
  if (fault instanceof WebAssembly.RuntimeError) return crashError(fault.message);
  // The work of a lost GPU may fail before the browser tells that it is lost.
  await new Promise((resolve) => setTimeout(resolve, LOSS_IS_TOLD_MS));
  return engine.config ? undefined : deviceLostError("answering");
}

const TOO_SLOW = Symbol("An answer that was stopped does not end.");

/**
 * The end of a stream; one that was stopped is given up after a grace.
 * @param {Promise<void>} streaming @param {AbortSignal} signal
 */
function endOf(streaming, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let wait = () => {};
  const givenUp = new Promise((_, reject) => {
    wait = () => void (timer = setTimeout(reject, STOP_GRACE_MS, TOO_SLOW));
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait);
  });
  return Promise.race([streaming, givenUp]).finally(() => {
    signal.removeEventListener("abort", wait);
    clearTimeout(timer);
  });
}

/**
 * WebLLM's reports as one progress: it counts the weights from 0 to 1, then the GPU's programs.
 * @param {boolean} kept whether the weights need not be fetched
 * @param {(progress: import("../engine.js").LoadProgress) => void} onProgress
 * @returns {(report: {progress: number, text: string}) => void}
 */
function loadWatcher(kept, onProgress) {
  const weights = kept ? "Loading the model from the browser's storage" : "Getting the model";
  let reached = 0;
  return ({ progress, text }) => {
    const programs = text.startsWith(PROGRAMS);
    const share = programs ? WEIGHTS_SHARE + (1 - WEIGHTS_SHARE) * progress : WEIGHTS_SHARE * progress;
    if (share < reached) return;
    reached = share;
    const what = programs ? "Preparing the GPU" : weights;
    onProgress({ progress: share, text: `${what}: ${Math.floor(progress * 100)} %` });
  };
}

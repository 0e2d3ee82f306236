// The CPU engine: GGUF models on llama.cpp as WebAssembly, without a CDN and without Blob URLs.
import { engineError } from "../engine_error.js";
import { partsOfModel } from "../model_parts.js";
import { readVocabulary } from "./vocabulary.js";
import { startWllama } from "./wllama_instance.js";

/** What llama.cpp may keep of earlier prompts. It forgets none, so it is started afresh then. */
const PROMPT_CACHE_BYTES = 512e6;
/** The part of a load's progress that the download takes. */
const DOWNLOAD_SHARE = 0.9;

/**
 * @param {import("../engine.js").EngineContext} context
 * @returns {import("../engine.js").Engine}
 */
export function createWllamaEngine({ assetUrl, store }) {
  const files = {
    wasm: assetUrl("vendor/wllama.wasm"),
    worker: assetUrl("vendor/wllama-worker.js"),
    thread: assetUrl("vendor/wllama-thread.js"),
  };
  /** @type {Blob | undefined} kept so that a crash costs no second download */
  let model;
  /** @type {number | undefined} as asked for, in tokens */
  let window;
  /** @type {import("./vocabulary.js").Tokenize | undefined} */
  let tokenize;
  /** @type {import("./wllama_instance.js").Instance | undefined} */
  let instance;

  async function stop() {
    await instance?.stop();
    instance = undefined;
  }

  return {
    async prepare() {},

    async load(name, { contextWindow }, { signal, onProgress }) {
      const parts = await partsOfModel(name, assetUrl);
      const blob = await store.read(parts, downloadWatcher(onProgress), signal);
      onProgress({ progress: DOWNLOAD_SHARE, text: "Loading the model into memory" });
      try {
        if (!(await isGguf(blob))) {
          throw engineError(`${parts[0]?.url} holds no GGUF model. Name the URL of a GGUF file.`);
        }
        window = contextWindow;
        tokenize = await readVocabulary(blob).catch(() => undefined); // it runs without
        instance = await startWllama(files, blob, { window, tokenize });
      } catch (fault) {
        // Nothing vouches for a part without a digest: it is not kept when it does not work.
        await store.forget(parts.filter(({ sha256 }) => !sha256));
        throw fault;
      }
      model = blob;
      onProgress({ progress: 1, text: "The model is ready" });
      const constraints = ["json-schema", "grammar", ...(tokenize ? ["likelihood"] : [])];
      return { model: name, ...instance.info, constraints };
    },

    async generate(request, context) {
      if (!model) throw engineError("No model is loaded. Call engine.load first.");
      if (instance && instance.promptCacheBytes() > PROMPT_CACHE_BYTES) await stop();
      instance ??= await startWllama(files, model, { window, tokenize });
      try {
        return await instance.generate(request, context);
      } finally {
        if (instance.crashed()) await stop();
      }
    },

    async unload() {
      await stop();
      model = undefined;
    },
  };
}

/** @param {Blob} blob */
const isGguf = async (blob) => (await blob.slice(0, 4).text()) === "GGUF";

/**
 * Turns bytes into progress, one message a megabyte.
 * @param {(progress: import("../engine.js").LoadProgress) => void} onProgress
 */
function downloadWatcher(onProgress) {
  let remark = "";
  let told = "";
  return {
    onBytes(/** @type {number} */ done, /** @type {number} */ total) {
      const amount = total > 0 ? `${megabytes(done)} of ${megabytes(total)}` : megabytes(done);
      const text = `Getting the model: ${amount} MB${remark}`;
      const share = total > 0 ? Math.min(done / total, 1) : 0;
      if (text !== told) onProgress({ progress: DOWNLOAD_SHARE * share, text });
      told = text;
    },
    onNotKept(/** @type {string} */ reason) {
      remark = ` (the browser does not keep it for the next visit: ${reason})`;
    },
  };
}

const megabytes = (/** @type {number} */ bytes) => String(Math.round(bytes / 1e6));

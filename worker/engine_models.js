// What the local engines could run, and what this browser keeps of it.
import { createWebllmCache, folderOf } from "./engines/webllm_cached.js";
import { factsOf, prebuiltRecords } from "./engines/webllm_models.js";
import { createWllamaCache } from "./engines/wllama_cached.js";

/**
 * @param {import("./engine.js").EngineContext} context
 * @returns {Record<string, import("./rpc.js").Handler>}
 */
export function createModels(context) {
  const prebuilt = () => prebuiltRecords(context.assetUrl);
  const webllm = createWebllmCache(prebuilt);
  const wllama = createWllamaCache(context);

  return {
    /** WebLLM's own list. */
    async "engine.models"() {
      const kept = await webllm.folders();
      const records = await prebuilt();
      return records.map((record) => ({ ...factsOf(record), cached: kept.has(folderOf(record)) }));
    },

    async "engine.cached"() {
      return [...(await wllama.list()), ...(await webllm.list())];
    },

    /** A loaded model goes on running. */
    async "engine.delete"({ model }) {
      await (model.startsWith("web-llm:") ? webllm : wllama).delete(model);
    },
  };
}

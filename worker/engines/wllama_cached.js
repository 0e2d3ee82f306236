// The GGUF models that this browser keeps.
const OWN_URL = "wllama:";

/**
 * @param {import("../engine.js").EngineContext} context
 * @returns {import("../engine.js").CachedModels}
 */
export function createWllamaCache({ store }) {
  /** The parts of models that the site ships are kept by digest: they are the embedded model's. */
  const modelOf = (/** @type {import("../model_store.js").Kept} */ { url, byDigest }) =>
    byDigest ? "embedded" : `${OWN_URL}${url}`;

  return {
    async list() {
      /** @type {Map<string, number>} */
      const bytes = new Map();
      for (const part of await store.list()) {
        const model = modelOf(part);
        bytes.set(model, (bytes.get(model) ?? 0) + part.bytes);
      }
      return Array.from(bytes, ([model, total]) => ({ model, bytes: total }));
    },

    async delete(model) {
      const parts = await store.list();
      await store.forget(parts.filter((part) => modelOf(part) === model));
    },
  };
}

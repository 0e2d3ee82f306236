// The models that WebLLM keeps in this browser. It has a cache each for weights and tokenizers, for
// model libraries and for settings, with the files under their addresses.
const PREFIX = "web-llm:";
const WEIGHTS = "webllm/model";
const LIBRARIES = "webllm/wasm";
const SETTINGS = "webllm/config";
/** Lists the files of the weights; it is kept before them. */
const LIST = "tensor-cache.json";

/** @typedef {import("../../vendor/web-llm.js").ModelRecord} ModelRecord */

/**
 * @param {() => Promise<ModelRecord[]>} prebuilt WebLLM's own list
 * @returns {import("../engine.js").CachedModels & {folders: () => Promise<Set<string>>}}
 */
export function createWebllmCache(prebuilt) {
  return {
    /** The addresses of models whose weights are all there. */
    async folders() {
      const models = await keptWeights();
      return new Set(models.filter(({ whole }) => whole).map(({ folder }) => folder));
    },

    /** Builds that share their weights count once, under the first one's name. */
    async list() {
      const records = await prebuilt();
      return (await keptWeights()).map(({ folder, bytes }) => {
        const known = records.find((record) => folderOf(record) === folder);
        return { model: `${PREFIX}${known?.model_id ?? folder}`, bytes };
      });
    },

    async delete(model) {
      const [id = "", library] = model.slice(PREFIX.length).split("#");
      const record = (await prebuilt()).find(({ model_id: known }) => known === id);
      const folder = folderOf(record ?? { model: id });
      await forget(WEIGHTS, (url) => url.startsWith(folder));
      await forget(SETTINGS, (url) => url.startsWith(folder));
      await forget(LIBRARIES, (url) => url === (record?.model_lib ?? library));
    },
  };
}

/** Where WebLLM looks for a model's files. @param {{model: string}} record */
export function folderOf({ model }) {
  const folder = model.endsWith("/") ? model : `${model}/`;
  return /.+\/resolve\/.+\//.test(folder) ? folder : `${folder}resolve/main/`;
}

/** @returns {Promise<{folder: string, bytes: number, whole: boolean}[]>} of each model */
async function keptWeights() {
  const cache = await openCache(WEIGHTS);
  const urls = new Set((await cache?.keys())?.map(({ url }) => url));
  const lists = Array.from(urls).filter((url) => url.endsWith(`/${LIST}`));
  return Promise.all(
    lists.map(async (url) => {
      const folder = url.slice(0, -LIST.length);
      const answer = await cache?.match(url);
      /** @type {{records: {dataPath: string, nbytes: number}[]}} */
      const { records } = answer ? await answer.json() : { records: [] };
      const there = records.filter(({ dataPath }) => urls.has(new URL(dataPath, folder).href));
      const bytes = there.reduce((total, { nbytes }) => total + nbytes, 0);
      return { folder, bytes, whole: there.length === records.length };
    }),
  );
}

/** @param {string} name @param {(url: string) => boolean} goes */
async function forget(name, goes) {
  const cache = await openCache(name);
  const keys = (await cache?.keys()) ?? [];
  await Promise.all(keys.filter(({ url }) => goes(url)).map((key) => cache?.delete(key)));
}

/** @param {string} name @returns {Promise<Cache | undefined>} none where the browser has none */
async function openCache(name) {
  try {
    return await globalThis.caches?.open(name);
  } catch {
    return undefined;
  }
}

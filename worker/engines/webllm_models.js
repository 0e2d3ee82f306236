// The models that WebLLM can run: its own list, which the build keeps as data, and the user's own.
import { engineError, messageOf } from "../engine_error.js";

const PREFIX = "web-llm:";
const CHAT_MODEL_WINDOW = 4096;
const MEGABYTE = 1024 * 1024;

/**
 * @typedef {import("../../vendor/web-llm.js").ModelRecord} ModelRecord
 * @typedef {{id: string, model: string, provider: "web-llm", contextWindow: number,
 *            memoryBytes: number | null, bufferBytes: number | null, lowResource: boolean,
 *            needs: string[], cached: boolean}} ModelFacts
 *   `model` is the name to load it by; `contextWindow` in tokens; `memoryBytes` of the GPU and
 *   `bufferBytes` for its largest buffer, null where they are not known; `needs` names features
 *   of WebGPU; `lowResource` says that it is meant for weak devices too
 */

/**
 * @param {(name: string) => string} assetUrl
 * @returns {Promise<ModelRecord[]>} WebLLM's own list, for chat
 */
export async function prebuiltRecords(assetUrl) {
  const url = assetUrl("vendor/web-llm-models.json");
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return await response.json();
  } catch (fault) {
    throw engineError(
      `WebLLM's list of models, ${url}, cannot be read (${messageOf(fault)}). ` +
        "Check the connection and that the site is complete, then try again.",
      { retryable: true },
    );
  }
}

/**
 * @param {ModelRecord} record
 * @returns {Omit<ModelFacts, "cached">}
 */
export function factsOf({ model_id: id, overrides, vram_required_MB: memory, ...record }) {
  return {
    id,
    model: `${PREFIX}${id}`,
    provider: "web-llm",
    contextWindow: windowOf(overrides) ?? CHAT_MODEL_WINDOW,
    memoryBytes: memory === undefined ? null : Math.round(memory * MEGABYTE),
    bufferBytes: record.buffer_size_required_bytes ?? null,
    lowResource: record.low_resource_required ?? false,
    needs: record.required_features ?? [],
  };
}

/**
 * @param {{context_window_size?: number, sliding_window_size?: number} | undefined} config
 * @returns {number | undefined} in tokens: a sliding window is what a model sees at once
 */
export function windowOf(config) {
  const sizes = [config?.context_window_size, config?.sliding_window_size];
  return sizes.find((size) => size !== undefined && size > 0);
}

/**
 * The record that WebLLM wants for a model.
 * @param {string} name "web-llm:" and an id of the list, or the URL of a model's folder, whose
 *   library's URL follows after a "#"; without one, the library of the list's model of that name
 * @param {import("../engine.js").LoadOptions} options
 * @param {ModelRecord[]} records WebLLM's own list
 * @returns {ModelRecord}
 */
export function recordOf(name, { modelUrl, modelLibUrl, overrides, contextWindow }, records) {
  const [address = "", ...libs] = name.slice(PREFIX.length).split("#");
  const isUrl = /^(https?:|\.{0,2}\/)/.test(address);
  const id = isUrl ? folderName(address) : address;
  const known = records.find(({ model_id: knownId }) => knownId === id);
  const model = modelUrl ?? (isUrl ? address : known?.model);
  const lib = modelLibUrl ?? (libs.join("#") || known?.model_lib);
  if (model === undefined) throw unknownModel(id, records);
  if (lib === undefined) {
    throw engineError(
      `WebLLM needs the library of the model ${id} (a .wasm file compiled for WebGPU). Name it ` +
        `behind the model, as in "${PREFIX}<URL of the model's folder>#<URL of the library>".`,
    );
  }
  return {
    ...known,
    model_id: id,
    model: absolute(model),
    model_lib: absolute(lib),
    overrides: {
      ...known?.overrides,
      ...overrides,
      // Only one of the two may be set; a window that the user asks for does not slide.
      ...(contextWindow !== undefined && {
        context_window_size: contextWindow,
        sliding_window_size: -1,
      }),
    },
  };
}

/** @param {string} address */
function absolute(address) {
  if (URL.canParse(address, self.location.href)) return new URL(address, self.location.href).href;
  throw engineError(`"${address}" is no URL. Name the model's folder and its library by URLs.`);
}

/** The last part of a folder's path, before what a hub adds to it. @param {string} address */
function folderName(address) {
  const folder = address.replace(/\/resolve\/.*$/, "").replace(/\/+$/, "");
  return folder.slice(folder.lastIndexOf("/") + 1);
}

/** @param {string} id @param {ModelRecord[]} records */
function unknownModel(id, records) {
  const family = id.split(/[-.]/)[0]?.toLowerCase() ?? "";
  const alike = records
    .map(({ model_id: known }) => known)
    .filter((known) => family && known.toLowerCase().startsWith(family))
    .slice(0, 5);
  const hint = alike.length ? ` It has ${alike.join(", ")}.` : "";
  return engineError(
    `WebLLM's list has no model "${id}".${hint} The method engine.models gives the whole list; a ` +
      `model of your own is named as "${PREFIX}<URL of its folder>#<URL of its library>".`,
  );
}

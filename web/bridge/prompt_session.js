// Sessions of the browser's own model: how one is opened, and what it can hold.

import { createFault, notHere, unavailable } from "./prompt_faults.js";

/**
 * @typedef {{role: string, content: string}} Turn
 * @typedef {{signal?: AbortSignal, responseConstraint?: object}} PromptOptions
 * @typedef {object} Session  a LanguageModel; the last three are older names of the three before
 * @property {(input: Turn[], options: PromptOptions) => ReadableStream<string>} promptStreaming
 * @property {(options: {signal: AbortSignal}) => Promise<Session>} clone
 * @property {() => void} destroy
 * @property {(input: Turn[], options: PromptOptions) => Promise<number>} [measureContextUsage]
 * @property {number} [contextUsage]
 * @property {number} [contextWindow]
 * @property {(input: Turn[], options: PromptOptions) => Promise<number>} [measureInputUsage]
 * @property {number} [inputUsage]
 * @property {number} [inputQuota]
 *
 * @typedef {"available" | "downloadable" | "downloading" | "unavailable"} Availability
 * @typedef {object} LanguageModel
 * @property {(options: object) => Promise<Availability>} availability
 * @property {(options: object) => Promise<Session>} create
 * @property {() => Promise<{defaultTopK: number, maxTemperature: number} | null>} [params]
 *
 * @typedef {(news: import("../../worker/engine_shapes.js").LoadProgress) => void} WatchLoad
 */

/** What counts as the window of a model that tells of none, in tokens. */
const NO_LIMIT = 1_000_000;
/** The part of a load's progress that the download takes. */
const DOWNLOAD_SHARE = 0.95;

/** The browser's interface. @returns {LanguageModel} */
export function languageModel() {
  const found = /** @type {{LanguageModel?: LanguageModel}} */ (globalThis).LanguageModel;
  if (!found) throw notHere();
  return found;
}

/**
 * How far the browser's model is, for answers in the user's language, else in English, and what
 * `create` is told for that.
 * @returns {Promise<{state: Availability, options: object}>}
 */
export async function findModel() {
  const model = languageModel();
  const [language = "en"] = navigator.language.split("-");
  for (const output of new Set([language, "en"])) {
    const options = {
      expectedInputs: [{ type: "text", languages: [...new Set(["en", output])] }],
      expectedOutputs: [{ type: "text", languages: [output] }],
    };
    const state = await model.availability(options);
    if (state !== "unavailable") return { state, options };
  }
  return { state: "unavailable", options: {} };
}

/**
 * Has the browser load its model, and fetch it when it must.
 * @param {AbortSignal} signal
 * @param {WatchLoad} onProgress
 * @returns {Promise<{session: Session, options: object}>}  a session without a word in it, and what
 *   all others are to be made with
 */
export async function openModel(signal, onProgress) {
  const { state, options } = await findModel();
  if (state === "unavailable") throw unavailable();
  onProgress({ progress: 0, text: "The browser loads its model" });
  // Events of a download come in any case, also where there is nothing to fetch.
  const watch = state === "available" ? () => {} : onProgress;
  const session = await create({ ...options, monitor: downloadMonitor(watch) }, signal);
  onProgress({ progress: 1, text: "The model is ready" });
  return { session, options };
}

/**
 * @param {Turn[]} initialPrompts
 * @param {object} options
 * @param {AbortSignal} signal
 */
export function startSession(initialPrompts, options, signal) {
  return create({ ...options, ...(initialPrompts.length > 0 && { initialPrompts }) }, signal);
}

/** @param {object} options @param {AbortSignal} signal */
async function create(options, signal) {
  try {
    return await languageModel().create({ ...options, signal });
  } catch (fault) {
    signal.throwIfAborted();
    throw createFault(fault);
  }
}

/** @param {WatchLoad} onProgress */
function downloadMonitor(onProgress) {
  /** @param {ProgressEvent} event */
  const tell = ({ loaded, total }) => {
    const share = total > 1 ? loaded / total : loaded;
    const text =
      share < 1 ? `The browser gets its model: ${Math.floor(share * 100)} %` : "The browser prepares its model";
    onProgress({ progress: DOWNLOAD_SHARE * share, text });
  };
  return (/** @type {EventTarget} */ monitor) =>
    monitor.addEventListener("downloadprogress", (event) => tell(/** @type {ProgressEvent} */ (event)));
}

/** How many tokens a session can hold. @param {Session} session */
export function windowOf({ contextWindow, inputQuota }) {
  const window = contextWindow ?? inputQuota ?? Infinity;
  return Number.isFinite(window) ? Math.floor(window) : NO_LIMIT;
}

/** How many tokens a session holds. @param {Session} session */
export const usedBy = ({ contextUsage, inputUsage }) => Math.ceil(contextUsage ?? inputUsage ?? 0);

/**
 * How many tokens some turns would take.
 * @param {Session} session
 * @param {Turn[]} turns
 * @param {PromptOptions} options
 */
export async function measured(session, turns, options) {
  const measure = session.measureContextUsage ?? session.measureInputUsage;
  return Math.ceil((await measure?.call(session, turns, options)) ?? 0);
}

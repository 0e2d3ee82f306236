// Watches a boot: phases, progress, times, and a deadline.

import { bootError } from "./boot_error.js";
import { createDownloads } from "./download.js";

/**
 * @typedef {"download" | "compile" | "python" | "ready"} Phase
 * @typedef {{phase: Phase, progress: number, text: string}} BootProgress  progress from 0 to 1
 * @typedef {ReturnType<typeof createWatch>} Watch
 */

/**
 * Tells phases and progress, takes times, and gives up after a long silence.
 * @param {(progress: BootProgress) => void} onProgress
 * @param {number} silenceMs  how long nothing may come, in ms
 * @param {number} totalBytes  what a download amounts to, on the wire
 */
export function createWatch(onProgress, silenceMs, totalBytes) {
  const began = performance.now();
  /** @type {Record<string, number>} */
  const timings = {};
  /** @type {(fault: Error) => void} */
  let giveUp = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let received = 0;
  let last = "";

  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const after = last ? ` after "${last}"` : "";
      const silence = `nothing came for ${silenceMs / 1000} s${after}`;
      const advice = "Check the connection, then reload the page.";
      giveUp(bootError(`Python did not start: ${silence}. ${advice}`, true));
    }, silenceMs);
  };
  /** @param {Phase} phase @param {number} progress @param {string} text */
  const tell = (phase, progress, text) => {
    hear();
    last = text;
    timings[phase] = Math.round(performance.now() - began);
    onProgress({ phase, progress, text });
  };
  const downloads = createDownloads((count) => {
    received += count;
    if (timings["python"] !== undefined) return hear();
    const progress = Math.min(received / totalBytes, 1);
    tell("download", progress, `Loading Python ${Math.floor(progress * 100)} %`);
  });
  /** @template T @param {Promise<T>} work @returns {Promise<T>} */
  const guard = async (work) => {
    const givenUp = new Promise((_, reject) => (giveUp = reject));
    hear();
    try {
      return await Promise.race([work, /** @type {Promise<never>} */ (givenUp)]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { tell, guard, timings, downloads };
}

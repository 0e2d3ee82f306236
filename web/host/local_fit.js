// Which of WebLLM's models a device can run, and which model it can run without a question.

import { bytes } from "../ui/words.js";

/**
 * @typedef {import("./device.js").DeviceFacts} DeviceFacts
 * @typedef {{model: string, contextWindow: number, memoryBytes: number | null,
 *            bufferBytes: number | null, needs: string[], cached: boolean}} WebLLMFacts
 *   `model` is the name to take it by; `contextWindow` in tokens; `memoryBytes` of the GPU and
 *   `bufferBytes` for its largest buffer, null where they are not known; `needs` names features of
 *   WebGPU; `cached`: this browser keeps it
 */

/**
 * Why a model cannot run here.
 * @param {Pick<WebLLMFacts, "needs" | "bufferBytes">} model
 * @param {Pick<DeviceFacts, "webgpu">} device
 * @returns {string | null} a sentence; null when nothing that is known speaks against it
 */
export function whyNot({ needs, bufferBytes }, { webgpu }) {
  if (!webgpu.available) return "It needs WebGPU, which this browser does not offer here.";
  if (needs.includes("shader-f16") && !webgpu.shaderF16) {
    return "It needs 16-bit floats on the GPU (shader-f16), which are not there. Take its build with f32.";
  }
  if (bufferBytes !== null && webgpu.maxBufferBytes !== null && bufferBytes > webgpu.maxBufferBytes) {
    return `It needs a GPU buffer of ${bytes(bufferBytes)}; here are at most ${bytes(webgpu.maxBufferBytes)}.`;
  }
  return null;
}

/**
 * What `"auto"` stands for: the best that can run here with nothing to fetch and nothing to ask.
 * @param {DeviceFacts} device
 * @param {readonly WebLLMFacts[]} models  WebLLM's
 * @returns {{model: string, reason: string}}
 */
export function bestHere(device, models) {
  if (device.browserModel === "available") {
    return { model: "browser", reason: "the browser's own model is ready here" };
  }
  const { memoryBytes: memory } = device;
  const [best] = models
    .filter((each) => each.cached && whyNot(each, device) === null)
    .filter((each) => memory === null || (each.memoryBytes ?? 0) <= memory)
    .sort((left, right) => (right.memoryBytes ?? 0) - (left.memoryBytes ?? 0));
  if (best) return { model: best.model, reason: "it is the largest model that is kept here already and fits" };
  return { model: "embedded", reason: "nothing larger can run here without a download, so it is the site's own" };
}

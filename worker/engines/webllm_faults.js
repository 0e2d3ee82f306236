// WebLLM's faults in our words.
import {
  deviceLostError,
  engineError,
  messageOf,
  webgpuUnavailableError,
  windowExceededError,
} from "../engine_error.js";

/** @typedef {import("../../vendor/web-llm.js").ModelRecord} ModelRecord */

/** Why WebGPU cannot be used. @param {unknown} fault */
export function gpuFault(fault) {
  return webgpuUnavailableError(firstSentence(messageOf(fault)));
}

/**
 * Why a model was not loaded.
 * @param {unknown} fault
 * @param {ModelRecord} record
 * @param {ModelRecord[]} records WebLLM's own list
 */
export function loadFault(fault, record, records) {
  const id = record.model_id;
  // It breaks off a load, and throws the reason as it is, only when the GPU is lost.
  if (typeof fault === "string") return deviceLostError("loading");
  switch (nameOf(fault)) {
    case "WebGPUNotAvailableError":
    case "WebGPUNotFoundError":
      return gpuFault(fault);
    case "DeviceLostError":
      return deviceLostError("loading");
    case "ShaderF16SupportError":
      return withoutHalfFloats(id, records);
    case "FeatureSupportError":
      return engineError(`The model ${id} does not run here: ${messageOf(fault)}`);
    case "QuotaExceededError":
      return engineError(
        `The browser has no room left to keep the model ${id}. Delete models that you no longer ` +
          "need, or take a smaller one.",
      );
    case "WindowSizeConfigurationError":
    case "WindowSizeSpecificationError":
    case "AttentionSinkSizeError":
      return engineError(`The window of the model ${id} is set wrongly: ${messageOf(fault)}`);
    case "TypeError":
    case "NetworkError":
      return engineError(
        `A file of the model ${id} cannot be fetched from ${record.model} or ${record.model_lib} ` +
          `(${messageOf(fault)}). Check the connection, that the addresses are right and that the ` +
          "content security policy allows them, then try again: what has arrived is kept.",
        { retryable: true },
      );
    default:
      return engineError(
        `The model ${id} does not start (${messageOf(fault)}). Check that its library was made ` +
          "for this WebLLM, that the content security policy allows 'wasm-unsafe-eval', and that " +
          "the device has enough memory.",
      );
  }
}

/**
 * Why a request was not answered.
 * @param {unknown} fault
 * @param {number} heldTokens of the conversation that stayed in the GPU
 */
export function requestFault(fault, heldTokens) {
  const message = messageOf(fault);
  if (nameOf(fault) === "ContextWindowSizeExceededError") {
    const [tokens = 0, window = 0] = (message.match(/\d+/g) ?? []).map(Number);
    return windowExceededError(tokens + heldTokens, window);
  }
  return engineError(
    `The engine refuses the request: ${message}. Check the messages, and the JSON schema or ` +
      "grammar if there is one.",
  );
}

/** @param {string} id @param {ModelRecord[]} records */
function withoutHalfFloats(id, records) {
  const plain = id.replace(/(q\d)f16/, "$1f32");
  const instead = records.some(({ model_id: known }) => known === plain && plain !== id);
  return engineError(
    `The model ${id} calculates with 16-bit floats (shader-f16), which this GPU or browser does ` +
      `not offer. ${instead ? `Take its build "web-llm:${plain}"` : "Take a build with f32"} instead.`,
    { details: { needs: "shader-f16", ...(instead && { instead: `web-llm:${plain}` }) } },
  );
}

/** @param {unknown} fault */
const nameOf = (fault) => (fault instanceof Error ? fault.name : "");

/** @param {string} text */
const firstSentence = (text) => text.split(/\.\s/)[0] ?? text;

// What this device and browser offer to a model, as far as a page can see it.

import { findModel } from "../bridge/prompt_session.js";

/**
 * @typedef {import("../bridge/prompt_session.js").Availability} Availability
 * @typedef {{available: boolean, shaderF16: boolean | null, maxBufferBytes: number | null,
 *            maxStorageBufferBytes: number | null}} WebGpuFacts
 * @typedef {object} DeviceFacts  null: the browser does not tell
 * @property {WebGpuFacts} webgpu
 * @property {number | null} memoryBytes  of the device; browsers round it and tell of no more than
 *   some gigabytes
 * @property {number | null} cores
 * @property {number | null} storageBytes  what the site may still store
 * @property {Availability} browserModel  how far the browser's own model is
 * @property {boolean} isolated  whether the page is cross-origin isolated: threads need it
 */

/** @returns {Promise<DeviceFacts>} */
export async function deviceFacts() {
  const [webgpu, storageBytes, browserModel] = await Promise.all([webgpuFacts(), freeStorage(), browserModelState()]);
  const { deviceMemory } = /** @type {{deviceMemory?: number}} */ (navigator);
  return {
    webgpu,
    memoryBytes: deviceMemory === undefined ? null : deviceMemory * 2 ** 30,
    cores: navigator.hardwareConcurrency ?? null,
    storageBytes,
    browserModel,
    isolated: globalThis.crossOriginIsolated ?? false,
  };
}

/** Whether models can run on the graphics processor here. @returns {Promise<boolean>} */
export async function isWebGPUAvailable() {
  return (await webgpuFacts()).available;
}

/**
 * How far the browser's own model is; a browser without one says that it is unavailable.
 * @returns {Promise<Availability>}
 */
async function browserModelState() {
  try {
    return (await findModel()).state;
  } catch {
    return "unavailable";
  }
}

/** @returns {Promise<WebGpuFacts>} */
async function webgpuFacts() {
  const adapter = await findAdapter();
  return {
    available: adapter !== null,
    shaderF16: adapter && adapter.features.has("shader-f16"),
    maxBufferBytes: adapter && adapter.limits.maxBufferSize,
    maxStorageBufferBytes: adapter && adapter.limits.maxStorageBufferBindingSize,
  };
}

async function findAdapter() {
  try {
    return (await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" })) ?? null;
  } catch {
    return null;
  }
}

async function freeStorage() {
  try {
    const { quota, usage = 0 } = await navigator.storage.estimate();
    return quota === undefined ? null : Math.max(quota - usage, 0);
  } catch {
    return null;
  }
}

// What the page says about models on this device.

import { bytes, number } from "./words.js";

/**
 * @typedef {import("../host/local_models.js").WebLLMFacts} WebLLMFacts
 * @typedef {import("../chat.js").Device} Device
 */

/** By the state of the browser's own model. @type {Readonly<Record<string, string>>} */
export const BROWSER_STATES = {
  available: "Ready. It is part of this browser, and nothing is downloaded.",
  downloadable: "The browser downloads it before the first run, and keeps it for all sites. How large it is, it does not tell.",
  downloading: "The browser is downloading it. The first run waits for that.",
  unavailable: "Not here. Chrome and Edge have one on computers with enough memory and storage.",
};

/** What a model of WebLLM takes. @param {WebLLMFacts} model */
export function sizesOf({ memoryBytes, contextWindow }) {
  const memory = memoryBytes === null ? "Memory not known" : `${bytes(memoryBytes)} of GPU memory`;
  return `${memory} · ${number(contextWindow)} tokens`;
}

/**
 * WebLLM's models whose names have all words of a search: what is kept first, then the smaller ones.
 * @param {readonly WebLLMFacts[]} models
 * @param {string} search
 */
export function found(models, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
    .sort((left, right) => Number(right.cached) - Number(left.cached) || memoryOf(left) - memoryOf(right));
}

/** @param {WebLLMFacts} model */
const memoryOf = ({ memoryBytes }) => memoryBytes ?? Infinity;

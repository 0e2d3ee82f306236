// The model that a user picked, and the settings that it stands for. Nothing here touches the
// document or stores anything: a pick lives as long as the page's memory of it.

/**
 * @typedef {import("./pagehand.js").AgentConfig} AgentConfig
 * @typedef {import("./pagehand.js").Provider} Provider
 *
 * @typedef {object} ProviderPick
 * @property {"provider"} kind
 * @property {string} providerType
 * @property {string} model
 * @property {string} baseURL  empty: the provider's own address
 * @property {Record<string, string>} options  settings of the provider that anybody may see
 * @property {Record<string, string>} secrets  `apiKey` and those of the provider's settings that
 *   nobody may see
 *
 * @typedef {{kind: "device", model: string, contextWindowTokens: number | null}} DevicePick
 *   `model`: `embedded`, `browser`, `web-llm:<id>` or `wllama:<URL>`; null: the model's own window
 * @typedef {{kind: "default"} | DevicePick | ProviderPick} ModelPick  default: the page's own model
 */

/** What a page says about its own model, and what must not reach a model that its user picked. */
const ABOUT_THE_MODEL = [
  ...["providerType", "baseURL", "apiKey", "credentialRef", "headers", "providerOptions"],
  ...["planner", "synthesizer", "vision", "inputs", "contextWindowTokens"],
];

/**
 * A page's settings with the model that its user picked.
 * @param {AgentConfig} config
 * @param {ModelPick} pick
 * @returns {AgentConfig}
 */
export function withPick(config, pick) {
  if (pick.kind === "default") return config;
  const kept = Object.entries(config).filter(([name]) => !ABOUT_THE_MODEL.includes(name));
  return { ...Object.fromEntries(kept), model: specOf(pick) };
}

/**
 * The model as `createAgent` and `checkModel` take it.
 * @param {DevicePick | ProviderPick} pick
 * @returns {import("./pagehand.js").ModelChoice}
 */
export function specOf(pick) {
  return pick.kind === "device" ? localSpec(pick) : providerSpec(pick);
}

/** @param {DevicePick} pick @returns {import("./pagehand.js").LocalChoice} */
export function localSpec({ model, contextWindowTokens }) {
  if (!model.startsWith(WEB_LLM) || contextWindowTokens === null) return model;
  return {
    providerType: "web-llm",
    model: model.slice(WEB_LLM.length),
    providerOptions: { contextWindowTokens },
  };
}

const WEB_LLM = "web-llm:";

/** @param {ProviderPick} pick @returns {import("./pagehand.js").ModelChoice} */
function providerSpec({ providerType, model, baseURL, options, secrets }) {
  const { apiKey, ...hidden } = secrets;
  const providerOptions = { ...options, ...hidden };
  return {
    providerType,
    model,
    ...(baseURL && { baseURL }),
    ...(apiKey && { apiKey }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  };
}

/** A model on this device as people know it. @param {string} model */
export function localName(model) {
  if (model === "browser") return "The browser's own model";
  if (model === "embedded") return "The site's small model";
  const name = model.slice(model.indexOf(":") + 1);
  return name.slice(name.lastIndexOf("/") + 1) || name;
}

/**
 * Reads the fields of a model on this device: `device` names it, or `web-llm` or `wllama`, whose
 * model `webllm` or the address `gguf` names.
 * @param {FormData} form
 * @returns {DevicePick}
 */
export function readDevicePick(form) {
  const read = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
  const kind = read("device");
  const window = Number(read("contextWindowTokens"));
  if (kind === "web-llm") return { kind: "device", model: read("webllm"), contextWindowTokens: window || null };
  const model = kind === "wllama" ? `wllama:${read("gguf")}` : kind;
  return { kind: "device", model, contextWindowTokens: null };
}

/**
 * Reads a filled form. Fields are named as the parts of a model; settings of the provider by their
 * own names.
 * @param {FormData} form
 * @param {Provider} provider
 * @param {ModelPick} before
 * @returns {ProviderPick}
 */
export function readPick(form, provider, before) {
  const read = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
  const { type: providerType } = provider;
  const baseURL = addressOf(read("baseURL"), provider);
  const typed = filled(secretNames(provider), read);
  return {
    kind: "provider",
    providerType,
    model: read("model"),
    baseURL,
    options: filled(provider.options.filter(({ secret }) => !secret).map(({ name }) => name), read),
    secrets: Object.keys(typed).length > 0 ? typed : keptSecrets(before, providerType, baseURL),
  };
}

/** The address where it is not the provider's own. @param {string} typed @param {Provider} provider */
export function addressOf(typed, { baseURL }) {
  return typed === baseURL ? "" : typed;
}

/** @param {Provider} provider */
function secretNames({ options }) {
  return ["apiKey", ...options.filter(({ secret }) => secret).map(({ name }) => name)];
}

/** @param {string[]} names @param {(name: string) => string} read */
function filled(names, read) {
  return Object.fromEntries(names.map((name) => [name, read(name)]).filter(([, value]) => value));
}

/**
 * The secrets that stay when none is typed: those of the same provider at the same address. They
 * belong together, so one that is typed anew replaces them all.
 * @param {ModelPick} before
 * @param {string} providerType
 * @param {string} baseURL
 * @returns {Record<string, string>}
 */
export function keptSecrets(before, providerType, baseURL) {
  const same = before.kind === "provider" && before.providerType === providerType && before.baseURL === baseURL;
  return same ? before.secrets : {};
}

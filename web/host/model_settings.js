// What a page may say about models, and what of it stays in the page: functions that give a token.

/**
 * @typedef {string | (() => string | Promise<string>)} AccessToken  a token, or a function of the
 *   page that gives one and is asked before every request
 *
 * @typedef {Record<string, unknown> & {accessToken?: AccessToken}} ProviderOptions  settings of the
 *   provider (such as `region` of Amazon Bedrock or `resourceName` of Azure); all others are
 *   further fields of the request's body
 *
 * @typedef {object} ModelParts
 * @property {string} model  the model's name at its provider; `"provider:model"` where there is no
 *   `providerType`
 * @property {string} providerType  such as `"openai"`, `"anthropic"` or `"openai-compatible"`;
 *   `agent.listProviders()` gives all
 * @property {string} baseURL  the address that the provider's paths are added to
 * @property {string} [apiKey]
 * @property {string} [credentialRef]  the name of a key in `agent.credentials`, instead of the key
 * @property {Record<string, string>} [headers]  sent with every request
 * @property {ProviderOptions} [providerOptions]
 *
 * @typedef {string | Omit<ModelParts, "baseURL"> & {baseURL?: string}
 *   | Omit<ModelParts, "providerType"> & {providerType?: string}
 *   | Partial<ModelParts> & {model: `${string}:${string}`}} OneModel
 *   `"provider:model"` or its parts; where a `baseURL` is given, the provider may be left out.
 *   On this device: `"embedded"` (the model shipped with the site), `"browser"` (the browser's own),
 *   `"web-llm:<id>"` (of WebLLM's list, on the GPU), `"wllama:<URL of a GGUF>"` (on the processor),
 *   and `"auto"`: the best of them that can run here with nothing to fetch
 *
 * @typedef {OneModel | OneModel[]} ModelChoice  a list is a ladder: where one model fails for a
 *   reason of its own, such as having no room, the next one is asked
 *
 * @typedef {string | Partial<ModelParts> | OneModel[]} StageModel  a model of its own for a stage;
 *   parts that are left out are those of the agent's model
 *
 * @typedef {"none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "provider-default"} ThinkingLevel
 * @typedef {boolean | ThinkingLevel
 *   | {level?: ThinkingLevel, budgetTokens?: number, includeThoughts?: boolean}} Thinking
 *   `true` is `"medium"`; a level that a model does not have becomes the nearest that it has
 * @typedef {"planner" | "executor" | "replanner" | "synthesizer"} Stage
 *
 * @typedef {{input: number, output: number, cachedInput?: number, cacheWrite?: number,
 *            upTo?: number, source?: string, read?: string}} Price
 *   US dollars for a million tokens; `upTo` is the longest prompt (tokens) that it holds for,
 *   `source` the page it was read from, `read` the day
 */

/** Leaves the choice to the page. */
const AUTO = "auto";
/** Where a model may stand in the settings. */
const PLACES = ["model", "planner", "synthesizer"];

/**
 * Parts the functions that give a token from settings.
 * @param {Record<string, any>} config
 * @returns {{config: Record<string, any>, tokens: {path: string[], give: Function}[]}}
 *   `path` says where each stood; the objects on the way stay
 */
export function takeTokenFunctions(config) {
  /** @type {{path: string[], give: Function}[]} */
  const tokens = [];
  /** @param {any} spec @param {string[]} path @returns {any} */
  const take = (spec, path) => {
    if (Array.isArray(spec)) return spec.map((each, index) => take(each, [...path, String(index)]));
    const give = spec?.providerOptions?.accessToken;
    if (typeof give !== "function") return spec;
    tokens.push({ path: [...path, "providerOptions", "accessToken"], give });
    const { accessToken: _, ...providerOptions } = spec.providerOptions;
    return { ...spec, providerOptions };
  };
  const taken = take(config, []);
  for (const place of PLACES) {
    if (place in taken) taken[place] = take(taken[place], [place]);
  }
  return { config: taken, tokens };
}

/**
 * A model whose token, where a function gives it, is asked for now.
 * @param {any} model
 * @returns {Promise<any>}
 */
export async function withTokens(model) {
  if (Array.isArray(model)) return Promise.all(model.map(withTokens));
  const give = model?.providerOptions?.accessToken;
  if (typeof give !== "function") return model;
  return { ...model, providerOptions: { ...model.providerOptions, accessToken: await give() } };
}

/**
 * Puts a model in the place of every `"auto"`.
 * @param {any} settings  of an agent, or a model
 * @param {string} name  of the model to put there
 * @returns {any}
 */
export function replaceAuto(settings, name) {
  if (settings === AUTO) return name;
  if (Array.isArray(settings)) return settings.map((each) => replaceAuto(each, name));
  if (typeof settings !== "object" || settings === null) return settings;
  const elsewhere = settings.providerType ?? settings.baseURL; // a server may have a model of this name
  const named = PLACES.filter((place) => place in settings && !(place === "model" && elsewhere));
  return { ...settings, ...Object.fromEntries(named.map((place) => [place, replaceAuto(settings[place], name)])) };
}

/**
 * Chooses a model where settings leave that to the page.
 * @param {any} settings  of an agent, or a model
 * @param {URL} base  the site's folder
 * @returns {Promise<{settings: any, chosen: import("./auto_model.js").Chosen | null}>}
 */
export async function chooseModel(settings, base) {
  if (JSON.stringify(replaceAuto(settings, "")) === JSON.stringify(settings)) return { settings, chosen: null };
  const { bestModel } = await import("./auto_model.js");
  const chosen = await bestModel(base);
  return { settings: replaceAuto(settings, chosen.model), chosen };
}

/**
 * Whether any of the models runs on this device, in the engine worker; the browser's own does not.
 * @param {unknown[]} models
 */
export function namesLocalModel(models) {
  return models.flat().some((each) => {
    const parts = /** @type {any} */ (each);
    const name = typeof parts === "string" ? parts : parts?.providerType ?? parts?.model;
    return /^(embedded|auto|wllama|web-llm)(:|$)/.test(name ?? "");
  });
}

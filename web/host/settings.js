// Splits what a page passes to createAgent into what stays in the page (functions, tools) and what
// the worker gets (plain data).

import { configError } from "./faults.js";
import { readTools } from "./tools.js";

/**
 * @typedef {{phase: "download" | "compile" | "python" | "ready", progress: number, text: string}} BootProgress
 *   `progress` runs from 0 to 1 over the whole start
 *
 * @typedef {object} ModelParts
 * @property {string} model  the model's name at its provider
 * @property {string} providerType  such as `"openai-compatible"`
 * @property {string} baseURL  the address that the provider's paths are added to
 * @property {string} [apiKey]
 * @property {Record<string, string>} [headers]  sent with every request
 * @property {Record<string, unknown>} [providerOptions]  further fields of the request's body
 *
 * @typedef {string | Omit<ModelParts, "baseURL"> & {baseURL?: string}
 *   | Omit<ModelParts, "providerType"> & {providerType?: string}} ModelChoice
 *   `"provider:model"` or its parts; where a `baseURL` is given, `providerType` may be left out
 *
 * @typedef {string | Partial<ModelParts>} StageModel  a model of its own for a stage; parts that
 *   are left out are those of the agent's model
 *
 * @typedef {object} AgentConfig
 * @property {ModelChoice} [model]  default: `"embedded"`, the model shipped with the site
 * @property {string} [providerType]  this and the next four may stand here beside `model`, instead
 *   of inside it
 * @property {string} [baseURL]
 * @property {string} [apiKey]
 * @property {Record<string, string>} [headers]
 * @property {Record<string, unknown>} [providerOptions]
 * @property {StageModel} [planner]  another model for the planner
 * @property {StageModel} [synthesizer]  another model for the answer
 * @property {number} [contextWindowTokens]  the window in use, in tokens; default: the model's
 * @property {number} [temperature]  0 to 2; default: the provider's
 * @property {number} [llmTimeoutMs]  how long a model call may take, in milliseconds; 0: no limit;
 *   default 120 000
 * @property {number} [llmMaxRetries]  further tries of a failed model call; default 2
 * @property {string} [clientName]  what the agent calls itself to servers; a browser keeps its own
 *   name there; default `"pagehand"`
 *
 * @property {Record<string, import("./tools.js").Tool> | import("./tools.js").Tool[]} [tools]
 * @property {"auto" | "native" | "prompted"} [toolMode]  how tools are offered to the model
 * @property {string} [systemPrompt]  what this agent is for; stands after each stage's own text
 * @property {() => string | Promise<string>} [describeState]  the state of the page in words; every
 *   stage reads it
 * @property {string} [sessionId]  the session of runs that name none; default `"default"`
 *
 * @property {number} [maxIterations]  executed steps a run; default 8
 * @property {number} [maxStepsPerTask]  model calls a step; default 8
 * @property {number} [maxPlanSteps]  steps a plan; default 8
 * @property {number} [maxRevisions]  new plans a run; default 2
 * @property {number} [maxToolCalls]  tool calls a run; default: no cap
 * @property {number} [maxConcurrentRuns]  runs at the same time; default: no cap
 * @property {boolean} [replan]  whether the plan may change while it runs; default true
 * @property {"failure" | "always" | ((result: import("../events.js").StepResult) => boolean | Promise<boolean>)} [replanAfter]
 *   after which steps; default `"failure"`
 * @property {boolean | "auto"} [synthesize]  whether the answer is written by a model call of its
 *   own; `"auto"`: not where one good step has said it; default true
 * @property {"error" | "warn" | "info" | "debug" | "silent" | "none"} [logLevel]  default `"warn"`
 *
 * @property {(event: import("../events.js").AgentEvent) => unknown} [onEvent]  every event of every run
 * @property {(progress: BootProgress) => unknown} [onBoot]  how far the start of the worker is
 * @property {URL | string} [base]  the folder of the site's files; default: where pagehand.js lies
 *
 * @typedef {{data: Record<string, any>, hooks: Record<string, Function>,
 *            tools: Map<string, import("./tools.js").Tool>, base: URL, usesEngine: boolean,
 *            onEvent: ((event: any) => unknown) | undefined,
 *            onBoot: ((progress: BootProgress) => unknown) | undefined}} ReadConfig
 */

/** Settings that may be functions, which the agent calls in the page. */
const HOOKS = ["describeState", "replanAfter"];

/**
 * @param {AgentConfig} config
 * @param {URL} defaultBase
 * @returns {ReadConfig}
 * @throws {import("../../worker/rpc.js").PagehandError} ConfigError that names the field
 */
export function readConfig(config, defaultBase) {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw configError("createAgent takes one object of settings.");
  }
  const { tools, onEvent, onBoot, base, ...rest } = config;
  requireFunction("onEvent", onEvent);
  requireFunction("onBoot", onBoot);
  /** @type {Record<string, Function>} */
  const hooks = {};
  /** @type {Record<string, any>} */
  const data = {};
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === "function" && HOOKS.includes(name)) hooks[name] = value;
    else if (value !== undefined) data[name] = plainCopy(value, name);
  }
  return {
    data,
    hooks,
    tools: readTools(tools),
    base: readBase(base, defaultBase),
    usesEngine: namesLocalModel(data),
    onEvent,
    onBoot,
  };
}

/**
 * A copy of plain data; anything else is refused by name.
 * @param {unknown} value
 * @param {string} path
 * @returns {any}
 */
export function plainCopy(value, path) {
  if (value === null || ["string", "boolean"].includes(typeof value)) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item, `${path}[${index}]`));
  if (isPlainObject(value)) {
    const kept = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(kept.map(([key, item]) => [key, plainCopy(item, `${path}.${key}`)]));
  }
  if (typeof value === "function") {
    throw configError(
      `"${path}" is a function. Functions stay in the page, and only these settings may be one: ` +
        `${[...HOOKS, "onEvent", "onBoot"].join(", ")}, and "execute" of a tool.`,
    );
  }
  throw configError(`"${path}" is ${kindOf(value)}. Settings are plain data: text, numbers, lists, objects.`);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isPlainObject(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** @param {unknown} value */
function kindOf(value) {
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "object") return `of the kind ${value?.constructor?.name ?? "object"}`;
  return `a ${typeof value}`;
}

/** @param {string} name @param {unknown} value */
function requireFunction(name, value) {
  if (value !== undefined && typeof value !== "function") {
    throw configError(`"${name}" is not a function.`);
  }
}

/** @param {unknown} base @param {URL} defaultBase */
function readBase(base, defaultBase) {
  if (base === undefined) return defaultBase;
  try {
    const url = new URL(String(base), document.baseURI);
    if (!url.pathname.endsWith("/")) url.pathname += "/";
    return url;
  } catch {
    throw configError(`"base" is not an address: ${String(base)}`);
  }
}

/** Whether a stage runs on this device in the engine worker. @param {Record<string, any>} data */
function namesLocalModel({ providerType, model, planner, synthesizer }) {
  const choices = [providerType ?? model ?? "embedded", planner, synthesizer];
  return choices.some((choice) => {
    const name = typeof choice === "string" ? choice : choice?.providerType ?? choice?.model;
    return /^(embedded|auto|wllama)(:|$)/.test(name ?? "");
  });
}

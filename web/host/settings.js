// Splits what a page passes to createAgent into what stays in the page (functions, tools) and what
// the worker gets (plain data).

import { configError } from "./faults.js";
import { namesLocalModel, takeTokenFunctions } from "./model_settings.js";
import { readTools } from "./tools.js";

/**
 * @typedef {{raw: string, error: string,
 *            tools: {name: string, description: string, inputSchema: object}[]}} BrokenCall
 *   `raw`: the call as the model wrote it
 */

/**
 * @typedef {{phase: "download" | "compile" | "python" | "ready", progress: number, text: string}} BootProgress
 *   `progress` runs from 0 to 1 over the whole start
 *
 * @typedef {object} AgentConfig
 * @property {import("./model_settings.js").ModelChoice} [model]  default: `"embedded"`, the model
 *   shipped with the site; a list is a ladder, tried in order
 * @property {string} [providerType]  this and the next five may stand here beside `model`, instead
 *   of inside it
 * @property {string} [baseURL]
 * @property {string} [apiKey]
 * @property {string} [credentialRef]
 * @property {Record<string, string>} [headers]
 * @property {import("./model_settings.js").ProviderOptions} [providerOptions]
 * @property {import("./model_settings.js").StageModel} [planner]  another model for the planner
 * @property {import("./model_settings.js").StageModel} [synthesizer]  another model for the answer
 * @property {import("./model_settings.js").Thinking} [thinking]  how much the models think;
 *   default: as the provider has it
 * @property {Partial<Record<import("./model_settings.js").Stage, import("./model_settings.js").Thinking>>} [stageThinking]
 *   the same for a stage alone
 * @property {boolean | {ttl?: "5m" | "1h", key?: string}} [promptCaching]  marks what a provider
 *   may keep of a prompt; default true
 * @property {boolean} [vision]  whether the model sees images, where the page knows better
 * @property {{images?: boolean, pdf?: boolean, files?: boolean}} [inputs]  the same for each kind
 * @property {Record<string, import("./model_settings.js").Price>} [prices]  by `"provider:model"`;
 *   laid over the known ones
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
 * @property {"auto" | "fenced" | "tags" | "envelope"} [toolFormat]  how a prompted model is told to
 *   write calls; whatever it writes is read
 * @property {(broken: BrokenCall) => unknown} [repairHook]  the last resort for a call that nothing
 *   else could repair: gives a call `{name, arguments}`, or nothing
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
 * @typedef {{data: Record<string, any>, hooks: Record<string, Function>, tokenHooks: string[][],
 *            tools: Map<string, import("./tools.js").Tool>, base: URL, usesEngine: boolean,
 *            onEvent: ((event: any) => unknown) | undefined,
 *            onBoot: ((progress: BootProgress) => unknown) | undefined}} ReadConfig
 *   `tokenHooks`: where in `data` a function stood that gives a token; it is the hook `token:<path>`
 */

/** Settings that may be functions, which the agent calls in the page. */
const HOOKS = ["describeState", "replanAfter", "repairHook"];

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
  const { tools, onEvent, onBoot, base, ...given } = config;
  if ("credentials" in given) {
    throw configError('Keys are no setting: give each by its name, with "agent.credentials.setApiKey(ref, key)".');
  }
  requireFunction("onEvent", onEvent);
  requireFunction("onBoot", onBoot);
  const { config: rest, tokens } = takeTokenFunctions(given);
  /** @type {Record<string, Function>} */
  const hooks = Object.fromEntries(tokens.map(({ path, give }) => [`token:${path.join(".")}`, give]));
  /** @type {Record<string, any>} */
  const data = {};
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === "function" && HOOKS.includes(name)) hooks[name] = value;
    else if (value !== undefined) data[name] = plainCopy(value, name);
  }
  return {
    data,
    hooks,
    tokenHooks: tokens.map(({ path }) => path),
    tools: readTools(tools),
    base: readBase(base, defaultBase),
    usesEngine: namesLocalModel([
      data.providerType ?? data.model ?? "embedded",
      data.planner,
      data.synthesizer,
    ]),
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
        `${[...HOOKS, "onEvent", "onBoot"].join(", ")}, "accessToken" of providerOptions, and ` +
        '"execute" of a tool.',
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

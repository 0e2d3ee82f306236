// Tools that are functions of the page: how they are declared, checked, described to the agent and
// run when the agent calls them.

import { configError, toolError } from "./faults.js";

/**
 * @typedef {{signal: AbortSignal, runId: string, step: import("../events.js").PlanStep | null,
 *            callId: string,
 *            progress: (progress: number, total?: number, message?: string) => void}} ToolContext
 *   what a tool gets beside its input: `signal` aborts when the run stops, `progress` shows how far
 *   the work is
 *
 * @typedef {object} ToolOptions
 * @property {string} description  what the tool does and when to use it; the model reads this
 * @property {object} [inputSchema]  JSON Schema of the input, an object at its top
 * @property {object} [parameters]  a second name of `inputSchema`
 * @property {(input: any, context: ToolContext) => any} execute  the work; may be async. What it
 *   returns must be JSON data. What it throws goes to the model as the failure's message
 * @property {boolean} [readOnly]  true when the tool changes nothing
 * @property {string} [title]  the name that people see
 * @property {string} [promptHint]  a short note on the input for models that read tools as text
 * @property {number} [timeoutMs]  how long one call may take, in milliseconds; 0 means no limit
 * @property {string} [name]  needed in a list of tools; in a map the key is the name
 *
 * @typedef {Readonly<ToolOptions>} Tool
 */

const KNOWN = [
  "name",
  "title",
  "description",
  "inputSchema",
  "parameters",
  "readOnly",
  "promptHint",
  "timeoutMs",
  "execute",
];

/**
 * Declares a tool.
 * @param {ToolOptions} options
 * @returns {Tool}
 * @throws {import("../../worker/rpc.js").PagehandError} ConfigError when a part is missing or of the wrong kind
 */
export function defineTool(options) {
  checkTool(options?.name ?? "", options);
  return Object.freeze({ ...options });
}

/**
 * The same tool, marked as one that changes nothing.
 * @param {Tool} tool
 * @returns {Tool}
 */
export function markReadOnly(tool) {
  return defineTool({ ...tool, readOnly: true });
}

/**
 * Reads `config.tools`: a map from name to tool, or a list of tools that carry their names.
 * @param {unknown} tools
 * @returns {Map<string, Tool>}
 */
export function readTools(tools) {
  if (tools === undefined || tools === null) return new Map();
  if (typeof tools !== "object") {
    throw configError(`"tools" is a ${typeof tools}. Give a map from name to tool, or a list of tools.`);
  }
  const entries = Array.isArray(tools) ? tools.map(named) : Object.entries(tools);
  /** @type {Map<string, Tool>} */
  const read = new Map();
  for (const [name, tool] of entries) {
    checkTool(name, tool);
    if (read.has(name)) throw configError(`Two tools have the name "${name}". Rename one of them.`);
    read.set(name, tool);
  }
  return read;
}

/**
 * What the agent is told about a tool: everything but the function.
 * @param {string} name
 * @param {Tool} tool
 */
export function describeTool(name, tool) {
  const { execute: _, parameters, inputSchema = parameters ?? NO_INPUT, ...rest } = tool;
  return toData({ ...rest, name, inputSchema }, `The tool "${name}"`, configError);
}

const NO_INPUT = { type: "object", properties: {} };

/**
 * Runs a tool for the agent.
 * @param {ReadonlyMap<string, Tool>} tools
 * @param {{name: string, input: any, context: {runId: string, step: any, callId: string}}} request
 * @param {import("../../worker/rpc.js").CallContext} call
 * @returns {Promise<unknown>} JSON data
 */
export async function executeTool(tools, { name, input, context }, call) {
  const tool = tools.get(name);
  if (!tool) throw toolError(`This page has no tool "${name}".`);
  const { runId, step = null, callId } = context;
  const output = await tool.execute(input, {
    signal: call.signal,
    runId,
    step,
    callId,
    progress: (progress, total, message) => call.progress({ progress, total, message }),
  });
  return toData(output, `The result of the tool "${name}"`, toolError);
}

/** @param {unknown} tool @param {number} index @returns {[string, any]} */
function named(tool, index) {
  const name = /** @type {any} */ (tool)?.name;
  if (typeof name !== "string" || typeof tool === "function") {
    throw configError(`tools[${index}] has no name. In a list each tool carries its "name".`);
  }
  return [name, tool];
}

/** @param {string} name @param {any} tool */
function checkTool(name, tool) {
  const which = name ? `The tool "${name}"` : "The tool";
  if (typeof tool === "function") {
    throw configError(`${which} is a bare function. Wrap it: defineTool({description, inputSchema, execute}).`);
  }
  if (typeof tool !== "object" || tool === null) {
    throw configError(`${which} is not an object with description, inputSchema and execute.`);
  }
  if (typeof tool.execute !== "function") {
    throw configError(`${which} has no "execute" function.`);
  }
  if (typeof tool.description !== "string" || tool.description.trim() === "") {
    throw configError(`${which} has no "description". The model needs one to know when to use it.`);
  }
  const schema = tool.inputSchema ?? tool.parameters;
  if (schema !== undefined && (typeof schema !== "object" || schema === null)) {
    throw configError(`${which} has an "inputSchema" that is not a JSON Schema object.`);
  }
  const unknown = Object.keys(tool).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    throw configError(`${which} has an unknown field "${unknown}". Known are: ${KNOWN.join(", ")}.`);
  }
}

/**
 * The JSON form of a value; `undefined` becomes null.
 * @param {unknown} value
 * @param {string} what  names the value in the error
 * @param {(message: string) => Error} fault
 */
function toData(value, what, fault) {
  if (value === undefined) return null;
  try {
    return JSON.parse(JSON.stringify(value, refuseOpaque));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw fault(
      `${what} is not JSON data (${reason.split("\n")[0]}). ` +
        "Use plain objects, lists, strings, numbers, booleans and null.",
    );
  }
}

/**
 * JSON.stringify leaves out functions and writes maps, sets, buffers and page elements as `{}`.
 * @param {string} key
 * @param {unknown} value
 */
function refuseOpaque(key, value) {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  const opaque =
    typeof value === "function" ||
    typeof value === "symbol" ||
    (typeof value === "object" &&
      !["Object", "Array", "Null", "String", "Number", "Boolean"].includes(kind));
  if (opaque) throw new TypeError(`${key ? `"${key}"` : "it"} is a ${kind}`);
  return value;
}

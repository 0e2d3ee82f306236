// The agent as a page sees it: runs go to the worker, events come back, stop always works.

import { PagehandError, errorData } from "../../worker/rpc.js";
import { NO_COST, addCost, addUsage } from "../usage.js";
import { readAttachments } from "./attachments.js";
import { Connection } from "./connection.js";
import { Credentials } from "./credentials.js";
import { configError, workerError } from "./faults.js";
import { tell } from "./handlers.js";
import { chooseModel, namesLocalModel, withTokens } from "./model_settings.js";
import { RunRecord } from "./run_record.js";
import { RunStream } from "./run_stream.js";
import { plainCopy } from "./settings.js";

/** How long a stopped run may take to settle before its worker is ended, in milliseconds. */
export const STOP_GRACE_MS = 3000;

/**
 * @typedef {import("../events.js").AgentEvent} AgentEvent
 * @typedef {import("../events.js").RunResult} RunResult
 *
 * @typedef {object} RunOptions
 * @property {AbortSignal} [signal]  stops the run; it then resolves with `stopped: true`
 * @property {(event: AgentEvent) => unknown} [onEvent]  the events of this run
 * @property {(about: {step: import("../events.js").PlanStep, index: number, abort: () => void}) => unknown} [onStepStart]
 *   called before each step; `abort()` skips the step
 * @property {readonly import("./attachments.js").Attachment[] | FileList} [images]  what the models
 *   see beside the request; `agent.capabilities` tells what they take
 * @property {readonly import("./attachments.js").Attachment[] | FileList} [files]
 * @property {string} [sessionId]  the session whose memory the run reads and writes
 * @property {{role: "user" | "assistant", content: string}[]} [history]  earlier turns; wins over
 *   the session's
 *
 * @typedef {{images: boolean | undefined, pdf: boolean | undefined, files: boolean | undefined}} Capabilities
 *   what can go with a request; `undefined`: it is not known, and may be tried
 *
 * @typedef {object} Provider  one that `"provider:model"` may name
 * @property {string} type  the name before the colon, and the `providerType`
 * @property {string} label  the name that people know
 * @property {string | null} baseURL  its address; null where settings decide
 * @property {boolean} needsBaseURL
 * @property {boolean} needsKey
 * @property {string | null} keyPage  where one gets a key
 * @property {"yes" | "no" | "depends"} browser  whether it answers a web page directly
 * @property {string} advice  what to do where it may not
 * @property {{name: string, secret: boolean}[]} options  what its `providerOptions` may hold
 *
 * @typedef {{model: string | null, reason: string, sizeBytes?: number | null,
 *            alternatives: {model: string, reason: string, sizeBytes?: number | null}[]}} Advice
 *   `model` is null where nothing fits; `sizeBytes` is what has to be fetched, null where that is
 *   not known
 */

let lastAgent = 0;

/** An agent in a worker of its own. Made by `createAgent`. */
export class Agent {
  #id = `agent-${++lastAgent}`;
  #config;
  #connection;
  #lastRun = 0;
  /** @type {Map<string, NonNullable<RunOptions["onStepStart"]>>} by the name of their hook */
  #stepHooks = new Map();
  /** @type {import("../events.js").Usage} */
  #usage = {};
  #cost = NO_COST;
  /** @type {Map<string, string>} */
  #keys = new Map();
  /** @type {import("./connection.js").AgentFacts} */
  #facts = { contextWindowTokens: null, capabilities: { images: null, pdf: null, files: null } };

  /** What `"auto"` stands for. @type {import("./auto_model.js").Chosen | null} */
  #chosen = null;

  /**
   * @internal
   * @param {import("./settings.js").ReadConfig} config
   */
  constructor(config) {
    this.#config = config;
    this.#connection = new Connection(config, this.#id, {
      callHook: (hook, args) => this.#callHook(hook, args),
      keys: this.#keys,
    });
    /** Keys by the names that `credentialRef` gives. @readonly */
    this.credentials = new Credentials(this.#keys, (method, ...args) =>
      this.#connection.tellIfOpen("agent.call", { agentId: this.#id, method, args }),
    );
  }

  /** Starts the worker. @internal */
  async open() {
    const { rpc, facts, chosen } = await this.#connection.open();
    this.#facts = facts;
    this.#chosen = chosen;
    return rpc;
  }

  /** The model's context window in tokens; null when it is not known. */
  get contextWindowTokens() {
    return this.#facts.contextWindowTokens ?? null;
  }

  /** What can go with a request beside its words. @returns {Capabilities} */
  get capabilities() {
    const { images, pdf, files } = this.#facts.capabilities;
    return { images: images ?? undefined, pdf: pdf ?? undefined, files: files ?? undefined };
  }

  /** The tokens of all runs so far, stopped and failed ones included. */
  get usage() {
    return { ...this.#usage };
  }

  /** What all runs so far cost, as far as prices are known. @returns {import("../usage.js").Cost} */
  get cost() {
    return { usd: this.#cost.usd, unknown: [...this.#cost.unknown] };
  }

  /**
   * Runs one request to its end.
   * @param {string} input
   * @param {RunOptions} [options]
   * @returns {Promise<RunResult>}
   * @throws {PagehandError} when the run fails; the agent stays usable
   */
  async run(input, options = {}) {
    const { signal, onEvent, onStepStart, images = [], files = [], ...data } = options;
    if (typeof input !== "string" || input.trim() === "") {
      throw configError("The request is empty. Say in words what the agent shall do.");
    }
    const record = new RunRecord(input);
    /** @param {AgentEvent} event */
    const emit = (event) => {
      record.see(event);
      if (event.type === "usage") this.#count(event);
      tell(this.#config.onEvent, event);
      tell(onEvent, event);
      if (event.type === "run.start" && this.#chosen) emit(choiceEvent(event.runId, this.#chosen));
    };
    const stepHook = `onStepStart:${++this.#lastRun}`;
    if (onStepStart) this.#stepHooks.set(stepHook, onStepStart);
    try {
      const request = {
        agentId: this.#id,
        input,
        options: {
          ...plainCopy(data, "options"),
          ...(onStepStart && { onStepStart: stepHook }),
          images: await readAttachments(images, "images"),
          files: await readAttachments(files, "files"),
        },
      };
      return await this.#stoppable(request, emit, signal);
    } catch (fault) {
      const stopped = fault === STOPPED && signal?.aborted;
      record.lastEvents(stopped ? null : errorData(fault)).forEach(emit);
      if (stopped) return record.stoppedResult();
      throw fault instanceof PagehandError ? fault : new PagehandError(errorData(fault));
    } finally {
      this.#stepHooks.delete(stepHook);
    }
  }

  /**
   * Runs one request and gives its events as they come.
   * @param {string} input
   * @param {RunOptions} [options]
   */
  stream(input, options = {}) {
    const { signal, onEvent, ...rest } = options;
    return new RunStream((push, left) => {
      /** @param {AgentEvent} event */
      const both = (event) => {
        push(event);
        tell(onEvent, event);
      };
      const either = signal ? AbortSignal.any([signal, left]) : left;
      return this.run(input, { ...rest, signal: either, onEvent: both });
    });
  }

  /**
   * The tools that the agent has.
   * @returns {Promise<{name: string, description: string, readOnly?: boolean, server?: string}[]>}
   */
  listTools() {
    return this.#call("listTools");
  }

  /** The providers whose models an agent may use. @returns {Promise<Provider[]>} */
  listProviders() {
    return this.#call("listProviders");
  }

  /**
   * Makes one cheap call to see whether a model's name, key and address work. It counts in no run.
   * @param {import("./model_settings.js").ModelChoice} model
   * @returns {Promise<{text: string, provider: string, model: string,
   *                    usage: import("../events.js").Usage}>}  who answered, and what
   * @throws {PagehandError} what was wrong
   */
  async checkModel(model) {
    const { bringEngine } = await this.#connection.open();
    const given = plainCopy(await withTokens(model), "model");
    const { settings: spec } = await chooseModel(given, this.#config.base);
    if (namesLocalModel([spec])) bringEngine();
    return this.#call("checkModel", spec);
  }

  /**
   * Which model to run on this device, with a reason, and what else there is.
   * @param {import("./device.js").DeviceFacts & {cached?: string[]}} device  `cached`: the models
   *   that are kept here
   * @returns {Promise<Advice>}
   */
  adviseModel(device) {
    return this.#call("adviseModel", device);
  }

  /** Ends the agent and its worker; runs that go on reject. */
  close() {
    this.#connection.close();
  }

  /** @param {import("../events.js").UsageEvent} event */
  #count(event) {
    this.#usage = addUsage(this.#usage, event.usage);
    this.#cost = addCost(this.#cost, event);
  }

  /**
   * @param {string} method
   * @param {any[]} args
   */
  async #call(method, ...args) {
    const rpc = await this.open();
    return rpc.call("agent.call", { agentId: this.#id, method, args });
  }

  /**
   * Sends a run to the worker. A signal first asks it to stop; a worker that does not settle within
   * the grace is ended, and the next run starts a new one.
   * @param {object} request
   * @param {(event: AgentEvent) => void} emit
   * @param {AbortSignal} [signal]
   * @returns {Promise<RunResult>}
   */
  async #stoppable(request, emit, signal) {
    const rpc = await unlessAborted(this.open(), signal);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const onAbort = () => {
      timer = setTimeout(() => this.#connection.lose(STOPPED), STOP_GRACE_MS);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      /** @param {AgentEvent[]} events */
      const onProgress = (events) => events.forEach(emit);
      return await rpc.call("agent.run", request, { onProgress, ...(signal && { signal }) });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * @param {string} hook
   * @param {any[]} args
   */
  async #callHook(hook, args) {
    const onStepStart = this.#stepHooks.get(hook);
    if (!onStepStart) return (await this.#config.hooks[hook]?.(...args)) ?? null;
    let aborted = false;
    const abort = () => void (aborted = true);
    await onStepStart({ ...args[0], abort });
    return { abort: aborted };
  }
}

/**
 * @param {string} runId
 * @param {import("./auto_model.js").Chosen} chosen
 * @returns {AgentEvent}
 */
function choiceEvent(runId, { model, reason }) {
  return { type: "log", runId, level: "info", message: `The model "auto" is ${model}: ${reason}.` };
}

/** Why a worker that did not stop was ended. Its own run counts as stopped; others fail. */
const STOPPED = workerError(
  "Another run of this agent did not stop in time, so its worker was ended. Run the request again.",
);

/**
 * @template Value
 * @param {Promise<Value>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<Value>}
 */
function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(STOPPED);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

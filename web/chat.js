// A conversation: one agent, its runs one after another, and their states. Knows no document.

import { errorData } from "../worker/rpc.js";
import { deviceFacts } from "./host/device.js";
import { cachedModels, deleteCachedModel, holdModel, listWebLLMModels } from "./host/local_models.js";
import { localSpec, withPick } from "./model_pick.js";
import { createAgent } from "./pagehand.js";
import { endRun, failRun, isOver, newRun, reduce } from "./ui/run_state.js";

/**
 * @typedef {import("./ui/run_state.js").RunState} RunState
 * @typedef {import("./model_pick.js").ModelPick} ModelPick
 * @typedef {import("./model_pick.js").DevicePick} DevicePick
 * @typedef {{key: number, state: RunState, controller: AbortController}} Run
 * @typedef {object} Device  what models on this device can be picked from
 * @property {import("./host/device.js").DeviceFacts} facts
 * @property {import("./host/local_models.js").WebLLMFacts[]} models  WebLLM's
 * @property {{model: string, bytes: number}[]} kept  those that this browser keeps
 */

/** Tells of every change by a `change` event; read the state from its fields. */
export class Chat extends EventTarget {
  /** How far the start of the worker is; null when it is up. @type {import("./pagehand.js").BootProgress | null} */
  boot = null;
  /** Why the worker could not start. @type {import("./events.js").Fault | null} */
  bootError = null;
  /** @type {readonly Run[]} */
  runs = [];
  /** @type {ModelPick} */
  model = { kind: "default" };
  #config;
  /** @type {Promise<import("./pagehand.js").Agent>} */
  #agent;
  /** Answers about models where the chat's own agent could not start. @type {Promise<import("./pagehand.js").Agent> | null} */
  #adviser = null;
  /** What was loaded before its first run, and by which pick. @type {{key: string, release: () => void} | null} */
  #loaded = null;
  #lastKey = 0;
  #queue = Promise.resolve();

  /** @param {import("./pagehand.js").AgentConfig} config */
  constructor(config) {
    super();
    this.#config = config;
    this.#agent = this.#start();
  }

  /** The run that goes on or ended last. */
  get current() {
    return this.runs.find((run) => !isOver(run.state)) ?? this.runs.at(-1);
  }

  get running() {
    return this.runs.some((run) => !isOver(run.state));
  }

  /** Whether a run waits for the one before it. */
  get waiting() {
    return this.runs.filter((run) => !isOver(run.state)).length > 1;
  }

  /** Takes a request; it runs when the ones before it are over. @param {string} goal */
  send(goal) {
    if (this.bootError) this.#agent = this.#start();
    const run = { key: ++this.#lastKey, state: newRun(goal, now()), controller: new AbortController() };
    this.runs = [...this.runs, run];
    this.#changed();
    this.#queue = this.#queue.then(() => this.#execute(run));
  }

  /** Stops what runs and what waits. */
  stop() {
    for (const run of this.runs) if (!isOver(run.state)) run.controller.abort();
  }

  /** Starts the worker again after it could not start. */
  restart() {
    this.#agent = this.#start();
  }

  /** The providers that a model may be picked from. */
  async listProviders() {
    return (await this.#advise()).listProviders();
  }

  /** Tests a model with one cheap call. @param {import("./pagehand.js").ModelChoice} model */
  async checkModel(model) {
    return (await this.#advise()).checkModel(model);
  }

  /** Whether the page's own model is the one that comes with the site. */
  get ownIsEmbedded() {
    const { model = "embedded", providerType } = this.#config;
    return model === "embedded" && providerType === undefined;
  }

  /** Which models this device could run. @returns {Promise<Device>} */
  async lookAtDevice() {
    const [facts, models, kept] = await Promise.all([
      deviceFacts(),
      listWebLLMModels(this.#site),
      cachedModels(this.#site),
    ]);
    return { facts, models, kept };
  }

  /** Which of them is proposed. @param {Device} device */
  async adviseModel({ facts, kept }) {
    return (await this.#advise()).adviseModel({ ...facts, cached: kept.map(({ model }) => model) });
  }

  /** Keeps a model on this device no longer. @param {string} model */
  async deleteModel(model) {
    await deleteCachedModel(model, this.#site);
  }

  /**
   * Loads a model on this device before it is used.
   * @param {DevicePick} pick
   * @param {import("./host/local_models.js").LoadOptions} options
   */
  async loadModel(pick, options) {
    const { release } = await holdModel(localSpec(pick), { ...this.#site, ...options });
    this.#loaded?.release();
    this.#loaded = { key: JSON.stringify(pick), release };
  }

  /** Lets a model go that was loaded but is not the one in use. */
  dropLoaded() {
    if (this.#loaded?.key === JSON.stringify(this.model)) return;
    this.#loaded?.release();
    this.#loaded = null;
  }

  /** Goes on with another model. @param {ModelPick} model */
  useModel(model) {
    this.#release();
    this.model = model;
    this.dropLoaded();
    this.#agent = this.#start();
  }

  /** Forgets the conversation. */
  clear() {
    this.stop();
    this.runs = [];
    this.#changed();
  }

  close() {
    this.#release();
    this.#loaded?.release();
    this.#loaded = null;
  }

  /** Where the site's files lie. */
  get #site() {
    const { base } = this.#config;
    return base === undefined ? {} : { base };
  }

  #release() {
    this.stop();
    for (const agent of [this.#agent, this.#adviser]) agent?.then((each) => each.close(), () => {});
    this.#adviser = null;
  }

  /** An agent to ask about models: a setting of its own model that is wrong must not be in the way. */
  #advise() {
    return this.#agent.catch(() => {
      this.#adviser ??= createAgent({ ...this.#site, model: NEVER_ASKED });
      this.#adviser.catch(() => (this.#adviser = null));
      return this.#adviser;
    });
  }

  #start() {
    this.bootError = null;
    this.boot = { phase: "download", progress: 0, text: "Starting" };
    this.#changed();
    const agent = createAgent({
      ...withPick(this.#config, this.model),
      onBoot: (progress) => {
        if (this.#agent === agent) this.#showBoot(progress);
      },
    });
    agent.then(
      () => this.#settleBoot(agent, null),
      (fault) => this.#settleBoot(agent, errorData(fault)),
    );
    return agent;
  }

  /** @param {import("./pagehand.js").BootProgress} progress */
  #showBoot(progress) {
    this.boot = progress.phase === "ready" ? null : progress;
    this.#changed();
  }

  /** @param {Promise<unknown>} agent @param {import("./events.js").Fault | null} error */
  #settleBoot(agent, error) {
    if (this.#agent !== agent) return;
    this.boot = null;
    this.bootError = error;
    this.#changed();
  }

  /** @param {Run} run */
  async #execute(run) {
    const { signal } = run.controller;
    const history = this.#historyBefore(run);
    this.#update(run, (state) => ({ ...state, status: "starting", startedAt: now() }));
    try {
      const agent = await unlessAborted(this.#agent, signal);
      const result = agent && (await agent.run(run.state.goal, {
        signal,
        history,
        onEvent: (event) => this.#update(run, (state) => reduce(state, event, now())),
      }));
      const status = !result || result.stopped ? "cancelled" : "complete";
      if (!isOver(run.state)) this.#update(run, (state) => endRun(state, status, now()));
    } catch (fault) {
      // A stopped run whose worker is gone as well, as after a change of the model, is stopped.
      const ended = signal.aborted
        ? (/** @type {RunState} */ state) => endRun(state, "cancelled", now())
        : (/** @type {RunState} */ state) => failRun(state, errorData(fault), now());
      if (!isOver(run.state)) this.#update(run, ended);
    }
  }

  /** @param {Run} run @returns {{role: "user" | "assistant", content: string}[]} */
  #historyBefore(run) {
    return this.runs
      .slice(0, this.runs.indexOf(run))
      .filter(({ state }) => state.status === "complete" && state.answer)
      .flatMap(({ state }) => [
        { role: "user", content: state.goal },
        { role: "assistant", content: state.answer },
      ]);
  }

  /** @param {Run} run @param {(state: RunState) => RunState} change */
  #update(run, change) {
    run.state = change(run.state);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** A model that needs nothing to be named. */
const NEVER_ASKED = { model: "none", baseURL: "http://localhost" };

/**
 * @template Value
 * @param {Promise<Value>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<Value | null>} null when the signal came first
 */
function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
    promise.then(resolve, reject);
  });
}

/** Milliseconds of a clock that only goes forward. */
function now() {
  return performance.now();
}

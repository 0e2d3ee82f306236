// The way to the agent worker: starts it when it is first needed, hands it the agent, and starts a
// new one after it was lost.

import { createRpc } from "../../worker/rpc.js";
import { leaseBrowserModel } from "./browser_model.js";
import { leaseEngine } from "./engine.js";
import { workerError } from "./faults.js";
import { tell } from "./handlers.js";
import { chooseModel } from "./model_settings.js";
import { describeTool, executeTool } from "./tools.js";
import { startWorker } from "./workers.js";

/**
 * @typedef {{contextWindowTokens: number | null,
 *            capabilities: Record<"images" | "pdf" | "files", boolean | null>}} AgentFacts
 * @typedef {{rpc: import("../../worker/rpc.js").Rpc, facts: AgentFacts,
 *            bringEngine: () => void, chosen: import("./auto_model.js").Chosen | null}} Live
 *   `bringEngine` makes models on this device usable; `chosen`: what `"auto"` stands for
 * @typedef {{callHook: (hook: string, args: any[]) => any, keys: ReadonlyMap<string, string>}} Page
 *   what the agent has in the page: functions to call, and keys by their names
 */

export class Connection {
  #config;
  #agentId;
  #page;
  #closed = false;
  /** @type {{opened: Promise<Live>, end: (reason: Error) => void} | null} */
  #current = null;

  /**
   * @param {import("./settings.js").ReadConfig} config
   * @param {string} agentId
   * @param {Page} page
   */
  constructor(config, agentId, page) {
    this.#config = config;
    this.#agentId = agentId;
    this.#page = page;
    // A page in the back-forward cache keeps nothing running; coming back, it starts anew.
    addEventListener("pagehide", this.#onPageHide);
  }

  /** The running worker, or a new one. @returns {Promise<Live>} */
  open() {
    if (this.#closed) return Promise.reject(workerError("The agent is closed. Create a new one."));
    this.#current ??= this.#start();
    return this.#current.opened;
  }

  /**
   * Calls the worker if there is one. What is to be told it must be among what a new one gets, for
   * it may be lost meanwhile.
   * @param {string} method
   * @param {object} params
   * @returns {Promise<void>}
   */
  async tellIfOpen(method, params) {
    const current = this.#current;
    try {
      const live = await current?.opened;
      await live?.rpc.call(method, params);
    } catch (fault) {
      if (current === this.#current) throw fault;
    }
  }

  /** Ends the worker; calls that wait reject with the reason. @param {Error} reason */
  lose(reason) {
    const current = this.#current;
    this.#current = null;
    current?.end(reason);
  }

  close() {
    this.#closed = true;
    removeEventListener("pagehide", this.#onPageHide);
    this.lose(workerError("The agent was closed."));
  }

  #onPageHide = () => this.lose(workerError("The page was left."));

  #start() {
    const { base, data, hooks, tokenHooks, tools, usesEngine, onBoot } = this.#config;
    /** @type {ReturnType<typeof leaseEngine> | undefined} */
    let engine;
    /** @param {Error} reason */
    const end = (reason) => {
      rpc.close(reason);
      worker.terminate();
      engine?.release();
      browserModel.release();
    };
    /** @param {Error} reason */
    const lose = (reason) => (this.#current?.end === end ? this.lose(reason) : end(reason));

    const browserModel = leaseBrowserModel();
    const worker = startWorker(new URL("worker/agent.js", base), "pagehand agent", lose);
    const rpc = createRpc(worker, {
      ...browserModel.handlers,
      "tool.execute": (params, call) => executeTool(tools, params, call),
      "host.call": ({ hook, args }) => this.#page.callHook(hook, args),
    });

    const bringEngine = () => {
      if (engine) return;
      engine = leaseEngine(base, lose);
      rpc.notify("engine.port", {}, [engine.port]);
    };
    const introduce = async () => {
      await rpc.call("boot", {}, { onProgress: (progress) => tell(onBoot, progress) });
      if (usesEngine) bringEngine();
      const { settings, chosen } = await chooseModel(data, base);
      const facts = await rpc.call("agent.create", {
        agentId: this.#agentId,
        config: settings,
        tools: [...tools].map(([name, tool]) => describeTool(name, tool)),
        hooks: Object.keys(hooks),
        tokenHooks,
        keys: Object.fromEntries(this.#page.keys),
      });
      return { rpc, facts, bringEngine, chosen };
    };
    const opened = introduce();
    opened.catch(lose); // a worker that could not start is of no use
    return { opened, end };
  }
}

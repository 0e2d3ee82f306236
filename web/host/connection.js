// The way to the agent worker: starts it when it is first needed, hands it the agent, and starts a
// new one after it was lost.

import { createRpc } from "../../worker/rpc.js";
import { leaseEngine } from "./engine.js";
import { workerError } from "./faults.js";
import { tell } from "./handlers.js";
import { describeTool, executeTool } from "./tools.js";
import { startWorker } from "./workers.js";

/**
 * @typedef {{contextWindowTokens: number | null}} AgentFacts
 * @typedef {{rpc: import("../../worker/rpc.js").Rpc, facts: AgentFacts}} Live
 */

export class Connection {
  #config;
  #agentId;
  #callHook;
  #closed = false;
  /** @type {{opened: Promise<Live>, end: (reason: Error) => void} | null} */
  #current = null;

  /**
   * @param {import("./settings.js").ReadConfig} config
   * @param {string} agentId
   * @param {(hook: string, args: any[]) => any} callHook  runs a function of the page for the agent
   */
  constructor(config, agentId, callHook) {
    this.#config = config;
    this.#agentId = agentId;
    this.#callHook = callHook;
    // A page in the back-forward cache keeps nothing running; coming back, it starts anew.
    addEventListener("pagehide", this.#onPageHide);
  }

  /** The running worker, or a new one. @returns {Promise<Live>} */
  open() {
    if (this.#closed) return Promise.reject(workerError("The agent is closed. Create a new one."));
    this.#current ??= this.#start();
    return this.#current.opened;
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
    const { base, data, hooks, tools, usesEngine, onBoot } = this.#config;
    /** @type {ReturnType<typeof leaseEngine> | undefined} */
    let engine;
    /** @param {Error} reason */
    const end = (reason) => {
      rpc.close(reason);
      worker.terminate();
      engine?.release();
    };
    /** @param {Error} reason */
    const lose = (reason) => (this.#current?.end === end ? this.lose(reason) : end(reason));

    const worker = startWorker(new URL("worker/agent.js", base), "pagehand agent", lose);
    const rpc = createRpc(worker, {
      "tool.execute": (params, call) => executeTool(tools, params, call),
      "host.call": ({ hook, args }) => this.#callHook(hook, args),
    });

    const introduce = async () => {
      await rpc.call("boot", {}, { onProgress: (progress) => tell(onBoot, progress) });
      if (usesEngine) {
        engine = leaseEngine(base, lose);
        rpc.notify("engine.port", {}, [engine.port]);
      }
      const facts = await rpc.call("agent.create", {
        agentId: this.#agentId,
        config: data,
        tools: [...tools].map(([name, tool]) => describeTool(name, tool)),
        hooks: Object.keys(hooks),
      });
      return { rpc, facts };
    };
    const opened = introduce();
    opened.catch(lose); // a worker that could not start is of no use
    return { opened, end };
  }
}

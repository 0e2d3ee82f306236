// What a run has told so far, so that a run whose worker had to be ended still has a result and a
// last event.

import { NO_COST, addCost, addUsage } from "../usage.js";

/** @typedef {import("../events.js").AgentEvent} AgentEvent */
/** @typedef {import("../events.js").Usage} Usage */

export class RunRecord {
  /** @type {"waiting" | "running" | "over"} */
  state = "waiting";
  #runId = "";
  #text = "";
  #repairs = 0;
  /** @type {import("../events.js").Plan} */
  #plan = { thought: "", steps: [] };
  /** @type {import("../events.js").StepResult[]} */
  #trace = [];
  /** @type {Usage} */
  #usage = {};
  #cost = NO_COST;

  /** @param {string} goal */
  constructor(goal) {
    this.goal = goal;
  }

  /** @param {AgentEvent} event */
  see(event) {
    switch (event.type) {
      case "run.start":
        this.state = "running";
        this.#runId = event.runId;
        break;
      case "plan.created":
      case "plan.revised":
        this.#plan = event.plan;
        break;
      case "step.complete":
        this.#trace.push(event.result);
        break;
      case "final.text-delta":
        this.#text += event.delta;
        break;
      case "retry":
        if (event.phase === "synthesize") this.#text = "";
        break;
      case "final":
        this.#text = event.text;
        break;
      case "usage":
        this.#usage = addUsage(this.#usage, event.usage);
        this.#cost = addCost(this.#cost, event);
        break;
      case "tool.repaired":
        this.#repairs += 1;
        break;
      case "run.complete":
        this.state = "over";
        break;
    }
  }

  /**
   * The events that end a run which can no longer speak for itself; none when it has ended, or has
   * never begun.
   * @param {import("../events.js").Fault | null} fault  null when it was stopped
   * @returns {AgentEvent[]}
   */
  lastEvents(fault) {
    if (this.state !== "running") return [];
    const runId = this.#runId;
    return fault
      ? [
          { type: "error", runId, phase: "run", error: fault },
          { type: "run.complete", runId, status: "failed" },
        ]
      : [
          { type: "stopped", runId },
          { type: "run.complete", runId, status: "cancelled" },
        ];
  }

  /** The result of a run that was stopped here. @returns {import("../events.js").RunResult} */
  stoppedResult() {
    const applied = this.#trace.flatMap((result) => result.toolCalls).filter((call) => call.ok);
    return {
      runId: this.#runId,
      goal: this.goal,
      text: this.#text,
      final: this.#text,
      plan: this.#plan,
      trace: this.#trace,
      iterations: this.#trace.length,
      steps: this.#trace.length,
      applied: applied.length,
      repairs: this.#repairs,
      stopped: true,
      usage: this.#usage,
      ...(this.#cost.unknown.length === 0 && { costUsd: this.#cost.usd }),
      skills: [],
      undelivered: [],
    };
  }
}

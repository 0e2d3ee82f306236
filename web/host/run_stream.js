// A run as an async iterator over its events.

/** @typedef {import("../events.js").AgentEvent} AgentEvent */
/** @typedef {import("../events.js").RunResult} RunResult */

/**
 * The events of one run, in order. Leaving the loop early stops the run. When the run fails, the
 * loop throws the fault after the last event.
 * @implements {AsyncIterable<AgentEvent>}
 */
export class RunStream {
  /** @type {AgentEvent[]} */
  #waiting = [];
  #over = false;
  #wake = () => {};
  #stop;

  /**
   * @param {(onEvent: (event: AgentEvent) => void, signal: AbortSignal) => Promise<RunResult>} start
   */
  constructor(start) {
    const controller = new AbortController();
    this.#stop = () => controller.abort();
    /** The result; rejects when the run fails. @type {Promise<RunResult>} */
    this.result = start((event) => {
      this.#waiting.push(event);
      this.#wake();
    }, controller.signal);
    const settle = () => {
      this.#over = true;
      this.#wake();
    };
    // Whoever only iterates sees a failure there; the promise alone must not count as unhandled.
    this.result.then(settle, settle);
  }

  /** Stops the run; `result` then resolves with `stopped: true`. */
  stop() {
    this.#stop();
  }

  /** @returns {AsyncGenerator<AgentEvent, void, void>} */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        const event = this.#waiting.shift();
        if (event) yield event;
        else if (this.#over) break;
        else await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
      }
      await this.result;
    } finally {
      this.#stop();
    }
  }
}

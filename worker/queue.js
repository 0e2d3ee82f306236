// One task at a time, in the order of asking.

/**
 * @typedef {{signal?: AbortSignal, onWait?: (ahead: number) => void}} QueueOptions
 *   `signal`: an abort before the task's turn rejects at once with its reason, and the task never
 *   starts. `onWait` tells how many tasks come first, at once and whenever that changes; a task that
 *   need not wait hears nothing.
 * @typedef {<T>(task: () => Promise<T>, options?: QueueOptions) => Promise<T>} Queue
 *   runs the task when all earlier ones have ended
 * @returns {Queue}
 */
export function createQueue() {
  /** @type {{start: () => void, onWait: ((ahead: number) => void) | undefined}[]} */
  const line = [];
  let busy = false;

  /** @param {number} from tell those from this place in the line on */
  function tell(from) {
    for (const [place, { onWait }] of line.entries()) {
      if (place >= from) onWait?.(place + 1);
    }
  }

  function next() {
    const first = line.shift();
    busy = first !== undefined;
    first?.start();
    tell(0);
  }

  return async (task, { signal, onWait } = {}) => {
    signal?.throwIfAborted();
    if (busy) {
      const entry = { start: () => {}, onWait };
      const turn = new Promise((resolve) => (entry.start = () => resolve(undefined)));
      line.push(entry);
      tell(line.length - 1);
      try {
        await unlessAborted(turn, signal);
      } catch (reason) {
        const place = line.indexOf(entry);
        if (place < 0) {
          next(); // its turn came in the same moment, and is handed on
        } else {
          line.splice(place, 1);
          tell(place);
        }
        throw reason;
      }
    }
    busy = true;
    try {
      return await task();
    } finally {
      next();
    }
  };
}

/**
 * The promise, or a rejection with the signal's reason when that comes first.
 * @template T
 * @param {Promise<T>} promise @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  if (!signal) return promise;
  const aborted = new Promise((_, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  return Promise.race([aborted, promise]);
}

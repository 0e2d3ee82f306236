// One task at a time, in the order of asking.

/**
 * @typedef {<T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>} Queue
 *   runs the task when all earlier ones have ended; an abort before its turn rejects at once with
 *   the signal's reason, and the task never starts
 * @returns {Queue}
 */
export function createQueue() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (task, signal) => {
    const result = unlessAborted(last, signal).then(task);
    last = Promise.allSettled([last, result]);
    return result;
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

// Streamed text in few messages: a token each would keep the border busier than the model.

/**
 * @param {(text: string) => void} send @param {number} everyMs the least time between two sends
 * @returns {{add: (text: string) => void, flush: () => void}}
 */
export function createCoalescer(send, everyMs) {
  let waiting = "";
  let sentAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting) return;
    const text = waiting;
    waiting = "";
    sentAt = performance.now();
    send(text);
  };
  return {
    add(text) {
      waiting += text;
      timer ??= setTimeout(flush, Math.max(0, sentAt + everyMs - performance.now()));
    },
    flush,
  };
}

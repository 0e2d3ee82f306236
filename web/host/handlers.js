// Handlers of the host page: sync or async, called in order; a fault in one is the page's own and
// is logged, never thrown into the run.

/**
 * @template Value
 * @param {((value: Value) => unknown) | undefined} handler
 * @param {Value} value
 */
export function tell(handler, value) {
  if (!handler) return;
  try {
    const done = handler(value);
    if (done instanceof Promise) done.catch(report);
  } catch (fault) {
    report(fault);
  }
}

/** @param {unknown} fault */
function report(fault) {
  console.error("pagehand: a handler of the page failed:", fault);
}

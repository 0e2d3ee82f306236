// The browser's own model lives in the page. All agents of the page share it; the browser may drop
// it when the last one has let it go.

/** @typedef {import("../../worker/rpc.js").Handler} Handler */

/** @type {Promise<Record<string, Handler>> | undefined} brought when it is first asked for */
let engine;
let users = 0;

/**
 * @returns {{handlers: Record<string, Handler>, release: () => void}}  the methods of an engine, as
 *   the agent worker calls them in the page
 */
export function leaseBrowserModel() {
  let used = false;

  /** @param {string} method @returns {Handler} */
  const method = (method) => async (params, context) => {
    if (!used) users += 1;
    used = true;
    engine ??= bring();
    return (await engine)[method]?.(params, context);
  };

  return {
    handlers: { "engine.load": method("engine.load"), "engine.generate": method("engine.generate") },
    release() {
      if (!used) return;
      used = false;
      users -= 1;
      if (users === 0) void unload();
    },
  };
}

async function bring() {
  try {
    const { createPromptEngine } = await import("../bridge/prompt_api.js");
    return createPromptEngine();
  } catch (fault) {
    engine = undefined; // the next one who asks tries again
    throw fault;
  }
}

async function unload() {
  const signal = new AbortController().signal;
  await (await engine)?.["engine.unload"]?.({}, { signal, progress: () => {}, ports: [] });
}

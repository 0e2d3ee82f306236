// Stands in for the agent worker in tests of the page: the same protocol, but each run plays a
// scenario. A scenario is a generator that yields wire events (or lists of them) and may call tools
// of the page and wait for the test. The request names it: "#revise Pack for the weekend".

import providers from "./providers.js";
import { PagehandError, createRpc } from "./rpc.js";
import { scenarios } from "./scenarios.js";

/** The test opens a gate with `worker.evaluate("open('name')")`. */
const gates = new Map();
const gate = (name) => {
  if (!gates.has(name)) gates.set(name, Promise.withResolvers());
  return gates.get(name);
};
globalThis.open = (name) => gate(name).resolve();

/** What the page sent, for the test to read. */
const seen = { boots: 0, created: null, runs: [], calls: [], checked: [], enginePorts: 0 };
globalThis.seen = seen;

let lastRun = 0;

const rpc = createRpc(self, {
  async boot(_params, { progress }) {
    seen.boots += 1;
    const phases = globalThis.bootPhases ?? [];
    for (const [phase, share, text, wait] of phases) {
      progress({ phase, progress: share, text });
      if (wait) await gate(wait).promise;
    }
    if (globalThis.bootFault) throw new PagehandError(globalThis.bootFault);
    progress({ phase: "ready", progress: 1, text: "Ready" });
    return { source: "cold", timings: {}, warnings: [] };
  },
  "engine.port": () => void (seen.enginePorts += 1),
  "agent.create"(params) {
    seen.created = params;
    if (globalThis.createFault) throw new PagehandError(globalThis.createFault);
    return { contextWindowTokens: 4096, capabilities: { images: true, pdf: false, files: null } };
  },
  "agent.call"({ method, args }) {
    seen.calls.push([method, ...args]);
    const methods = { listTools: () => seen.created.tools, listProviders, checkModel, adviseModel };
    return methods[method]?.(...args) ?? null;
  },
  "agent.run": (params, call) => play(params, call),
});

function adviseModel(device) {
  seen.device = device;
  return globalThis.advice ?? null;
}

async function listProviders() {
  if (globalThis.listGate) await gate(globalThis.listGate).promise;
  if (globalThis.listFault) throw new PagehandError(globalThis.listFault);
  return providers;
}

/** What a test of a model gives; the model's name says which. */
async function checkModel(spec) {
  seen.checked.push(spec);
  const { providerType: provider, model } = spec;
  if (model.startsWith("held")) await gate(model).promise;
  const fault = faultsOfChecks[model];
  if (fault) throw new PagehandError({ retryable: false, ...fault, details: { provider, model, ...fault.details } });
  return { text: "ok", usage: { inputTokens: 16, outputTokens: 2, totalTokens: 18 } };
}

const faultsOfChecks = {
  refused: {
    name: "AuthenticationError",
    message: "OpenAI (api.openai.com) answered 401 for the model 'refused'. The key is missing, wrong or expired: check the API key. It said: Incorrect API key provided.",
    details: { status: 401 },
  },
  "gpt-5-mni": {
    name: "ModelNotFoundError",
    message: "OpenAI (api.openai.com) answered 404 for the model 'gpt-5-mni'. Check the model's name and the base URL. Did you mean 'gpt-5-mini'?",
    details: { status: 404, nearest: "gpt-5-mini" },
  },
};

async function play({ input, options }, { signal, progress }) {
  seen.runs.push({ input, options });
  const runId = `run-${++lastRun}`;
  const [, name = "plain"] = input.match(/#(\w+)/) ?? [];
  const emit = (events) => progress([events].flat().map((event) => ({ runId, ...event })));
  const stopped = Promise.withResolvers();
  signal.addEventListener("abort", () => stopped.reject(STOPPED));
  stopped.promise.catch(() => {});
  const unlessStopped = (promise) => Promise.race([promise, stopped.promise]);
  const tools = createTools(runId, emit, signal);
  const result = { runId, goal: input, text: "", final: "", stopped: false, usage: {}, trace: [] };

  emit({ type: "run.start", goal: input });
  try {
    if (name === "deaf") await new Promise(() => {}); // never settles, whatever is asked of it
    if (name === "crash") setTimeout(() => { throw new Error("out of memory"); });
    const scenario = scenarios[name]({ goal: input, options, ...tools, gate: (at) => gate(at).promise });
    for (let next = await unlessStopped(scenario.next()); !next.done; ) {
      emit(next.value);
      next = await unlessStopped(scenario.next());
    }
    emit({ type: "run.complete", status: "complete" });
    return result;
  } catch (fault) {
    if (fault === STOPPED) {
      emit([{ type: "stopped" }, { type: "run.complete", status: "cancelled" }]);
      return { ...result, stopped: true };
    }
    const { name: kind, message, retryable = false, details } = fault;
    const error = { name: kind, message, retryable, ...(details && { details }) };
    emit([
      { type: "error", phase: fault.phase ?? "run", error },
      { type: "run.complete", status: "failed" },
    ]);
    throw new PagehandError(error);
  }
}

const STOPPED = new Error("stopped");

/** Calls a tool of the page as the agent does, with the events around it. */
function createTools(runId, emit, signal) {
  let lastCall = 0;
  return {
    async tool(step, name, input) {
      const id = `call-${++lastCall}`;
      emit({ type: "step.tool-call", step, id, name, input });
      const began = performance.now();
      const about = { step, id, name };
      const done = (rest) =>
        emit({ type: "step.tool-result", ...about, durationMs: performance.now() - began, ...rest });
      try {
        const context = { runId, step, callId: id };
        const onProgress = (progress) => emit({ type: "step.tool-progress", ...about, ...progress });
        const output = await rpc.call("tool.execute", { name, input, context }, { signal, onProgress });
        done({ output, ok: true });
        return { id, name, input, output, ok: true };
      } catch (fault) {
        const { name: kind, message, retryable, details } = fault;
        done({ output: message, ok: false, error: { name: kind, message, retryable, details } });
        return { id, name, input, output: message, ok: false };
      }
    },
    hook: (hook, args) => rpc.call("host.call", { hook, args }),
  };
}

// Stands in for the engine worker in tests of the page: what it lists and keeps is made up, and a
// load goes on when the test opens its gate.

import { PagehandError, createRpc } from "./rpc.js";

const GIB = 2 ** 30;
const model = (id, gib, rest = {}) => ({
  id, model: `web-llm:${id}`, provider: "web-llm", contextWindow: 4096, memoryBytes: gib * GIB,
  bufferBytes: null, lowResource: false, needs: [], cached: false, ...rest,
});

const models = [
  model("Qwen3-4B-q4f16_1-MLC", 3.4, { needs: ["shader-f16"] }),
  model("Qwen3-4B-q4f32_1-MLC", 4.3),
  model("Qwen3-0.6B-q4f16_1-MLC", 1.4, { needs: ["shader-f16"], cached: true }),
  model("Llama-3.2-1B-Instruct-q4f32_1-MLC", 1.1),
  model("Llama-3.1-8B-Instruct-q4f32_1-MLC-1k", 5.3, { contextWindow: 1024, bufferBytes: 3 * GIB }),
];
let kept = [
  { model: "embedded", bytes: 98_362_432 },
  { model: "wllama:https://models.example/tiny.gguf", bytes: 91_000_000 },
  { model: "web-llm:Qwen3-0.6B-q4f16_1-MLC", bytes: 352_000_000 },
];

/** What was asked for, for the test to read, and the gate of a load. */
const asked = [];
let release;
globalThis.asked = asked;
globalThis.finishLoad = () => release();

const handlers = {
  "engine.models": () => models,
  "engine.cached": () => kept,
  "engine.delete"({ model: gone }) {
    asked.push(["delete", gone]);
    kept = kept.filter((each) => each.model !== gone);
    for (const each of models) if (each.model === gone) each.cached = false;
  },
  "engine.unload": (params) => void asked.push(["unload", params.model]),
  async "engine.preload"(params, { progress, signal }) {
    asked.push(["preload", params]);
    if (params.model.includes("broken")) {
      const message = "The file at models.example is no GGUF model. Name the address of a GGUF file.";
      throw new PagehandError({ name: "EngineError", message, retryable: false });
    }
    progress({ progress: 0.62, text: "Getting the model: 62 %" });
    await new Promise((resolve, reject) => {
      release = resolve;
      signal.addEventListener("abort", () => {
        asked.push(["given up", params.model]);
        reject(signal.reason);
      });
    });
    return { model: params.model, contextWindow: 4096, constraints: [] };
  },
};

createRpc(self, { ...handlers, port: (_, { ports: [port] }) => void createRpc(port, handlers) });

// What a device can run, and what "auto" takes on it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bestHere, whyNot } from "../host/local_fit.js";
import { namesLocalModel, replaceAuto } from "../host/model_settings.js";

const GIB = 2 ** 30;
const GPU = { available: true, shaderF16: true, maxBufferBytes: 2 * GIB, maxStorageBufferBytes: 2 * GIB };
const DEVICE = { webgpu: GPU, memoryBytes: 8 * GIB, cores: 8, storageBytes: 9e9, browserModel: "unavailable", isolated: true };
const NO_GPU = { available: false, shaderF16: null, maxBufferBytes: null, maxStorageBufferBytes: null };
const webllm = (name, gib, rest = {}) => ({
  model: `web-llm:${name}`, contextWindow: 4096, memoryBytes: gib * GIB, bufferBytes: null, needs: [], cached: true, ...rest,
});

describe("what speaks against a model", () => {
  for (const [what, model, webgpu, words] of [
    ["nothing", webllm("a", 1), GPU, null],
    ["no WebGPU", webllm("a", 1), NO_GPU, /WebGPU/],
    ["no 16-bit floats", webllm("a", 1, { needs: ["shader-f16"] }), { ...GPU, shaderF16: false }, /shader-f16.*f32/],
    ["a buffer too small", webllm("a", 1, { bufferBytes: 3 * GIB }), GPU, /buffer of 3\.2 GB; here are at most 2\.1 GB/],
    ["no limit that is known", webllm("a", 1, { bufferBytes: 3 * GIB }), { ...GPU, maxBufferBytes: null }, null],
  ]) {
    it(what, () => {
      const reason = whyNot(model, { webgpu });
      if (words) assert.match(reason, words);
      else assert.equal(reason, null);
    });
  }
});

describe("the model auto", () => {
  const small = webllm("small", 1);
  const large = webllm("large", 4);
  for (const [what, device, models, model] of [
    ["the browser's own where it is ready", { browserModel: "available" }, [large], "browser"],
    ["never one that the browser would have to fetch", { browserModel: "downloadable" }, [], "embedded"],
    ["the largest that is kept", {}, [small, large, webllm("other", 2)], "web-llm:large"],
    ["none that would be fetched", {}, [webllm("new", 6, { cached: false }), small], "web-llm:small"],
    ["none that is larger than the memory", { memoryBytes: 2 * GIB }, [small, large], "web-llm:small"],
    ["the largest where the memory is not known", { memoryBytes: null }, [small, large], "web-llm:large"],
    ["none that the GPU cannot run", { webgpu: { ...GPU, shaderF16: false } }, [{ ...large, needs: ["shader-f16"] }, small], "web-llm:small"],
    ["the site's own without WebGPU", { webgpu: NO_GPU }, [small, large], "embedded"],
    ["the site's own where nothing is kept", {}, [], "embedded"],
  ]) {
    it(`is ${what}`, () => {
      const chosen = bestHere({ ...DEVICE, ...device }, models);
      assert.equal(chosen.model, model);
      assert.ok(chosen.reason.length > 20);
    });
  }

  it("is replaced wherever it stands, and nothing else is", () => {
    const settings = {
      model: ["auto", "openai:auto", { model: "auto" }, { model: "auto", baseURL: "https://a.example" }],
      planner: "auto",
      synthesizer: { model: "openai:m" },
      systemPrompt: "auto",
    };
    assert.deepEqual(replaceAuto(settings, "browser"), {
      ...settings,
      model: ["browser", "openai:auto", { model: "browser" }, settings.model[3]],
      planner: "browser",
    });
    assert.deepEqual(replaceAuto({ providerType: "openrouter", model: "auto", planner: "auto" }, "x"), {
      providerType: "openrouter", model: "auto", planner: "x",
    });
    assert.equal(replaceAuto("auto", "embedded"), "embedded");
    assert.equal(replaceAuto(undefined, "embedded"), undefined);
  });
});

it("the engine worker is for all models on this device but the browser's own", () => {
  for (const name of ["embedded", "auto", "wllama:https://a.example/m.gguf", "web-llm:m", { providerType: "web-llm", model: "m" }]) {
    assert.ok(namesLocalModel([name]), JSON.stringify(name));
  }
  for (const name of ["browser", "openai:embedded", { providerType: "openai", model: "auto" }]) {
    assert.ok(!namesLocalModel([name]), JSON.stringify(name));
  }
});

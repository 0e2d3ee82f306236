import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfig } from "../host/settings.js";

const BASE = new URL("https://example.org/site/");
const read = (config) => readConfig(config, BASE);
const refused = (config, pattern) =>
  assert.throws(() => read(config), (fault) => fault.name === "ConfigError" && pattern.test(fault.message));

describe("the settings of an agent", () => {
  it("are parted into data for the worker and functions for the page", () => {
    const describeState = () => "calm";
    const { data, hooks, base } = read({
      systemPrompt: "Be brief.",
      describeState,
      replanAfter: "always",
      maxIterations: 3,
      temperature: undefined,
    });
    assert.deepEqual(data, { systemPrompt: "Be brief.", replanAfter: "always", maxIterations: 3 });
    assert.deepEqual(hooks, { describeState });
    assert.equal(base, BASE);
  });

  it("may name a predicate for replanAfter", () => {
    assert.deepEqual(Object.keys(read({ replanAfter: () => true }).hooks), ["replanAfter"]);
  });

  it("are refused by name where a function or another object cannot cross", () => {
    refused({ logger: () => {} }, /"logger" is a function.*describeState/s);
    refused({ planner: { headers: { "x-a": () => "" } } }, /"planner\.headers\.x-a" is a function/);
    refused({ model: new Map() }, /"model" is of the kind Map/);
    refused({ maxIterations: NaN }, /"maxIterations" is the number NaN/);
    refused({ onEvent: "log" }, /"onEvent" is not a function/);
    refused([], /one object/);
  });

  it("never repeat a value that may be a secret", () => {
    refused({ model: { providerType: "openai", apiKey: Symbol("sk-canary") } }, /^(?!.*canary)/);
  });

  it("need the engine worker only where a model on this device is named", () => {
    const usesEngine = (config) => read(config).usesEngine;
    assert.ok(usesEngine({}));
    assert.ok(usesEngine({ model: "embedded" }));
    assert.ok(usesEngine({ model: "wllama:https://example.org/a.gguf" }));
    assert.ok(usesEngine({ model: "openai:gpt-5-mini", synthesizer: "embedded" }));
    assert.ok(usesEngine({ model: { providerType: "wllama", model: "x" } }));
    assert.ok(!usesEngine({ model: "openai:gpt-5-mini" }));
    assert.ok(!usesEngine({ model: { providerType: "openai-compatible", model: "embedded" } }));
    assert.ok(!usesEngine({ providerType: "openai", model: "auto" }));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withTokens } from "../host/model_settings.js";
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

  it("are no place for keys", () => {
    refused({ credentials: { mine: "k" } }, /agent\.credentials\.setApiKey/);
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

  it("leave functions that give a token in the page, wherever a model may stand", async () => {
    const give = () => "token";
    const vertex = (model) => ({ providerType: "google-vertex", model, providerOptions: { project: "p", accessToken: give } });
    const config = {
      model: [vertex("a"), "openai:b", vertex("c")],
      planner: { providerOptions: { accessToken: give } },
      synthesizer: { providerOptions: { accessToken: "text" } },
    };
    const { data, hooks, tokenHooks } = read(config);
    assert.deepEqual(tokenHooks, [
      ["model", "0", "providerOptions", "accessToken"],
      ["model", "2", "providerOptions", "accessToken"],
      ["planner", "providerOptions", "accessToken"],
    ]);
    assert.deepEqual(Object.keys(hooks), [
      "token:model.0.providerOptions.accessToken",
      "token:model.2.providerOptions.accessToken",
      "token:planner.providerOptions.accessToken",
    ]);
    assert.ok(Object.values(hooks).every((hook) => hook === give));
    assert.deepEqual(data.model[0].providerOptions, { project: "p" });
    assert.deepEqual(data.planner, { providerOptions: {} });
    assert.deepEqual(data.synthesizer, config.synthesizer);
    assert.equal(config.model[0].providerOptions.accessToken, give); // the page's own stays

    const beside = read({ model: "google-vertex:a", providerOptions: { accessToken: give } });
    assert.deepEqual(beside.tokenHooks, [["providerOptions", "accessToken"]]);
    assert.deepEqual(beside.hooks, { "token:providerOptions.accessToken": give });
    assert.deepEqual(read({ model: "openai:a" }).tokenHooks, []);
  });

  it("refuse a function where it gives no token", () => {
    const other = { providerOptions: { region: () => "us-east-1" } };
    refused({ model: { model: "a", ...other } }, /"model\.providerOptions\.region" is a function.*accessToken/s);
    refused({ fetchAttachment: () => {} }, /"fetchAttachment" is a function/);
    refused({ model: ["a", { apiKey: () => "" }] }, /"model\[1\]\.apiKey" is a function/);
  });

  it("ask for a token at once where a model is only tested", async () => {
    const give = async () => "token";
    const spec = { model: "a", providerOptions: { project: "p", accessToken: give } };
    const told = { model: "a", providerOptions: { project: "p", accessToken: "token" } };
    assert.deepEqual(await withTokens(spec), told);
    assert.deepEqual(await withTokens(["openai:a", spec]), ["openai:a", told]);
    assert.equal(await withTokens("openai:a"), "openai:a");
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
    assert.ok(usesEngine({ model: "web-llm:Qwen3-0.6B-q4f16_1-MLC" }));
    assert.ok(usesEngine({ model: ["openai:gpt-5-mini", "embedded"] }));
    assert.ok(usesEngine({ model: "openai:a", planner: ["openai:b", { providerType: "web-llm", model: "c" }] }));
    assert.ok(!usesEngine({ model: ["openai:gpt-5-mini", { providerType: "openai", model: "embedded" }] }));
    assert.ok(!usesEngine({ model: "openai:gpt-5-mini" }));
    assert.ok(!usesEngine({ model: { providerType: "openai-compatible", model: "embedded" } }));
    assert.ok(!usesEngine({ providerType: "openai", model: "auto" }));
  });
});

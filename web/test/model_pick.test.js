import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localName, readDevicePick, readPick, specOf, withPick } from "../model_pick.js";

const provider = (type, options = [], baseURL = `https://${type}.example/v1`) => ({
  type,
  baseURL,
  options: options.map((name) => ({ name, secret: /secret|token/i.test(name) })),
});
const OPENAI = provider("openai");
const BEDROCK = provider("amazon-bedrock", ["region", "accessKeyId", "secretAccessKey", "sessionToken"], null);
const DEFAULT = { kind: "default" };

/** A filled form, as FormData gives it. */
const form = (fields) => new Map(Object.entries(fields));
const pick = (fields, of, before = DEFAULT) => readPick(form(fields), of, before);

describe("a picked model", () => {
  it("is read from the fields of its provider, without blanks around them", () => {
    const fields = { model: " m ", apiKey: "sk-1\n", baseURL: "", region: "us-east-1" };
    assert.deepEqual(pick(fields, OPENAI), {
      kind: "provider",
      providerType: "openai",
      model: "m",
      baseURL: "",
      options: {},
      secrets: { apiKey: "sk-1" },
    });
    assert.deepEqual(specOf(pick(fields, OPENAI)), { providerType: "openai", model: "m", apiKey: "sk-1" });
  });

  it("has its provider's settings in providerOptions", () => {
    const fields = { model: "m", region: "us-east-1", accessKeyId: "AKIA", secretAccessKey: "s", sessionToken: "" };
    assert.deepEqual(specOf(pick(fields, BEDROCK)), {
      providerType: "amazon-bedrock",
      model: "m",
      providerOptions: { region: "us-east-1", accessKeyId: "AKIA", secretAccessKey: "s" },
    });
  });

  it("keeps its secrets where none is typed, for the same provider and address only", () => {
    const before = pick({ model: "m", apiKey: "sk-1" }, OPENAI);
    const key = (fields, of = OPENAI) => pick({ model: "n", ...fields }, of, before).secrets.apiKey;
    assert.equal(key({}), "sk-1");
    assert.equal(key({ baseURL: "https://openai.example/v1" }), "sk-1"); // the provider's own
    assert.equal(key({ apiKey: "sk-2" }), "sk-2");
    assert.equal(key({ baseURL: "https://proxy.example/v1" }), undefined);
    assert.equal(key({}, provider("xai")), undefined);
    assert.equal(pick({ model: "n" }, OPENAI, DEFAULT).secrets.apiKey, undefined);
  });

  it("keeps all of its secrets or none of them", () => {
    const before = pick({ model: "m", apiKey: "bearer" }, BEDROCK);
    const after = pick({ model: "m", accessKeyId: "AKIA", secretAccessKey: "s" }, BEDROCK, before);
    assert.deepEqual(after.secrets, { secretAccessKey: "s" });
    assert.deepEqual(pick({ model: "m" }, BEDROCK, after).secrets, { secretAccessKey: "s" });
  });

  it("takes the place of all that the page says of its own model", () => {
    const page = {
      model: "own", providerType: "openai", apiKey: "sk-page", credentialRef: "page", baseURL: "https://page.example",
      headers: { "x-page": "1" }, providerOptions: { user: "page" }, planner: "larger", synthesizer: ["a", "b"],
      vision: true, inputs: { pdf: true }, contextWindowTokens: 1000,
    };
    const kept = { systemPrompt: "Be brief.", thinking: "low", maxIterations: 3 };
    const picked = pick({ model: "m", apiKey: "sk-1" }, provider("xai"));
    assert.deepEqual(withPick({ ...page, ...kept }, picked), {
      ...kept,
      model: { providerType: "xai", model: "m", apiKey: "sk-1" },
    });
    assert.deepEqual(withPick({ ...page, ...kept }, DEFAULT), { ...page, ...kept });
  });
});

describe("a picked model on this device", () => {
  const device = (fields) => readDevicePick(form(fields));

  for (const [fields, spec, name] of [
    [{ device: "browser" }, "browser", "The browser's own model"],
    [{ device: "embedded", webllm: "web-llm:a" }, "embedded", "The site's small model"],
    [{ device: "web-llm", webllm: "web-llm:Qwen3-4B" }, "web-llm:Qwen3-4B", "Qwen3-4B"],
    [
      { device: "web-llm", webllm: "web-llm:Qwen3-4B", contextWindowTokens: "8192" },
      { providerType: "web-llm", model: "Qwen3-4B", providerOptions: { contextWindowTokens: 8192 } },
      "Qwen3-4B",
    ],
    [{ device: "wllama", gguf: " https://a.example/b/c.gguf ", contextWindowTokens: "9" }, "wllama:https://a.example/b/c.gguf", "c.gguf"],
  ]) {
    it(`is ${JSON.stringify(spec)}`, () => {
      const picked = device(fields);
      assert.deepEqual(specOf(picked), spec);
      assert.equal(localName(picked.model), name);
      assert.deepEqual(withPick({ model: "openai:m", apiKey: "k", tools: [] }, picked), { tools: [], model: spec });
    });
  }
});

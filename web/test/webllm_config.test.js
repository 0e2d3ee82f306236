// The window of a model in WebLLM's appConfig: the cases of tests/unit/models/test_webllm.py.
import assert from "node:assert/strict";
import { it } from "node:test";
import { webLLMContextWindow, withWebLLMContextWindow } from "../host/webllm_config.js";

const CONFIG = {
  cacheBackend: "cache",
  model_list: [
    { model_id: "Qwen3-0.6B-q4f16_1-MLC", overrides: { context_window_size: 4096 } },
    { model_id: "phi-2-q4f16_1-MLC-1k", overrides: { context_window_size: 1024 } },
    { model_id: "Mistral-7B", overrides: { context_window_size: -1, sliding_window_size: 2048 } },
    { model_id: "bare" },
  ],
};

it("the window is the one that a record sets", () => {
  const windows = CONFIG.model_list.map(({ model_id: id }) => webLLMContextWindow(CONFIG, id));
  assert.deepEqual(windows, [4096, 1024, 2048, null]);
});

it("a raised window stands in a copy, and all else stays", () => {
  const before = structuredClone(CONFIG);
  const changed = withWebLLMContextWindow(CONFIG, "bare", 8192);
  assert.deepEqual(CONFIG, before);
  assert.deepEqual(changed.model_list[3], { model_id: "bare", overrides: { context_window_size: 8192 } });
  assert.deepEqual(changed.model_list.slice(0, 3), CONFIG.model_list.slice(0, 3));
  assert.equal(changed.cacheBackend, "cache");
});

it("a window that slides is fixed", () => {
  const [, , record] = withWebLLMContextWindow(CONFIG, "Mistral-7B", 8192).model_list;
  assert.deepEqual(record.overrides, { context_window_size: 8192, sliding_window_size: -1 });
});

it("what is no window, and an unknown model, are refused", () => {
  for (const tokens of [0, -1, 1.5, "8192", NaN]) {
    assert.throws(() => withWebLLMContextWindow(CONFIG, "bare", tokens), { name: "ConfigError" });
  }
  assert.throws(() => webLLMContextWindow(CONFIG, "Qwen4"), /lists no model "Qwen4"/);
  assert.throws(() => webLLMContextWindow({}, "bare"), /model_list/);
});

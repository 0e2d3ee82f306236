import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RunRecord } from "../host/run_record.js";
import { NO_COST, addCost, addUsage } from "../usage.js";

const call = (model, costUsd) => ({
  type: "usage",
  runId: "run-1",
  phase: "plan",
  usage: { inputTokens: 10 },
  provider: "openai",
  model,
  ...(costUsd !== undefined && { costUsd }),
});

describe("what calls cost", () => {
  it("is the sum of known prices, and the models without one by name, each once", () => {
    const calls = [call("a", 0.25), call("b"), call("a", 0.5), call("b"), call("c"), call("d", 0)];
    assert.deepEqual(calls.reduce(addCost, NO_COST), { usd: 0.75, unknown: ["openai:b", "openai:c"] });
    assert.deepEqual(NO_COST, { usd: 0, unknown: [] });
  });

  it("stands in the result of a run that was stopped only where it is wholly known", () => {
    const record = new RunRecord("ask");
    record.see(call("a", 0.25));
    record.see(call("a", 0.5));
    assert.equal(record.stoppedResult().costUsd, 0.75);
    record.see(call("b"));
    assert.ok(!("costUsd" in record.stoppedResult()));
  });
});

describe("counts of tokens", () => {
  it("are added where they are reported", () => {
    assert.deepEqual(addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, reasoningTokens: 4 }), {
      inputTokens: 4,
      outputTokens: 2,
      reasoningTokens: 4,
    });
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endRun, failRun, isOver, newRun, reduce } from "../ui/run_state.js";

const step = (id, description = `do ${id}`) => ({ id, description });
const created = (...steps) => ({ type: "plan.created", plan: { thought: "", steps } });
const started = (each) => ({ type: "step.start", step: each, index: 0, total: 1 });
const called = (each, id, name = "add_note") => ({ type: "step.tool-call", step: each, id, name, input: {} });
const completed = (each, rest = {}) => ({
  type: "step.complete",
  step: each,
  result: { step: each, summary: "", toolCalls: [], durationMs: 5, blocked: false, ...rest },
});
const RETRY = { attempt: 1, error: { name: "NetworkError", message: "lost", retryable: true } };

/** The state after events, from a run that has begun. */
function after(...events) {
  return [{ type: "run.start", goal: "g" }, ...events].reduce(
    (run, event) => reduce(run, { runId: "r", ...event }, 10),
    newRun("g", 0),
  );
}
const states = (run) => run.steps.map((each) => [each.step.id, each.state]);

describe("the plan", () => {
  it("fills in while it streams and is replaced by the one that is run", () => {
    const drafted = after(
      { type: "plan.thought-delta", delta: "I " },
      { type: "plan.thought-delta", delta: "think" },
      { type: "plan.step-added", step: step("1"), index: 0 },
    );
    assert.equal(drafted.thought, "I think");
    assert.equal(drafted.status, "planning");
    assert.deepEqual(states(drafted), [["1", "draft"]]);
    const run = reduce(drafted, { runId: "r", ...created(step("1"), step("2")) }, 1);
    assert.equal(run.status, "working");
    assert.deepEqual(states(run), [["1", "waiting"], ["2", "waiting"]]);
  });

  it("without steps is the answer itself, not a thought", () => {
    const run = after(
      { type: "plan.thought-delta", delta: "Hello." },
      { type: "plan.created", plan: { thought: "Hello.", steps: [] } },
      { type: "final", text: "Hello." },
    );
    assert.deepEqual([run.thought, run.answer, run.answered], ["", "Hello.", true]);
  });

  it("that is revised keeps what has begun and shows what was dropped, with the reason", () => {
    const run = after(
      created(step("1"), step("2"), step("3")),
      started(step("1")),
      completed(step("1"), { blocked: true }),
      { type: "plan.revised", plan: { thought: "", steps: [step("3"), step("4")] }, reason: "because" },
    );
    assert.deepEqual(states(run), [
      ["1", "failed"],
      ["2", "revised"],
      ["3", "waiting"],
      ["4", "waiting"],
    ]);
    assert.equal(run.steps[1].replacedBecause, "because");
    assert.equal(new Set(run.steps.map((each) => each.key)).size, 4);
  });

  it("may be revised to a step that an earlier revision had dropped", () => {
    const run = after(
      created(step("1"), step("2")),
      { type: "plan.revised", plan: { steps: [step("3")] }, reason: "a" },
      { type: "plan.revised", plan: { steps: [step("2")] }, reason: "b" },
    );
    assert.deepEqual(states(run), [
      ["1", "revised"],
      ["2", "revised"],
      ["3", "revised"],
      ["2", "waiting"],
    ]);
    assert.equal(new Set(run.steps.map((each) => each.key)).size, 4);
  });

  it("takes a step that no plan has named", () => {
    assert.deepEqual(states(after(started(step("9")))), [["9", "running"]]);
  });
});

describe("a step", () => {
  it("holds thoughts, calls and text in the order they came", () => {
    const run = after(
      created(step("1")),
      started(step("1")),
      { type: "step.reasoning-delta", step: step("1"), delta: "a" },
      { type: "step.reasoning-delta", step: step("1"), delta: "b" },
      called(step("1"), "c1"),
      { type: "step.text-delta", step: step("1"), delta: "done" },
    );
    assert.deepEqual(
      run.steps[0].items.map((item) => (item.kind === "tool" ? item.name : `${item.kind} ${item.text}`)),
      ["thought ab", "add_note", "text done"],
    );
  });

  it("shows a call's progress, result, time and mending", () => {
    const run = after(
      created(step("1")),
      started(step("1")),
      { type: "tool.repaired", id: "c1", name: "add_note", raw: "{", repaired: {}, steps: ["json"] },
      called(step("1"), "c1"),
      { type: "step.tool-progress", step: step("1"), id: "c1", name: "add_note", progress: 2, total: 4 },
      { type: "step.tool-result", step: step("1"), id: "c1", name: "add_note", output: 7, ok: true, durationMs: 3 },
    );
    const [card] = run.steps[0].items;
    assert.deepEqual(card.progress, { progress: 2, total: 4 });
    assert.deepEqual([card.state, card.output, card.durationMs], ["done", 7, 3]);
    assert.deepEqual(card.repairs, ["json"]);
  });

  it("is not confused by a provider that numbers its calls anew in each step", () => {
    const run = after(
      created(step("1"), step("2")),
      started(step("1")),
      called(step("1"), "call_0"),
      { type: "step.tool-result", step: step("1"), id: "call_0", name: "add_note", output: 1, ok: true, durationMs: 1 },
      completed(step("1")),
      started(step("2")),
      called(step("2"), "call_0"),
      { type: "step.tool-result", step: step("2"), id: "call_0", name: "add_note", output: 2, ok: false, durationMs: 1, error: RETRY.error },
    );
    assert.deepEqual(run.steps.map((each) => each.items[0].output), [1, 2]);
    assert.deepEqual(run.steps.map((each) => each.items[0].state), ["done", "failed"]);
  });
});

describe("a retry", () => {
  it("drops the plan that was being written", () => {
    const run = after(
      { type: "plan.thought-delta", delta: "wrong" },
      { type: "plan.step-added", step: step("1"), index: 0 },
      { type: "retry", phase: "plan", ...RETRY },
    );
    assert.deepEqual([run.thought, run.steps], ["", []]);
    assert.equal(run.retry.error.message, "lost");
    const flows = reduce(run, { type: "plan.thought-delta", runId: "r", delta: "r" }, 1);
    assert.equal(flows.retry, null);
  });

  it("drops the step's words but keeps its finished calls", () => {
    const run = after(
      created(step("1")),
      started(step("1")),
      { type: "step.text-delta", step: step("1"), delta: "first round" },
      called(step("1"), "c1"),
      { type: "step.text-delta", step: step("1"), delta: "void" },
      { type: "retry", phase: "execute", ...RETRY },
    );
    assert.deepEqual(run.steps[0].items.map((item) => item.kind), ["text", "tool"]);
  });

  it("drops the answer that was being written", () => {
    const run = after({ type: "final.text-delta", delta: "void" }, { type: "retry", phase: "synthesize", ...RETRY });
    assert.equal(run.answer, "");
  });
});

describe("the end", () => {
  it("leaves nothing that looks as if it still ran", () => {
    const run = after(
      created(step("1"), step("2")),
      started(step("1")),
      called(step("1"), "c1"),
      { type: "stopped" },
      { type: "run.complete", status: "cancelled" },
    );
    assert.ok(isOver(run));
    assert.deepEqual(states(run), [["1", "skipped"], ["2", "skipped"]]);
    assert.equal(run.steps[0].items[0].state, "failed");
    assert.equal(run.endedAt, 10);
  });

  it("keeps the fault that an event told, and takes the rejection's where none did", () => {
    const told = after({ type: "error", phase: "plan", error: RETRY.error }, { type: "run.complete", status: "failed" });
    const other = { name: "Error", message: "later", retryable: false };
    assert.equal(failRun(told, other, 20), told);
    const untold = failRun(newRun("g", 0), other, 20);
    assert.deepEqual([untold.status, untold.error, untold.endedAt], ["failed", other, 20]);
  });

  it("keeps the partial answer of a stopped run", () => {
    const run = endRun(after({ type: "final.text-delta", delta: "half an" }), "cancelled", 9);
    assert.deepEqual([run.answer, run.answered], ["half an", true]);
  });
});

describe("what else is told", () => {
  it("adds up tokens of all stages", () => {
    const run = after(
      { type: "usage", phase: "plan", usage: { inputTokens: 3, totalTokens: 4 } },
      { type: "usage", phase: "execute", usage: { inputTokens: 2, outputTokens: 1, totalTokens: 3 } },
    );
    assert.deepEqual(run.usage, { inputTokens: 5, outputTokens: 1, totalTokens: 7 });
  });

  it("shows a model's load until it is there", () => {
    const loading = after({ type: "model.load", progress: 0.5, text: "half" });
    assert.deepEqual(loading.load, { progress: 0.5, text: "half" });
    assert.equal(reduce(loading, { type: "model.load", runId: "r", progress: 1, text: "whole" }, 1).load, null);
  });

  it("keeps warnings for the reader, and no debug lines", () => {
    const run = after(
      created(step("1")),
      started(step("1")),
      { type: "log", level: "debug", message: "no" },
      { type: "log", level: "warn", message: "cut short" },
      { type: "revisions.exceeded", cap: 2 },
      { type: "budget.exceeded", kind: "tool-calls", tokens: 4, cap: 3 },
    );
    assert.equal(run.notices.length, 3);
    assert.equal(run.notices[0], "cut short");
  });

  it("keeps what is told before the first step apart from what comes later", () => {
    const run = after(
      { type: "log", level: "warn", message: "no plan" },
      created(step("1"), step("2")),
      { type: "log", level: "warn", message: "one step" },
      started(step("1")),
      completed(step("1")),
      { type: "log", level: "warn", message: "cut short" },
    );
    assert.deepEqual(run.planNotices, ["no plan", "one step"]);
    assert.deepEqual(run.notices, ["cut short"]);
  });

  it("takes an event that it does not know", () => {
    const run = after();
    assert.equal(reduce(run, { type: "something.new", runId: "r" }, 1), run);
  });
});

describe("what a run cost", () => {
  const spent = (...costs) =>
    after(...costs.map((costUsd) => ({ type: "usage", phase: "plan", usage: {}, provider: "a", model: "b", costUsd }))).cost;

  it("is summed call by call", () => {
    assert.deepEqual(spent(0.25, 0.5), { usd: 0.75, unknown: [] });
  });

  it("names the models whose price is not known, each once", () => {
    assert.deepEqual(spent(0.25, undefined, undefined), { usd: 0.25, unknown: ["a:b"] });
  });
});

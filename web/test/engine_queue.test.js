// The order in which the engine worker does what it is asked.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createQueue } from "../../worker/queue.js";
import { heldBack } from "../../worker/stop_texts.js";

/** A task that ends when it is told to, and what was heard of it. */
function task(run, name, log, options = {}) {
  const entry = {};
  entry.work = new Promise((resolve, reject) => Object.assign(entry, { end: resolve, fail: reject }));
  const onWait = (ahead) => log.push(`${name} waits for ${ahead}`);
  const begin = () => {
    log.push(`${name} begins`);
    return entry.work;
  };
  entry.done = run(begin, { onWait, ...options });
  return entry;
}

test("tasks run one after the other and hear how many come first", async () => {
  const run = createQueue();
  const log = [];
  const [first, second, third] = ["a", "b", "c"].map((name) => task(run, name, log));
  assert.deepEqual(log, ["a begins", "b waits for 1", "c waits for 2"]);
  log.length = 0;
  first.end("done");
  assert.equal(await first.done, "done");
  await null;
  assert.deepEqual(log, ["c waits for 1", "b begins"]);
  log.length = 0;
  second.fail(new Error("broken"));
  await assert.rejects(second.done, /broken/);
  third.end();
  await third.done;
  assert.deepEqual(log, ["c begins"]);
  const last = task(run, "d", log);
  last.end();
  await last.done;
  assert.deepEqual(log, ["c begins", "d begins"]);
});

test("who leaves the line frees its place, and never begins", async () => {
  const run = createQueue();
  const log = [];
  const first = task(run, "a", log);
  const controller = new AbortController();
  const second = task(run, "b", log, { signal: controller.signal });
  const third = task(run, "c", log);
  log.length = 0;
  controller.abort(new Error("left"));
  await assert.rejects(second.done, /left/);
  assert.deepEqual(log, ["c waits for 1"]);
  first.end();
  third.end();
  await third.done;
  assert.deepEqual(log, ["c waits for 1", "c begins"]);
});

test("who leaves in the moment its turn comes holds nobody up", async () => {
  const run = createQueue();
  const log = [];
  const first = task(run, "a", log);
  const controller = new AbortController();
  const second = task(run, "b", log, { signal: controller.signal });
  const third = task(run, "c", log);
  second.done.catch(() => {});
  second.end();
  first.end();
  first.done.then(() => controller.abort(new Error("left")));
  third.end();
  await third.done;
  assert.equal(log.at(-1), "c begins");
});

test("a signal that has gone off starts nothing", async () => {
  const run = createQueue();
  const log = [];
  const gone = task(run, "a", log, { signal: AbortSignal.abort(new Error("left")) });
  await assert.rejects(gone.done, /left/);
  const next = task(run, "b", log);
  next.end();
  await next.done;
  assert.deepEqual(log, ["b begins"]);
});

test("the start of a stop text is held back, and no more than that", () => {
  for (const [text, held] of [
    ["", 0],
    ["one t", 1],
    ["one tw", 2],
    ["one two", 0], // the whole one ends the answer, and is not shown either
    ["tt", 1],
    ["<", 1],
    ["a </tool_cal", 10],
    ["a < b", 0],
  ]) {
    assert.equal(heldBack(text, ["two", "</tool_call>"]), held, text);
  }
  assert.equal(heldBack("anything", []), 0);
});

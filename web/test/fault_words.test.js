import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { FAULT_WORDS, faultWords, nearestName } from "../ui/fault_words.js";

const ERRORS = new URL("../../src/pagehand/errors.py", import.meta.url);
/** Families that end no run and no test of a model: the model reads them, or other parts raise them. */
const ELSEWHERE = ["ToolError", "McpError", "StorageError", "SkillError", "EgressDeniedError", "AgentAborted"];
/** Faults of the page's side, which Python does not know. */
const OF_THE_PAGE = ["BootError", "WorkerError"];

/** Each class of the error tree by its parent. */
function readTree() {
  const classes = readFileSync(ERRORS, "utf8").matchAll(/^class (\w+)\((\w+)\):/gm);
  return new Map([...classes].map(([, name, parent]) => [name, parent]));
}

describe("the words for faults", () => {
  it("are there for every family that a run or a test of a model can end in", () => {
    const tree = readTree();
    assert.ok(tree.size > 30);
    const isElsewhere = (name) => ELSEWHERE.includes(name) || (tree.has(name) && isElsewhere(tree.get(name)));
    const ends = [...tree.keys()].filter((name) => name !== "PagehandError" && !isElsewhere(name));
    assert.deepEqual(Object.keys(FAULT_WORDS).sort(), [...ends, ...OF_THE_PAGE].sort());
    assert.deepEqual(ELSEWHERE.filter((name) => !tree.has(name)), []);
  });

  it("are all different, and each has a way out", () => {
    const words = Object.values(FAULT_WORDS);
    assert.equal(new Set(words.map(({ title }) => title)).size, words.length);
    for (const { title, retry, changeModel } of [...words, faultWords({ name: "NewError" })]) {
      assert.match(title, /^[A-Z][^.!]+[^.!]$/);
      assert.ok(retry || changeModel, title);
    }
  });

  it("name what was probably meant", () => {
    const fault = { name: "ModelNotFoundError", message: "", retryable: false };
    assert.equal(nearestName({ ...fault, details: { nearest: "gpt-5-mini" } }), "gpt-5-mini");
    assert.equal(nearestName(fault), null);
    assert.equal(nearestName({ ...fault, details: { status: 404 } }), null);
  });
});

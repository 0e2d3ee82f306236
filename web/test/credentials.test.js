import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { Credentials } from "../host/credentials.js";

function open() {
  const keys = new Map();
  const told = [];
  return { keys, told, credentials: new Credentials(keys, async (...call) => void told.push(call)) };
}

describe("the keys of an agent", () => {
  it("are kept by name and told to the worker", async () => {
    const { keys, told, credentials } = open();
    assert.equal(credentials.hasApiKey("mine"), false);
    await credentials.setApiKey("mine", "sk-1");
    assert.equal(credentials.hasApiKey("mine"), true);
    assert.deepEqual([...keys], [["mine", "sk-1"]]);
    await credentials.deleteApiKey("mine");
    await credentials.deleteApiKey("mine");
    assert.equal(credentials.hasApiKey("mine"), false);
    assert.deepEqual(told, [
      ["setApiKey", "mine", "sk-1"],
      ["deleteApiKey", "mine"],
    ]);
  });

  it("need a name and are never empty", async () => {
    const { told, credentials } = open();
    for (const [ref, key] of [["", "sk-1"], ["mine", " "], ["mine", undefined], [7, "sk-1"]]) {
      await assert.rejects(credentials.setApiKey(ref, key), { name: "ConfigError", message: /setApiKey/ });
    }
    assert.deepEqual(told, []);
  });

  it("show in nothing that prints", async () => {
    const { credentials } = open();
    await credentials.setApiKey("mine", "sk-canary");
    const shown = [JSON.stringify(credentials), inspect(credentials, { showHidden: true, depth: 9 })];
    assert.ok(!shown.join().includes("canary"));
  });
});

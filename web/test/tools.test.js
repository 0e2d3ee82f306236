import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineTool, describeTool, executeTool, markReadOnly, readTools } from "../host/tools.js";

const schema = { type: "object", properties: { text: { type: "string" } } };
const tool = (execute, rest = {}) => defineTool({ description: "does", inputSchema: schema, execute, ...rest });
const refused = (tools) => {
  try {
    readTools(tools);
  } catch (fault) {
    assert.equal(fault.name, "ConfigError");
    return fault.message;
  }
  assert.fail("it was taken");
};

/** Runs a tool as the agent's call does. */
function run(execute, input = {}, call = {}) {
  const request = { name: "it", input, context: { runId: "r", step: null, callId: "c" } };
  const context = { signal: new AbortController().signal, progress: () => {}, ports: [], ...call };
  return executeTool(readTools({ it: tool(execute) }), request, context);
}

describe("tools of a page", () => {
  it("may stand in a map or in a list", () => {
    const named = tool(() => 1, { name: "one" });
    assert.deepEqual([...readTools({ one: tool(() => 1) }).keys()], ["one"]);
    assert.deepEqual([...readTools([named]).keys()], ["one"]);
    assert.equal(readTools(undefined).size, 0);
  });

  it("are described without their function", () => {
    const described = describeTool("one", markReadOnly(tool(() => 1, { title: "One", timeoutMs: 5 })));
    assert.deepEqual(described, {
      name: "one",
      title: "One",
      description: "does",
      inputSchema: schema,
      readOnly: true,
      timeoutMs: 5,
    });
  });

  it("take `parameters` for `inputSchema`, and no input when neither is given", () => {
    const execute = () => 1;
    const { inputSchema } = describeTool("a", defineTool({ description: "d", parameters: schema, execute }));
    assert.deepEqual(inputSchema, schema);
    assert.deepEqual(describeTool("b", defineTool({ description: "d", execute })).inputSchema, {
      type: "object",
      properties: {},
    });
  });

  it("are refused by name when a part is missing or wrong", () => {
    assert.match(refused({ add: () => 1 }), /"add" is a bare function.*defineTool/s);
    assert.match(refused({ add: { description: "d" } }), /"add" has no "execute"/);
    assert.match(refused({ add: { execute: () => 1 } }), /"add" has no "description"/);
    assert.match(refused({ add: { description: "d", execute: () => 1, inputSchema: "x" } }), /"inputSchema"/);
    assert.match(refused({ add: { description: "d", execute: () => 1, schema } }), /unknown field "schema"/);
    assert.match(refused([tool(() => 1)]), /tools\[0\] has no name/);
    assert.match(refused([tool(() => 1, { name: "a" }), tool(() => 1, { name: "a" })]), /Two tools/);
    assert.match(refused("add"), /"tools" is a string/);
    assert.throws(() => describeTool("add", tool(() => 1, { inputSchema: { a: () => 1 } })), /"add".*"a" is a Function/);
  });
});

describe("a call of a tool", () => {
  it("gets its input and what it may know", async () => {
    const told = [];
    const progress = (value) => told.push(value);
    const output = await run(
      ({ text }, context) => {
        context.progress(1, 2, "half");
        assert.deepEqual([context.runId, context.step, context.callId], ["r", null, "c"]);
        assert.ok(context.signal instanceof AbortSignal);
        return { text };
      },
      { text: "a" },
      { progress },
    );
    assert.deepEqual(output, { text: "a" });
    assert.deepEqual(told, [{ progress: 1, total: 2, message: "half" }]);
  });

  it("gives null for nothing, and dates and addresses as text", async () => {
    assert.equal(await run(() => undefined), null);
    assert.deepEqual(await run(() => [new Date(0), new URL("https://example.org/")]), [
      "1970-01-01T00:00:00.000Z",
      "https://example.org/",
    ]);
  });

  it("is refused in one sentence when its result is not data", async () => {
    const loop = {};
    loop.self = loop;
    const opaque = [() => () => 1, () => new Map(), () => ({ when: 1n }), () => ({ list: new Set() }), () => loop];
    for (const execute of opaque) {
      await assert.rejects(run(execute), (fault) => {
        assert.equal(fault.name, "ToolError");
        assert.match(fault.message, /^The result of the tool "it" is not JSON data \([^\n]+\)\. Use plain/);
        return true;
      });
    }
  });

  it("fails with what the tool throws", async () => {
    await assert.rejects(run(() => Promise.reject(new TypeError("no such note"))), /no such note/);
  });

  it("of a tool that the page does not have says so", async () => {
    const call = { signal: new AbortController().signal, progress: () => {}, ports: [] };
    await assert.rejects(executeTool(new Map(), { name: "x", input: {}, context: {} }, call), /no tool "x"/);
  });
});

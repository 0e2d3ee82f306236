// The page's side of loop_browser.py: our agent and the peer, each ready to make the same run.
// `peer` is the bundle of peer.js.

/* global peer */

globalThis.AI_SDK_LOG_WARNINGS = false; // the peer would otherwise log in every run

const NOTE = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const DESCRIPTION = "Add a note";
const REQUEST = "Add five notes to the board";

/** @param {string} address of the scripted server */
async function openOurs(address) {
  const { createAgent, defineTool } = await import(new URL("pagehand.js", location.href));
  const tools = { add_note: defineTool({ description: DESCRIPTION, inputSchema: NOTE, execute: () => "added" }) };
  const model = { providerType: "openai-compatible", model: "m", baseURL: `${address}/ours/v1` };
  return createAgent({ model, tools });
}

/** @param {string} address of the scripted server */
function openPeer(address) {
  const { createAgent, createOpenAICompatible, defineTool, jsonSchema } = peer;
  const provider = createOpenAICompatible({
    name: "bench",
    baseURL: `${address}/peer/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  const inputSchema = jsonSchema(NOTE);
  const tools = { add_note: defineTool({ description: DESCRIPTION, inputSchema, execute: () => "added" }) };
  return createAgent({ model: provider.chatModel("m"), tools });
}

/**
 * One run: its milliseconds, and what it did.
 * @param {{run: (request: string, options: any) => Promise<any>}} agent
 */
async function timedRun(agent) {
  /** @type {Record<string, number>} */
  const events = {};
  const onEvent = (/** @type {{type: string}} */ { type }) => (events[type] = (events[type] ?? 0) + 1);
  const began = performance.now();
  const result = await agent.run(REQUEST, { onEvent });
  return { ms: performance.now() - began, applied: result.applied, final: result.final, events };
}

/**
 * Milliseconds of so many bare requests one after another, each read to its end and parsed.
 * @param {string} address of the scripted server
 * @param {number} calls
 */
async function timedFetches(address, calls) {
  const body = JSON.stringify({ model: "m", stream: true, messages: [] });
  const headers = { "content-type": "application/json" };
  const began = performance.now();
  for (let call = 0; call < calls; call++) {
    const answer = await fetch(`${address}/bare/v1/chat/completions`, { method: "POST", body, headers });
    const text = await answer.text();
    for (const event of text.split("\n\n")) if (event.startsWith("data: {")) JSON.parse(event.slice(6));
  }
  return performance.now() - began;
}

Object.assign(globalThis, { bench: { openOurs, openPeer, timedRun, timedFetches } });

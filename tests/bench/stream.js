// The page's side of stream.py: our agent, and a bare reader of the same stream.

const NOTE = { type: "object", properties: {} };

/** @param {string} address of the scripted server @param {string} model */
export async function openAgent(address, model) {
  const { createAgent, defineTool } = await import(new URL("pagehand.js", location.href));
  return createAgent({
    model: { providerType: "openai-compatible", model, baseURL: `${address}/ours/v1` },
    tools: { look: defineTool({ description: "Look around", inputSchema: NOTE, execute: () => null }) },
  });
}

/**
 * One run. Gives the pieces of its answer, each with the time of its event, ms since 1970.
 * @param {{run: (request: string, options: any) => Promise<any>}} agent
 */
export async function agentStream(agent) {
  /** @type {[number, string][]} */
  const pieces = [];
  const onEvent = (/** @type {any} */ event) => {
    if (event.type === "final.text-delta") pieces.push([Date.now(), event.delta]);
  };
  await agent.run("Write a long answer", { onEvent });
  return pieces;
}

/** The same stream, read as plainly as JavaScript can. @param {string} address @param {string} model */
export async function bareStream(address, model) {
  const body = JSON.stringify({ model, stream: true, messages: [] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${address}/bare/v1/chat/completions`, { method: "POST", body, headers });
  const decoder = new TextDecoder();
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  /** @type {[number, string][]} */
  const pieces = [];
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const events = (text + decoder.decode(next.value, { stream: true })).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      if (!event.startsWith("data: {")) continue;
      const delta = JSON.parse(event.slice(6)).choices[0]?.delta.content;
      if (delta) pieces.push([Date.now(), delta]);
    }
  }
  return pieces;
}

/**
 * The gaps between frames while something goes on, in ms.
 * @param {Promise<unknown>} until
 */
export async function frameGaps(until) {
  /** @type {number[]} */
  const gaps = [];
  let going = true;
  until.then(() => (going = false));
  let last = await nextFrame();
  while (going) {
    const now = await nextFrame();
    gaps.push(now - last);
    last = now;
  }
  return gaps;
}

/** @returns {Promise<number>} */
function nextFrame() {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Sends a request to the page's own chat and gives the gaps between frames while its answer comes,
 * and how the run ended.
 * @param {string} address
 */
export async function chatFrames(address) {
  const chat = /** @type {any} */ (document.querySelector("pagehand-chat"));
  /** @type {(value?: unknown) => void} */
  let begin = () => {};
  /** @type {(value?: unknown) => void} */
  let end = () => {};
  const begun = new Promise((resolve) => (begin = resolve));
  const ended = new Promise((resolve) => (end = resolve));
  chat.config = {
    ...chat.config,
    model: { providerType: "openai-compatible", model: "paced", baseURL: `${address}/page/v1` },
    synthesize: true, // the answer is what streams for long
    onEvent: (/** @type {any} */ event) => {
      if (event.type === "final.text-delta") begin();
      if (event.type === "run.complete") end(event.status);
    },
  };
  chat.send("Write a long answer");
  await Promise.race([begun, ended]);
  const gaps = await frameGaps(ended);
  return { gaps, status: await ended };
}

/** The gaps between frames of a page that does nothing. @param {number} ms */
export function idleFrames(ms) {
  return frameGaps(new Promise((resolve) => setTimeout(resolve, ms)));
}

Object.assign(globalThis, { bench: { openAgent, agentStream, bareStream, chatFrames, idleFrames } });

// What the fake agent plays: one generator a scenario.

const usage = (phase, inputTokens, outputTokens) => ({
  type: "usage",
  phase,
  usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  costUsd: 0, // as on the user's own device
});

/** A text in pieces of a few characters, as a model streams it. */
function* pieces(type, text, size = 7, rest = {}) {
  for (let at = 0; at < text.length; at += size) yield { type, delta: text.slice(at, at + size), ...rest };
}

/** A step's result, as the executor tells it. */
const result = (step, toolCalls, summary, rest = {}) => ({
  type: "step.complete",
  step,
  result: { step, summary, toolCalls, durationMs: 1240, blocked: false, ...rest },
});

function* planning(thought, steps) {
  yield* pieces("plan.thought-delta", thought);
  for (const [index, step] of steps.entries()) yield { type: "plan.step-added", step, index };
  yield [usage("plan", 412, 96), { type: "plan.created", plan: { thought, steps } }];
}

const made = (id, description, ...suggestedTools) => ({ id: `step-${id}`, description, suggestedTools });

const SHORT_ANSWER = "The note is on the board: **water the plants on Friday**.";

const LONG_ANSWER = `Here is the weekend, *packed* and noted.

## What is on the board

| Note | Why | For whom |
| --- | --- | --- |
| Rain jackets | showers on both days | everyone |
| Board games | for the evening | children |

1. The jackets come first, because it rains.
2. The games stay dry in the hut:
   - cards
   - dice

> The forecast may still change.

\`\`\`js
// The same in code
const packed = ["jackets", "games"].map((name) => ({ name, done: true }));
console.log(packed.length);
\`\`\`

كل شيء جاهز للرحلة، حتى لو هطل المطر طوال اليوم.

More at [the hut's page](https://example.org/hut), with ![a picture of the hut](https://example.org/hut.png).
`;

/** A whole run: the same steps in the tests and on the screenshots. */
async function* plain({ goal, tool, gate }) {
  const step = made(1, "Put the note on the board", "add_note");
  yield* planning("The user wants a note. One call of add_note is enough.", [step]);
  if (goal.includes("held")) await gate("step");
  yield { type: "step.start", step, index: 0, total: 1 };
  const call = await tool(step, "add_note", { text: "Water the plants on Friday" });
  yield* pieces("step.text-delta", "The note was added.", 7, { step });
  yield [usage("execute", 380, 41), result(step, [call], "The note was added.")];
  yield { type: "replan.decision", mode: "finish", reason: "that was the last step", cause: "last-step" };
  yield* pieces("final.text-delta", SHORT_ANSWER);
  yield [usage("synthesize", 290, 21), { type: "final", text: SHORT_ANSWER }];
}

/** Three steps, thoughts, a failed tool, a revision, a retry and a long answer. */
async function* revise({ tool, gate, goal }) {
  const read = made(1, "Read what is on the board", "list_notes");
  const change = made(2, "Change the note about the umbrella", "change_note");
  const sort = made(3, "Sort the notes by day");
  yield* pieces("plan.thought-delta", "First I misread the request");
  yield { type: "retry", phase: "plan", attempt: 1, error: { name: "NetworkError", message: "The connection was lost.", retryable: true } };
  yield* planning(
    "The weekend will be wet. I look at the board first, then change what no longer fits, and add what is missing.",
    [read, change, sort],
  );
  yield { type: "step.start", step: read, index: 0, total: 3 };
  const list = await tool(read, "list_notes", {});
  yield result(read, [list], "The board was read.");

  yield { type: "step.start", step: change, index: 1, total: 3 };
  yield* pieces("step.reasoning-delta", "The umbrella note should have number 9, so I change that one.", 9, { step: change });
  const failed = await tool(change, "change_note", { number: 9, text: "Pack the umbrella" });
  if (goal.includes("held")) await gate("failed");
  yield* pieces("step.text-delta", "There is no such note, so nothing was changed.", 9, { step: change });
  yield result(change, [failed], "There is no such note.", { blocked: true });
  const jackets = made("2b", "Add a note about rain jackets", "add_note");
  const games = made("2c", "Add a note about board games", "add_note");
  yield [
    { type: "replan.decision", mode: "revise", reason: "There is no umbrella note.", cause: "llm-decision" },
    { type: "plan.revised", plan: { thought: "", steps: [jackets, games] }, reason: "There is no note about an umbrella, so new notes are added instead." },
  ];
  yield { type: "tool.repaired", id: "call-3", name: "add_note", raw: "{text: 'Pack rain jackets'}", repaired: { text: "Pack rain jackets" }, steps: ["json"], step: jackets };
  yield { type: "step.start", step: jackets, index: 2, total: 4 };
  const first = await tool(jackets, "add_note", { text: "Pack rain jackets" });
  yield result(jackets, [first], "Added.");
  if (goal.includes("held")) await gate("third");
  yield { type: "step.start", step: games, index: 3, total: 4 };
  const second = await tool(games, "add_note", { text: "Board games for the evening" });
  if (goal.includes("held")) await gate("fourth");
  yield result(games, [second], "Added.");
  yield usage("execute", 1460, 188);
  yield* pieces("final.text-delta", "Something that is thrown away");
  yield { type: "retry", phase: "synthesize", attempt: 1, error: { name: "StreamInterruptedError", message: "The answer was cut off.", retryable: true } };
  yield* pieces("final.reasoning-delta", "A table and a short list read best here.", 9);
  yield* pieces("final.text-delta", LONG_ANSWER);
  yield [usage("synthesize", 820, 240), { type: "final", text: LONG_ANSWER }];
}

/** The planner fails, the only step fails too, and its report is the answer. */
async function* planless({ goal }) {
  const step = made(1, goal);
  const report = "The board could not be read.";
  yield { type: "log", level: "warn", message: "No plan could be read; the request itself becomes the only step." };
  yield { type: "plan.created", plan: { thought: "", steps: [step] } };
  yield { type: "step.start", step, index: 0, total: 1 };
  yield* pieces("step.text-delta", `${report}\n`, 7, { step });
  yield { type: "log", level: "warn", message: "Step 1 was cut short." };
  yield [result(step, [], report, { blocked: true }), { type: "final", text: report }];
}

/** A model is loaded first; the gates let a test look at each moment. */
async function* load({ gate }) {
  yield { type: "model.load", progress: 0.42, text: "Downloading the model: 41 of 98 MB" };
  await gate("loaded");
  yield { type: "model.load", progress: 1, text: "The model is ready" };
  yield* planning("A greeting needs no tool.", []);
  yield { type: "final", text: "A greeting needs no tool." };
}

/** The model works for another agent first. */
async function* queued({ gate }) {
  yield { type: "model.load", progress: 0, text: "Waiting: the model is busy, 1 ahead" };
  await gate("turn");
  yield { type: "model.load", progress: 1, text: "The model is ready" };
  yield* planning("A greeting needs no tool.", []);
  yield { type: "final", text: "A greeting needs no tool." };
}

/** Streams an answer of many tokens without end in sight until the gate opens. */
async function* stream({ gate }) {
  yield* planning("", [made(1, "Write")]);
  yield { type: "step.start", step: made(1, "Write"), index: 0, total: 1 };
  yield result(made(1, "Write"), [], "Written.");
  yield* pieces("final.text-delta", "The first words stand here.\n\nAnd more");
  await gate("never");
}

/** A flood: two thousand tokens in two hundred paragraphs, in batches as the worker sends them. */
async function* flood() {
  const paragraph = "Words that **fill** a paragraph with `code` and [links](https://example.org) in it.\n\n";
  const text = paragraph.repeat(200);
  yield { type: "plan.created", plan: { thought: "", steps: [] } };
  const deltas = [...pieces("final.text-delta", text, 8)];
  for (let at = 0; at < deltas.length; at += 6) {
    yield deltas.slice(at, at + 6);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  yield { type: "final", text };
}

/** A tool that takes its time and tells how far it is. */
async function* slow({ tool }) {
  const step = made(1, "Count the stars", "count_stars");
  yield* planning("Counting takes a while.", [step]);
  yield { type: "step.start", step, index: 0, total: 1 };
  const call = await tool(step, "count_stars", { sky: "north" });
  yield result(step, [call], "Counted.");
  yield { type: "final", text: "Counted." };
}

/** Two calls of models with a price and two of one without. */
async function* priced() {
  const call = (model, costUsd) => ({ ...usage("execute", 10, 5), provider: "openai", model, costUsd });
  yield [call("a", 0.25), call("b"), call("a", 0.5), call("b")];
  yield { type: "final", text: "Counted." };
}

/** Asks for tokens as the agent does before its requests. */
async function* tokens({ hook }) {
  for (const path of ["model.1.providerOptions.accessToken", "planner.providerOptions.accessToken"]) {
    const told = await hook(`token:${path}`, []);
    yield { type: "log", level: "debug", message: JSON.stringify(told) };
  }
}

/** Calls the functions that a host page may give, and tells what they answered. */
async function* hooks({ hook, options }) {
  const told = (value) => ({ type: "log", level: "debug", message: JSON.stringify(value) });
  yield told(await hook("describeState", []));
  yield told(await hook("replanAfter", [{ summary: "odd" }]));
  for (const [index, description] of ["first", "second"].entries()) {
    yield told(await hook(options.onStepStart, [{ step: { id: description, description }, index }]));
  }
}

const failing = (name, message, rest = {}) =>
  async function* () {
    yield* pieces("plan.thought-delta", "I think about");
    throw { name, message, ...rest };
  };

export const scenarios = {
  hooks,
  priced,
  tokens,
  plain,
  revise,
  planless,
  load,
  queued,
  stream,
  flood,
  slow,
  crash: stream,
  key: failing("AuthenticationError", "The server at api.example.org refuses the key (HTTP 401). Check the key or make a new one.", {
    details: { provider: "openai-compatible", model: "small-1", status: 401 },
  }),
  mistyped: failing("ModelNotFoundError", "OpenAI (api.openai.com) answered 404 for the model 'gpt-5-mni'. Check the model's name and the base URL. Did you mean 'gpt-5-mini'?", {
    details: { provider: "openai", model: "gpt-5-mni", status: 404, nearest: "gpt-5-mini" },
  }),
  network: failing("NetworkError", "The server at api.example.org could not be reached. Check the connection and the address."),
  cors: failing("CorsError", "The server at localhost:11434 does not allow requests from this page. Allow this origin on the server (OLLAMA_ORIGINS for Ollama)."),
  malformed: failing("MalformedResponseError", "The server at api.example.org answers with a web page instead of JSON. Check the address."),
  timeout: failing("ModelTimeoutError", "The server did not answer within 120 s."),
};

// The state of one run as the page shows it, and the pure function that carries it from event to
// event. Nothing here touches the document; times come in from outside.

import { addCost, addUsage, NO_COST } from "../usage.js";

/**
 * @typedef {import("../events.js").AgentEvent} AgentEvent
 * @typedef {import("../events.js").Fault} Fault
 * @typedef {import("../events.js").PlanStep} PlanStep
 * @typedef {import("../events.js").Usage} Usage
 *
 * @typedef {object} ToolCard
 * @property {"tool"} kind
 * @property {string} id
 * @property {string} name
 * @property {any} input
 * @property {"running" | "done" | "failed"} state
 * @property {any} output
 * @property {number | null} durationMs
 * @property {Fault | null} error
 * @property {{progress: number, total?: number, message?: string} | null} progress
 * @property {string[]} repairs  what was mended in the call as the model wrote it
 *
 * @typedef {{kind: "thought" | "text", text: string}} Words
 * @typedef {ToolCard | Words} StepItem
 *
 * @typedef {"draft" | "waiting" | "running" | "done" | "failed" | "skipped" | "revised"} StepState
 *   draft: the planner still writes it; skipped: the run ended before it; revised: a later plan
 *   replaced it
 * @typedef {{key: number, step: PlanStep, state: StepState, items: StepItem[], summary: string,
 *            durationMs: number | null, replacedBecause: string | null}} StepView
 *
 * @typedef {"waiting" | "starting" | "planning" | "working" | "answering" | "complete" | "failed" | "cancelled"} RunStatus
 *   waiting: the runs before it are not over
 *
 * @typedef {object} RunState
 * @property {string} goal
 * @property {string} runId
 * @property {RunStatus} status
 * @property {string} thought  the planner's
 * @property {StepView[]} steps
 * @property {string} answer
 * @property {string} answerThought
 * @property {boolean} answered  the answer is whole
 * @property {Fault | null} error
 * @property {{progress: number, text: string} | null} load  a model being loaded
 * @property {{phase: string, attempt: number, error: Fault} | null} retry  the call that is made again
 * @property {Record<string, string[]>} repairs  by the call's id; told before the call is
 * @property {string[]} planNotices  what the reader should know about how the plan came about
 * @property {string[]} notices  the same about what came after it
 * @property {Usage} usage
 * @property {Readonly<import("../usage.js").Cost>} cost
 * @property {number} startedAt  ms
 * @property {number | null} endedAt  ms
 */

/**
 * @param {string} goal
 * @param {number} at  ms
 * @returns {RunState}
 */
export function newRun(goal, at) {
  return {
    goal,
    runId: "",
    status: "waiting",
    thought: "",
    steps: [],
    answer: "",
    answerThought: "",
    answered: false,
    error: null,
    load: null,
    retry: null,
    repairs: {},
    planNotices: [],
    notices: [],
    usage: {},
    cost: NO_COST,
    startedAt: at,
    endedAt: null,
  };
}

/** Whether the run has ended. @param {RunState} run */
export function isOver({ status }) {
  return status === "complete" || status === "failed" || status === "cancelled";
}

/**
 * @param {RunState} run
 * @param {AgentEvent} event
 * @param {number} at  ms
 * @returns {RunState}
 */
export function reduce(run, event, at) {
  switch (event.type) {
    case "run.start":
      return { ...run, runId: event.runId, status: "planning" };
    case "model.load":
      return { ...run, load: event.progress < 1 ? { progress: event.progress, text: event.text } : null };
    case "log":
      return event.level === "warn" ? note(run, event.message) : run;
    case "usage":
      return { ...run, usage: addUsage(run.usage, event.usage), cost: addCost(run.cost, event) };
    case "retry":
      return dropStreamed({ ...run, retry: pick(event) }, event.phase);

    case "plan.thought-delta":
      return { ...flowing(run), thought: run.thought + event.delta };
    case "plan.step-added":
      return { ...flowing(run), steps: withDraft(run.steps, event.step, event.index) };
    case "plan.created":
      return planned(flowing(run), event.plan);
    case "plan.revised":
      return { ...flowing(run), steps: revise(run.steps, event.plan.steps, event.reason) };
    case "revisions.exceeded":
      return note(run, `The plan was revised ${times(event.cap)}, which is the limit.`);

    case "step.start":
      return { ...flowing(run), status: "working", steps: startStep(run.steps, event.step) };
    case "step.text-delta":
      return inStep(flowing(run), event.step, (items) => withWords(items, "text", event.delta));
    case "step.reasoning-delta":
      return inStep(flowing(run), event.step, (items) => withWords(items, "thought", event.delta));
    case "step.tool-call":
      return inStep(flowing(run), event.step, (items) => [
        ...items,
        newCard(event, run.repairs[event.id] ?? []),
      ]);
    case "step.tool-progress": {
      const { progress, total, message } = event;
      const shown = { progress, ...(total !== undefined && { total }), ...(message && { message }) };
      return inCard(run, event.id, (card) => ({ ...card, progress: shown }));
    }
    case "step.tool-result":
      return inCard(run, event.id, (card) => ({
        ...card,
        state: event.ok ? "done" : "failed",
        output: event.output,
        durationMs: event.durationMs,
        error: event.error ?? null,
      }));
    case "tool.repaired":
      return { ...run, repairs: { ...run.repairs, [event.id]: event.steps } };
    case "step.complete":
      return { ...run, steps: completeStep(run.steps, event.result) };

    case "final.reasoning-delta":
      return { ...flowing(run), status: "answering", answerThought: run.answerThought + event.delta };
    case "final.text-delta":
      return { ...flowing(run), status: "answering", answer: run.answer + event.delta };
    case "final":
      return { ...flowing(run), answer: event.text, answered: true };
    case "budget.exceeded":
      return note(run, budgetNotice(event));

    case "error":
      return { ...run, error: event.error };
    case "run.complete":
      return endRun(run, event.status, at);
    default:
      return run; // replan.decision, stopped, and what a newer agent may tell
  }
}

/**
 * The end of a run whose call rejected: no event may have told why.
 * @param {RunState} run
 * @param {Fault} fault
 * @param {number} at  ms
 */
export function failRun(run, fault, at) {
  if (isOver(run) && run.error) return run;
  return endRun({ ...run, error: run.error ?? fault }, "failed", at);
}

/** @param {RunState} run @param {"complete" | "failed" | "cancelled"} status @param {number} at */
export function endRun(run, status, at) {
  const left = (/** @type {StepState} */ state) =>
    state === "draft" || state === "waiting" ? "skipped" : state === "running" ? endOfRunning(status) : state;
  return {
    ...run,
    status,
    answered: true,
    load: null,
    retry: null,
    steps: run.steps.map((each) => ({ ...each, state: left(each.state), items: settle(each.items) })),
    endedAt: run.endedAt ?? at,
  };
}

/** @param {"complete" | "failed" | "cancelled"} status @returns {StepState} */
function endOfRunning(status) {
  return status === "failed" ? "failed" : "skipped";
}

/** A tool that never answered must not look as if it still ran. @param {StepItem[]} items @returns {StepItem[]} */
function settle(items) {
  return items.map((item) =>
    item.kind === "tool" && item.state === "running" ? { ...item, state: "failed", error: UNANSWERED } : item,
  );
}

const UNANSWERED = {
  name: "AgentAborted",
  message: "The run ended before the tool answered.",
  retryable: false,
};

/** A model speaks again: whatever was loading or retried is over. @param {RunState} run */
function flowing(run) {
  return run.load || run.retry ? { ...run, load: null, retry: null } : run;
}

/** What is told before any step has begun is about the plan. @param {RunState} run @param {string} notice */
function note(run, notice) {
  return run.steps.every(isOpen)
    ? { ...run, planNotices: [...run.planNotices, notice] }
    : { ...run, notices: [...run.notices, notice] };
}

/** @param {import("../events.js").RetryEvent} event */
function pick({ phase, attempt, error }) {
  return { phase, attempt, error };
}

/**
 * A call is made again: what its stage has streamed so far is void.
 * @param {RunState} run
 * @param {string} phase
 * @returns {RunState}
 */
function dropStreamed(run, phase) {
  if (phase === "plan") {
    return { ...run, thought: "", steps: run.steps.filter((each) => each.state !== "draft") };
  }
  if (phase === "synthesize") return { ...run, answer: "", answerThought: "" };
  if (phase !== "execute") return run;
  return mapStep(run, (each) => each.state === "running", (each) => {
    const lastTool = each.items.findLastIndex((item) => item.kind === "tool");
    return { ...each, items: each.items.slice(0, lastTool + 1) };
  });
}

// Steps

/**
 * A plan without steps has its answer in the thought.
 * @param {RunState} run
 * @param {import("../events.js").Plan} plan
 * @returns {RunState}
 */
function planned(run, { thought, steps }) {
  if (steps.length === 0) return { ...run, status: "answering", thought: "", steps: [], answer: thought };
  return {
    ...run,
    status: "working",
    thought: thought || run.thought,
    steps: steps.map((step, index) => waitingStep(step, index)),
  };
}

/** @param {PlanStep} step @param {number} key @param {StepState} [state] @returns {StepView} */
function waitingStep(step, key, state = "waiting") {
  return { key, step, state, items: [], summary: "", durationMs: null, replacedBecause: null };
}

/** @param {StepView[]} steps @param {PlanStep} step @param {number} index @returns {StepView[]} */
function withDraft(steps, step, index) {
  const drafts = [...steps];
  drafts[index] = waitingStep(step, index, "draft");
  return drafts.filter(Boolean);
}

/** Whether a step has not begun. @param {StepView} each */
function isOpen({ state }) {
  return state === "waiting" || state === "draft";
}

/** @param {PlanStep} left @param {PlanStep} right */
function sameStep(left, right) {
  return left.id === right.id && left.description === right.description;
}

/**
 * What has begun stays; what waited and is not planned any more stays visible as revised; the rest
 * of the new plan follows.
 * @param {StepView[]} steps
 * @param {PlanStep[]} planned
 * @param {string} reason
 * @returns {StepView[]}
 */
function revise(steps, planned, reason) {
  const find = (/** @type {StepView[]} */ among, /** @type {PlanStep} */ step) =>
    among.find((each) => each.state !== "revised" && sameStep(each.step, step));
  const begun = steps.filter((each) => !isOpen(each));
  const left = planned.filter((step) => !find(begun, step));
  const kept = left.map((step) => find(steps, step));
  const replaced = steps
    .filter((each) => isOpen(each) && !kept.includes(each))
    .map((each) => ({ ...each, state: /** @type {StepState} */ ("revised"), replacedBecause: reason }));
  const firstKey = nextKey(steps);
  const open = left.map((step, index) => kept[index] ?? waitingStep(step, firstKey + index));
  return [...begun, ...replaced, ...open];
}

/** @param {StepView[]} steps */
function nextKey(steps) {
  return 1 + Math.max(-1, ...steps.map((each) => each.key));
}

/** @param {StepView[]} steps @param {PlanStep} step @returns {StepView[]} */
function startStep(steps, step) {
  const index = steps.findIndex((each) => isOpen(each) && sameStep(each.step, step));
  if (index < 0) return [...steps, waitingStep(step, nextKey(steps), "running")];
  return steps.map((each, at) => (at === index ? { ...each, step, state: "running" } : each));
}

/** @param {StepView[]} steps @param {import("../events.js").StepResult} result @returns {StepView[]} */
function completeStep(steps, { step, summary, durationMs, blocked }) {
  const index = steps.findLastIndex((each) => each.state === "running" && sameStep(each.step, step));
  return steps.map((each, at) =>
    at === index ? { ...each, state: blocked ? "failed" : "done", summary, durationMs } : each,
  );
}

/**
 * @param {RunState} run
 * @param {(step: StepView) => boolean} which
 * @param {(step: StepView) => StepView} change
 * @returns {RunState}
 */
function mapStep(run, which, change) {
  return { ...run, steps: run.steps.map((each) => (which(each) ? change(each) : each)) };
}

/**
 * @param {RunState} run
 * @param {PlanStep} step
 * @param {(items: StepItem[]) => StepItem[]} change
 */
function inStep(run, step, change) {
  const index = run.steps.findLastIndex((each) => each.state === "running" && sameStep(each.step, step));
  return mapStep(run, (each) => each === run.steps[index], (each) => ({ ...each, items: change(each.items) }));
}

// What happens in a step

/** @param {StepItem[]} items @param {"text" | "thought"} kind @param {string} delta @returns {StepItem[]} */
function withWords(items, kind, delta) {
  const last = items.at(-1);
  if (last?.kind !== kind) return [...items, { kind, text: delta }];
  return [...items.slice(0, -1), { kind, text: last.text + delta }];
}

/**
 * @param {import("../events.js").StepToolCallEvent} event
 * @param {string[]} repairs
 * @returns {ToolCard}
 */
function newCard({ id, name, input }, repairs) {
  return {
    kind: "tool",
    id,
    name,
    input,
    state: "running",
    output: null,
    durationMs: null,
    error: null,
    progress: null,
    repairs,
  };
}

/**
 * Changes the card of a call. Providers may use an id again in a later step: the last one counts.
 * @param {RunState} run
 * @param {string} id
 * @param {(card: ToolCard) => ToolCard} change
 */
function inCard(run, id, change) {
  const isIt = (/** @type {StepItem} */ item) => item.kind === "tool" && item.id === id;
  const step = run.steps.findLast((each) => each.items.some(isIt));
  const card = step?.items.findLast(isIt);
  return mapStep(run, (each) => each === step, (each) => ({
    ...each,
    items: each.items.map((item) => (item.kind === "tool" && item === card ? change(item) : item)),
  }));
}

// Words and numbers

/** @param {number} count */
function times(count) {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

/** @param {import("../events.js").BudgetExceededEvent} event */
function budgetNotice({ kind, tokens, cap }) {
  const unit = kind === "tool-calls" ? "tool calls" : `${kind} tokens`;
  return `The run used ${tokens} of at most ${cap} ${unit}, so it stopped early and answered with what it had.`;
}

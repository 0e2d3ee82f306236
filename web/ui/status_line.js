// The line above the message box: says one thing at a time.

import { html, nothing } from "../vendor/lit-html.js";
import { isOver } from "./run_state.js";
import { sheet } from "./sheet.js";
import { clip, count, duration, money } from "./words.js";

/**
 * @typedef {import("./run_state.js").RunState} RunState
 * @typedef {{text: string, share: number | null, elapsedMs: number | null}} Status
 *   `share` from 0 to 1 where it is known how far the work is; `elapsedMs` of a run that goes on
 */

/**
 * What the page does now.
 * @param {{boot: import("../pagehand.js").BootProgress | null, failed: boolean,
 *          run: RunState | undefined, now: number}} props  `now` in ms, on the clock of the run
 * @returns {Status}
 */
export function statusOf({ boot, failed, run, now }) {
  if (failed) return still("The agent could not start");
  if (boot) return { text: boot.text, share: bootShare(boot), elapsedMs: null };
  if (!run) return still("Ready");
  if (isOver(run)) return still(outcomeOf(run));
  const elapsedMs = now - run.startedAt;
  if (run.retry) return { text: `${run.retry.error.message} Trying again`, share: null, elapsedMs };
  if (run.load) return { text: run.load.text, share: run.load.progress, elapsedMs: null };
  return { text: activityOf(run), share: null, elapsedMs };
}

/** @param {string} text @returns {Status} */
function still(text) {
  return { text, share: null, elapsedMs: null };
}

/** Where each phase of the start lies between 0 and 1. @type {Record<string, [number, number]>} */
const PHASES = { download: [0, 0.7], compile: [0.7, 0.8], python: [0.8, 1], ready: [1, 1] };

/** How far the whole start is. @param {import("../pagehand.js").BootProgress} boot */
function bootShare({ phase, progress }) {
  const [from, to] = PHASES[phase] ?? [0, 1];
  return from + (to - from) * progress;
}

/** @param {RunState} run */
function activityOf({ status, steps }) {
  const planned = steps.filter((each) => each.state !== "revised");
  const index = planned.findIndex((each) => each.state === "running");
  if (status === "waiting" || status === "starting") return "Starting";
  if (status === "planning") return "Planning";
  if (status === "answering") return "Writing the answer";
  const running = planned[index];
  if (!running) return planned.every((each) => each.state === "waiting") ? "Planning" : "Thinking about what comes next";
  return `Step ${index + 1} of ${planned.length}: ${running.step.description}`;
}

/** How a run ended. @param {RunState} run */
export function outcomeOf({ status, runId, startedAt, endedAt, usage, cost }) {
  if (status === "cancelled" && !runId) return "Stopped before it began";
  const words = { complete: "Done in", cancelled: "Stopped after", failed: "Failed after" };
  const word = words[/** @type {keyof typeof words} */ (status)];
  const tokens = usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  const parts = [`${word} ${duration((endedAt ?? startedAt) - startedAt)}`];
  if (tokens) parts.push(count(tokens, "token"));
  if (cost.unknown.length) parts.push("cost unknown");
  else if (cost.usd) parts.push(money(cost.usd));
  return parts.join(" · ");
}

/**
 * @param {Status} status
 * @returns {import("lit-html").TemplateResult}
 */
export function statusLine({ text, share, elapsedMs }) {
  // Screen readers hear what is done, not each percent and second of it.
  return html`
    <div class="status">
      <span class="unseen" role="status">${text.replace(/\d+\s*%/, "")}</span>
      <span aria-hidden="true" class="text">${clip(text, 200)}</span>
      ${share === null ? nothing : html`<progress max="1" .value=${share} aria-label=${text}></progress>`}
      ${elapsedMs === null || elapsedMs < SOON_MS
        ? nothing
        : html`<span class="elapsed" aria-hidden="true">${duration(Math.floor(elapsedMs / 1000) * 1000)}</span>`}
    </div>
  `;
}

/** Nobody counts the first seconds. */
const SOON_MS = 10_000;

export const styles = sheet(`
  .status { display: flex; gap: 16px; align-items: center; min-block-size: 28px; padding-block: 4px; font-size: 14px; line-height: 1.3; color: var(--text-soft); }
  .status .text { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .status .elapsed { flex: none; margin-inline-start: auto; font-variant-numeric: tabular-nums; }
  .status progress { flex: 1; min-inline-size: 48px; }
`);

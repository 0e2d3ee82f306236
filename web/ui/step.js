// One step of a plan: its mark and text, and once it has begun what happens in it.

import { html, nothing } from "../vendor/lit-html.js";
import { marks } from "./icons.js";
import { sheet } from "./sheet.js";
import { thoughts } from "./thoughts.js";
import { toolCard } from "./tool_card.js";
import { duration } from "./words.js";

/** @typedef {import("./run_state.js").StepView} StepView */

/**
 * @param {{view: StepView, answer: string, toolTitle: (name: string) => string}} props  a report
 *   that became the run's `answer` as it is stands only there
 * @returns {import("lit-html").TemplateResult}
 */
export function step({ view, answer, toolTitle }) {
  const { state, replacedBecause } = view;
  const items = view.items.filter((item) => item.kind !== "text" || item.text.trim() !== answer.trim());
  const inside = items.map((item, index) =>
    item.kind === "tool"
      ? toolCard({ card: item, title: toolTitle(item.name) })
      : thoughts({
          label: item.kind === "thought" ? "Thoughts" : "Report",
          text: item.text,
          growing: state === "running" && index === items.length - 1,
        }),
  );
  return html`
    <li class="step" data-state=${state}>
      ${items.length
        ? html`<details open><summary class="head">${head(view)}</summary><div class="inside">${inside}</div></details>`
        : html`<div class="head">${head(view)}</div>`}
      ${replacedBecause ? html`<p class="because" dir="auto">${replacedBecause}</p>` : nothing}
    </li>
  `;
}

/** @param {StepView} view */
function head({ step: { description }, state, durationMs }) {
  const text = state === "revised" ? html`<del>${description}</del>` : description;
  return html`
    ${marks[state]}
    <span class="what" dir="auto">${text}</span>
    <span class="meta">${state === "done" ? doneIn(durationMs) : wordOf(state)}</span>
  `;
}

/** @param {number | null} ms */
function doneIn(ms) {
  return html`<span class="unseen">done</span> ${ms === null ? "" : duration(ms)}`;
}

/** @param {StepView["state"]} state */
function wordOf(state) {
  if (state === "waiting" || state === "draft") return html`<span class="unseen">${state}</span>`;
  return state;
}

export const styles = sheet(`
  .step { position: relative; list-style: none; padding-block-end: 4px; }
  .step:not(:last-child)::before {
    content: ""; position: absolute; inset-block: 26px -4px; inset-inline-start: 7.5px;
    inline-size: 1px; background: var(--line);
  }
  .step .head { display: flex; align-items: baseline; gap: 12px; padding-block: 4px; line-height: 1.4; border-radius: 4px; }
  .step .head > .icon { align-self: flex-start; margin-block-start: 2px; }
  .step .what { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; }
  .step .head > .meta { flex: none; font-size: 12px; color: var(--text-soft); }
  .step:is([data-state="waiting"], [data-state="draft"], [data-state="skipped"], [data-state="revised"]) .what { color: var(--text-soft); }
  .step[data-state="failed"] .head > .meta { color: var(--bad); }
  .step[data-state="revised"] .head > .meta { color: var(--warn); }
  .step .inside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; margin-inline-start: 28px; padding-block: 4px 8px; }
  .step .because { margin-inline-start: 28px; font-size: 12px; color: var(--text-soft); }
  .icon.soft { color: var(--line-strong); }
  .icon.accent { color: var(--accent); }
  .icon.good { color: var(--good); }
  .icon.warn { color: var(--warn); }
  .icon.bad { color: var(--bad); }
  .icon .turn { transform-origin: 8px 8px; animation: turn 1s linear infinite; }
  @keyframes turn { to { rotate: 360deg; } }
`);

// One run: the request, the plan, the answer, and how it ended.

import { html, nothing } from "../vendor/lit-html.js";
import { errorCard, offersRetry } from "./error_card.js";
import { plan } from "./plan.js";
import { isOver } from "./run_state.js";
import { sheet } from "./sheet.js";
import { outcomeOf } from "./status_line.js";
import { thoughts } from "./thoughts.js";
import "./markdown_view.js";

/**
 * @param {{run: import("./run_state.js").RunState,
 *          latest: boolean, toolTitle: (name: string) => string}
 *         & import("./error_card.js").WaysOut} props  the status line tells how the `latest` run
 *   ended; a stopped one, which may have nothing else to show, says so itself too
 * @returns {import("lit-html").TemplateResult}
 */
export function runCard({ run, latest, toolTitle, ...ways }) {
  const { goal, status, steps, thought, answer, answerThought, answered, error } = run;
  return html`
    <article class="run" aria-label=${`Request: ${goal}`} data-status=${status}>
      <h2 class="goal" dir="auto">${goal}</h2>
      ${status === "waiting" ? html`<p class="waiting">Waiting for the run before it</p>` : nothing}
      ${run.planNotices.map(noticeLine)}
      ${plan({ steps, thought, answer, planning: status === "planning", toolTitle })}
      ${answerThought
        ? thoughts({ label: "Thoughts", text: answerThought, growing: status === "answering" && !answer })
        : nothing}
      ${answer
        ? html`<pagehand-markdown class="answer" .text=${answer} .done=${answered}></pagehand-markdown>`
        : nothing}
      ${run.notices.map(noticeLine)}
      ${status === "failed" && error ? errorCard({ error, ...ways }) : nothing}
      ${isOver(run) ? footer(run, latest, ways.onRetry) : nothing}
    </article>
  `;
}

/** @param {string} notice */
function noticeLine(notice) {
  return html`<p class="notice">${notice}</p>`;
}

/** @param {import("./run_state.js").RunState} run @param {boolean} latest @param {() => void} onRetry */
function footer(run, latest, onRetry) {
  return html`
    <footer>
      ${latest && run.status !== "cancelled" ? nothing : html`<span>${outcomeOf(run)}</span>`}
      ${run.answer ? html`<button class="plain" type="button" @click=${copyTo(run.answer)}>Copy</button>` : nothing}
      ${hasRetry(run) ? nothing : html`<button class="plain" type="button" @click=${onRetry}>Run again</button>`}
    </footer>
  `;
}

/** Whether the error's own button runs the request again. @param {import("./run_state.js").RunState} run */
function hasRetry({ status, error }) {
  return status === "failed" && error !== null && offersRetry(error);
}

/** @param {string} text @returns {(event: Event) => void} */
function copyTo(text) {
  return ({ currentTarget }) => {
    const button = /** @type {HTMLButtonElement} */ (currentTarget);
    navigator.clipboard.writeText(text).then(() => (button.textContent = "Copied"));
  };
}

export const styles = sheet(`
  .run { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; padding-block: 24px; }
  .run + .run { border-block-start: 1px solid var(--line); }
  .run .goal {
    justify-self: end; max-inline-size: 85%; padding: 8px 16px; border-radius: 8px;
    background: var(--accent-faint); font-size: 16px; font-weight: 400; line-height: 1.5;
    white-space: pre-wrap; overflow-wrap: anywhere;
  }
  .run .waiting { font-size: 14px; color: var(--text-soft); }
  .run .answer { font-size: 16px; }
  .run .notice { font-size: 14px; color: var(--text-soft); padding-inline-start: 12px; border-inline-start: 2px solid var(--warn); overflow-wrap: anywhere; }
  .run footer { display: flex; align-items: center; flex-wrap: wrap; gap: 4px; margin-inline-start: -8px; font-size: 12px; color: var(--text-soft); }
  .run footer span { margin-inline: 8px; }
  .run footer button { min-block-size: 28px; font-size: 12px; padding: 4px 8px; }
`);

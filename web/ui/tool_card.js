// One call of a tool: its name, arguments, result, time, and how far it is while it runs.

import { html, nothing } from "../vendor/lit-html.js";
import { icons, marks } from "./icons.js";
import { sheet } from "./sheet.js";
import { clip, duration } from "./words.js";

/** @typedef {import("./run_state.js").ToolCard} ToolCard */

/**
 * @param {{card: ToolCard, title: string}} props  the title is the name that people read
 * @returns {import("lit-html").TemplateResult}
 */
export function toolCard({ card, title }) {
  return html`
    <details class="tool" data-state=${card.state}>
      <summary>
        ${icons.chevron}
        <span class="title">${title}</span>
        <span class="preview mono">${clip(argumentsLine(card.input), 120)}</span>
        <span class="meta">${metaOf(card)}</span>
        ${marks[card.state]}<span class="unseen">${card.state}</span>
      </summary>
      <div class="body">
        <div class="field"><span>Tool</span><code>${card.name}</code></div>
        ${block("Arguments", card.input)}
        ${card.repairs.length ? html`<div class="field"><span>Mended</span><p>${card.repairs.join(", ")}</p></div>` : nothing}
        ${card.state === "done" ? block("Result", card.output) : nothing}
      </div>
    </details>
    ${card.state === "running" && card.progress ? progressOf(card.progress) : nothing}
    ${card.error ? html`<p class="tool-error">${card.error.message}</p>` : nothing}
  `;
}

/** @param {ToolCard} card */
function metaOf({ state, durationMs, progress }) {
  if (state === "running") return progress?.message ?? "running";
  if (state === "failed") return "failed";
  return durationMs === null ? "" : duration(durationMs);
}

/** @param {{progress: number, total?: number}} progress */
function progressOf({ progress, total }) {
  return html`<progress class="tool-progress" max=${total ?? 1} .value=${progress} aria-label="How far the tool is"></progress>`;
}

/** @param {string} label @param {unknown} value */
function block(label, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return html`<div class="field"><span>${label}</span><pre tabindex="0" dir="auto">${text}</pre></div>`;
}

/** The arguments as one line: `text: "milk", count: 2`. @param {unknown} input */
function argumentsLine(input) {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ");
}

export const styles = sheet(`
  .tool { font-size: 14px; line-height: 1.3; border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised); }
  .tool > summary { display: flex; align-items: center; gap: 8px; min-block-size: 36px; padding: 4px 12px; border-radius: 8px; }
  .tool .title { flex: none; max-inline-size: 60%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .tool .preview { flex: 1; min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--text-soft); font-size: 12px; }
  .tool .meta { flex: none; color: var(--text-soft); font-size: 12px; }
  .tool[data-state="failed"] .meta { color: var(--bad); }
  .tool .body { display: grid; gap: 8px; padding: 4px 12px 12px; border-block-start: 1px solid var(--line); }
  .tool .field { display: grid; gap: 4px; padding-block-start: 4px; }
  .tool .field > span { color: var(--text-soft); font-size: 12px; }
  .tool pre { margin: 0; padding: 8px; max-block-size: 240px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 4px; background: var(--code); font-size: 12px; line-height: 1.5; }
  .tool-progress { margin-block-start: 4px; }
  .tool-error { padding-block: 4px; font-size: 14px; color: var(--bad); overflow-wrap: anywhere; }
`);

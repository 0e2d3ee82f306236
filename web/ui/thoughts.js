// A text that matters less than the answer: one line that follows its end while it grows, and the
// whole when opened.

import { html } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";
import { clip, clipStart } from "./words.js";

const PREVIEW_LENGTH = 120;

/**
 * @param {{label: string, text: string, growing: boolean}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function thoughts({ label, text, growing }) {
  const preview = growing ? clipStart(text, PREVIEW_LENGTH) : clip(text, PREVIEW_LENGTH);
  return html`
    <details class="thoughts">
      <summary>${icons.chevron}<span class="label">${label}</span><span class="preview" dir="auto">${preview}</span></summary>
      <p class="whole" dir="auto">${text}</p>
    </details>
  `;
}

export const styles = sheet(`
  .thoughts { font-size: 14px; line-height: 1.5; color: var(--text-soft); }
  .thoughts > summary { display: flex; align-items: center; gap: 8px; min-block-size: 28px; border-radius: 4px; }
  .thoughts .label { flex: none; }
  .thoughts .preview { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .thoughts[open] .preview { visibility: hidden; }
  .thoughts .whole { padding-inline-start: 24px; padding-block-end: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
  .chevron { transition: rotate 150ms; color: var(--text-soft); }
  details[open] > summary > .chevron { rotate: 90deg; }
`);

// The bar above the conversation: what this is, which model works, a new start, the side.

import { html, nothing } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @param {{model: {name: string, here: boolean}, canClear: boolean,
 *          side: {label: string, open: boolean} | null, onModel: () => void, onClear: () => void,
 *          onSide: () => void}} props  `here`: the model runs on this device; `side`: null without one
 * @returns {import("lit-html").TemplateResult}
 */
export function header({ model, canClear, side, onModel, onClear, onSide }) {
  return html`
    <header>
      <span class="brand">${icons.brand}<span class="word">pagehand</span></span>
      <button class="plain model-button" aria-haspopup="dialog" @click=${onModel}>
        ${model.here ? icons.device : icons.cloud}<span class="unseen">Model:</span>
        <span class="name">${model.name}</span>${icons.down}
      </button>
      <span class="space"></span>
      ${canClear
        ? html`<button class="plain" @click=${onClear}>${icons.fresh}<span class="word">New</span></button>`
        : nothing}
      ${side
        ? html`<button class="plain" aria-expanded=${side.open} @click=${onSide}>
            ${icons.note}<span class="word">${side.label}</span>
          </button>`
        : nothing}
    </header>
  `;
}

export const styles = sheet(`
  header { display: flex; align-items: center; gap: 4px; padding: 8px 12px; border-block-end: 1px solid var(--line); }
  header .brand { display: flex; align-items: center; gap: 8px; padding-inline: 4px 8px; font-weight: 600; font-size: 16px; line-height: 1.3; }
  header .brand .icon { inline-size: 20px; block-size: 20px; color: var(--accent); }
  header .space { flex: 1; }
  header .model-button { min-inline-size: 0; }
  header .model-button .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @container (max-width: 480px) { header .brand .word { position: absolute; clip-path: inset(50%); } }
  @container (max-width: 900px) { header button .word { position: absolute; clip-path: inset(50%); } }
`);

// The message box: Enter sends, Shift+Enter breaks the line, Escape or Stop stops.

import { html, live, nothing } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @param {{draft: string, running: boolean, waiting: boolean, onDraft: (text: string) => void, onSend: () => void,
 *          onStop: () => void}} props  `waiting`: requests wait behind the one that is `running`
 * @returns {import("lit-html").TemplateResult}
 */
export function composer({ draft, running, waiting, onDraft, onSend, onStop }) {
  const empty = draft.trim() === "";
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!empty) onSend();
  };
  /** @param {Event} event */
  const onSubmit = (event) => {
    event.preventDefault();
    if (!empty) onSend();
  };
  /** @param {InputEvent} event */
  const onInput = ({ currentTarget }) => onDraft(/** @type {HTMLTextAreaElement} */ (currentTarget).value);
  return html`
    <form class="composer" @submit=${onSubmit}>
      <textarea rows="1" dir="auto" aria-label="Your request" placeholder="Ask for something"
        .value=${live(draft)} @input=${onInput} @keydown=${onKey}></textarea>
      ${running
        ? html`<button type="button" class="stop" @click=${onStop}>${icons.stop} ${waiting ? "Stop all" : "Stop"}</button>`
        : nothing}
      ${running && empty
        ? nothing
        : html`<button class="primary send" ?disabled=${empty}>${icons.send} Send</button>`}
    </form>
  `;
}

export const styles = sheet(`
  .composer {
    display: flex; align-items: flex-end; gap: 8px; padding: 8px;
    border: 1px solid var(--line-strong); border-radius: 12px; background: var(--surface-raised);
  }
  .composer:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
  .composer textarea {
    flex: 1; min-inline-size: 0; min-block-size: 36px; max-block-size: 200px; padding: 6px 8px;
    border: 0; background: none; resize: none; field-sizing: content; overflow-y: auto; line-height: 1.5;
  }
  .composer textarea:focus-visible { outline: none; }
  .composer button { flex: none; }
`);

// <pagehand-notes>: a board of short notes that the agent's tools and the user change alike.

import { html, nothing, render, repeat } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";
import { theme } from "./theme.js";

/** @typedef {{number: number, text: string}} Note */

export class NotesBoard extends HTMLElement {
  /** @type {Note[]} */
  #notes = [];
  #lastNumber = 0;
  /** What happened last, so that a reader sees it. @type {{number: number, word: string} | null} */
  #last = null;
  #root = this.attachShadow({ mode: "open" });

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [theme, styles];
  }

  connectedCallback() {
    this.#render();
  }

  /** @returns {readonly Note[]} */
  get notes() {
    return this.#notes;
  }

  /** @param {string} text @returns {Note} */
  addNote(text) {
    const note = { number: ++this.#lastNumber, text };
    this.#update([...this.#notes, note], { number: note.number, word: "new" });
    return note;
  }

  /** @param {number} number @param {string} text @returns {Note | null} null when there is none */
  changeNote(number, text) {
    if (!this.#has(number)) return null;
    const note = { number, text };
    const notes = this.#notes.map((each) => (each.number === number ? note : each));
    this.#update(notes, { number, word: "changed" });
    return note;
  }

  /** @param {number} number @returns {boolean} whether there was one */
  removeNote(number) {
    if (!this.#has(number)) return false;
    this.#update(this.#notes.filter((each) => each.number !== number), null);
    return true;
  }

  /** @param {number} number */
  #has(number) {
    return this.#notes.some((each) => each.number === number);
  }

  /** @param {Note[]} notes @param {{number: number, word: string} | null} last */
  #update(notes, last) {
    this.#notes = notes;
    this.#last = last;
    this.#render();
    this.dispatchEvent(new Event("change"));
  }

  /** @param {SubmitEvent} event */
  #onSubmit = (event) => {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (
      /** @type {HTMLFormElement} */ (event.currentTarget).elements.namedItem("text")
    );
    if (field.value.trim()) this.addNote(field.value.trim());
    field.value = "";
  };

  #render() {
    const notes = this.#notes;
    render(
      html`
        <h2>Notes</h2>
        ${notes.length ? nothing : html`<p class="none">The board is empty. Ask for a note, or write one here.</p>`}
        <ol aria-live="polite">${repeat(notes, (note) => note.number, (note) => this.#item(note))}</ol>
        <form @submit=${this.#onSubmit}>
          <input type="text" name="text" aria-label="New note" placeholder="New note" autocomplete="off" dir="auto">
          <button>Add</button>
        </form>
      `,
      this.#root,
    );
  }

  /** @param {Note} note */
  #item({ number, text }) {
    const news = this.#last?.number === number ? this.#last.word : "";
    return html`
      <li data-news=${news}>
        <span class="number" aria-hidden="true">${number}</span>
        <span class="text" dir="auto">${text}</span>
        ${news ? html`<span class="news">${news}</span>` : nothing}
        <button class="plain" type="button" aria-label=${`Remove note ${number}`} @click=${() => this.removeNote(number)}>${icons.close}</button>
      </li>
    `;
  }
}

const styles = sheet(`
  :host { display: grid; gap: 12px; align-content: start; background: none; }
  h2 { font-size: 16px; line-height: 1.3; font-weight: 600; padding-inline-end: 40px; }
  .none { font-size: 14px; color: var(--text-soft); }
  ol { display: grid; gap: 8px; list-style: none; }
  ol:empty { display: none; }
  li {
    display: flex; align-items: flex-start; gap: 8px; padding: 4px 4px 4px 12px; font-size: 14px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised);
  }
  li:not([data-news=""]) { background: var(--accent-faint); }
  .number { padding-block: 6px; min-inline-size: 1.2em; font-size: 12px; color: var(--text-soft); }
  .text { flex: 1; min-inline-size: 0; padding-block: 4px; overflow-wrap: anywhere; }
  .news { padding-block: 6px; font-size: 12px; color: var(--text-soft); }
  li button { min-block-size: 28px; padding: 4px; }
  form { display: flex; gap: 8px; }
  form input { min-inline-size: 0; flex: 1; font-size: 14px; }
  form button { min-block-size: 40px; }
`);

customElements.define("pagehand-notes", NotesBoard);

// <pagehand-markdown>: shows a Markdown text that still grows. Finished blocks are frozen; only the
// last block is parsed again, at most every 50 ms.

import { renderBlock, splitBlocks } from "../markdown.js";
import { sheet } from "./sheet.js";

const FLUSH_MS = 50;

export class MarkdownView extends HTMLElement {
  /** How much was parsed so far: for tests and the curious. */
  work = { flushes: 0, characters: 0 };
  #text = "";
  #done = false;
  #frozenLength = 0;
  /** @type {import("../markdown.js").Links} */
  #links = Object.create(null);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  // A screen reader hears each block once, when it is finished, and nothing of the one that grows.
  #blocks = Object.assign(document.createElement("div"), { ariaLive: "polite" });
  #tail = Object.assign(document.createElement("div"), { ariaLive: "off" });

  connectedCallback() {
    if (!this.#blocks.isConnected) this.replaceChildren(this.#blocks, this.#tail);
    this.addEventListener("click", copyCode);
    this.#schedule();
  }

  disconnectedCallback() {
    this.removeEventListener("click", copyCode);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The whole text so far. A text that does not continue the last one starts the view anew. */
  get text() {
    return this.#text;
  }

  set text(given) {
    const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    if (text === this.#text) return;
    if (!text.startsWith(this.#text.slice(0, this.#frozenLength))) this.#restart();
    this.#text = text;
    this.#schedule();
  }

  /** Whether the text is whole: its last block is then frozen too. */
  get done() {
    return this.#done;
  }

  set done(done) {
    if (done === this.#done) return;
    if (!done) this.#restart();
    this.#done = done;
    this.#schedule();
  }

  #restart() {
    this.#frozenLength = 0;
    this.#links = Object.create(null);
    this.#blocks.replaceChildren();
    this.#tail.replaceChildren();
  }

  #schedule() {
    if (!this.isConnected) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, FLUSH_MS);
  }

  #flush() {
    const source = this.#text.slice(this.#frozenLength);
    this.work = { flushes: this.work.flushes + 1, characters: this.work.characters + source.length };
    const blocks = splitBlocks(source, this.#links);
    const last = this.#done ? -1 : blocks.findLastIndex((block) => block.type !== "space");
    blocks.forEach((block, index) => {
      if (index > last && !this.#done) return; // blank lines after the block that grows
      patchChildren(this.#tail, renderBlock(block));
      if (index !== last) this.#freeze(block);
    });
  }

  /** @param {import("../markdown.js").Token} block */
  #freeze(block) {
    this.#blocks.append(...this.#tail.childNodes);
    this.#frozenLength += block.raw.length;
    if (block.type === "def") this.#links[block.tag] ??= { href: block.href, title: block.title };
  }
}

/**
 * Makes the children of `shown` equal to those of `wanted`, touching only what differs, so that
 * what is already read, selected or focused stays where it is.
 * @param {Node} shown
 * @param {Node} wanted
 */
function patchChildren(shown, wanted) {
  const old = [...shown.childNodes];
  const fresh = [...wanted.childNodes];
  fresh.forEach((node, index) => {
    const current = old[index];
    if (!current) shown.appendChild(node);
    else if (current.isEqualNode(node)) return;
    else if (isSameElement(current, node)) patchChildren(current, node);
    else current.replaceWith(node);
  });
  for (const node of old.slice(fresh.length)) node.remove();
}

/** @param {Node} left @param {Node} right */
function isSameElement(left, right) {
  return (
    left instanceof Element && right instanceof Element && left.cloneNode().isEqualNode(right.cloneNode())
  );
}

/** @param {Event} event */
function copyCode(event) {
  const button = event.target;
  if (!(button instanceof HTMLButtonElement) || !button.classList.contains("copy")) return;
  const code = button.closest(".code")?.querySelector("code")?.textContent ?? "";
  navigator.clipboard.writeText(code).then(() => (button.textContent = "Copied"));
}

customElements.define("pagehand-markdown", MarkdownView);

export const styles = sheet(`
  pagehand-markdown { display: block; line-height: 1.6; overflow-wrap: break-word; }
  pagehand-markdown > div > :first-child { margin-block-start: 0; }
  pagehand-markdown :is(p, ul, ol, blockquote, .table, .code) { margin-block: 12px; }
  pagehand-markdown :is(h3, h4, h5, h6) { margin-block: 20px 8px; font-size: 16px; line-height: 1.3; }
  pagehand-markdown h3 { font-size: 20px; }
  pagehand-markdown :is(ul, ol) { padding-inline-start: 24px; }
  pagehand-markdown li { margin-block: 4px; }
  pagehand-markdown li > :is(p, ul, ol) { margin-block: 4px; }
  pagehand-markdown blockquote {
    margin-inline: 0; padding-inline-start: 16px; color: var(--text-soft);
    border-inline-start: 2px solid var(--line);
  }
  pagehand-markdown hr { border: 0; border-block-start: 1px solid var(--line); margin-block: 20px; }
  pagehand-markdown img { max-inline-size: 100%; }
  pagehand-markdown .table { overflow-x: auto; }
  pagehand-markdown table { border-collapse: collapse; font-size: 14px; line-height: 1.4; }
  pagehand-markdown :is(th, td) {
    padding: 8px 16px 8px 0; text-align: start; border-block-end: 1px solid var(--line);
  }
  pagehand-markdown th { font-weight: 600; color: var(--text-soft); }
  pagehand-markdown :not(pre) > code {
    padding: 2px 4px; border-radius: 4px; background: var(--code); font-size: 0.875em;
  }
  pagehand-markdown .code { border-radius: 8px; background: var(--code); overflow: hidden; }
  pagehand-markdown .code-bar {
    display: flex; justify-content: space-between; align-items: center;
    padding: 4px 4px 0 12px; font-size: 12px; color: var(--text-soft);
  }
  pagehand-markdown .copy { padding: 4px 8px; border: 0; background: none; font-size: 12px; }
  pagehand-markdown pre { margin: 0; padding: 4px 12px 12px; overflow-x: auto; line-height: 1.5; font-size: 14px; }
`);

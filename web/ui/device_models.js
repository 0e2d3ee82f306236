// <pagehand-device-models>: the fields for a model on this device. They are part of the form around
// them: `device` says which kind, `webllm`, `gguf` and `contextWindowTokens` the rest.

import { errorData } from "../../worker/rpc.js";
import { whyNot } from "../host/local_fit.js";
import { localName } from "../model_pick.js";
import { html, nothing, render, repeat } from "../vendor/lit-html.js";
import { BROWSER_STATES, found, sizesOf } from "./device_words.js";
import { marks } from "./icons.js";
import { sheet } from "./sheet.js";
import { bytes, count, number } from "./words.js";

/**
 * @typedef {import("../chat.js").Device} Device
 * @typedef {import("../host/local_models.js").WebLLMFacts} WebLLMFacts
 * @typedef {import("../model_pick.js").ModelPick} ModelPick
 */

const GGUF = "wllama:";

export class DeviceModels extends HTMLElement {
  /** What is in use. @type {ModelPick} */
  pick = { kind: "default" };
  /** Whether the page's own model is the one that comes with the site. */
  ownIsEmbedded = true;
  /** Keeps a model no longer. @type {(model: string) => Promise<void>} */
  onDelete = async () => {};

  /** @type {Device | null} */
  #device = null;
  #kind = "";
  #chosen = "";
  #search = "";
  /** What is being deleted. */
  #deleting = "";
  /** @type {import("../events.js").Fault | null} */
  #fault = null;

  connectedCallback() {
    const root = /** @type {ShadowRoot | Document} */ (this.getRootNode());
    if (!root.adoptedStyleSheets.includes(styles)) root.adoptedStyleSheets.push(styles);
    const model = this.pick.kind === "device" ? this.pick.model : "";
    this.#kind = model.includes(":") ? model.slice(0, model.indexOf(":")) : model;
    this.#chosen = model;
    this.addEventListener("input", this.#onInput);
    this.#draw();
  }

  /** What this device can run. @param {Device} device */
  set device(device) {
    this.#device = device;
    this.#draw();
  }

  #draw() {
    if (this.isConnected && this.#device) render(this.#fields(this.#device), this);
  }

  /** @param {Event} event */
  #onInput = ({ target }) => {
    const field = /** @type {HTMLInputElement} */ (target);
    if (field.name === "device") this.#kind = field.value;
    if (field.name === "webllm") this.#chosen = field.value;
    if (field.type === "search") this.#search = field.value;
    this.#draw();
  };

  /** Enter searches, and takes nothing. @param {KeyboardEvent} event */
  #onSearchKey = (event) => {
    if (event.key === "Enter") event.preventDefault();
  };

  /** @param {string} model */
  async #delete(model) {
    this.#deleting = model;
    this.#fault = null;
    this.#draw();
    try {
      await this.onDelete(model);
    } catch (fault) {
      this.#fault = errorData(fault);
    }
    this.#deleting = "";
    this.#draw();
    // The button that was pressed is gone.
    /** @type {HTMLElement | null} */ (this.querySelector("input[name=device]:checked"))?.focus();
  }

  /** @param {Device} device */
  #fields({ facts, models, kept }) {
    const gpu = facts.webgpu.available;
    const browser = facts.browserModel;
    return html`
      ${this.ownIsEmbedded
        ? nothing
        : this.#option("embedded", "The site's small model", "It comes with the site and runs on the processor.", true)}
      ${this.#option("browser", "The browser's own model", BROWSER_STATES[browser] ?? "", browser !== "unavailable")}
      ${this.#option("web-llm", "A model of WebLLM's list", gpu ? "On the graphics processor (WebGPU)." : whyNot(NOTHING_SPECIAL, facts) ?? "", gpu)}
      ${this.#kind === "web-llm" && gpu ? this.#webllm(facts, models, kept) : nothing}
      ${this.#option("wllama", "A GGUF file", "From any address that allows this page, on the processor.", true)}
      ${this.#kind === "wllama" ? this.#gguf() : nothing}
      ${this.#kept(kept)}
      ${this.#fault ? html`<p class="advice" role="alert">It could not be deleted. ${this.#fault.message}</p>` : nothing}
    `;
  }

  /** @param {string} value @param {string} name @param {string} text @param {boolean} usable */
  #option(value, name, text, usable) {
    return html`
      <label class="option" data-off=${!usable}>
        <input type="radio" name="device" value=${value} required ?disabled=${!usable} ?checked=${this.#kind === value}>
        <span><b>${name}</b><small>${text}</small></span>
      </label>
    `;
  }

  /** @param {Device["facts"]} facts @param {WebLLMFacts[]} models @param {Device["kept"]} kept */
  #webllm(facts, models, kept) {
    const shown = found(models, this.#search);
    const chosen = models.find(({ model }) => model === this.#chosen);
    return html`
      <div class="webllm">
        <div class="field">
          <label for="model-search">Search</label>
          <input id="model-search" type="search" placeholder="such as qwen3 4b" autocomplete="off" spellcheck="false" @keydown=${this.#onSearchKey}>
          <small role="status">${count(shown.length, "model")} of ${models.length}. The download is mostly smaller than the memory.</small>
        </div>
        <ul class="models">
          ${repeat(shown, ({ model }) => model, (each) => this.#item(each, whyNot(each, facts), kept))}
        </ul>
        <div class="field">
          <label for="model-window">Context window, in tokens</label>
          <input id="model-window" type="number" name="contextWindowTokens" min="256" max="1000000" step="1"
            value=${this.pick.kind === "device" ? (this.pick.contextWindowTokens ?? "") : ""}
            placeholder=${chosen ? `Empty: the model's own, ${number(chosen.contextWindow)}` : "Empty: the model's own"} aria-describedby="model-window-hint">
          <small id="model-window-hint">A larger one takes more memory, and no new download.</small>
        </div>
      </div>
    `;
  }

  /** @param {WebLLMFacts} facts @param {string | null} reason @param {Device["kept"]} kept */
  #item({ model, ...facts }, reason, kept) {
    const size = kept.find((each) => each.model === model)?.bytes;
    return html`
      <li data-off=${reason !== null}>
        <label>
          <input type="radio" name="webllm" value=${model} required ?disabled=${reason !== null} ?checked=${model === this.#chosen}>
          <span>
            <b>${localName(model)}</b>
            <small>${sizesOf({ model, ...facts })}</small>
            ${facts.cached ? html`<small class="mark">${marks.done} kept here${size === undefined ? nothing : `, ${bytes(size)}`}</small>` : nothing}
            ${reason ? html`<small>${reason}</small>` : nothing}
          </span>
        </label>
      </li>
    `;
  }

  #gguf() {
    const address = this.#chosen.startsWith(GGUF) ? this.#chosen.slice(GGUF.length) : "";
    return html`
      <div class="field">
        <label for="model-gguf">Address of the file</label>
        <input id="model-gguf" type="url" name="gguf" required value=${address} placeholder="https://…/model.gguf" autocomplete="off"
          pattern="https?://.+" title="An address that starts with http:// or https://" aria-describedby="model-gguf-hint">
        <small id="model-gguf-hint">Small models only: the processor reads a few dozen tokens a second.</small>
      </div>
    `;
  }

  /** @param {Device["kept"]} kept */
  #kept(kept) {
    if (kept.length === 0) return nothing;
    return html`
      <div class="kept">
        <h3>Kept in this browser</h3>
        <ul>
          ${repeat(
            kept,
            ({ model }) => model,
            ({ model, bytes: size }) => html`
              <li>
                <span><b>${localName(model)}</b><small>${bytes(size)}</small></span>
                <button type="button" ?disabled=${this.#deleting === model} aria-label="Delete ${localName(model)} from this browser"
                  @click=${() => this.#delete(model)}>Delete</button>
              </li>
            `,
          )}
        </ul>
      </div>
    `;
  }
}

/** A model without wishes of its own. */
const NOTHING_SPECIAL = { needs: [], bufferBytes: null };

customElements.define("pagehand-device-models", DeviceModels);

const styles = sheet(`
  pagehand-device-models { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; font-size: 14px; }
  pagehand-device-models .option[data-off="true"], pagehand-device-models li[data-off="true"] label { cursor: default; }
  pagehand-device-models :is(.option, li)[data-off="true"] b { color: var(--text-soft); font-weight: 400; }
  pagehand-device-models ul { list-style: none; }
  pagehand-device-models .webllm { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; padding-inline-start: 28px; }
  pagehand-device-models .models { max-block-size: 264px; overflow-y: auto; border: 1px solid var(--line); border-radius: 8px; }
  pagehand-device-models .models li + li { border-block-start: 1px solid var(--line); }
  pagehand-device-models .models label { display: flex; gap: 12px; align-items: flex-start; padding: 8px 12px; cursor: pointer; }
  pagehand-device-models .models label:has(:checked) { background: var(--accent-faint); }
  pagehand-device-models .models input { inline-size: 16px; block-size: 16px; margin: 3px 0 0; flex: none; accent-color: var(--accent); }
  pagehand-device-models li b { font-weight: 600; overflow-wrap: anywhere; }
  pagehand-device-models li small { font-size: 12px; }
  pagehand-device-models .mark { display: flex; align-items: center; gap: 4px; }
  pagehand-device-models .mark .icon { color: var(--good); inline-size: 12px; block-size: 12px; }
  pagehand-device-models .kept { display: grid; gap: 8px; padding-block-start: 12px; border-block-start: 1px solid var(--line); }
  pagehand-device-models h3 { margin: 0; font-size: 14px; line-height: 1.3; font-weight: 600; }
  pagehand-device-models .kept ul { display: grid; gap: 8px; }
  pagehand-device-models .kept li { display: flex; align-items: center; justify-content: space-between; gap: 12px; }
  pagehand-device-models .kept li span { min-inline-size: 0; }
  @media (max-width: 480px) { pagehand-device-models .webllm { padding-inline-start: 0; } }
`);

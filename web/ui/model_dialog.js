// <pagehand-model-dialog>: the choice of the model: the page's own, or one of a provider with the
// user's key. The form is there only while the dialog is open, so that no key outlives it there.

import { errorData } from "../../worker/rpc.js";
import { readPick, specOf } from "../model_pick.js";
import { html, keyed, nothing, render } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { modelTest } from "./model_test.js";
import { providerFields } from "./provider_fields.js";
import { grouped } from "./provider_words.js";
import { sheet } from "./sheet.js";

/**
 * @typedef {import("../model_pick.js").ModelPick} ModelPick
 * @typedef {import("../pagehand.js").Provider} Provider
 * @typedef {Pick<import("../pagehand.js").Agent, "listProviders" | "checkModel">} Models
 */

/** @type {import("./model_test.js").ModelTest} */
const IDLE = { state: "idle" };

export class ModelDialog extends HTMLElement {
  /** What is in use. @type {ModelPick} */
  pick = { kind: "default" };
  /** @type {import("../element.js").OwnModel} */
  own = { name: "", text: "" };
  /** Who knows the providers and can test a model. @type {Models | null} */
  models = null;
  /** Called with what the user picked. @type {(pick: ModelPick) => void} */
  onPick = () => {};

  #open = false;
  /** @type {ModelPick["kind"]} */
  #kind = "default";
  #providerType = "";
  #typedAddress = "";
  /** @type {import("./model_test.js").ModelTest} */
  #test = IDLE;
  /** @type {readonly Provider[] | null} */
  #providers = null;
  /** Why there is no list of providers. @type {import("../events.js").Fault | null} */
  #fault = null;

  connectedCallback() {
    this.#render();
  }

  /** Shows the dialog with what is in use. */
  open() {
    if (this.#open) return;
    this.#open = true;
    this.#kind = this.pick.kind;
    this.#chooseProvider(this.pick.kind === "provider" ? this.pick.providerType : "");
    this.#render();
    this.#find("dialog", HTMLDialogElement).showModal();
    if (!this.#providers) void this.#listProviders();
  }

  /** @param {string} providerType */
  #chooseProvider(providerType) {
    const { pick } = this;
    this.#providerType = providerType;
    this.#typedAddress = pick.kind === "provider" && pick.providerType === providerType ? pick.baseURL : "";
    this.#test = IDLE;
  }

  #listProviders = async () => {
    this.#fault = null;
    this.#render();
    try {
      this.#providers = (await this.models?.listProviders()) ?? null;
    } catch (fault) {
      this.#fault = errorData(fault);
    }
    this.#render();
  };

  get #provider() {
    return this.#providers?.find(({ type }) => type === this.#providerType) ?? null;
  }

  /** @param {Event} event */
  #onInput = ({ target }) => {
    const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (target);
    if (field.name === "kind") this.#kind = /** @type {ModelPick["kind"]} */ (field.value);
    if (field.name === "providerType") this.#chooseProvider(field.value);
    if (field.name === "baseURL") this.#typedAddress = field.value.trim();
    this.#test = IDLE;
    this.#render();
  };

  /** Escape closes the dialog and nothing behind it. @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.key === "Escape") event.stopPropagation();
  };

  #onSubmit = () => {
    this.onPick(this.#kind === "default" ? { kind: "default" } : this.#readForm());
  };

  #onCancel = () => this.#find("dialog", HTMLDialogElement).close();

  #onClose = () => {
    this.#open = false;
    this.#test = IDLE;
    this.#render();
  };

  #readForm() {
    const form = new FormData(this.#find("form", HTMLFormElement));
    return readPick(form, /** @type {Provider} */ (this.#provider), this.pick);
  }

  #onTest = async () => {
    if (this.#test.state === "asking" || !this.#find("form", HTMLFormElement).reportValidity()) return;
    const pick = this.#readForm();
    const about = { model: pick.model, provider: this.#provider?.label ?? "" };
    /** @type {import("./model_test.js").ModelTest} */
    const asked = { state: "asking", ...about };
    this.#show(asked);
    // Whoever closed the dialog or changed a field has given this test up.
    const tell = (/** @type {import("./model_test.js").ModelTest} */ outcome) => this.#test === asked && this.#show(outcome);
    try {
      const { usage } = await /** @type {Models} */ (this.models).checkModel(specOf(pick));
      tell({ state: "works", ...about, usage });
    } catch (fault) {
      tell({ state: "failed", fault: errorData(fault) });
    }
  };

  /** @param {import("./model_test.js").ModelTest} test */
  #show(test) {
    this.#test = test;
    this.#render();
    this.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name */
  #onUseName = (name) => {
    this.#find("[name=model]", HTMLInputElement).value = name;
    void this.#onTest();
  };

  /**
   * @template {Element} Kind
   * @param {string} selector
   * @param {new () => Kind} kind
   */
  #find(selector, kind) {
    const found = this.querySelector(selector);
    if (!(found instanceof kind)) throw new Error(`The dialog has no ${selector}.`);
    return found;
  }

  #render() {
    render(
      html`
        <dialog aria-labelledby="model-heading" @close=${this.#onClose} @keydown=${this.#onKey}>
          ${this.#open ? this.#form() : nothing}
        </dialog>
      `,
      this,
    );
  }

  #form() {
    const isDefault = this.#kind === "default";
    return html`
      <form method="dialog" @submit=${this.#onSubmit} @input=${this.#onInput}>
        <h2 id="model-heading">Model</h2>
        <label class="option">
          <input type="radio" name="kind" value="default" ?checked=${this.pick.kind === "default"} ?autofocus=${this.pick.kind === "default"}>
          <span><b>${icons.device} ${this.own.name}</b><small>${this.own.text}</small></span>
        </label>
        <label class="option">
          <input type="radio" name="kind" value="provider" ?checked=${this.pick.kind === "provider"} ?autofocus=${this.pick.kind === "provider"}>
          <span><b>${icons.cloud} A model elsewhere</b><small>At a provider, with a key of your
            own, or on any server that allows this page.</small></span>
        </label>
        <fieldset ?disabled=${isDefault} ?hidden=${isDefault} aria-label="A model elsewhere">${this.#elsewhere()}</fieldset>
        ${isDefault ? nothing : modelTest({ test: this.#test, onUseName: this.#onUseName })}
        <div class="actions">
          ${isDefault || !this.#providers
            ? nothing
            : html`<button type="button" class="test" aria-disabled=${this.#test.state === "asking"} @click=${this.#onTest}>Test</button>`}
          <button type="button" class="plain" @click=${this.#onCancel}>Cancel</button>
          <button class="primary" ?disabled=${!isDefault && !this.#providers}>Use this model</button>
        </div>
      </form>
    `;
  }

  #elsewhere() {
    if (this.#fault) {
      return html`
        <p class="advice">The list of providers could not be loaded. ${this.#fault.message}</p>
        <div><button type="button" @click=${this.#listProviders}>Try again</button></div>
      `;
    }
    if (!this.#providers) return html`<p class="advice" role="status">Loading the list of providers</p>`;
    const provider = this.#provider;
    return html`
      <div class="field">
        <label for="model-provider">Provider</label>
        <div class="select">
          <select id="model-provider" name="providerType" required>
            <option value="" disabled ?selected=${!provider}>Choose one</option>
            ${grouped(this.#providers).map(
              ({ label, providers }) => html`
                <optgroup label=${label}>
                  ${providers.map(
                    ({ type, label: name }) => html`<option value=${type} ?selected=${type === provider?.type}>${name}</option>`,
                  )}
                </optgroup>
              `,
            )}
          </select>
          ${icons.down}
        </div>
      </div>
      ${provider
        ? keyed(provider.type, providerFields({ provider, pick: this.pick, typedAddress: this.#typedAddress }))
        : nothing}
    `;
  }
}

customElements.define("pagehand-model-dialog", ModelDialog);

export const styles = sheet(`
  pagehand-model-dialog { display: contents; }
  pagehand-model-dialog dialog {
    inline-size: min(480px, calc(100vw - 32px)); max-block-size: calc(100dvh - 32px); padding: 0; overflow: hidden auto; color: var(--text);
    border: 1px solid var(--line); border-radius: 12px; background: var(--surface-raised); box-shadow: var(--shadow);
  }
  pagehand-model-dialog dialog::backdrop { background: rgb(0 0 0 / 40%); }
  pagehand-model-dialog form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; padding: 24px 24px 0; }
  pagehand-model-dialog h2 { font-size: 20px; line-height: 1.3; font-weight: 600; }
  pagehand-model-dialog .option { display: flex; gap: 12px; align-items: flex-start; cursor: pointer; }
  pagehand-model-dialog .option input { inline-size: 16px; block-size: 16px; margin: 4px 0 0; flex: none; accent-color: var(--accent); }
  pagehand-model-dialog .option b { display: flex; align-items: center; gap: 8px; font-weight: 600; }
  pagehand-model-dialog small { display: block; font-size: 14px; line-height: 1.4; color: var(--text-soft); }
  pagehand-model-dialog fieldset { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; margin: 0; padding: 0; padding-inline-start: 28px; border: 0; min-inline-size: 0; }
  pagehand-model-dialog .field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; font-size: 14px; }
  pagehand-model-dialog .select { position: relative; }
  pagehand-model-dialog .select select { appearance: none; padding-inline-end: 40px; }
  pagehand-model-dialog .select .icon { position: absolute; inset-block-start: 12px; inset-inline-end: 12px; pointer-events: none; }
  pagehand-model-dialog .field small { font-size: 12px; }
  pagehand-model-dialog .advice { font-size: 14px; line-height: 1.4; color: var(--text-soft); }
  pagehand-model-dialog .promise { font-size: 12px; line-height: 1.4; color: var(--text-soft); }
  pagehand-model-dialog .outcome { display: flex; gap: 12px; font-size: 14px; scroll-margin-block-end: 80px; }
  pagehand-model-dialog .outcome > .icon { margin-block-start: 3px; }
  pagehand-model-dialog .outcome > div { display: grid; gap: 8px; justify-items: start; min-inline-size: 0; }
  pagehand-model-dialog .outcome p { overflow-wrap: anywhere; }
  pagehand-model-dialog .outcome[data-state="idle"] { position: absolute; }
  pagehand-model-dialog .outcome[data-state="failed"] :is(b, .icon) { color: var(--bad); }
  pagehand-model-dialog .actions {
    position: sticky; inset-block-end: 0; display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 8px;
    margin-inline: -24px; padding: 12px 24px; border-block-start: 1px solid var(--line); background: var(--surface-raised);
  }
  pagehand-model-dialog .actions .test { margin-inline-end: auto; }
  pagehand-model-dialog .actions [aria-disabled="true"] { cursor: default; color: var(--text-soft); }
  @media (max-width: 480px) {
    pagehand-model-dialog form { padding: 16px 16px 0; }
    pagehand-model-dialog fieldset { padding-inline-start: 0; }
    pagehand-model-dialog .actions { margin-inline: -16px; padding: 12px 16px; }
  }
`);

// <pagehand-model-dialog>: the choice of the model: the page's own, another on this device, or one of
// a provider with the user's key. The form is there only while the dialog is open, so that no key
// outlives it there. What only models on this device need is brought when the dialog opens.

import { errorData } from "../../worker/rpc.js";
import { localName, readDevicePick, readPick, specOf } from "../model_pick.js";
import { html, keyed, nothing, render } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { modelTest } from "./model_test.js";
import { providerFields } from "./provider_fields.js";
import { grouped } from "./provider_words.js";
import { sheet } from "./sheet.js";

/**
 * @typedef {import("../model_pick.js").ModelPick} ModelPick
 * @typedef {import("../pagehand.js").Provider} Provider
 * @typedef {Pick<import("../chat.js").Chat, "listProviders" | "checkModel" | "lookAtDevice"
 *   | "adviseModel" | "deleteModel" | "loadModel" | "dropLoaded" | "ownIsEmbedded">} Models
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
  /** @type {import("../chat.js").Device | null} */
  #device = null;
  /** Why nothing is known of the device. @type {import("../events.js").Fault | null} */
  #deviceFault = null;
  /** @type {import("../pagehand.js").Advice | null} */
  #advice = null;
  /** Breaks off what is loaded. */
  #loading = new AbortController();

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
    void this.#lookAtDevice();
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

  #lookAtDevice = async () => {
    this.#deviceFault = null;
    this.#render();
    try {
      await import("./device_models.js");
      this.#device = (await this.models?.lookAtDevice()) ?? null;
    } catch (fault) {
      this.#deviceFault = errorData(fault);
    }
    this.#render();
    if (!this.#device) return;
    try {
      this.#advice = (await this.models?.adviseModel(this.#device)) ?? null;
    } catch {
      this.#advice = null; // one chooses as well without
    }
    this.#render();
  };

  /** @param {string} model */
  #onDelete = async (model) => {
    await this.models?.deleteModel(model);
    this.#device = (await this.models?.lookAtDevice()) ?? null;
    this.#render();
  };

  #takeAdvice = () => {
    const model = this.#advice?.model;
    if (!model) return;
    this.onPick(this.#isOwn(model) ? { kind: "default" } : { kind: "device", model, contextWindowTokens: null });
    this.#onCancel();
  };

  /** @param {string} model */
  #isOwn(model) {
    return model === "embedded" && this.models?.ownIsEmbedded === true;
  }

  get #provider() {
    return this.#providers?.find(({ type }) => type === this.#providerType) ?? null;
  }

  /** @param {Event} event */
  #onInput = ({ target }) => {
    const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (target);
    if (field.name === "kind") this.#kind = /** @type {ModelPick["kind"]} */ (field.value);
    if (field.name === "providerType") this.#chooseProvider(field.value);
    if (field.name === "baseURL") this.#typedAddress = field.value.trim();
    this.#idle();
    this.#render();
  };

  /** Whoever changes something has given up what he asked for before. */
  #idle() {
    this.#loading.abort();
    this.#test = IDLE;
  }

  /** Escape closes the dialog and nothing behind it. @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.key === "Escape") event.stopPropagation();
  };

  #onSubmit = () => {
    this.onPick(this.#readForm());
  };

  #onCancel = () => this.#find("dialog", HTMLDialogElement).close();

  #onClose = () => {
    this.#open = false;
    this.#idle();
    this.models?.dropLoaded();
    this.#render();
  };

  /** @returns {ModelPick} */
  #readForm() {
    const form = new FormData(this.#find("form", HTMLFormElement));
    if (this.#kind === "default") return { kind: "default" };
    if (this.#kind === "device") return readDevicePick(form);
    return readPick(form, /** @type {Provider} */ (this.#provider), this.pick);
  }

  #onLoad = async () => {
    if (this.#test.state === "loading" || !this.#find("form", HTMLFormElement).reportValidity()) return;
    const pick = this.#readForm();
    if (pick.kind !== "device") return;
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    /** @param {import("./model_test.js").ModelTest} outcome */
    const tell = (outcome) => signal.aborted || this.#show(outcome);
    const onProgress = (/** @type {{progress: number, text: string}} */ { progress, text }) =>
      tell({ state: "loading", text, share: progress });
    onProgress({ progress: 0, text: `Loading ${localName(pick.model)}` });
    try {
      await this.models?.loadModel(pick, { onProgress, signal });
      tell({ state: "loaded", model: localName(pick.model) });
    } catch (fault) {
      tell({ state: "failed", fault: errorData(fault) });
    }
  };

  #onTest = async () => {
    if (this.#test.state === "asking" || !this.#find("form", HTMLFormElement).reportValidity()) return;
    const pick = this.#readForm();
    if (pick.kind !== "provider") return;
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
    const isNews = test.state !== this.#test.state;
    this.#test = test;
    this.#render();
    if (isNews) this.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
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
    const kind = this.#kind;
    const isDevice = kind === "device";
    const isElsewhere = kind === "provider";
    return html`
      <form method="dialog" @submit=${this.#onSubmit} @input=${this.#onInput}>
        <h2 id="model-heading">Model</h2>
        ${this.#proposal()}
        <label class="option">
          <input type="radio" name="kind" value="default" ?checked=${this.pick.kind === "default"} ?autofocus=${this.pick.kind === "default"}>
          <span><b>${icons.device} ${this.own.name}</b><small>${this.own.text}</small></span>
        </label>
        <label class="option">
          <input type="radio" name="kind" value="device" ?checked=${this.pick.kind === "device"} ?autofocus=${this.pick.kind === "device"}>
          <span><b>${icons.device} Another local model</b><small>The browser's own, or one that this
            browser fetches and runs. It needs no key.</small></span>
        </label>
        ${isDevice ? html`<fieldset aria-label="Another local model">${this.#onDevice()}</fieldset>` : nothing}
        <label class="option">
          <input type="radio" name="kind" value="provider" ?checked=${this.pick.kind === "provider"} ?autofocus=${this.pick.kind === "provider"}>
          <span><b>${icons.cloud} A model elsewhere</b><small>At a provider, with a key of your
            own, or on any server that allows this page.</small></span>
        </label>
        <fieldset ?disabled=${!isElsewhere} ?hidden=${!isElsewhere} aria-label="A model elsewhere">${this.#elsewhere()}</fieldset>
        ${kind === "default" ? nothing : modelTest({ test: this.#test, onUseName: this.#onUseName })}
        <div class="actions">
          ${isElsewhere && this.#providers
            ? html`<button type="button" class="test" aria-disabled=${this.#test.state === "asking"} @click=${this.#onTest}>Test</button>`
            : nothing}
          ${isDevice && this.#device
            ? html`<button type="button" class="test" aria-disabled=${this.#test.state === "loading"} @click=${this.#onLoad}>Load now</button>`
            : nothing}
          <button type="button" class="plain" @click=${this.#onCancel}>Cancel</button>
          <button class="primary" ?disabled=${(isElsewhere && !this.#providers) || (isDevice && !this.#device)}>Use this model</button>
        </div>
      </form>
    `;
  }

  #proposal() {
    const advice = this.#advice;
    if (!advice) return nothing;
    const { model, reason } = advice;
    if (model === null) return html`<p class="proposal"><span>${reason}</span></p>`;
    const inUse = this.pick.kind === "device" ? this.pick.model === model : this.pick.kind === "default" && this.#isOwn(model);
    return html`
      <div class="proposal">
        <p><b>${inUse ? "In use, and proposed for this device." : "Proposed for this device."}</b> ${reason}</p>
        ${inUse
          ? nothing
          : html`<button type="button" aria-label="Take it: ${localName(model)}" @click=${this.#takeAdvice}>Take it</button>`}
      </div>
    `;
  }

  #onDevice() {
    if (this.#deviceFault) {
      return html`
        <p class="advice">The models for this device could not be listed. ${this.#deviceFault.message}</p>
        <div><button type="button" @click=${this.#lookAtDevice}>Try again</button></div>
      `;
    }
    if (!this.#device) return html`<p class="advice" role="status">Looking at what this device can run</p>`;
    return html`<pagehand-device-models .device=${this.#device} .pick=${this.pick} .onDelete=${this.#onDelete}
      .ownIsEmbedded=${this.models?.ownIsEmbedded ?? true}></pagehand-device-models>`;
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
  pagehand-model-dialog .proposal {
    display: grid; gap: 8px; justify-items: start; padding: 12px; font-size: 14px; line-height: 1.4;
    border-radius: 8px; background: var(--accent-faint);
  }
  pagehand-model-dialog .proposal p { overflow-wrap: anywhere; }
  pagehand-model-dialog .outcome { display: flex; gap: 12px; font-size: 14px; scroll-margin-block-end: 80px; }
  pagehand-model-dialog .outcome > .icon { margin-block-start: 3px; }
  pagehand-model-dialog .outcome > div { display: grid; gap: 8px; justify-items: start; min-inline-size: 0; flex: 1; }
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
    pagehand-model-dialog .outcome { scroll-margin-block-end: 124px; }
    pagehand-model-dialog .actions { margin-inline: -16px; padding: 12px 16px; }
  }
`);

// The fields that a provider needs. A secret is typed into its field and never shown again.

import { html, nothing } from "../vendor/lit-html.js";
import { addressOf, keptSecrets } from "../model_pick.js";
import { MODEL_HINTS, OPTION_WORDS } from "./provider_words.js";

/**
 * @typedef {import("../model_pick.js").ModelPick} ModelPick
 * @typedef {import("../pagehand.js").Provider} Provider
 */

/**
 * @param {{provider: Provider, pick: ModelPick, typedAddress: string}} props  `typedAddress` as it
 *   stands in the form: it decides what is needed and what is kept
 * @returns {import("lit-html").TemplateResult}
 */
export function providerFields({ provider, pick, typedAddress }) {
  const before = pick.kind === "provider" && pick.providerType === provider.type ? pick : null;
  const address = addressOf(typedAddress, provider);
  const kept = keptSecrets(pick, provider.type, address);
  return html`
    ${advice(provider)}
    ${field({
      name: "model",
      label: "Model",
      required: true,
      value: before?.model,
      placeholder: MODEL_HINTS[provider.type] ?? "The model's name there",
    })}
    ${field({
      name: "apiKey",
      label: "Key",
      secret: true,
      required: provider.needsKey && !hasOtherAccess(provider) && !address && !kept.apiKey,
      placeholder: kept.apiKey ? KEPT : keyHint(provider, address),
      hint: keyPage(provider),
    })}
    ${provider.options.map(({ name, secret }) => {
      const { label = spaced(name), example, hint, needed } = OPTION_WORDS[name] ?? {};
      return field({
        name,
        label,
        secret,
        required: Boolean(needed) && !address,
        value: before?.options[name],
        placeholder: kept[name] ? KEPT : example,
        hint,
      });
    })}
    ${field({
      name: "baseURL",
      label: provider.needsBaseURL ? "Address" : "Another address",
      type: "url",
      required: provider.needsBaseURL,
      value: before?.baseURL,
      placeholder: provider.baseURL ?? (provider.needsBaseURL ? "http://127.0.0.1:8080/v1" : "Empty: the provider's own"),
    })}
    <p class="promise">Keys stay in this page's memory, for this provider and address only, and are
      gone when the page is closed.</p>
  `;
}

const KEPT = "Kept; type to replace";

/** @param {Provider} provider */
function advice({ browser, advice: words }) {
  const said = words || (browser === "yes" ? "Requests go from this browser straight to the provider." : "");
  return said ? html`<p class="advice">${said}</p>` : nothing;
}

/** @param {Provider} provider @param {string} address */
function keyHint(provider, address) {
  if (hasOtherAccess(provider)) return "A key, or the access below";
  return provider.needsKey && !address ? "Paste it here" : "Not every server needs one";
}

/** Whether a secret of its own kind may stand for a key. @param {Provider} provider */
function hasOtherAccess({ options }) {
  return options.some(({ secret }) => secret);
}

/** @param {Provider} provider */
function keyPage({ label, keyPage: page }) {
  return page && html`<a href=${page} target="_blank" rel="noopener noreferrer">Get a key from ${label}<span class="unseen">
    (opens in a new tab)</span></a>`;
}

/**
 * @param {{name: string, label: string, type?: "text" | "url", secret?: boolean,
 *          required?: boolean, value?: string | undefined, placeholder?: string | undefined,
 *          hint?: unknown}} props
 */
function field({ name, label, type = "text", secret = false, required = false, value = "", placeholder = "", hint }) {
  const id = `model-${name}`;
  const described = hint ? `${id}-hint` : nothing;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${type === "url"
        ? html`<input id=${id} type="url" name=${name} ?required=${required} value=${value} placeholder=${placeholder} aria-describedby=${described}
            pattern="https?://.+" title="An address that starts with http:// or https:// and mostly ends in /v1" autocomplete="off">`
        : html`<input id=${id} type=${secret ? "password" : "text"} name=${name} ?required=${required} value=${value}
            placeholder=${placeholder} aria-describedby=${described} autocomplete="off" autocapitalize="off" spellcheck="false">`}
      ${hint ? html`<small id=${described}>${hint}</small>` : nothing}
    </div>
  `;
}

/** `apiVersion` → `Api version`. @param {string} name */
function spaced(name) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

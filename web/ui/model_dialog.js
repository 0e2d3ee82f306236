// The choice of the model: the page's own, or the user's endpoint. The key is read from its field
// when the choice is made, stays in memory with the choice, and is never written anywhere.

import { html, ref } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @typedef {{kind: "default"}
 *         | {kind: "endpoint", baseURL: string, model: string, apiKey: string}} ModelChoice
 */

/**
 * @param {{choice: ModelChoice, own: import("../element.js").OwnModel,
 *          dialog: import("lit-html/directives/ref.js").Ref<Element>,
 *          onChoose: (choice: ModelChoice) => void}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function modelDialog({ choice, own, dialog, onChoose }) {
  const endpoint = choice.kind === "endpoint" ? choice : { baseURL: "", model: "", apiKey: "" };
  /** @param {Event} event */
  const onSubmit = (event) => {
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    onChoose(readChoice(new FormData(form), choice));
  };
  /** @param {Event} event */
  const onCancel = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).closest("dialog")?.close();
  };
  /** @param {Event} event */
  const onClose = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).querySelector("form")?.reset();
  };
  return html`
    <dialog class="model" ${ref(dialog)} aria-labelledby="model-heading" @close=${onClose}>
      <form method="dialog" @submit=${onSubmit}>
        <h2 id="model-heading">Model</h2>
        <label class="option">
          <input type="radio" name="kind" value="default" ?checked=${choice.kind === "default"}>
          <span><b>${icons.device} ${own.name}</b><small>${own.text}</small></span>
        </label>
        <label class="option">
          <input type="radio" name="kind" value="endpoint" ?checked=${choice.kind === "endpoint"}>
          <span><b>${icons.cloud} Your own endpoint</b><small>Any server that speaks the OpenAI chat
            format and allows this page. Requests go from this browser straight to it.</small></span>
        </label>
        <div class="fields">
          <label>Address<input type="url" name="baseURL" required value=${endpoint.baseURL} placeholder="http://localhost:11434/v1"
            pattern="https?://.+" title="An address that starts with http:// or https:// and mostly ends in /v1" autocomplete="off"></label>
          <label>Model<input type="text" name="model" required value=${endpoint.model} placeholder="The model's name on that server" autocomplete="off" spellcheck="false"></label>
          <label>Key<input type="password" name="apiKey" autocomplete="off"
            placeholder=${endpoint.apiKey ? "Key kept; type to replace" : "Not every server needs one"}>
            <small>Kept in this page's memory only, for this server, and gone when the page is closed.</small></label>
        </div>
        <div class="actions">
          <button type="button" class="plain" @click=${onCancel}>Cancel</button>
          <button class="primary" @click=${checkIfNeeded}>Use this model</button>
        </div>
      </form>
    </dialog>
  `;
}

/** The fields of the endpoint count only where it is chosen. @param {Event} event */
function checkIfNeeded(event) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  button.formNoValidate = new FormData(button.form ?? undefined).get("kind") !== "endpoint";
}

/**
 * A key stays with its address: an empty field keeps it there, and no other server gets it.
 * @param {FormData} data
 * @param {ModelChoice} before
 * @returns {ModelChoice}
 */
function readChoice(data, before) {
  if (data.get("kind") !== "endpoint") return { kind: "default" };
  const read = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const baseURL = read("baseURL");
  const kept = before.kind === "endpoint" && before.baseURL === baseURL ? before.apiKey : "";
  return { kind: "endpoint", baseURL, model: read("model"), apiKey: read("apiKey") || kept };
}

export const styles = sheet(`
  dialog.model {
    inline-size: min(480px, calc(100vw - 32px)); padding: 24px; color: var(--text);
    border: 1px solid var(--line); border-radius: 12px; background: var(--surface-raised); box-shadow: var(--shadow);
  }
  dialog.model::backdrop { background: rgb(0 0 0 / 40%); }
  dialog.model form { display: grid; gap: 16px; }
  dialog.model h2 { font-size: 20px; line-height: 1.3; font-weight: 600; }
  dialog.model .option { display: flex; gap: 12px; align-items: flex-start; cursor: pointer; }
  dialog.model .option input { inline-size: 16px; block-size: 16px; margin: 4px 0 0; flex: none; accent-color: var(--accent); }
  dialog.model b { display: flex; align-items: center; gap: 8px; font-weight: 600; }
  dialog.model small { display: block; font-size: 14px; line-height: 1.4; color: var(--text-soft); }
  dialog.model .fields { display: none; gap: 12px; padding-inline-start: 28px; }
  dialog.model form:has([value="endpoint"]:checked) .fields { display: grid; }
  dialog.model .fields label { display: grid; gap: 4px; font-size: 14px; }
  dialog.model .fields small { font-size: 12px; }
  dialog.model .actions { display: flex; justify-content: flex-end; gap: 8px; }
`);

// What went wrong, what to do about it, and a button for each way to do it.

import { html, nothing } from "../vendor/lit-html.js";
import { faultWords, nearestName } from "./fault_words.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @typedef {{onRetry: () => void, onChangeModel: () => void,
 *            onUseName: ((name: string) => void) | null}} WaysOut
 *   `onUseName`: takes another name of the model and tries again; null where it would not help
 */

/**
 * @param {{error: import("../events.js").Fault} & WaysOut} props
 * @returns {import("lit-html").TemplateResult}
 */
export function errorCard({ error, onRetry, onChangeModel, onUseName }) {
  const { title, retry, changeModel } = faultWords(error);
  const nearest = nearestName(error);
  return html`
    <div class="error" role="alert">
      ${icons.warning}
      <div>
        <h3>${title}</h3>
        <p dir="auto">${error.message}</p>
        ${detailsOf(error)}
        <div class="ways">
          ${nearest && onUseName
            ? html`<button type="button" @click=${() => onUseName(nearest)}>Try again with ${nearest}</button>`
            : nothing}
          ${retry ? html`<button type="button" @click=${onRetry}>Try again</button>` : nothing}
          ${changeModel ? html`<button type="button" @click=${onChangeModel}>Change the model</button>` : nothing}
        </div>
      </div>
    </div>
  `;
}

/** Whether the card itself offers to try again. @param {import("../events.js").Fault} error */
export function offersRetry(error) {
  return faultWords(error).retry;
}

/** @param {import("../events.js").Fault} error */
function detailsOf({ name, details }) {
  if (!details) return nothing;
  return html`
    <details>
      <summary>${icons.chevron} Details</summary>
      <pre tabindex="0">${name} ${JSON.stringify(details, null, 2)}</pre>
    </details>
  `;
}

export const styles = sheet(`
  .error {
    display: flex; gap: 12px; padding: 12px 16px; font-size: 14px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised);
  }
  .error > .icon { margin-block-start: 3px; color: var(--bad); }
  .error > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; min-inline-size: 0; flex: 1; justify-items: start; }
  .error h3 { margin: 0; font-size: 14px; line-height: 1.5; font-weight: 600; color: var(--bad); }
  .error .ways { display: flex; flex-wrap: wrap; gap: 8px; max-inline-size: 100%; }
  .error .ways button { overflow-wrap: anywhere; }
  .error p { overflow-wrap: anywhere; }
  .error summary { display: flex; align-items: center; gap: 8px; color: var(--text-soft); }
  .error details { inline-size: 100%; }
  .error pre { margin: 8px 0 0; padding: 8px; overflow: auto; border-radius: 4px; background: var(--code); font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`);

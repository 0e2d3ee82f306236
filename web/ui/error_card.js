// What went wrong, what to do about it, and a button for each way to do it.

import { html, nothing } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @param {{error: import("../events.js").Fault, onRetry: () => void, onChangeModel: () => void}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function errorCard({ error, onRetry, onChangeModel }) {
  const { title, retry, changeModel } = adviceOn(error);
  return html`
    <div class="error" role="alert">
      ${icons.warning}
      <div>
        <h3>${title}</h3>
        <p dir="auto">${error.message}</p>
        ${detailsOf(error)}
        <div class="ways">
          ${retry ? html`<button type="button" @click=${onRetry}>Try again</button>` : nothing}
          ${changeModel ? html`<button type="button" @click=${onChangeModel}>Change the model</button>` : nothing}
        </div>
      </div>
    </div>
  `;
}

/** Whether the card itself offers to try again. @param {import("../events.js").Fault} error */
export function offersRetry(error) {
  return adviceOn(error).retry;
}

/** @param {import("../events.js").Fault} error */
function adviceOn({ name }) {
  return ADVICE[name] ?? OTHER;
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

/** @typedef {{title: string, retry: boolean, changeModel: boolean}} Advice */

/** The same request may work later. */
const RETRY = { retry: true, changeModel: false };
/** The same request can only work with other settings. */
const CHANGE_MODEL = { retry: false, changeModel: true };
/** Time may help, or the address may be wrong. */
const EITHER = { retry: true, changeModel: true };

/** @type {Advice} */
const OTHER = { title: "The run could not go on", ...RETRY };

/** @type {Record<string, Advice>} */
const ADVICE = {
  ConfigError: { title: "A setting is wrong", ...CHANGE_MODEL },
  AuthenticationError: { title: "The key was not accepted", ...CHANGE_MODEL },
  PermissionDeniedError: { title: "The key may not use this model", ...CHANGE_MODEL },
  ModelNotFoundError: { title: "The model was not found", ...CHANGE_MODEL },
  QuotaExceededError: { title: "The account has no credit left", ...CHANGE_MODEL },
  InvalidRequestError: { title: "The server refuses the request", ...CHANGE_MODEL },
  CorsError: { title: "The server does not allow this page", ...EITHER },
  NetworkError: { title: "The server could not be reached", ...EITHER },
  MalformedResponseError: { title: "The answer could not be read", ...EITHER },
  ModelTimeoutError: { title: "The model did not answer in time", ...RETRY },
  RateLimitError: { title: "Too many requests", ...RETRY },
  OverloadedError: { title: "The server is busy", ...RETRY },
  ServerError: { title: "The server failed", ...RETRY },
  StreamInterruptedError: { title: "The answer was cut off", ...RETRY },
  ContentRefusedError: { title: "The model refuses the request", ...RETRY },
  EngineError: { title: "The model on this device could not run", ...RETRY },
  WorkerError: { title: "The agent's worker ended", ...RETRY },
};

export const styles = sheet(`
  .error {
    display: flex; gap: 12px; padding: 12px 16px; font-size: 14px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised);
  }
  .error > .icon { margin-block-start: 3px; color: var(--bad); }
  .error > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; min-inline-size: 0; flex: 1; justify-items: start; }
  .error h3 { margin: 0; font-size: 14px; line-height: 1.5; font-weight: 600; color: var(--bad); }
  .error .ways { display: flex; flex-wrap: wrap; gap: 8px; }
  .error p { overflow-wrap: anywhere; }
  .error summary { display: flex; align-items: center; gap: 8px; color: var(--text-soft); }
  .error details { inline-size: 100%; }
  .error pre { margin: 8px 0 0; padding: 8px; overflow: auto; border-radius: 4px; background: var(--code); font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`);

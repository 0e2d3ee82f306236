// What went wrong, what to do about it, and one button that does it.

import { html, nothing } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @param {{error: import("../events.js").Fault, onRetry: () => void, onChangeModel: () => void}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function errorCard({ error, onRetry, onChangeModel }) {
  const { title } = adviceOn(error);
  const [label, act] = needsOtherModel(error) ? ["Change the model", onChangeModel] : ["Try again", onRetry];
  return html`
    <div class="error" role="alert">
      ${icons.warning}
      <div>
        <h3>${title}</h3>
        <p dir="auto">${error.message}</p>
        ${detailsOf(error)}
        <button type="button" @click=${act}>${label}</button>
      </div>
    </div>
  `;
}

/** Whether the same request can only work with other settings. @param {import("../events.js").Fault} error */
export function needsOtherModel(error) {
  return adviceOn(error).changeModel;
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

/** @typedef {{title: string, changeModel: boolean}} Advice */

/** @type {Advice} */
const OTHER = { title: "The run could not go on", changeModel: false };

/** @type {Record<string, Advice>} */
const ADVICE = {
  ConfigError: { title: "A setting is wrong", changeModel: true },
  AuthenticationError: { title: "The key was not accepted", changeModel: true },
  PermissionDeniedError: { title: "The key may not use this model", changeModel: true },
  ModelNotFoundError: { title: "The model was not found", changeModel: true },
  QuotaExceededError: { title: "The account has no credit left", changeModel: true },
  CorsError: { title: "The server does not allow this page", changeModel: true },
  InvalidRequestError: { title: "The server refuses the request", changeModel: true },
  NetworkError: { title: "The server could not be reached", changeModel: false },
  ModelTimeoutError: { title: "The model did not answer in time", changeModel: false },
  RateLimitError: { title: "Too many requests", changeModel: false },
  OverloadedError: { title: "The server is busy", changeModel: false },
  ServerError: { title: "The server failed", changeModel: false },
  StreamInterruptedError: { title: "The answer was cut off", changeModel: false },
  MalformedResponseError: { title: "The answer could not be read", changeModel: false },
  ContentRefusedError: { title: "The model refuses the request", changeModel: false },
  EngineError: { title: "The model on this device could not run", changeModel: false },
  WorkerError: { title: "The agent's worker ended", changeModel: false },
};

export const styles = sheet(`
  .error {
    display: flex; gap: 12px; padding: 12px 16px; font-size: 14px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised);
  }
  .error > .icon { margin-block-start: 3px; color: var(--bad); }
  .error > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; min-inline-size: 0; flex: 1; justify-items: start; }
  .error h3 { margin: 0; font-size: 14px; line-height: 1.5; font-weight: 600; color: var(--bad); }
  .error p { overflow-wrap: anywhere; }
  .error summary { display: flex; align-items: center; gap: 8px; color: var(--text-soft); }
  .error details { inline-size: 100%; }
  .error pre { margin: 8px 0 0; padding: 8px; overflow: auto; border-radius: 4px; background: var(--code); font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`);

// How a test of a model goes, or its loading, in words.

import { html, nothing } from "../vendor/lit-html.js";
import { faultWords, nearestName } from "./fault_words.js";
import { icons, marks } from "./icons.js";
import { count } from "./words.js";

/**
 * @typedef {{state: "idle"}
 *         | {state: "asking", model: string, provider: string}
 *         | {state: "works", model: string, provider: string, usage: import("../events.js").Usage}
 *         | {state: "loading", text: string, share: number}
 *         | {state: "loaded", model: string}
 *         | {state: "failed", fault: import("../events.js").Fault}} ModelTest
 */

/**
 * @param {{test: ModelTest, onUseName: (name: string) => void}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function modelTest({ test, onUseName }) {
  return html`<div class="outcome" role="status" data-state=${test.state}>${outcome(test, onUseName)}</div>`;
}

/** @param {ModelTest} test @param {(name: string) => void} onUseName */
function outcome(test, onUseName) {
  switch (test.state) {
    case "idle":
      return nothing;
    case "asking":
      return html`${marks.running}<p>Asking ${test.model} at ${test.provider}</p>`;
    case "loading":
      return html`
        ${marks.running}
        <div><p>${test.text}</p><progress max="1" .value=${test.share} aria-label="Loading"></progress></div>
      `;
    case "loaded":
      return html`${marks.done}<p><b>It is ready.</b> ${test.model} is in memory.</p>`;
    case "works":
      return html`${marks.done}<p><b>It works.</b> ${test.model} at ${test.provider} answered.${spent(test.usage)}</p>`;
    case "failed": {
      const nearest = nearestName(test.fault);
      return html`
        ${icons.warning}
        <div>
          <p><b>${faultWords(test.fault).title}.</b> <span dir="auto">${test.fault.message}</span></p>
          ${nearest ? html`<button type="button" @click=${() => onUseName(nearest)}>Test ${nearest}</button>` : nothing}
        </div>
      `;
    }
  }
}

/** @param {import("../events.js").Usage} usage */
function spent({ totalTokens, inputTokens = 0, outputTokens = 0 }) {
  const tokens = totalTokens ?? inputTokens + outputTokens;
  return tokens ? ` The test took ${count(tokens, "token")}.` : "";
}

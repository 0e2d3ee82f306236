// The faults of the browser's own model in our words.

import { engineError, messageOf, windowExceededError } from "../../worker/engine_error.js";

const INSTEAD =
  'Use another model: "embedded", which comes with the site, "web-llm:<id>" or "wllama:<URL of a GGUF>" ' +
  "on this device, or one of a provider.";

export function notHere() {
  return engineError(
    "This browser has no model of its own that pages may use. Chrome has one from version 148 on, and " +
      "Edge behind a flag, on computers with enough memory and storage; phones, Firefox and Safari " +
      `have none. ${INSTEAD}`,
  );
}

export function unavailable() {
  return engineError(
    "This browser has a model of its own, but not on this device: it asks for enough memory, graphics " +
      `memory and free storage. ${INSTEAD}`,
  );
}

/** @param {{prompt: number, window: number}} tokens */
export function tooLong({ prompt, window }) {
  return windowExceededError(Math.ceil(prompt), window);
}

/** Why the browser gave no session. @param {unknown} fault */
export function createFault(fault) {
  switch (nameOf(fault)) {
    case "NotAllowedError":
      return engineError(
        "The browser fetches its model only after a click or a key press in this page: press “Load now” " +
          "at the model, or send the request again. A page in a frame of another site also needs that " +
          'site\'s permission (allow="language-model").',
        { details: { needs: "user-activation" } },
      );
    case "NotSupportedError":
      return unavailable();
    case "NetworkError":
      return engineError(
        `The browser could not fetch its model (${messageOf(fault)}). Check the connection, then try again.`,
        { retryable: true },
      );
    default:
      return promptFault(fault);
  }
}

/**
 * Why a request was not answered.
 * @param {unknown} fault
 * @param {{prompt: number, window: number}} [tokens]  as counted before
 */
export function promptFault(fault, tokens = { prompt: 0, window: 0 }) {
  switch (nameOf(fault)) {
    case "ContextWindowExceededError":
      return fault;
    case "QuotaExceededError": {
      const { requested, quota } = /** @type {{requested?: number, quota?: number}} */ (fault);
      return tooLong({ prompt: requested ?? tokens.prompt, window: quota ?? tokens.window });
    }
    case "NotSupportedError":
      return engineError(
        `The browser's own model refuses the request (${messageOf(fault)}): it does not know the ` +
          "language, or cannot be held to the JSON schema. Ask in English, or use another model.",
      );
    default:
      return engineError(
        `The browser's own model could not answer (${messageOf(fault)}). Try again; if it stays so, ` +
          "use another model.",
        { retryable: true },
      );
  }
}

/** @param {unknown} fault */
const nameOf = (fault) => (fault instanceof Error || fault instanceof DOMException ? fault.name : "");

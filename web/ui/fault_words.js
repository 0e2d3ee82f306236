// Every family of faults that a run or a test of a model can end in: what happened in words, and
// which ways out help. The fault's own message says the rest.

/**
 * @typedef {{title: string, retry: boolean, changeModel: boolean}} FaultWords
 */

/** The same request may work later. */
const RETRY = { retry: true, changeModel: false };
/** The same request can only work with other settings. */
const CHANGE_MODEL = { retry: false, changeModel: true };
/** Time may help, or another model or address. */
const EITHER = { retry: true, changeModel: true };

/** @type {FaultWords} */
const OTHER = { title: "The run could not go on", ...RETRY };

/** By the fault's name. @type {Readonly<Record<string, FaultWords>>} */
export const FAULT_WORDS = {
  ConfigError: { title: "A setting is wrong", ...CHANGE_MODEL },

  ModelError: { title: "The model failed", ...EITHER },
  AuthenticationError: { title: "The key was not accepted", ...CHANGE_MODEL },
  PermissionDeniedError: { title: "The key may not use this model", ...CHANGE_MODEL },
  ModelNotFoundError: { title: "The model was not found", ...CHANGE_MODEL },
  RateLimitError: { title: "Too many requests", ...RETRY },
  QuotaExceededError: { title: "The account has no credit left", ...CHANGE_MODEL },
  OverloadedError: { title: "The server is busy", ...RETRY },
  ServerError: { title: "The server failed", ...RETRY },
  InvalidRequestError: { title: "The server refuses the request", ...CHANGE_MODEL },
  ContentRefusedError: { title: "The model refuses the request", ...RETRY },
  ContextWindowExceededError: { title: "The request is too long for this model", ...CHANGE_MODEL },
  MalformedResponseError: { title: "The answer could not be read", ...EITHER },
  StreamInterruptedError: { title: "The answer was cut off", ...RETRY },
  ModelTimeoutError: { title: "The model did not answer in time", ...RETRY },
  NetworkError: { title: "The server could not be reached", ...EITHER },
  CorsError: { title: "The server does not allow this page", ...EITHER },

  EngineError: { title: "The model on this device could not run", ...EITHER },
  DeviceLostError: { title: "The graphics processor went away", ...EITHER },
  WebGPUUnavailableError: { title: "This browser cannot use the graphics processor", ...CHANGE_MODEL },

  AttachmentsNotSupportedError: { title: "The model does not take such files", ...CHANGE_MODEL },
  ImagesNotSupportedError: { title: "The model does not take images", ...CHANGE_MODEL },

  BusyError: { title: "The agent runs as many requests as it may", ...RETRY },
  BootError: { title: "The agent could not start", ...RETRY },
  WorkerError: { title: "The agent's worker ended", ...RETRY },
};

/** @param {{name: string}} fault @returns {FaultWords} */
export function faultWords({ name }) {
  return FAULT_WORDS[name] ?? OTHER;
}

/**
 * The name that a provider's list has for what was probably meant.
 * @param {import("../events.js").Fault} fault
 * @returns {string | null}
 */
export function nearestName({ details }) {
  return typeof details?.nearest === "string" ? details.nearest : null;
}

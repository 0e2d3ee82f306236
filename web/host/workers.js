// Starts the workers of a site and watches them.

import { workerError } from "./faults.js";

/**
 * Starts a module worker. Where the site lies on another origin than the page, a browser refuses
 * the plain way; a small local script that imports the worker's is allowed, if the site's server
 * permits it (CORS).
 * @param {URL} url
 * @param {string} name  shown in the developer tools
 * @param {(reason: Error) => void} onCrash  called when the script cannot be loaded or fails
 * @returns {Worker}
 */
export function startWorker(url, name, onCrash) {
  const foreign = url.origin !== location.origin;
  const script = foreign ? localScript(`import ${JSON.stringify(url.href)};`) : url;
  const worker = new Worker(script, { type: "module", name });
  worker.onerror = (event) => {
    event.preventDefault();
    onCrash(crashReason(url, event.message));
  };
  return worker;
}

/** @param {string} text */
function localScript(text) {
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}

/** @param {URL} url @param {string | undefined} message  empty when the script did not load */
function crashReason(url, message) {
  return workerError(
    message
      ? `The worker ${url.pathname} failed: ${message}. The next run starts a new one.`
      : `The worker ${url.pathname} could not be loaded. Check that the site's files are complete ` +
          "and that the page's Content-Security-Policy allows workers from there.",
  );
}

// Fetches files of the site for the boot, and counts their bytes.

import { assets } from "./assets.js";
import { bootError } from "./boot_error.js";
import { PagehandError } from "./rpc.js";

/** @typedef {{bytes: (name: string) => Promise<Uint8Array<ArrayBuffer>>,
 *             module: (name: string) => Promise<WebAssembly.Module>,
 *             warnings: string[]}} Downloads */

/**
 * @param {(count: number) => void} onBytes  called with each chunk's size on the wire, in bytes
 * @returns {Downloads}
 */
export function createDownloads(onBytes) {
  /** @type {string[]} */
  const warnings = [];

  /** The whole of a file; what the build packed with gzip comes unpacked. @param {string} name */
  async function bytes(name) {
    const response = await request(name);
    const data = await collect(name, response, onBytes);
    if (!isGzip(data)) return data; // a server may have unpacked it already
    const unpacked = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
    try {
      return new Uint8Array(await new Response(unpacked).arrayBuffer());
    } catch {
      throw damaged(name);
    }
  }

  /** A compiled WebAssembly file. @param {string} name */
  async function module(name) {
    const response = await request(name);
    const type = response.headers.get("content-type") ?? "no content type";
    try {
      if (type.startsWith("application/wasm")) {
        // The original response, unread: only then does the browser keep the compiled code.
        const compiled = await WebAssembly.compileStreaming(response);
        onBytes(fileOf(name).bytes);
        return compiled;
      }
      warnings.push(
        `The server sends ${response.url} as ${type}. Send application/wasm: start-up is faster.`,
      );
      return await WebAssembly.compile(await collect(name, response, onBytes));
    } catch (fault) {
      if (fault instanceof WebAssembly.CompileError) {
        throw damaged(name, `${fault.message}; it was sent as ${type}`);
      }
      throw fault instanceof PagehandError ? fault : brokenOff(response.url);
    }
  }

  return { bytes, module, warnings };
}

/** @param {string} name */
function fileOf(name) {
  const file = assets[name];
  if (!file) throw bootError(`The site was built without ${name}. Build it again.`);
  return file;
}

/** @param {string} name */
async function request(name) {
  const url = new URL(fileOf(name).url, import.meta.url);
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw bootError(`${url.href} cannot be fetched. Check the connection, then try again.`, true);
  }
  if (!response.ok) {
    throw bootError(
      `${url.href} answers ${response.status}. Check that the site's files are complete.`,
      response.status >= 500,
    );
  }
  return response;
}

/**
 * @param {string} name
 * @param {Response} response
 * @param {(count: number) => void} onBytes
 */
async function collect(name, response, onBytes) {
  const { bytes: expected } = fileOf(name);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const chunks = [];
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      onBytes(next.value.byteLength);
    }
  } catch {
    throw brokenOff(response.url);
  }
  const data = new Uint8Array(await new Blob(chunks).arrayBuffer());
  if (data.byteLength !== expected && isGzip(data)) throw damaged(name);
  return data;
}

/** @param {Uint8Array} data */
function isGzip(data) {
  return data[0] === 0x1f && data[1] === 0x8b;
}

/** @param {string} url */
function brokenOff(url) {
  return bootError(`${url} broke off. Check the connection, then try again.`, true);
}

/** @param {string} name @param {string} [detail] */
function damaged(name, detail) {
  const why = detail ? ` (${detail})` : "";
  return bootError(
    `${name} is damaged or not what the build made${why}. Reload the page; if that does not ` +
      "help, upload the site's files again.",
  );
}

// Fetches the parts of a model, checks them and keeps them, so that a part that arrived once is
// never fetched again: not after a cut, and not on the next visit.
//
// Parts are kept in Cache Storage under their own digest. Where it refuses (no secure context, no
// room left), they are kept in memory, and the caller is told why once.
import { engineError, messageOf } from "./engine_error.js";

const CACHE = "pagehand-models";
/** Nobody's host: Cache Storage wants an http address, also in an extension. */
const DIGESTS = "https://model-part.invalid/";

/**
 * @typedef {{url: string, file: string, bytes?: number, sha256?: string}} Part
 *   bytes and sha256 are those of the whole part; a file of the user's has neither
 * @typedef {{onBytes: (done: number, total: number) => void,
 *            onNotKept: (reason: string) => void}} Watcher  bytes of all parts
 * @typedef {{url: string, byDigest: boolean, bytes: number}} Kept  a part that the browser keeps,
 *   under its address or, `byDigest`, under its digest
 * @typedef {{read: (parts: Part[], watcher: Watcher, signal: AbortSignal) => Promise<Blob>,
 *            list: () => Promise<Kept[]>,
 *            forget: (parts: Pick<Part, "url" | "sha256">[]) => Promise<void>}} ModelStore
 */

/** @returns {ModelStore} */
export function createModelStore() {
  /** @type {Map<string, Blob>} parts that Cache Storage did not take */
  const memory = new Map();

  /** @param {Part} part @param {Cache | undefined} cache */
  async function find(part, cache) {
    const held = memory.get(keyOf(part));
    if (held) return held;
    const kept = await cache?.match(keyOf(part)).then((answer) => answer?.blob());
    if (!kept) return undefined;
    if (!(await faultOf(kept, part))) return kept;
    await cache?.delete(keyOf(part));
    return undefined;
  }

  /** @param {Part} part @param {Blob} blob @param {Cache | undefined} cache */
  async function keep(part, blob, cache) {
    try {
      if (!cache) throw new Error("this page has no Cache Storage");
      await cache.put(keyOf(part), new Response(blob));
      return undefined;
    } catch (fault) {
      memory.set(keyOf(part), blob);
      return messageOf(fault);
    }
  }

  return {
    async read(parts, { onBytes, onNotKept }, signal) {
      const cache = await openCache();
      const sizes = parts.map((part) => part.bytes ?? 0);
      const done = parts.map(() => 0);
      const blobs = [];
      let told = false;
      const report = () => onBytes(sum(done), sum(sizes));
      for (const [index, part] of parts.entries()) {
        let blob = await find(part, cache);
        if (!blob) {
          const onPart = (/** @type {number} */ bytes, /** @type {number} */ total) => {
            done[index] = bytes;
            sizes[index] = part.bytes ?? total;
            report();
          };
          blob = await fetchPart(part, onPart, signal);
          const refusal = await keep(part, blob, cache);
          if (refusal && !told) onNotKept(refusal);
          told ||= refusal !== undefined;
        }
        done[index] = sizes[index] = blob.size;
        report();
        blobs.push(blob);
      }
      return new Blob(blobs);
    },

    async list() {
      const cache = await openCache();
      const keys = (await cache?.keys()) ?? [];
      return Promise.all(
        keys.map(async (key) => {
          const blob = await cache?.match(key).then((answer) => answer?.blob());
          return { url: key.url, byDigest: key.url.startsWith(DIGESTS), bytes: blob?.size ?? 0 };
        }),
      );
    },

    async forget(parts) {
      const cache = await openCache();
      for (const part of parts) {
        memory.delete(keyOf(part));
        await cache?.delete(keyOf(part));
      }
    },
  };
}

/** @returns {Promise<Cache | undefined>} undefined where the browser has none for this page */
async function openCache() {
  try {
    return await globalThis.caches?.open(CACHE);
  } catch {
    return undefined;
  }
}

/**
 * The key of a part: its digest, so that it stays the same wherever the site moves.
 * @param {Pick<Part, "url" | "sha256">} part
 */
const keyOf = ({ sha256, url }) => (sha256 ? `${DIGESTS}${sha256}` : url);

/**
 * @param {Part} part
 * @param {(bytes: number, total: number) => void} onBytes
 * @param {AbortSignal} signal
 * @returns {Promise<Blob>} the whole part, checked
 */
async function fetchPart(part, onBytes, signal) {
  const response = await request(part, signal);
  const total = Number(response.headers.get("content-length") ?? 0);
  const chunks = [];
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      onBytes(bytes, total);
    }
  } catch (fault) {
    signal.throwIfAborted();
    throw engineError(
      `The download of the model part ${part.file} broke off after ${bytes} bytes ` +
        `(${messageOf(fault)}). Try again: what has arrived is kept.`,
      { retryable: true, details: { file: part.file, bytes } },
    );
  }
  const blob = new Blob(chunks);
  const fault = await faultOf(blob, part);
  if (fault) throw fault;
  return blob;
}

/** @param {Part} part @param {AbortSignal} signal @returns {Promise<Response>} */
async function request({ url, file }, signal) {
  let response;
  try {
    // The store keeps the part; a second copy in the HTTP cache would also keep a damaged one.
    response = await fetch(url, { cache: "no-store", signal });
  } catch (fault) {
    signal.throwIfAborted();
    throw engineError(
      `The model part ${file} cannot be fetched from ${url} (${messageOf(fault)}). ` +
        "Check the connection and that this page may reach the address, then try again.",
      { retryable: true, details: { file } },
    );
  }
  if (!response.ok) {
    throw engineError(
      `The model part ${file} is missing: ${url} answers ${response.status}. ` +
        "Check that the file is there.",
      { details: { file, status: response.status } },
    );
  }
  return response;
}

/** @param {Response} response */
async function* chunksOf(response) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}

/**
 * Why a blob is not the part: wrong size or wrong digest. Without a secure context the browser
 * computes no digest, so only the size is compared.
 * @param {Blob} blob @param {Part} part
 */
async function faultOf(blob, { file, bytes, sha256 }) {
  if (bytes !== undefined && blob.size !== bytes) {
    return engineError(
      `The model part ${file} is damaged: it has ${blob.size} bytes instead of ${bytes}. ` +
        "Try again; if it stays so, the server has a wrong file.",
      { retryable: true, details: { file, expected: bytes, actual: blob.size } },
    );
  }
  if (sha256 === undefined || !globalThis.crypto.subtle) return undefined;
  const actual = await digestOf(blob);
  if (actual === sha256) return undefined;
  return engineError(
    `The model part ${file} is damaged: its SHA-256 is ${actual} instead of ${sha256}. ` +
      "Try again; if it stays so, the server has a wrong file.",
    { retryable: true, details: { file, expected: sha256, actual } },
  );
}

/** @param {Blob} blob @returns {Promise<string>} the SHA-256 in hexadecimal digits */
async function digestOf(blob) {
  const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

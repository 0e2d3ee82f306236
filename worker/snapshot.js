// Keeps one snapshot of Python's memory in the origin private file system (OPFS), so that the next
// visit need not start Python from nothing. A snapshot that is missing, damaged, cut short or made
// by another build or browser counts as none.
//
// A file is 32 bytes SHA-256 of the key, 32 bytes SHA-256 of the image, then the image.

import { python as built } from "./assets.js";
import { readImage, writeImage } from "./snapshot_image.js";

const PREFIX = "pagehand-snapshot-";
const LOCK = "pagehand-snapshot";
const DIGEST_BYTES = 32;
const IMAGE_OFFSET = 2 * DIGEST_BYTES;

/**
 * @typedef {import("./snapshot_image.js").Image} Image
 * @typedef {{read: () => Promise<Image | null>}} StoredSnapshot
 */

/**
 * Looks for the snapshot that fits this build and this browser.
 * @returns {Promise<StoredSnapshot | null>}
 */
export async function findSnapshot() {
  try {
    const { name, keyDigest } = await describe();
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle(name);
    return { read: () => readChecked(file, keyDigest).catch(() => null) };
  } catch {
    return null; // no OPFS here, or no such file
  }
}

/** Removes this site's snapshots, whatever made them. */
export async function removeSnapshots() {
  try {
    await removeOthers(await navigator.storage.getDirectory(), sitePrefix(await siteDigest()), "");
  } catch {
    // no OPFS here: there is nothing to remove
  }
}

/**
 * Makes and stores a snapshot, unless another tab is at it. Older ones of this site go.
 * @param {() => Promise<Image>} make
 * @returns {Promise<boolean>}  whether it is stored
 */
export function storeSnapshot(make) {
  return navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (!lock || (await findSnapshot())) return false;
    const { name, prefix, keyDigest } = await describe();
    const folder = await navigator.storage.getDirectory();
    await removeOthers(folder, prefix, name);
    const image = writeImage(await make());
    const file = await folder.getFileHandle(name, { create: true });
    try {
      await write(file, [keyDigest, await digest(image), image]);
    } catch (fault) {
      await folder.removeEntry(name);
      throw fault;
    }
    return true;
  });
}

/**
 * The file's name and the key it must carry. Addresses in a snapshot depend on the build and on
 * the engine's own tables, so the browser's full version belongs to the key.
 */
async function describe() {
  const [site, browser] = await Promise.all([siteDigest(), browserVersion()]);
  const prefix = sitePrefix(site);
  const key = [built.version, built.content, browser, hasStackSwitching()].join("\n");
  const keyDigest = await digest(new TextEncoder().encode(key));
  return { prefix, keyDigest, name: `${prefix}${hex(keyDigest).slice(0, 16)}` };
}

/** Sites that share an origin keep snapshots apart. */
function siteDigest() {
  return digest(new TextEncoder().encode(new URL("../", import.meta.url).href));
}

/** @param {Uint8Array} digest */
function sitePrefix(digest) {
  return `${PREFIX}${hex(digest).slice(0, 8)}-`;
}

async function browserVersion() {
  const data = /** @type {any} */ (navigator).userAgentData;
  const details = await data?.getHighEntropyValues(["fullVersionList"]);
  return details ? JSON.stringify(details.fullVersionList) : navigator.userAgent;
}

function hasStackSwitching() {
  return "Suspending" in WebAssembly;
}

/**
 * @param {FileSystemFileHandle} file
 * @param {Uint8Array} keyDigest
 */
async function readChecked(file, keyDigest) {
  const data = await read(file);
  if (data.byteLength <= IMAGE_OFFSET || !equal(data.subarray(0, DIGEST_BYTES), keyDigest)) {
    return null;
  }
  const image = data.subarray(IMAGE_OFFSET);
  const intact = equal(data.subarray(DIGEST_BYTES, IMAGE_OFFSET), await digest(image));
  return intact ? readImage(image) : null;
}

/** @param {FileSystemFileHandle} file */
async function read(file) {
  // Several tabs may read at once; a browser that does not know the option lets one of them.
  const handle = await openSync(file, { mode: "read-only" });
  try {
    const data = new Uint8Array(handle.getSize());
    handle.read(data, { at: 0 });
    return data;
  } finally {
    handle.close();
  }
}

/**
 * @param {FileSystemFileHandle} file
 * @param {Uint8Array<ArrayBuffer>[]} parts
 */
async function write(file, parts) {
  const handle = await openSync(file);
  try {
    handle.truncate(0);
    let at = 0;
    for (const part of parts) at += handle.write(part, { at });
    handle.flush();
  } finally {
    handle.close();
  }
}

/**
 * @param {FileSystemFileHandle} file
 * @param {{mode: string}} [options]
 * @returns {Promise<FileSystemSyncAccessHandle>}
 */
function openSync(file, options) {
  return /** @type {any} */ (file).createSyncAccessHandle(options);
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} prefix
 * @param {string} kept  the name of the one that stays
 */
async function removeOthers(folder, prefix, kept) {
  for await (const name of folder.keys()) {
    if (!name.startsWith(prefix) || name === kept) continue;
    await folder.removeEntry(name).catch(() => {}); // another tab reads it: next time
  }
}

/** @param {Uint8Array<ArrayBuffer>} data */
async function digest(data) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

/** @param {Uint8Array} left @param {Uint8Array} right */
function equal(left, right) {
  return hex(left) === hex(right);
}

/** @param {Uint8Array} data */
function hex(data) {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Images and files that go with a request. They cross to the worker as text: base64 of what the
// page holds as bytes; what is a text already goes as it is.

import { configError } from "./faults.js";

/**
 * @typedef {Blob | ArrayBuffer | ArrayBufferView | string} AttachmentData  a File or Blob, bytes,
 *   or a text: base64, a data URL, or an http(s) link
 * @typedef {AttachmentData | {data: AttachmentData, name?: string, mediaType?: string}} Attachment
 *   a File brings its name and its type with it
 * @typedef {{data: string, name?: string, mediaType?: string}} SentAttachment
 */

const KNOWN = ["data", "name", "mediaType"];

/**
 * Reads `images` or `files` of a run.
 * @param {unknown} given
 * @param {"images" | "files"} where
 * @returns {Promise<SentAttachment[]>}
 * @throws {import("../../worker/rpc.js").PagehandError} ConfigError that names the place
 */
export async function readAttachments(given, where) {
  if (!isList(given)) {
    throw configError(`"${where}" is ${kindOf(given)}. Give a list of attachments, one or more.`);
  }
  return Promise.all(Array.from(given, (each, index) => readOne(each, `${where}[${index}]`)));
}

/** A list of a script's, or the files of an input field. @param {unknown} value @returns {value is ArrayLike<unknown>} */
function isList(value) {
  return Array.isArray(value) || tagOf(value) === "FileList";
}

/** @param {unknown} given @param {string} where @returns {Promise<SentAttachment>} */
async function readOne(given, where) {
  const { data, name, mediaType } = isRecord(given) ? checked(given, where) : { data: given };
  const type = mediaType ?? (isBlob(data) ? data.type : "");
  const label = name ?? (isBlob(data) && "name" in data ? String(data.name) : "");
  const text = typeof data === "string" ? data : toBase64(await bytesOf(data, where));
  if (text === "") throw configError(`${where}: the attachment is empty.`);
  return { data: text, ...(label && { name: label }), ...(type && { mediaType: type }) };
}

/**
 * @param {Record<string, unknown>} given
 * @param {string} where
 * @returns {{data: unknown, name?: string, mediaType?: string}}
 */
function checked(given, where) {
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    throw configError(`${where} has an unknown field "${unknown}". Known are: ${KNOWN.join(", ")}.`);
  }
  const { data, name, mediaType } = given;
  for (const [key, value] of Object.entries({ name, mediaType })) {
    if (value !== undefined && typeof value !== "string") {
      throw configError(`${where}: "${key}" is ${kindOf(value)}. Give a text.`);
    }
  }
  return { data, .../** @type {{name?: string, mediaType?: string}} */ ({ name, mediaType }) };
}

/** @param {unknown} data @param {string} where @returns {Promise<Uint8Array>} */
async function bytesOf(data, where) {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (isBuffer(data)) return new Uint8Array(data);
  if (isBlob(data)) {
    try {
      return new Uint8Array(await data.arrayBuffer());
    } catch (fault) {
      throw configError(`${where}: the file could not be read (${fault instanceof Error ? fault.message : fault}).`);
    }
  }
  throw configError(
    `${where} is ${kindOf(data)}. Give a File or Blob, bytes, or a text that is base64, a data URL ` +
      "or an http(s) link; alone, or as {data, name, mediaType}.",
  );
}

/** As many bytes as may be the arguments of one call. */
const PIECE = 0x8000;

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let characters = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    characters += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(characters);
}

/** The kind of a value, the same for one of another window. @param {unknown} value */
function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** @param {unknown} value @returns {value is Blob} */
function isBlob(value) {
  return ["Blob", "File"].includes(tagOf(value));
}

/** @param {unknown} value @returns {value is ArrayBuffer} */
function isBuffer(value) {
  return tagOf(value) === "ArrayBuffer";
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return tagOf(value) === "Object";
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? `of the kind ${tagOf(value)}` : `a ${typeof value}`;
}

// Images and files that go with a request, as data that crosses to the worker.

import { configError } from "./faults.js";

/**
 * @typedef {Blob | string | {data: string, mediaType: string, name?: string}} Attachment
 *   a file, its address (also a data: URL), or its parts
 */

/**
 * @param {Attachment[]} attachments
 * @param {string} option  names the option in an error
 * @returns {Promise<{data: string, mediaType?: string, name?: string}[]>}
 */
export function readAttachments(attachments, option) {
  if (!Array.isArray(attachments)) throw configError(`"${option}" is not a list.`);
  return Promise.all(attachments.map((each, index) => readOne(each, `${option}[${index}]`)));
}

/** @param {Attachment} attachment @param {string} path */
async function readOne(attachment, path) {
  if (typeof attachment === "string") return { data: attachment };
  if (attachment instanceof Blob) {
    return {
      data: await dataUrl(attachment),
      mediaType: attachment.type || "application/octet-stream",
      ...(attachment instanceof File && { name: attachment.name }),
    };
  }
  if (typeof attachment?.data === "string") return { ...attachment };
  throw configError(`"${path}" is not a file, an address, or an object with "data" and "mediaType".`);
}

/** @param {Blob} blob @returns {Promise<string>} */
function dataUrl(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

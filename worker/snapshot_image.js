// What a snapshot holds: Python's memory, and the packs that lie in its file system, which is not
// part of that memory. Both come in one piece, so that a second visit reads a single file.

import { readPack, writePack } from "./pack.js";

const PAGE_BYTES = 65_536;
const HEAP_PATH = /^\/heap\/(\d+)\/(\d+)$/;

/** @typedef {{heap: Uint8Array<ArrayBuffer>, packs: Map<string, Uint8Array<ArrayBuffer>>}} Image
 *          `packs` by name */

/**
 * An image as a pack. Of the memory only pages that are not all zero are kept: a third is zeros.
 * @param {Image} image
 */
export function writeImage({ heap, packs }) {
  const runs = [...usedRuns(heap)].map(
    ([start, end]) =>
      /** @type {[string, Uint8Array]} */ ([
        `heap/${heap.byteLength}/${start}`,
        heap.subarray(start, end),
      ]),
  );
  return writePack([...runs, ...packs]);
}

/**
 * @param {Uint8Array<ArrayBuffer>} pack
 * @returns {Image}
 */
export function readImage(pack) {
  let heap = new Uint8Array(0);
  const packs = new Map();
  for (const [path, data] of readPack(pack)) {
    const [, length, start] = HEAP_PATH.exec(path) ?? [];
    if (start === undefined) {
      packs.set(path.slice(1), data.slice()); // a copy, so that the whole pack can be let go
    } else {
      if (heap.byteLength === 0) heap = new Uint8Array(Number(length));
      heap.set(data, Number(start));
    }
  }
  return { heap, packs };
}

/**
 * Where memory is used, as [start, end) in bytes.
 * @param {Uint8Array<ArrayBuffer>} heap
 * @returns {Generator<[number, number]>}
 */
function* usedRuns(heap) {
  let start = -1;
  for (let page = 0; page < heap.byteLength; page += PAGE_BYTES) {
    const used = heap.subarray(page, page + PAGE_BYTES).some((byte) => byte !== 0);
    if (used && start < 0) start = page;
    if (!used && start >= 0) {
      yield [start, page];
      start = -1;
    }
  }
  if (start >= 0) yield [start, heap.byteLength];
}

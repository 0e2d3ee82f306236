// Packs: how the build ships Python files. A pack is 4 bytes magic, 4 bytes length of its index
// (little-endian), the index as JSON [[path, bytes], …], then the files one after the other.

const MAGIC = new TextEncoder().encode("PACK");
const HEAD_BYTES = 8;

/**
 * The files of a pack, by absolute path; each is a view of the pack, not a copy.
 * @param {Uint8Array<ArrayBuffer>} pack
 * @returns {Map<string, Uint8Array<ArrayBuffer>>}
 */
export function readPack(pack) {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(4, true);
  let offset = HEAD_BYTES + length;
  /** @type {[string, number][]} */
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(HEAD_BYTES, offset)));
  return new Map(
    index.map(([path, bytes]) => [`/${path}`, pack.subarray(offset, (offset += bytes))]),
  );
}

/**
 * The pack of some files, which have paths without a leading slash.
 * @param {[string, Uint8Array][]} files
 */
export function writePack(files) {
  const index = JSON.stringify(files.map(([path, data]) => [path, data.byteLength]));
  const head = new TextEncoder().encode(index.padEnd(Math.ceil(index.length / 8) * 8));
  let offset = HEAD_BYTES + head.byteLength;
  const pack = new Uint8Array(files.reduce((sum, [, data]) => sum + data.byteLength, offset));
  pack.set(MAGIC);
  new DataView(pack.buffer).setUint32(4, head.byteLength, true);
  pack.set(head, HEAD_BYTES);
  for (const [, data] of files) {
    pack.set(data, offset);
    offset += data.byteLength;
  }
  return pack;
}

/**
 * Puts the files of a pack into Pyodide's file system.
 * @param {any} FS
 * @param {Uint8Array<ArrayBuffer>} pack  must not be changed afterwards
 */
export function unpack(FS, pack) {
  let lastFolder = "";
  for (const [path, data] of readPack(pack)) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (folder !== lastFolder) FS.mkdirTree(folder);
    lastFolder = folder;
    FS.writeFile(path, data, { canOwn: true });
  }
}

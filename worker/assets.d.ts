/** A file of the site: its address relative to this folder, its size on the wire, its digest. */
export interface Asset {
  url: string;
  bytes: number;
  sha256: string;
}

/** Files by the path they would have without a content hash in their names. */
export const assets: Record<string, Asset | undefined>;

/** Facts about the Python that the site ships. */
export const python: {
  /** Pyodide's version. */
  version: string;
  /** A hash over everything that a snapshot of its memory depends on. */
  content: string;
  /** Pyodide's package lock, without packages. */
  lock: string;
  /** Where Python looks for pydantic's extension module. */
  extensionPath: string;
};

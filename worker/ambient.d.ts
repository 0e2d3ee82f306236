// What the build adds to a site beside the files of this folder.

declare module "*/py/pyodide.mjs" {
  export const loadPyodide: typeof import("pyodide").loadPyodide;
}

declare module "*/py/pyodide.asm.mjs" {
  const createModule: (settings: any) => Promise<any>;
  export default createModule;
}

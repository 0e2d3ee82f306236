// Bundles each third-party library once, as an ES module, with the types of its entry beside it.
// Usage: node bundle_vendor.mjs <folder of node_modules> <output folder>
import { copyFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [nodeModules, output] = process.argv.slice(2).map((path) => resolve(path));
const entries = join(dirname(fileURLToPath(import.meta.url)), "vendor_entries");
const fileWorkers = join(entries, "wllama_file_workers.js");
const wllamaSource = join(nodeModules, "@wllama/wllama/src/");

/** wllama without what it must not do here: start workers from Blob URLs, or load from a CDN. */
const wllamaFromFiles = {
  name: "wllama-from-files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/worker$/ }, ({ importer }) =>
      importer === join(wllamaSource, "wllama.ts") ? { path: fileWorkers } : undefined,
    );
    for (const [name, contents] of Object.entries(replacements)) {
      onResolve({ filter: new RegExp(`^\\.\\/${name}$`) }, ({ importer }) =>
        importer.startsWith(wllamaSource) ? { path: name, namespace: "replaced" } : undefined,
      );
      onLoad({ filter: new RegExp(`^${name}$`), namespace: "replaced" }, () => ({
        contents,
        resolveDir: wllamaSource,
      }));
    }
  },
};
const replacements = {
  "workers-code/generated": `
    export { LIBLLAMA_VERSION } from "./workers-code/generated.ts";
    export const LLAMA_CPP_WORKER_CODE = "", OPFS_UTILS_WORKER_CODE = "", WLLAMA_EMSCRIPTEN_CODE = "";`,
  "wasm-from-cdn": "export const WasmCompatFromCDN = null;",
};

const { build } = createRequire(join(nodeModules, "package.json"))("esbuild");
const libraries = ["lit-html", "marked", "dompurify", "wllama", "web-llm"];
await build({
  entryPoints: libraries.map((name) => join(entries, `${name}.js`)),
  outdir: output,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "inline",
  nodePaths: [nodeModules],
  plugins: [wllamaFromFiles],
  logLevel: "warning",
});

const written = new Set(await readdir(entries));
for (const name of libraries) {
  // An entry that only re-exports is its own description.
  const types = written.has(`${name}.d.ts`) ? `${name}.d.ts` : `${name}.js`;
  await copyFile(join(entries, types), join(output, `${name}.d.ts`));
}

// WebLLM's own list of models as data, so that a page can show it without fetching the library.
const webLlm = pathToFileURL(join(nodeModules, "@mlc-ai/web-llm/lib/index.js"));
const { prebuiltAppConfig, ModelType } = await import(webLlm);
const chatModels = prebuiltAppConfig.model_list.filter(
  ({ model_type: type }) => type !== ModelType.embedding,
);
await writeFile(join(output, "web-llm-models.json"), JSON.stringify(chatModels));

import { Wllama as BlobWllama, type WllamaConfig } from "@wllama/wllama";

export type { ChatCompletionChunk, ChatCompletionParams } from "@wllama/wllama";

/** Absolute URLs. */
export type WorkerFiles = { wasm: string; worker: string; thread: string };

export class Wllama extends BlobWllama {
  constructor(files: WorkerFiles, config?: WllamaConfig);
}

// WebLLM, with the facts of the loaded model that its public interface does not tell.
import { MLCEngine } from "@mlc-ai/web-llm";

/** WebLLM's engine with one model in it. */
export class Engine extends MLCEngine {
  /** Of the loaded model; nothing when none is, also when the GPU took it away. */
  get config() {
    return this.#pipeline && [...this.loadedModelIdToChatConfig.values()][0];
  }

  /** How many tokens of prompt and answer the GPU holds. */
  get heldTokens() {
    return this.#pipeline?.filledKVCacheLength ?? 0;
  }

  /** Whether a text is one token of its own, as the marks of a format are. @param {string} text */
  hasToken(text) {
    return this.#pipeline?.tokenizer.encode(text).length === 1;
  }

  get #pipeline() {
    return [...this.loadedModelIdToPipeline.values()][0];
  }
}

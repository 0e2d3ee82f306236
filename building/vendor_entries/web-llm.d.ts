import {
  MLCEngine,
  type ChatCompletionChunk,
  type ChatCompletionRequestStreaming,
  type ModelRecord,
} from "@mlc-ai/web-llm";

export type { ChatCompletionChunk, ChatCompletionRequestStreaming, ModelRecord };

/** What is used of a loaded model's `mlc-chat-config.json`. Windows in tokens, -1 for none. */
export type LoadedConfig = {
  context_window_size: number;
  sliding_window_size: number;
  conv_template: { role_templates?: Record<string, string>; stop_str: string[] };
};

export class Engine extends MLCEngine {
  get config(): LoadedConfig | undefined;
  get heldTokens(): number;
  hasToken(text: string): boolean;
}

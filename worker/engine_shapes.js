// What crosses the border to an engine, as plain data: the engine worker's, and the browser's own.
// Types only; nothing here runs.

/**
 * @typedef {{contextWindow?: number, modelUrl?: string, modelLibUrl?: string,
 *            overrides?: Record<string, unknown>}} LoadOptions
 *   `contextWindow` in tokens costs memory, no download; the others are for WebLLM: where a model's
 *   folder and its library are, and what replaces its own settings
 * @typedef {{progress: number, text: string}} LoadProgress  progress from 0 to 1
 * @typedef {{model: string, contextWindow: number, threads?: number,
 *            constraints: string[]}} EngineInfo  window in tokens
 * @typedef {{messages: {role: string, content: string}[], maxOutputTokens?: number,
 *            temperature?: number, jsonSchema?: object, grammar?: string,
 *            stop?: string[], thinking?: boolean, prompt?: string}} GenerateRequest
 *   `thinking`: for models with a switch; `prompt`: raw text in place of messages, for engines that
 *   tell likelihoods
 * @typedef {{kind: "queued", ahead: number}
 *         | {kind: "load", progress: number, text: string}
 *         | {kind: "start"}
 *         | {kind: "prompt", done: number, total: number}
 *         | {kind: "text", text: string}} GenerateProgress
 *   `queued`: so many tasks come first; done and total in tokens
 * @typedef {{text: string, finishReason: "stop" | "length" | "cancelled",
 *            usage: {inputTokens: number, outputTokens: number, cachedInputTokens: number},
 *            likelihood?: number}} GenerateResult
 *   `likelihood`: the natural logarithm of how likely the text was after a raw prompt
 */

export {};

// Gathers an answer that WebLLM streams.
import { createCoalescer } from "../coalesce.js";
import { heldBack } from "../stop_texts.js";

const TEXT_EVERY_MS = 30;
/** What WebLLM writes itself, before the answer, when thinking is turned off. */
const EMPTY_THOUGHT = "<think>\n\n</think>\n\n";

/**
 * @typedef {import("../engine.js").GenerateResult} GenerateResult
 * @typedef {import("../../vendor/web-llm.js").ChatCompletionChunk} ChatCompletionChunk
 */

/**
 * Without a last word of the engine the answer was cancelled.
 * @param {import("../engine.js").GenerateContext["onProgress"]} onProgress
 * @param {{stops: string[], thoughtless: boolean}} facts texts that end the answer; whether
 *   thinking is turned off
 */
export function createAnswer(onProgress, { stops, thoughtless }) {
  let text = "";
  let start = 0;
  let told = 0;
  /** @type {GenerateResult["finishReason"]} */
  let finishReason = "cancelled";
  let outputTokens = 0;
  let readTokens = 0;
  const stream = createCoalescer((part) => onProgress({ kind: "text", text: part }), TEXT_EVERY_MS);

  /** @param {number} end */
  function tell(end) {
    if (end > told) stream.add(text.slice(told, end));
    told = Math.max(told, end);
  }

  return {
    /** @param {ChatCompletionChunk} chunk */
    take({ choices: [choice], usage }) {
      const delta = choice?.delta.content ?? "";
      if (delta && !text && thoughtless && delta.startsWith(EMPTY_THOUGHT)) {
        start = told = EMPTY_THOUGHT.length;
      }
      text += delta;
      if (delta) tell(text.length - heldBack(text, stops));
      if (choice?.finish_reason) finishReason = reasonOf(choice.finish_reason);
      if (usage) {
        outputTokens = usage.completion_tokens;
        readTokens = usage.prompt_tokens;
      }
    },

    /**
     * @param {string} whole the answer as the engine has it in the end, without its stop text
     * @param {number} heldTokens of the conversation, in the GPU
     * @returns {GenerateResult}
     */
    finish(whole, heldTokens) {
      text = whole;
      tell(text.length);
      stream.flush();
      // The last token of an answer is not read any more. What the GPU held already counts too.
      const inputTokens = Math.max(readTokens, heldTokens - Math.max(outputTokens - 1, 0));
      return {
        text: text.slice(start),
        finishReason,
        usage: { inputTokens, outputTokens, cachedInputTokens: inputTokens - readTokens },
      };
    },
  };
}

/** @param {string} reason */
function reasonOf(reason) {
  if (reason === "abort") return "cancelled";
  return reason === "length" ? "length" : "stop";
}

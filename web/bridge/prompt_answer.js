// One answer of the browser's own model.

import { createCoalescer } from "../../worker/coalesce.js";
import { heldBack } from "../../worker/stop_texts.js";
import { promptFault, tooLong } from "./prompt_faults.js";
import { measured, usedBy, windowOf } from "./prompt_session.js";

const TEXT_EVERY_MS = 30;

/**
 * @typedef {import("./prompt_session.js").Session} Session
 * @typedef {import("./prompt_session.js").Turn} Turn
 * @typedef {import("../../worker/engine_shapes.js").GenerateProgress} GenerateProgress
 * @typedef {import("../../worker/engine_shapes.js").GenerateRequest} GenerateRequest
 * @typedef {import("../../worker/engine_shapes.js").GenerateResult} GenerateResult
 * @typedef {{signal: AbortSignal, onProgress: (news: GenerateProgress) => void}} Context
 */

/**
 * Lets a session go on with some turns. The session has the answer afterwards only where that
 * ended by itself: `whole`.
 * @param {Session} session
 * @param {Turn[]} turns
 * @param {GenerateRequest} request
 * @param {Context} context
 * @returns {Promise<{result: GenerateResult, whole: boolean}>}
 */
export async function writeAnswer(session, turns, request, { signal, onProgress }) {
  const constraint = request.jsonSchema && { responseConstraint: request.jsonSchema };
  const cachedInputTokens = usedBy(session);
  const tokens = { prompt: cachedInputTokens, window: windowOf(session) };
  const enough = new AbortController();
  const answer = createAnswer(request, onProgress);
  /** @type {GenerateResult["finishReason"]} */
  let finishReason;
  try {
    tokens.prompt += await measured(session, turns, { signal, ...constraint });
    // The browser would make room by forgetting the oldest turns without a word.
    if (tokens.prompt > tokens.window) throw tooLong(tokens);
    const either = AbortSignal.any([signal, enough.signal]);
    for await (const piece of session.promptStreaming(turns, { signal: either, ...constraint })) {
      answer.take(piece);
      if (answer.ended) break;
    }
    finishReason = answer.ended ?? "stop";
  } catch (fault) {
    if (!signal.aborted) throw promptFault(fault, tokens);
    finishReason = "cancelled";
  } finally {
    enough.abort();
    answer.flush();
  }
  const { text } = answer;
  const outputTokens = await written(session, text, tokens.prompt);
  return {
    result: { text, finishReason, usage: { inputTokens: tokens.prompt, outputTokens, cachedInputTokens } },
    whole: finishReason === "stop" && !answer.ended,
  };
}

/**
 * Gathers what comes, up to a stop text or the most that may come.
 * @param {GenerateRequest} request
 * @param {(news: GenerateProgress) => void} onProgress
 */
function createAnswer({ stop = [], maxOutputTokens = Infinity }, onProgress) {
  const stream = createCoalescer((text) => onProgress({ kind: "text", text }), TEXT_EVERY_MS);
  let text = "";
  let told = 0;
  let pieces = 0;
  /** @type {"stop" | "length" | undefined} */
  let ended;

  /** @param {number} end */
  function tell(end) {
    if (end > told) stream.add(text.slice(told, end));
    told = Math.max(told, end);
  }

  return {
    get text() {
      return text;
    },
    /** Why no more is taken, once that is so. */
    get ended() {
      return ended;
    },
    /** @param {string} piece */
    take(piece) {
      text += piece;
      const end = endAt(text, stop);
      if (end < text.length) ended = "stop";
      else if (++pieces >= maxOutputTokens) ended = "length"; // a piece is a token at least
      text = text.slice(0, end);
      tell(ended ? end : end - heldBack(text, stop));
    },
    flush() {
      tell(text.length);
      stream.flush();
    },
  };
}

/** Where a text ends that stops before the first of some texts. @param {string} text @param {string[]} stops */
function endAt(text, stops) {
  const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return Math.min(text.length, ...places);
}

/**
 * How many tokens an answer has: what the session holds beyond the prompt, where it counts that.
 * @param {Session} session
 * @param {string} text
 * @param {number} prompt  in tokens
 */
async function written(session, text, prompt) {
  const grown = usedBy(session) - prompt;
  if (grown > 0 || !text) return Math.max(grown, 0);
  try {
    return await measured(session, [{ role: "assistant", content: text }], {});
  } catch {
    return 0; // a session that was stopped may be gone
  }
}

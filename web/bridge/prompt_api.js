// The browser's own model, behind the methods of the engine worker (worker/engine.js). It is here
// and not there because browsers offer it to windows only.
// https://webmachinelearning.github.io/prompt-api/

import { engineError } from "../../worker/engine_error.js";
import { createQueue } from "../../worker/queue.js";
import { writeAnswer } from "./prompt_answer.js";
import { samplingOf } from "./prompt_sampling.js";
import { languageModel, openModel, startSession, windowOf } from "./prompt_session.js";

/**
 * @typedef {import("./prompt_session.js").Session} Session
 * @typedef {import("./prompt_session.js").Turn} Turn
 * @typedef {import("../../worker/engine_shapes.js").EngineInfo} EngineInfo
 * @typedef {import("../../worker/engine_shapes.js").GenerateRequest} GenerateRequest
 * @typedef {import("../../worker/engine_shapes.js").GenerateResult} GenerateResult
 * @typedef {{session: Session, turns: Turn[], settings: string}} Conversation  what a session holds
 */

/** @type {GenerateResult} of a call that was cancelled before a word came */
const NOTHING = {
  text: "",
  finishReason: "cancelled",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
};

/** @returns {Record<string, import("../../worker/rpc.js").Handler>} engine.load, .generate, .unload */
export function createPromptEngine() {
  const run = createQueue();
  /** While its session is there, the model stays in memory. @type {Awaited<ReturnType<typeof openModel>> | undefined} */
  let opened;
  /** The conversation that was answered last. @type {Conversation | undefined} */
  let last;

  /**
   * A task of the queue.
   * @param {AbortSignal} signal
   * @param {import("./prompt_session.js").WatchLoad} onProgress
   */
  async function bring(signal, onProgress) {
    opened ??= await openModel(signal, onProgress);
    return opened;
  }

  /**
   * The session of an earlier conversation that this one goes on with.
   * @param {Turn[]} turns
   * @param {string} settings
   * @param {AbortSignal} signal
   */
  async function takeUp(turns, settings, signal) {
    if (last?.settings !== settings || !begins(turns, last.turns)) return undefined;
    try {
      return { session: await last.session.clone({ signal }), rest: turns.slice(last.turns.length) };
    } catch {
      signal.throwIfAborted();
      last = undefined; // the browser has given the session up
      return undefined;
    }
  }

  /**
   * A task of the queue.
   * @param {GenerateRequest} request
   * @param {object} made  what sessions are made with
   * @param {import("./prompt_answer.js").Context} context
   */
  async function answer(request, made, context) {
    const { signal } = context;
    const turns = request.messages.map(({ role, content }) => ({ role, content }));
    const options = { ...made, ...(await samplingOf(languageModel(), request.temperature)) };
    const settings = JSON.stringify(options);
    const { session, rest } = (await takeUp(turns, settings, signal)) ?? {
      session: await startSession(turns.slice(0, -1), options, signal),
      rest: turns.slice(-1),
    };
    try {
      const { result, whole } = await writeAnswer(session, rest, request, context);
      if (whole) {
        last?.session.destroy();
        last = { session, settings, turns: [...turns, { role: "assistant", content: result.text }] };
      }
      return result;
    } finally {
      if (last?.session !== session) session.destroy();
    }
  }

  return {
    "engine.load": (_params, { signal, progress }) =>
      run(async () => infoOf((await bring(signal, progress)).session), {
        signal,
        onWait: (ahead) => progress({ progress: 0, text: `Waiting: the model is busy, ${ahead} ahead` }),
      }),

    async "engine.generate"(request, { signal, progress }) {
      refuseForeign(request);
      try {
        return await run(
          async () => {
            const { options } = await bring(signal, (news) => progress({ kind: "load", ...news }));
            progress({ kind: "start" });
            return answer(request, options, { signal, onProgress: progress });
          },
          { signal, onWait: (ahead) => progress({ kind: "queued", ahead }) },
        );
      } catch (fault) {
        if (signal.aborted) return NOTHING;
        throw fault;
      }
    },

    "engine.unload": () =>
      run(async () => {
        opened?.session.destroy();
        last?.session.destroy();
        opened = last = undefined;
      }),
  };
}

/** @param {Session} session @returns {EngineInfo} */
function infoOf(session) {
  return { model: "browser", contextWindow: windowOf(session), constraints: ["json-schema"] };
}

/** Whether a conversation goes on where another ended. @param {Turn[]} turns @param {Turn[]} earlier */
function begins(turns, earlier) {
  return (
    turns.length > earlier.length &&
    earlier.every(({ role, content }, place) => turns[place]?.role === role && turns[place].content === content)
  );
}

/** @param {GenerateRequest} request */
function refuseForeign({ grammar, prompt }) {
  if (grammar !== undefined || prompt !== undefined) {
    throw engineError("The browser's own model takes messages and JSON Schemas: no grammar, and no raw prompt.");
  }
}

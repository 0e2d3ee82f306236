// One run of llama.cpp with one model in it.
import { Wllama } from "../../vendor/wllama.js";
import { createCoalescer } from "../coalesce.js";
import { inTokens } from "./vocabulary.js";
import { crashError, engineError, messageOf, windowExceededError } from "../engine_error.js";

/** Tokens of prompt and answer together; 4 096 take 94 MB with the embedded model. */
const CONTEXT_TOKENS = 4096;
/** A batch is about a second's reading on a slow device: so often stop and progress can act. */
const BATCH_TOKENS_PER_THREAD = 16;
/** Threads that wait for each other lose more than they win when the page wants a core too. */
const SHARE_OF_CORES = 0.75;
const MAX_THREADS = 8;
const MAX_OUTPUT_TOKENS = 1024;
const TEXT_EVERY_MS = 30;

/**
 * @typedef {import("../../vendor/wllama.js").ChatCompletionChunk} ChatCompletionChunk
 * @typedef {import("../../vendor/wllama.js").ChatCompletionParams} ChatCompletionParams
 * @typedef {import("../engine.js").GenerateRequest} GenerateRequest
 * @typedef {import("../engine.js").GenerateResult} GenerateResult
 * @typedef {import("../engine.js").GenerateContext} GenerateContext
 * @typedef {{choices: {text: string, finish_reason: string | null, logprobs: unknown}[],
 *            usage: {prompt_tokens: number, completion_tokens: number},
 *            timings?: {cache_n?: number}}} WholeCompletion
 * @typedef {{logprob: number, bytes: number[]}} Token
 * @typedef {{info: {contextWindow: number, threads: number},
 *            generate: (request: GenerateRequest, context: GenerateContext)
 *                    => Promise<GenerateResult>,
 *            promptCacheBytes: () => number, crashed: () => boolean,
 *            stop: () => Promise<void>}} Instance
 */

/**
 * @param {import("../../vendor/wllama.js").WorkerFiles} files
 * @param {Blob} model
 * @param {{window?: number, tokenize?: import("./vocabulary.js").Tokenize}} [options]
 *   `window` in tokens, no larger than the model was made for; `tokenize` puts the grammar of a raw
 *   prompt into tokens
 * @returns {Promise<Instance>}
 */
export async function startWllama(files, model, { window = CONTEXT_TOKENS, tokenize } = {}) {
  const log = createErrorLog();
  const wllama = new Wllama(files, { logger: log.logger });
  const threads = crossOriginIsolated ? threadCount(navigator.hardwareConcurrency) : 1;
  try {
    await wllama.loadModel([model], {
      n_ctx: window,
      n_batch: BATCH_TOKENS_PER_THREAD * threads,
      n_ubatch: BATCH_TOKENS_PER_THREAD * threads,
      n_threads: threads,
      n_gpu_layers: 0,
      n_parallel: 1, // one conversation at a time: the prompts of others wait in the prompt cache
      log_level: ERRORS_ONLY,
      reasoning_format: "none", // the text comes whole: whoever asked reads thinking and calls
    });
  } catch (fault) {
    await wllama.exit();
    throw engineError(
      `The model does not start (${log.reason() ?? messageOf(fault)}). Check that the content ` +
        "security policy allows 'wasm-unsafe-eval' and workers of the site, that the site is " +
        "complete and that enough memory is free.",
    );
  }
  const { n_ctx, n_ctx_train } = wllama.getLoadedContextInfo();
  if (window > CONTEXT_TOKENS && window > n_ctx_train) {
    await wllama.exit(); // the memory of a window that cannot be used
    return startWllama(files, model, { window: n_ctx_train, tokenize });
  }
  const bytesPerToken = cacheBytesPerToken(wllama.getModelMetadata().meta);
  let cachedTokens = 0;
  let crashed = false;

  return {
    info: { contextWindow: Math.min(n_ctx, n_ctx_train), threads: wllama.getNumThreads() },

    async generate(request, { signal, onProgress }) {
      const answer = createAnswer(onProgress);
      log.clear();
      try {
        if (request.prompt === undefined) {
          await wllama.createChatCompletion({
            ...bodyOf(request),
            stream: true,
            onData: answer.take,
            abortSignal: signal,
          });
        } else {
          answer.takeWhole(
            /** @type {WholeCompletion} */ (
              /** @type {unknown} */ (
                await wllama.createCompletion({ ...rawBodyOf(request, tokenize), abortSignal: signal })
              )
            ),
          );
        }
      } catch (fault) {
        if (!(fault instanceof Error) || fault.name !== "AbortError") {
          const { error, isCrash } = explain(fault, log.reason());
          crashed = isCrash;
          throw error;
        }
      }
      const result = answer.finish();
      const { inputTokens, outputTokens, cachedInputTokens } = result.usage;
      cachedTokens += inputTokens - cachedInputTokens + outputTokens;
      return result;
    },

    promptCacheBytes: () => cachedTokens * bytesPerToken,
    crashed: () => crashed,
    stop: () => wllama.exit(),
  };
}

/** @param {number} cores */
const threadCount = (cores) => Math.min(Math.ceil(cores * SHARE_OF_CORES), MAX_THREADS);

/**
 * The request in wllama's words. The JSON schema and the grammar hold from the first token on.
 * @param {GenerateRequest} request
 */
function bodyOf({ messages, maxOutputTokens, temperature, jsonSchema, grammar, stop, thinking }) {
  return {
    messages: /** @type {ChatCompletionParams["messages"]} */ (messages),
    max_tokens: maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    ...(temperature !== undefined && { temperature }),
    ...(grammar !== undefined && { grammar }),
    ...(jsonSchema !== undefined && {
      response_format: {
        type: /** @type {const} */ ("json_schema"),
        json_schema: { name: "answer", schema: jsonSchema },
      },
    }),
    ...(stop?.length && { stop }),
    ...(thinking !== undefined && { chat_template_kwargs: { enable_thinking: thinking } }),
    return_progress: true,
    timings_per_token: true,
    stream_options: { include_usage: true },
  };
}

/**
 * A request to go on with raw text; how likely each token was comes back.
 * @param {GenerateRequest} request
 * @param {import("./vocabulary.js").Tokenize} [tokenize]
 */
function rawBodyOf({ prompt, maxOutputTokens, temperature, grammar, stop }, tokenize) {
  return {
    prompt: prompt ?? "",
    max_tokens: maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    ...(temperature !== undefined && { temperature }),
    ...(grammar !== undefined && { grammar: tokenize ? inTokens(grammar, tokenize) : grammar }),
    ...(stop?.length && { stop }),
    logprobs: 1,
  };
}

/**
 * Gathers a streamed answer. Without a last word of the engine it was cancelled.
 * @param {GenerateContext["onProgress"]} onProgress
 */
function createAnswer(onProgress) {
  let text = "";
  /** @type {number | undefined} */
  let likelihood;
  /** @type {GenerateResult["finishReason"]} */
  let finishReason = "cancelled";
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const stream = createCoalescer((part) => onProgress({ kind: "text", text: part }), TEXT_EVERY_MS);

  return {
    /** @param {ChatCompletionChunk} chunk */
    take({ choices: [choice], prompt_progress: reading, timings, usage: counts }) {
      if (reading) {
        onProgress({ kind: "prompt", done: reading.processed, total: reading.total });
        usage.inputTokens = reading.processed;
        usage.cachedInputTokens = reading.cache;
      }
      if (timings) usage.outputTokens = timings.predicted_n;
      if (counts) {
        usage.inputTokens = counts.prompt_tokens;
        usage.outputTokens = counts.completion_tokens;
      }
      const delta = choice?.delta.content ?? "";
      text += delta;
      if (delta) stream.add(delta);
      if (choice?.finish_reason) finishReason = choice.finish_reason === "length" ? "length" : "stop";
    },

    /** @param {WholeCompletion} response */
    takeWhole({ choices: [choice], usage: counts, timings }) {
      text = choice?.text ?? "";
      finishReason = choice?.finish_reason === "length" ? "length" : "stop";
      usage.inputTokens = counts.prompt_tokens;
      usage.outputTokens = counts.completion_tokens;
      usage.cachedInputTokens = timings?.cache_n ?? 0;
      const { content } = /** @type {{content?: Token[]}} */ (choice?.logprobs ?? {});
      const written = content?.filter(({ bytes }) => bytes.length > 0); // all but the text's end
      likelihood = written?.reduce((sum, { logprob }) => sum + logprob, 0);
    },

    /** @returns {GenerateResult} */
    finish() {
      stream.flush();
      return { text, finishReason, usage, ...(likelihood !== undefined && { likelihood }) };
    },
  };
}

/**
 * What went wrong, in our words, and whether llama.cpp is dead. It refuses what it cannot do with
 * a reason in its log; a crash comes without one.
 * @param {unknown} fault @param {string | undefined} reason
 */
function explain(fault, reason) {
  const message = messageOf(fault);
  const [, tokens, window] = message.match(/request \((\d+) tokens\).*size \((\d+) tokens\)/) ?? [];
  if (tokens) return { error: windowExceededError(Number(tokens), Number(window)), isCrash: false };
  const isCrash = message.startsWith("(ABORT)") || (isRuntimeError(fault) && reason === undefined);
  const error = isCrash
    ? crashError(message)
    : engineError(
        `The engine refuses the request: ${reason ?? message}. Check the messages, and the JSON ` +
          "schema or grammar if there is one.",
      );
  return { error, isCrash };
}

/** @param {unknown} fault */
const isRuntimeError = (fault) => fault instanceof Error && fault.name === "RuntimeError";

/** llama.cpp's log level; see LogLevel in wllama. */
const ERRORS_ONLY = 4;

/** Keeps the errors that llama.cpp logs: they tell more than what is thrown. */
function createErrorLog() {
  /** @type {string[]} */
  let lines = [];
  const nothing = () => {};
  return {
    logger: {
      debug: nothing,
      log: nothing,
      warn: nothing,
      /** @param {unknown[]} words */
      error(...words) {
        const [first] = words;
        if (typeof first === "string" && !first.startsWith("Stack trace")) lines.push(first.trim());
      },
    },
    clear: () => void (lines = []),
    /** The first error is the cause of the others. */
    reason: () => lines[0]?.replace(/[:.]+$/, ""),
  };
}

/**
 * What llama.cpp keeps for a token: a key and a value of 16 bits, in each layer and head.
 * @param {Record<string, string>} meta of the GGUF
 */
function cacheBytesPerToken(meta) {
  const of = (/** @type {string} */ name) => Number(meta[`${meta["general.architecture"]}.${name}`]);
  const heads = of("attention.head_count");
  const headSize = of("attention.key_length") || of("embedding_length") / heads;
  return 2 * 2 * of("block_count") * (of("attention.head_count_kv") || heads) * headSize;
}

// A request in WebLLM's words.
const MAX_OUTPUT_TOKENS = 1024;
/** Marks thoughts in the models whose thinking can be turned off. */
const THINK_MARK = "<think>";

/**
 * @typedef {import("../engine.js").GenerateRequest} GenerateRequest
 * @typedef {import("../../vendor/web-llm.js").ChatCompletionRequestStreaming} Body
 */

/**
 * @param {GenerateRequest} request
 * @param {Pick<import("../../vendor/web-llm.js").Engine, "config" | "hasToken">} engine
 * @returns {Body}
 */
export function bodyOf(request, engine) {
  const { maxOutputTokens, temperature, stop, thinking } = request;
  const format = formatOf(request);
  return {
    messages: messagesOf(request.messages, engine.config?.conv_template.role_templates),
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    ...(temperature !== undefined && { temperature }),
    ...(stop?.length && { stop }),
    ...(format && { response_format: format }),
    // WebLLM would put an empty thought before the answer of any model, also of one without.
    ...(thinking !== undefined &&
      (thinking || engine.hasToken(THINK_MARK)) && { extra_body: { enable_thinking: thinking } }),
  };
}

/** @param {GenerateRequest} request @returns {Body["response_format"]} */
function formatOf({ jsonSchema, grammar }) {
  if (grammar !== undefined) return { type: "grammar", grammar };
  if (jsonSchema !== undefined) return { type: "json_object", schema: JSON.stringify(jsonSchema) };
  return undefined;
}

/**
 * WebLLM puts texts into its templates with String.replace, to which "$&" and the like mean
 * something: a dollar is written twice where a template is filled.
 * @param {GenerateRequest["messages"]} messages
 * @param {Record<string, string> | undefined} templates by role
 */
function messagesOf(messages, templates) {
  const filled = (/** @type {string} */ role) => role === "system" || templates?.[role] !== undefined;
  return /** @type {Body["messages"]} */ (
    messages.map(({ role, content }) => ({
      role,
      content: filled(role) ? content.replaceAll("$", "$$$$") : content,
    }))
  );
}

// How much chance an answer of the browser's own model has in it.

/**
 * What `create` is told for a temperature. Numbers count only where the browser tells what it takes
 * (in extensions); pages name a mode, and browsers that know neither go by their own.
 * @param {import("./prompt_session.js").LanguageModel} model
 * @param {number | undefined} temperature
 * @returns {Promise<{temperature: number, topK: number} | {samplingMode: string} | {}>}
 */
export async function samplingOf(model, temperature) {
  if (temperature === undefined) return {};
  const params = await model.params?.();
  if (params) {
    const topK = temperature === 0 ? 1 : params.defaultTopK;
    return { temperature: Math.min(temperature, params.maxTemperature), topK };
  }
  if (temperature < 0.2) return { samplingMode: "most-predictable" };
  if (temperature < 0.6) return { samplingMode: "predictable" };
  return temperature > 1.2 ? { samplingMode: "creative" } : {};
}

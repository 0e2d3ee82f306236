// Counts of tokens, and what they cost.

/**
 * @typedef {import("./events.js").Usage} Usage
 * @typedef {{usd: number, unknown: string[]}} Cost  US dollars; `unknown` names the models, as
 *   `provider:model`, whose price is not known and whose calls are not in the sum
 */

/**
 * The sum of two counts; what neither reported stays left out.
 * @param {Usage} left
 * @param {Usage} right
 * @returns {Usage}
 */
export function addUsage(left, right) {
  const sum = /** @type {Record<string, number>} */ ({ ...left });
  for (const [name, count] of Object.entries(right)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** What nothing costs. @type {Readonly<Cost>} */
export const NO_COST = { usd: 0, unknown: [] };

/**
 * What was spent, with one more call.
 * @param {Readonly<Cost>} cost
 * @param {import("./events.js").UsageEvent} event  without `costUsd` where no price is known
 * @returns {Cost}
 */
export function addCost({ usd, unknown }, { costUsd, provider, model }) {
  if (costUsd !== undefined) return { usd: usd + costUsd, unknown };
  const name = [provider, model].filter(Boolean).join(":");
  return { usd, unknown: unknown.includes(name) ? unknown : [...unknown, name] };
}

// Counts of tokens.

/** @typedef {import("./events.js").Usage} Usage */

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

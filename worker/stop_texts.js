// An answer that ends before a stop text must not show the start of that text before it is known
// to be one.

/**
 * How many characters at the end of a text may be the start of a stop text.
 * @param {string} text @param {string[]} stops
 */
export function heldBack(text, stops) {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}

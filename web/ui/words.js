// Numbers and times as people say them.

const THIN_SPACE = "\u202f";

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  return `${Math.floor(whole / 60)} min${rest ? ` ${rest} s` : ""}`;
}

/** @param {number} value */
export function number(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, THIN_SPACE);
}

/** @param {number} count @param {string} one @param {string} [many] */
export function count(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A text in one line of at most `length` characters. @param {string} text @param {number} length */
export function clip(text, length) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** The end of a text in one line, for a preview of what still grows. @param {string} text @param {number} length */
export function clipStart(text, length) {
  const line = text.slice(-4 * length).replace(/\s+/g, " ").trim();
  return line.length > length ? `…${line.slice(1 - length)}` : line;
}

/** An amount of data as people say it. @param {number} count */
export function bytes(count) {
  if (count < 1e9) return `${number(Math.max(1, count / 1e6))} MB`;
  return `${(count / 1e9).toFixed(1).replace(/\.0$/, "")} GB`;
}

/** US dollars, with as many places as the sum needs. @param {number} usd */
export function money(usd) {
  return `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

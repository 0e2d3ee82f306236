// The vocabulary of a GGUF model, and grammars in its tokens.
//
// Held to letters, a decoder writes a text in whatever tokens begin it: " " and then "answer" where
// the model itself would have written " answer". What it makes of that says little about how
// likely the text is. Held to tokens, it writes the text as it would have.
//
// Byte-level BPE (GPT-2 and its many descendants) only. Words are cut into the longest tokens there
// are, not by the merges: for the words of a request it is the same.

/** A GGUF's header with its vocabulary is no longer than this. */
const HEADER_BYTES = 32e6;
const STRING = 8;
const ARRAY = 9;
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const WORDS = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const LITERAL = /"((?:[^"\\]|\\.)*)"/g;

/**
 * @typedef {(text: string) => number[] | undefined} Tokenize
 *   the tokens of a text; undefined where the vocabulary lacks a letter
 */

/**
 * @param {Blob} gguf
 * @returns {Promise<Tokenize | undefined>}  undefined for another kind of vocabulary
 */
export async function readVocabulary(gguf) {
  const header = createReader(await gguf.slice(0, HEADER_BYTES).arrayBuffer());
  let kind;
  let tokens;
  header.skip(8 + 8); // magic, version, the number of tensors
  for (let left = header.count(); left > 0 && !(kind && tokens); left--) {
    const key = header.text();
    const type = header.word();
    if (key === "tokenizer.ggml.model") kind = header.text();
    else if (key === "tokenizer.ggml.tokens") tokens = header.texts();
    else header.skipValue(type);
  }
  return kind === "gpt2" && tokens ? createTokenizer(tokens) : undefined;
}

/** @param {ArrayBuffer} bytes */
function createReader(bytes) {
  const view = new DataView(bytes);
  const decoder = new TextDecoder();
  let at = 0;
  const reader = {
    /** @param {number} count */
    skip: (count) => void (at += count),
    word: () => view.getUint32((at += 4) - 4, true),
    count: () => Number(view.getBigUint64((at += 8) - 8, true)),
    text() {
      const length = reader.count();
      return decoder.decode(new Uint8Array(bytes, (at += length) - length, length));
    },
    texts() {
      reader.skip(4); // their type
      return Array.from({ length: reader.count() }, reader.text);
    },
    /** @param {number} type */
    skipValue(type) {
      if (type === STRING) reader.skip(reader.count());
      else if (type !== ARRAY) reader.skip(SIZES[type] ?? 0);
      else {
        const inner = reader.word();
        for (let left = reader.count(); left > 0; left--) reader.skipValue(inner);
      }
    },
  };
  return reader;
}

/**
 * @param {string[]} tokens
 * @returns {Tokenize}
 */
export function createTokenizer(tokens) {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const longest = tokens.reduce((most, { length }) => Math.max(most, length), 0);
  const letters = byteLetters();
  const encoder = new TextEncoder();

  /** @param {string} word @returns {number[] | undefined} */
  function cut(word) {
    const spelt = [...encoder.encode(word)].map((byte) => letters[byte]).join("");
    const found = [];
    for (let at = 0; at < spelt.length; ) {
      let end = Math.min(spelt.length, at + longest);
      while (end > at && !ids.has(spelt.slice(at, end))) end--;
      if (end === at) return undefined;
      found.push(Number(ids.get(spelt.slice(at, end))));
      at = end;
    }
    return found;
  }

  return (text) => {
    const words = (text.match(WORDS) ?? []).map(cut);
    return words.every((word) => word !== undefined) ? words.flat() : undefined;
  };
}

/** The letters that GPT-2's vocabulary spells the 256 bytes with. */
function byteLetters() {
  let more = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
    return String.fromCharCode(shown ? byte : more++);
  });
}

/**
 * A grammar (GBNF) whose texts are tokens.
 * @param {string} grammar
 * @param {Tokenize} tokenize
 */
export function inTokens(grammar, tokenize) {
  return grammar.replace(LITERAL, (literal, escaped) => {
    const tokens = tokenize(unescape(escaped));
    return tokens ? tokens.map((id) => `<[${id}]>`).join(" ") : literal;
  });
}

/** @param {string} escaped */
const unescape = (escaped) =>
  escaped.replace(/\\(.)/g, (_, /** @type {string} */ char) => ESCAPES[char] ?? char);

/** @type {Record<string, string>} */
const ESCAPES = { n: "\n", r: "\r", t: "\t" };

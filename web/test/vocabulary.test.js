import assert from "node:assert/strict";
import { test } from "node:test";

import { createTokenizer, inTokens, readVocabulary } from "../../worker/engines/vocabulary.js";

const TOKENS = ["a", "n", "s", "w", "e", "r", "Ġ", "Ċ", "Ġanswer", "an", '"', "Ã", "©", "4"];
const tokenize = createTokenizer(TOKENS);

test("a text is cut into the longest tokens, a word with the blank before it", () => {
  assert.deepEqual(tokenize(" answer\n"), [8, 7]);
  assert.deepEqual(tokenize('answer"'), [9, 2, 3, 4, 5, 10]);
  assert.deepEqual(tokenize("44"), [13, 13]);
  assert.deepEqual(tokenize("é"), [11, 12]);
});

test("a text that the vocabulary cannot spell has no tokens", () => {
  assert.equal(tokenize("axe"), undefined);
});

test("the texts of a grammar become tokens, and what cannot stays text", () => {
  assert.equal(
    inTokens('root ::= " answer" (e | "\\"\\n") | "zzz"\ne ::= "4"', tokenize),
    'root ::= <[8]> (e | <[10]> <[7]>) | "zzz"\ne ::= <[13]>',
  );
});

/** @param {[string, number, ...any[]][]} entries */
function gguf(entries) {
  const parts = [];
  const number = (/** @type {number} */ value, /** @type {4 | 8} */ size) => {
    const view = new DataView(new ArrayBuffer(size));
    if (size === 4) view.setUint32(0, value, true);
    else view.setBigUint64(0, BigInt(value), true);
    parts.push(view.buffer);
  };
  const text = (/** @type {string} */ value) => {
    const bytes = new TextEncoder().encode(value);
    number(bytes.length, 8);
    parts.push(bytes);
  };
  parts.push(new TextEncoder().encode("GGUF"));
  number(3, 4);
  number(0, 8);
  number(entries.length, 8);
  for (const [key, type, value] of entries) {
    text(key);
    number(type, 4);
    if (type === 8) text(value);
    else if (type === 4) number(value, 4);
    else {
      number(8, 4);
      number(value.length, 8);
      value.forEach(text);
    }
  }
  return new Blob(parts);
}

test("the vocabulary is found in a model's header", async () => {
  const found = await readVocabulary(
    gguf([
      ["general.alignment", 4, 32],
      ["some.names", 9, ["x", "yy"]],
      ["tokenizer.ggml.model", 8, "gpt2"],
      ["tokenizer.ggml.tokens", 9, TOKENS],
    ]),
  );
  assert.deepEqual(found?.(" answer"), [8]);
});

test("another kind of vocabulary is told by giving none", async () => {
  const other = gguf([["tokenizer.ggml.model", 8, "llama"], ["tokenizer.ggml.tokens", 9, TOKENS]]);
  assert.equal(await readVocabulary(other), undefined);
  assert.equal(await readVocabulary(gguf([])), undefined);
});

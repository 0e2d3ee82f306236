import assert from "node:assert/strict";
import { it } from "node:test";
import { clip, clipStart, count, duration, money, number } from "../ui/words.js";

it("times are said as people say them", () => {
  const said = [0.2, 4.4, 999, 1400, 9960, 14200, 60000, 125000].map(duration);
  assert.deepEqual(said, ["1 ms", "4 ms", "999 ms", "1.4 s", "10.0 s", "14 s", "1 min", "2 min 5 s"]);
});

it("money has as many places as the sum needs", () => {
  assert.deepEqual([0.00012, 0.0021, 0.25, 12].map(money), ["$0.0001", "$0.0021", "$0.25", "$12.00"]);
});

it("numbers are grouped by thousands", () => {
  assert.deepEqual([7, 1240, 1234567].map(number), ["7", "1\u202f240", "1\u202f234\u202f567"]);
  assert.deepEqual([count(1, "token"), count(2, "token")], ["1 token", "2 tokens"]);
});

it("long texts are cut to one line, at the end or at the start", () => {
  assert.equal(clip("a\n  b", 10), "a b");
  assert.equal(clip("abcdef", 4), "abc…");
  assert.equal(clipStart("abcdef", 4), "…def");
});

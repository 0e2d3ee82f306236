// The browser's own model behind the engine's methods, on a double of the published interface.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import "../../tests/browser/fixtures/language_model.js";
import { createPromptEngine } from "../bridge/prompt_api.js";

const { languageModelDouble: double, LanguageModel } = globalThis;
const UNCHANGED = { ...double };
const SYSTEM = { role: "system", content: "Be brief." };
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });

/** Says which language the user's browser is set to. */
const speak = (language) => Object.defineProperty(globalThis, "navigator", { value: { language }, configurable: true });

let engine;
let controller;

beforeEach(() => {
  Object.assign(double, UNCHANGED, { created: [], prompts: [], open: 0, stopped: 0 });
  globalThis.LanguageModel = LanguageModel;
  delete LanguageModel.params;
  speak("en-US");
  engine = createPromptEngine();
  controller = new AbortController();
});

/** Calls a method; gives what it told as well. */
async function call(method, params = {}, { signal = controller.signal, onNews = () => {} } = {}) {
  const news = [];
  const progress = (value) => {
    news.push(value);
    onNews(value);
  };
  const result = await engine[`engine.${method}`](params, { signal, progress, ports: [] });
  return { result, news };
}
const load = () => call("load");
const generate = (messages, request = {}, options = {}) => call("generate", { messages, ...request }, options);
const textOf = (news) => news.filter(({ kind }) => kind === "text").map(({ text }) => text).join("");
const fails = (promise, name, words) =>
  assert.rejects(promise, (fault) => {
    assert.equal(fault.name, name);
    assert.match(fault.message, words);
    return true;
  });

describe("a load", () => {
  for (const names of ["new", "old"]) {
    it(`tells the window under the ${names} name`, async () => {
      Object.assign(double, { names, contextWindow: 6144 });
      const { result, news } = await load();
      assert.deepEqual(result, { model: "browser", contextWindow: 6144, constraints: ["json-schema"] });
      assert.deepEqual(news.map(({ progress }) => progress), [0, 1]);
    });
  }

  it("takes a window without limit for a large one", async () => {
    double.contextWindow = Infinity;
    assert.equal((await load()).result.contextWindow, 1_000_000);
  });

  it("tells how far a download is", async () => {
    double.state = "downloadable";
    const { news } = await load();
    assert.deepEqual(news.map(({ progress }) => progress), [0, 0, 0.475, 0.95, 1]);
    assert.equal(news[2].text, "The browser gets its model: 50 %");
    assert.equal(news.at(-1).text, "The model is ready");
  });

  for (const [language, inputs, outputs] of [
    ["en-US", ["en"], ["en"]],
    ["de", ["en", "de"], ["de"]],
    ["fi-FI", ["en"], ["en"]],
  ]) {
    it(`asks for answers in ${language} where the model has that language`, async () => {
      speak(language);
      await load();
      await generate([user("Hi")]);
      for (const { expectedInputs, expectedOutputs } of double.created) {
        assert.deepEqual(expectedInputs, [{ type: "text", languages: inputs }]);
        assert.deepEqual(expectedOutputs, [{ type: "text", languages: outputs }]);
      }
    });
  }

  it("that is cancelled ends, and the next one works", async () => {
    double.state = "downloadable";
    double.step = async (share) => share === 0.5 && controller.abort();
    await fails(load(), "AbortError", /abort/);
    double.step = UNCHANGED.step;
    controller = new AbortController();
    assert.equal((await load()).result.model, "browser");
    assert.equal(double.open, 1);
  });

  it("says what to do where there is no such model", async () => {
    delete globalThis.LanguageModel;
    await fails(load(), "EngineError", /has no model of its own.*Chrome.*"embedded".*"web-llm:/s);
    globalThis.LanguageModel = LanguageModel;
    double.state = "unavailable";
    await fails(load(), "EngineError", /not on this device.*"embedded"/s);
  });

  it("keeps one session, which an unload ends", async () => {
    await load();
    await load();
    await generate([user("Hi")]);
    assert.equal(double.open, 2);
    await call("unload");
    assert.equal(double.open, 0);
    assert.equal((await load()).result.model, "browser");
  });
});

describe("an answer", () => {
  it("streams, and is counted", async () => {
    const { result, news } = await generate([SYSTEM, user("Say hello")]);
    assert.deepEqual(result, {
      text: "Hello there.",
      finishReason: "stop",
      usage: { inputTokens: 6, outputTokens: 3, cachedInputTokens: 3 },
    });
    assert.equal(news.find(({ kind }) => kind !== "load").kind, "start");
    assert.equal(textOf(news), "Hello there.");
    assert.deepEqual(double.created.at(-1).initialPrompts, [SYSTEM]);
    assert.equal(double.created.length, 2);
    assert.deepEqual(double.prompts[0].turns, [user("Say hello")]);
  });

  it("is held to a schema", async () => {
    const jsonSchema = { type: "object" };
    double.reply = ({ responseConstraint }) => JSON.stringify(responseConstraint);
    const { result } = await generate([user("Give JSON")], { jsonSchema });
    assert.equal(result.text, '{"type":"object"}');
  });

  for (const [reply, stop, text] of [
    ["one two three", ["two"], "one "],
    ["a <|end|> b", ["<|end|>", "b"], "a "],
    ["no such text", ["never"], "no such text"],
    ["it ends in tw", ["two"], "it ends in tw"],
  ]) {
    it(`ends before a stop text: ${reply}`, async () => {
      double.reply = () => reply;
      const { result, news } = await generate([user("Count")], { stop });
      assert.equal(result.text, text);
      assert.equal(result.finishReason, "stop");
      assert.equal(textOf(news), text);
      assert.equal(double.open, text === reply ? 2 : 1); // what was cut is not gone on with
    });
  }

  it("is no longer than asked for", async () => {
    double.reply = () => "one two three four";
    const { result } = await generate([user("Count")], { maxOutputTokens: 2 });
    assert.equal(result.text, "one two");
    assert.equal(result.finishReason, "length");
    assert.equal(double.open, 1);
  });

  it("is stopped in the middle, and the engine goes on", async () => {
    double.holdAfter = 1;
    const onNews = ({ kind }) => kind === "text" && controller.abort();
    const { result } = await generate([user("Hi")], {}, { onNews });
    assert.equal(result.text, "Hello");
    assert.equal(result.finishReason, "cancelled");
    assert.equal(double.stopped, 1);
    double.holdAfter = Infinity;
    controller = new AbortController();
    assert.equal((await generate([user("Hi")])).result.text, "Hello there.");
  });

  it("of a stopped call that has not begun is nothing", async () => {
    controller.abort();
    const { result } = await generate([user("Hi")]);
    assert.equal(result.finishReason, "cancelled");
    assert.equal(double.prompts.length, 0);
  });

  it("waits for its turn and says so", async () => {
    await load();
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    double.reply = ({ turns }) => (turns[0].content === "1" ? gate.then(() => "First.") : "Second.");
    const first = generate([user("1")]);
    let second;
    const queued = new Promise((onNews) => (second = generate([user("2")], {}, { onNews })));
    assert.deepEqual(await queued, { kind: "queued", ahead: 1 });
    release();
    assert.equal((await first).result.text, "First.");
    assert.equal((await second).result.text, "Second.");
  });

  it("with a grammar or a raw prompt is refused", async () => {
    await fails(generate([user("Hi")], { grammar: "root ::= x" }), "EngineError", /no grammar/);
    await fails(generate([], { prompt: "Hi" }), "EngineError", /no raw prompt/);
  });
});

describe("a conversation that goes on", () => {
  const first = [SYSTEM, user("Hi")];
  const second = [...first, assistant("Hello there."), user("And you?")];

  it("is not read again", async () => {
    await generate(first);
    const { result } = await generate(second);
    assert.deepEqual(double.prompts[1].turns, [user("And you?")]);
    assert.equal(double.created.length, 2); // with the one that keeps the model
    assert.equal(result.usage.cachedInputTokens, 8);
    assert.equal(double.open, 2);
  });

  it("begins anew where it differs, or is to be written otherwise", async () => {
    await generate(first);
    await generate([...first, assistant("Hello then."), user("And you?")]);
    assert.equal(double.prompts[1].turns.length, 1);
    assert.equal(double.created.at(-1).initialPrompts.length, 3);
    await generate(first, { temperature: 0 });
    assert.equal(double.created.length, 4);
  });

  it("can be asked again after a stop", async () => {
    await generate(first);
    double.holdAfter = 0;
    const stopped = generate(second, {}, { onNews: ({ kind }) => kind === "start" && setTimeout(() => controller.abort()) });
    assert.equal((await stopped).result.finishReason, "cancelled");
    double.holdAfter = Infinity;
    controller = new AbortController();
    assert.equal((await generate(second)).result.usage.cachedInputTokens, 8);
  });

  it("begins anew where the browser gave its session up", async () => {
    await generate(first);
    const { clone } = LanguageModel.prototype;
    LanguageModel.prototype.clone = () => Promise.reject(new DOMException("It crashed.", "InvalidStateError"));
    try {
      assert.equal((await generate(second)).result.text, "Hello there.");
    } finally {
      LanguageModel.prototype.clone = clone;
    }
    assert.equal(double.created.at(-1).initialPrompts.length, 3);
  });
});

describe("a prompt that is too long", () => {
  const long = "word ".repeat(60);

  for (const [what, messages, tokens] of [
    ["in its last turn", [SYSTEM, user(long)], 64],
    ["in what comes before", [{ role: "system", content: long }, user("Hi")], 61],
  ]) {
    it(`${what} is told with its numbers, and nothing is forgotten`, async () => {
      double.contextWindow = 50;
      await assert.rejects(generate(messages), ({ name, details }) => {
        assert.equal(name, "ContextWindowExceededError");
        assert.deepEqual(details, { tokens, window: 50 });
        return true;
      });
      assert.equal(double.prompts.length, 0);
      assert.equal(double.open, 1);
    });
  }

  it("only for what went before is refused too, where the browser would forget that", async () => {
    double.contextWindow = 50;
    double.reply = () => "word ".repeat(30).trim();
    await generate([user("Hi")]);
    const turns = [user("Hi"), assistant(double.reply()), user("word ".repeat(20))];
    await fails(generate(turns), "ContextWindowExceededError", /54 tokens.*50/);
    assert.equal(double.prompts.length, 1);
  });
});

describe("a fault", () => {
  const thrown = (name, message) => () => {
    throw new DOMException(message, name);
  };

  for (const [name, retryable, words] of [
    ["NotSupportedError", false, /language.*JSON schema/],
    ["UnknownError", true, /The model crashed.*Try again/],
  ]) {
    it(`named ${name} is told in our words, and the engine goes on`, async () => {
      double.reply = thrown(name, "The model crashed");
      await assert.rejects(generate([user("Hi")]), (fault) => {
        assert.equal(fault.name, "EngineError");
        assert.equal(fault.retryable, retryable);
        assert.match(fault.message, words);
        return true;
      });
      double.reply = () => "Again.";
      assert.equal((await generate([user("Hi")])).result.text, "Again.");
    });
  }

  for (const [name, words] of [
    ["NotAllowedError", /only after a click.*Load now/s],
    ["NetworkError", /could not fetch its model.*connection/s],
    ["NotSupportedError", /not on this device/],
  ]) {
    it(`named ${name} of a load says what to do`, async () => {
      double.state = "downloadable";
      double.step = thrown(name, "no");
      await fails(load(), "EngineError", words);
    });
  }
});

describe("the temperature", () => {
  const made = async (temperature) => {
    await generate([user("Hi")], { temperature });
    const { initialPrompts: _, expectedInputs: _in, expectedOutputs: _out, ...options } = double.created.at(-1);
    return options;
  };

  it("is a mode for pages", async () => {
    assert.deepEqual(await made(undefined), {});
    assert.deepEqual(await made(0), { samplingMode: "most-predictable" });
    assert.deepEqual(await made(0.5), { samplingMode: "predictable" });
    assert.deepEqual(await made(1), {});
    assert.deepEqual(await made(1.5), { samplingMode: "creative" });
  });

  it("is a number where the browser takes one", async () => {
    LanguageModel.params = async () => ({ defaultTopK: 3, maxTopK: 8, defaultTemperature: 1, maxTemperature: 2 });
    assert.deepEqual(await made(0), { temperature: 0, topK: 1 });
    assert.deepEqual(await made(5), { temperature: 2, topK: 3 });
  });
});

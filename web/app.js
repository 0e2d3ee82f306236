// The demo page: a chat beside a board of notes that the agent can read and change.

import "./element.js";
import { describeBoard, notesTools } from "./demo_tools.js";
import "./ui/notes_board.js";

const chat = /** @type {HTMLElementTagNameMap["pagehand-chat"]} */ (document.querySelector("pagehand-chat"));
const board = /** @type {import("./ui/notes_board.js").NotesBoard} */ (document.querySelector("pagehand-notes"));

/** @type {import("./pagehand.js").AgentEvent[]} */
const events = [];
const isDemo = new URLSearchParams(location.search).has("demo");

chat.welcome = {
  heading: "What shall I note for you?",
  text:
    "I make a plan, use the notes board of this page, and answer. " +
    "I run in this browser. What you ask leaves it only when you choose a model elsewhere, " +
    "and then goes straight there.",
  starters: [
    "Add a note that the plants need water on Friday",
    "What is on the board?",
    "Note three ideas for a rainy Sunday",
  ],
};
chat.ownModel = {
  name: "On this device",
  text:
    "SmolLM2 135M, shipped with this site: about 100 MB, fetched once. It needs no key, and nothing " +
    "leaves this device. It is small and makes mistakes.",
};
chat.config = {
  tools: notesTools(board),
  describeState: () => describeBoard(board),
  synthesize: "auto", // one good step is its own answer: a model on the device reads slowly
  ...(isDemo && { onEvent: (event) => events.push(event) }),
};

if (isDemo) {
  // For those who drive the page from outside and want to see what happened in it.
  Object.assign(window, {
    pagehandDemo: { events, notes: () => board.notes.map((note) => note.text) },
  });
}

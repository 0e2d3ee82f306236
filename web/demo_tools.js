// The tools of the notes board: what the agent can do on the demo page.

import { defineTool } from "./pagehand.js";

/** @typedef {import("./ui/notes_board.js").NotesBoard} NotesBoard */

const TEXT = { type: "string", minLength: 1, description: "the words of the note" };
const NUMBER = { type: "integer", description: "the number of the note, as list_notes gives it" };

/**
 * @param {NotesBoard} board
 * @returns {Record<string, import("./pagehand.js").Tool>}
 */
export function notesTools(board) {
  return {
    add_note: defineTool({
      title: "Add a note",
      description: "Puts a new note on the board.",
      inputSchema: schema({ text: TEXT }),
      execute: ({ text }) => board.addNote(text),
    }),
    list_notes: defineTool({
      title: "Read the notes",
      description: "Gives all notes on the board with their numbers.",
      inputSchema: schema({}),
      readOnly: true,
      execute: () => board.notes,
    }),
    change_note: defineTool({
      title: "Change a note",
      description: "Replaces the words of one note.",
      inputSchema: schema({ number: NUMBER, text: TEXT }),
      execute: ({ number, text }) => board.changeNote(number, text) ?? missing(board, number),
    }),
    remove_note: defineTool({
      title: "Remove a note",
      description: "Takes one note off the board.",
      inputSchema: schema({ number: NUMBER }),
      execute: ({ number }) => (board.removeNote(number) ? { removed: number } : missing(board, number)),
    }),
  };
}

/** The board in words, for every stage to read. @param {NotesBoard} board */
export function describeBoard({ notes }) {
  if (notes.length === 0) return "The notes board is empty.";
  return `Notes on the board:\n${notes.map(({ number, text }) => `${number}. ${text}`).join("\n")}`;
}

/** @param {Record<string, object>} properties */
function schema(properties) {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** @param {NotesBoard} board @param {number} number @returns {never} */
function missing({ notes }, number) {
  const known = notes.map((note) => note.number).join(", ");
  throw new Error(`There is no note ${number}. ${known ? `There are: ${known}.` : "The board is empty."}`);
}

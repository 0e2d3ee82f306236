// Markdown from a model, as safe nodes: lexed and rendered by marked, sanitised by DOMPurify.

import createDOMPurify from "./vendor/dompurify.js";
import { Marked } from "./vendor/marked.js";

/** @typedef {import("marked").Token} Token */
/** @typedef {import("marked").TokensList["links"]} Links  link definitions */

const TAGS = (
  "p br hr h3 h4 h5 h6 strong em del s u mark sub sup small abbr kbd q blockquote pre code samp var " +
  "ul ol li dl dt dd table thead tbody tfoot tr th td caption a img div span"
).split(" ");
const ATTRIBUTES = "href src alt title start align colspan rowspan lang data-lang".split(" ");

const marked = new Marked({
  gfm: true,
  renderer: {
    // The page has its own headings above the answer's.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    code({ text, lang }) {
      const language = lang?.match(/^\S+/)?.[0] ?? "";
      return `<pre data-lang="${escapeHtml(language)}"><code>${escapeHtml(text)}\n</code></pre>`;
    },
    checkbox({ checked }) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/**
 * The blocks of a text, as tokens that keep their source in `raw`.
 * @param {string} source
 * @param {Links} links  definitions from earlier parts of the same text
 * @returns {Token[]}
 */
export function splitBlocks(source, links) {
  const lexer = new marked.Lexer(marked.defaults);
  lexer.tokens.links = Object.assign(Object.create(null), links);
  return [...lexer.lex(source)];
}

/**
 * One block as nodes that are safe to show.
 * @param {Token} block
 * @returns {DocumentFragment}
 */
export function renderBlock(block) {
  const fragment = purify.sanitize(marked.parser([block]), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: NO_OTHER_SCHEME,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const image of fragment.querySelectorAll("img")) replaceForeignImage(image);
  for (const link of fragment.querySelectorAll("a")) openOutside(link);
  for (const table of fragment.querySelectorAll("table")) makeScrollable(table);
  for (const code of fragment.querySelectorAll("pre")) frameCode(code);
  for (const block of fragment.querySelectorAll(READS_BY_ITSELF)) block.setAttribute("dir", "auto");
  return fragment;
}

// Tested on every attribute's value: a known scheme, or none.
const NO_OTHER_SCHEME = /^(?:(?:https?|mailto|tel):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;
const READS_BY_ITSELF = "p, h3, h4, h5, h6, li, ul, ol, blockquote, td, th, dt, dd";

const purify = createDOMPurify(window);

// An image starts to load as soon as it stands in a live document, shown or not. So the address is
// taken away while the sanitiser still holds the image in a document of its own.
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "IMG" || isOwn(node.getAttribute("src") ?? "")) return;
  node.setAttribute("title", node.getAttribute("src") ?? "");
  node.removeAttribute("src");
});

/** @param {string} address */
function isOwn(address) {
  return address.startsWith("data:image/") || URL.parse(address, location.href)?.origin === location.origin;
}

/** The page asks no other origin for anything: a foreign image is a link. @param {Element} image */
function replaceForeignImage(image) {
  if (image.hasAttribute("src")) return;
  const link = document.createElement("a");
  const address = image.getAttribute("title") ?? "";
  link.href = address;
  link.textContent = image.getAttribute("alt") || address;
  image.replaceWith(link);
}

/** @param {Element} link */
function openOutside(link) {
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}

/** @param {Element} table */
function makeScrollable(table) {
  const frame = document.createElement("div");
  frame.className = "table";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}

/** Gives code its language and a way to copy it. @param {Element} code */
function frameCode(code) {
  const frame = document.createElement("div");
  frame.className = "code";
  frame.dir = "ltr";
  const bar = document.createElement("div");
  bar.className = "code-bar";
  const language = document.createElement("span");
  language.textContent = code.getAttribute("data-lang") || "text";
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy";
  bar.append(language, copy);
  code.replaceWith(frame);
  frame.append(bar, code);
  /** @type {HTMLElement} */ (code).tabIndex = 0;
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

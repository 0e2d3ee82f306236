// Icons of our own: 16 units square, drawn with strokes in the colour of the text.

import { html, svg } from "../vendor/lit-html.js";

/** @param {import("lit-html").SVGTemplateResult} drawing @param {string} [kind] */
function icon(drawing, kind = "") {
  return html`<svg class="icon ${kind}" viewBox="0 0 16 16" fill="none" stroke="currentColor"
    stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawing}</svg>`;
}

export const icons = {
  brand: icon(svg`<path d="M3 2.8h6.2L13 6.6v6.6H3z"/><path d="M9 3v3.8h3.8"/><path d="m5.6 10 1.5 1.5 3-3"/>`),
  send: icon(svg`<path d="M8 13V3M3.8 7.2 8 3l4.2 4.2"/>`),
  stop: icon(svg`<rect x="4" y="4" width="8" height="8" rx="1.4" fill="currentColor" stroke="none"/>`),
  chevron: icon(svg`<path d="m6 4 4 4-4 4"/>`, "chevron"),
  down: icon(svg`<path d="m4 6 4 4 4-4"/>`),
  close: icon(svg`<path d="m4 4 8 8M12 4l-8 8"/>`),
  note: icon(svg`<path d="M3 3h10v6.5L9.5 13H3z"/><path d="M13 9.5H9.5V13"/>`),
  fresh: icon(svg`<path d="M8 3.4v9.2M3.4 8h9.2"/>`),
  device: icon(svg`<rect x="2.4" y="3.2" width="11.2" height="7.4" rx="1.2"/><path d="M6 13h4"/>`),
  cloud: icon(svg`<path d="M4.6 12.2a2.8 2.8 0 0 1-.2-5.6 3.8 3.8 0 0 1 7.3.9 2.4 2.4 0 0 1-.3 4.7z"/>`),
  warning: icon(svg`<path d="M8 2.6 14 13H2z"/><path d="M8 6.6v3M8 11.2v.1"/>`),
};

/** The mark of each state: told apart by shape, not only by colour. */
export const marks = {
  draft: icon(svg`<circle cx="8" cy="8" r="5" stroke-dasharray="1.5 3"/>`, "soft"),
  waiting: icon(svg`<circle cx="8" cy="8" r="5"/>`, "soft"),
  running: icon(
    svg`<circle cx="8" cy="8" r="5" opacity=".25"/><path class="turn" d="M8 3a5 5 0 0 1 5 5"/>`,
    "accent",
  ),
  done: icon(svg`<path d="m3.4 8.4 3 3 6.2-6.6"/>`, "good"),
  failed: icon(svg`<path d="m4.4 4.4 7.2 7.2M11.6 4.4l-7.2 7.2"/>`, "bad"),
  skipped: icon(svg`<path d="M4 8h8"/>`, "soft"),
  revised: icon(svg`<path d="M12.4 6.6A4.8 4.8 0 1 0 12.8 9"/><path d="M12.8 3.4v3.2H9.6"/>`, "warn"),
};

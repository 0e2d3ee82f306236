export { html, svg, render, nothing, noChange } from "lit-html";
export { classMap } from "lit-html/directives/class-map.js";
export { guard } from "lit-html/directives/guard.js";
export { ifDefined } from "lit-html/directives/if-defined.js";
export { keyed } from "lit-html/directives/keyed.js";
export { live } from "lit-html/directives/live.js";
export { createRef, ref } from "lit-html/directives/ref.js";
export { repeat } from "lit-html/directives/repeat.js";
export { unsafeHTML } from "lit-html/directives/unsafe-html.js";

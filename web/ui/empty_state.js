// The first screen: what this is, and requests that work with what is loaded.

import { html } from "../vendor/lit-html.js";
import { icons } from "./icons.js";
import { sheet } from "./sheet.js";

/**
 * @param {{heading: string, text: string, starters: string[], onStart: (request: string) => void}} props
 * @returns {import("lit-html").TemplateResult}
 */
export function emptyState({ heading, text, starters, onStart }) {
  return html`
    <section class="empty">
      <h1>${heading}</h1>
      <p>${text}</p>
      <ul>
        ${starters.map(
          (request) => html`
            <li><button type="button" @click=${() => onStart(request)}><span>${request}</span>${icons.chevron}</button></li>
          `,
        )}
      </ul>
    </section>
  `;
}

export const styles = sheet(`
  .empty { display: grid; gap: 12px; margin-block: auto; padding-block: 32px; }
  .empty h1 { font-size: 28px; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; text-wrap: balance; }
  .empty > p { color: var(--text-soft); max-inline-size: 56ch; }
  .empty ul { display: grid; gap: 8px; margin-block-start: 12px; list-style: none; }
  .empty li button { inline-size: 100%; justify-content: space-between; min-block-size: 48px; padding: 8px 16px; font-size: 16px; text-align: start; }
`);

// Where things stand: the conversation in the middle, the side beside it or in a drawer.

import { sheet } from "./sheet.js";

export const styles = sheet(`
  :host { display: block; block-size: 100%; overflow: hidden; }
  .frame { position: relative; display: flex; block-size: 100%; overflow: hidden; }
  .main { flex: 1; min-inline-size: 0; display: flex; flex-direction: column; container-type: inline-size; }

  .scroller { flex: 1; min-block-size: 0; overflow-y: auto; overflow-x: hidden; scrollbar-width: thin; scrollbar-gutter: stable both-edges; }
  .column { display: flex; flex-direction: column; min-block-size: 100%; max-inline-size: 752px; margin-inline: auto; padding-inline: 16px; }
  .column > * { min-inline-size: 0; }
  .column > .error { margin-block: auto; }
  .dock { inline-size: 100%; max-inline-size: 752px; margin-inline: auto; padding: 4px 16px 16px; }

  aside { inline-size: 360px; flex: none; padding: 24px; overflow-y: auto; border-inline-start: 1px solid var(--line); background: var(--surface); }
  .frame[data-side="false"] aside { display: none; }
  .frame[data-narrow="true"] aside {
    position: absolute; inset-block: 0; inset-inline-end: 0; inline-size: min(360px, calc(100% - 48px)); padding: 16px;
    box-shadow: var(--shadow); animation: slide 160ms ease-out;
  }
  .scrim { position: absolute; inset: 0; background: rgb(0 0 0 / 40%); }
  @keyframes slide { from { translate: 24px 0; opacity: 0; } }

  aside .close { position: absolute; inset-block-start: 8px; inset-inline-end: 8px; padding: 4px 8px; }

  .frame[data-narrow="true"] .scroller { scrollbar-gutter: auto; }
`);

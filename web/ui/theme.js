// The look that all parts share: colours by role, type, buttons, fields, focus. A host page changes
// a colour with `pagehand-chat { --accent: … }`.

import { sheet } from "./sheet.js";

export const theme = sheet(`
  :host {
    color-scheme: light dark;
    --surface: light-dark(#faf9f6, #17181a);
    --surface-raised: light-dark(#ffffff, #202226);
    --text: light-dark(#1f2023, #eae9e6);
    --text-soft: light-dark(#5d5f66, #a6a8ae);
    --line: light-dark(#e4e2dc, #35373c);
    --line-strong: light-dark(#8a8c92, #7b7e86);
    --accent: light-dark(#2454c6, #9ab8ff);
    --on-accent: light-dark(#ffffff, #12161f);
    --accent-faint: light-dark(#e9effc, #262d3d);
    --good: light-dark(#1d7446, #6fd3a0);
    --warn: light-dark(#8a5a00, #efbd66);
    --bad: light-dark(#b0281f, #ff9f96);
    --code: light-dark(#f0efeb, #25272b);
    --shadow: 0 8px 32px light-dark(rgb(0 0 0 / 14%), rgb(0 0 0 / 50%));

    background: var(--surface);
    color: var(--text);
    font: 16px/1.5 system-ui, sans-serif;
    -webkit-text-size-adjust: 100%;
  }

  *, ::before, ::after { box-sizing: border-box; }
  [hidden] { display: none !important; }
  h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
  code, pre, kbd, .mono { font-family: ui-monospace, "SF Mono", Consolas, monospace; }
  a { color: var(--accent); text-underline-offset: 2px; }
  svg.icon { inline-size: 16px; block-size: 16px; flex: none; }
  summary { cursor: pointer; list-style: none; }
  summary::-webkit-details-marker { display: none; }

  button, input, select, textarea { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 8px;
    min-block-size: 36px; padding: 4px 12px; cursor: pointer;
    border: 1px solid var(--line); border-radius: 8px; background: var(--surface-raised);
    font-size: 14px; line-height: 1.3;
  }
  button:hover { border-color: var(--line-strong); }
  button:disabled { cursor: default; color: var(--text-soft); border-color: var(--line); }
  button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  button.primary:hover { filter: brightness(1.08); }
  button.primary:disabled { background: var(--code); border-color: transparent; color: var(--text-soft); filter: none; }
  button.plain { border-color: transparent; background: none; color: var(--text-soft); }
  button.plain:hover { background: var(--code); color: var(--text); }
  input, select, textarea { background: var(--surface-raised); }
  input:is([type="text"], [type="url"], [type="password"], [type="search"], [type="number"]), select {
    inline-size: 100%; min-block-size: 40px; padding: 8px 12px;
    border: 1px solid var(--line-strong); border-radius: 8px;
  }
  ::placeholder { color: var(--text-soft); opacity: 1; }
  progress { appearance: none; display: block; inline-size: 100%; block-size: 4px; border: 0; border-radius: 2px; background: var(--line); overflow: hidden; }
  progress::-webkit-progress-bar { background: var(--line); }
  progress::-webkit-progress-value { background: var(--accent); transition: inline-size 150ms linear; }
  progress::-moz-progress-bar { background: var(--accent); }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .unseen {
    position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; padding: 0;
    overflow: hidden; clip-path: inset(50%); white-space: nowrap;
  }

  @media (prefers-reduced-motion: reduce) {
    *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
  }
  @media (forced-colors: active) {
    button, progress { border: 1px solid ButtonBorder; }
    button.primary { forced-color-adjust: none; background: Highlight; color: HighlightText; border-color: Highlight; }
  }
`);

// Styles as constructed sheets: they work under a policy that forbids inline styles.

/** @param {string} text */
export function sheet(text) {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

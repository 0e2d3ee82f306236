// Run at the top of the checkout: web/node_modules/.bin/eslint -c web/eslint.config.js web worker

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/node_modules/", "**/vendor/", "dist/", ".venv/", ".cache/"] },
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-console": ["error", { allow: ["warn", "error"] }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      "no-implied-eval": "error",
    },
  },
  { files: ["web/**", "tests/bench/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["worker/**"], languageOptions: { globals: globals.worker } },
  {
    files: ["tests/browser/**"],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
  },
  {
    files: ["web/test/**", "web/*.config.js", "building/**", "tests/**/*.mjs"],
    languageOptions: { globals: globals.node },
    rules: { "no-console": "off" },
  },
];

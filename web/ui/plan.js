// The plan of a run as a timeline that fills in while it streams.

import { html, nothing, repeat } from "../vendor/lit-html.js";
import { sheet } from "./sheet.js";
import { step } from "./step.js";
import { thoughts } from "./thoughts.js";

/**
 * @param {{steps: import("./run_state.js").StepView[], thought: string, answer: string,
 *          planning: boolean, toolTitle: (name: string) => string}} props
 * @returns {import("lit-html").TemplateResult | typeof nothing}
 */
export function plan({ steps, thought, answer, planning, toolTitle }) {
  if (!steps.length && !thought) return nothing;
  return html`
    <section class="plan" aria-label="Plan">
      ${thought ? thoughts({ label: planning ? "Thinking" : "Thought", text: thought, growing: planning }) : nothing}
      ${steps.length
        ? html`<ol>${repeat(steps, (each) => each.key, (view) => step({ view, answer, toolTitle }))}</ol>`
        : nothing}
    </section>
  `;
}

export const styles = sheet(`
  .plan { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; font-size: 14px; }
`);

// The shapes that cross the border between the page and the agent: plans, results and events, as
// plain data in camelCase. Types only; nothing here runs.

/**
 * @typedef {{name: string, message: string, retryable: boolean, details?: any}} Fault
 *   anything that went wrong, as plain data
 * @typedef {{inputTokens?: number, outputTokens?: number, totalTokens?: number,
 *            reasoningTokens?: number, cachedInputTokens?: number, cacheWriteTokens?: number}} Usage
 *   counts of tokens; a count that the provider did not report is left out
 * @typedef {{id: string, description: string, expectedOutcome?: string,
 *            suggestedTools?: string[], requiresTools?: boolean}} PlanStep
 * @typedef {{thought: string, steps: PlanStep[], skills?: string[]}} Plan
 * @typedef {{id: string, name: string, input: any, output: any, ok: boolean}} ToolCallRecord
 * @typedef {{step: PlanStep, summary: string, toolCalls: ToolCallRecord[], durationMs: number,
 *            blocked: boolean}} StepResult
 * @typedef {{runId: string, goal: string, text: string, final: string, plan: Plan,
 *            trace: StepResult[], iterations: number, steps: number, applied: number, repairs: number,
 *            stopped: boolean, usage: Usage, costUsd?: number, skills: string[],
 *            undelivered: string[], budgetExceeded?: any, compactedHistory?: any[]}} RunResult
 *   `final` and `steps` are second names of `text` and `iterations`; `costUsd` (US dollars) is left
 *   out where a model's price is not known
 */

/**
 * @typedef {"init" | "plan" | "execute" | "replan" | "synthesize" | "run"} Phase
 *
 * @typedef {{type: "run.start", runId: string, goal: string}} RunStartEvent
 * @typedef {{type: "run.complete", runId: string, status: "complete" | "failed" | "cancelled"}} RunCompleteEvent
 * @typedef {{type: "stopped", runId: string}} StoppedEvent
 * @typedef {{type: "model.load", runId: string, progress: number, text: string}} ModelLoadEvent
 * @typedef {{type: "error", runId: string, phase: Phase, error: Fault}} ErrorEvent
 * @typedef {{type: "retry", runId: string, phase: Phase, attempt: number, error: Fault}} RetryEvent
 * @typedef {{type: "log", runId: string, level: "error" | "warn" | "info" | "debug", message: string}} LogEvent
 * @typedef {{type: "usage", runId: string, phase: string, usage: Usage, provider?: string, model?: string, costUsd?: number}} UsageEvent
 *   one model call; `costUsd` (US dollars) is left out where the model's price is not known
 * @typedef {{type: "plan.thought-delta", runId: string, delta: string}} PlanThoughtDeltaEvent
 * @typedef {{type: "plan.step-added", runId: string, step: PlanStep, index: number}} PlanStepAddedEvent
 * @typedef {{type: "plan.created", runId: string, plan: Plan}} PlanCreatedEvent
 * @typedef {{type: "plan.revised", runId: string, plan: Plan, reason: string}} PlanRevisedEvent
 * @typedef {{type: "replan.decision", runId: string, mode: "continue" | "revise" | "finish", reason: string, cause: string}} ReplanDecisionEvent
 * @typedef {{type: "revisions.exceeded", runId: string, cap: number}} RevisionsExceededEvent
 * @typedef {{type: "step.start", runId: string, step: PlanStep, index: number, total: number}} StepStartEvent
 * @typedef {{type: "step.text-delta", runId: string, step: PlanStep, delta: string}} StepTextDeltaEvent
 * @typedef {{type: "step.reasoning-delta", runId: string, step: PlanStep, delta: string}} StepReasoningDeltaEvent
 * @typedef {{type: "step.tool-call", runId: string, step: PlanStep, id: string, name: string, input: any}} StepToolCallEvent
 * @typedef {{type: "step.tool-progress", runId: string, step: PlanStep, id: string, name: string, progress: number, total?: number, message?: string}} StepToolProgressEvent
 * @typedef {{type: "step.tool-result", runId: string, step: PlanStep, id: string, name: string, output: any, ok: boolean, durationMs: number, error?: Fault}} StepToolResultEvent
 * @typedef {{type: "tool.repaired", runId: string, id: string, name: string, raw: string, repaired: any, steps: string[], step?: PlanStep}} ToolRepairedEvent
 * @typedef {{type: "step.complete", runId: string, step: PlanStep, result: StepResult}} StepCompleteEvent
 * @typedef {{type: "final.text-delta", runId: string, delta: string}} FinalTextDeltaEvent
 * @typedef {{type: "final.reasoning-delta", runId: string, delta: string}} FinalReasoningDeltaEvent
 * @typedef {{type: "final", runId: string, text: string}} FinalEvent
 * @typedef {{type: "budget.exceeded", runId: string, kind: string, tokens: number, cap: number}} BudgetExceededEvent
 *
 * @typedef {RunStartEvent | RunCompleteEvent | StoppedEvent | ModelLoadEvent | ErrorEvent
 *   | RetryEvent | LogEvent | UsageEvent | PlanThoughtDeltaEvent | PlanStepAddedEvent
 *   | PlanCreatedEvent | PlanRevisedEvent | ReplanDecisionEvent | RevisionsExceededEvent
 *   | StepStartEvent | StepTextDeltaEvent | StepReasoningDeltaEvent | StepToolCallEvent
 *   | StepToolProgressEvent | StepToolResultEvent | ToolRepairedEvent | StepCompleteEvent
 *   | FinalTextDeltaEvent | FinalReasoningDeltaEvent | FinalEvent | BudgetExceededEvent} AgentEvent
 *   what an agent tells while it works; the last event of every run is `run.complete`
 */

export {};

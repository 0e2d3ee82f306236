// pagehand: an agent that lives in a web page.
//
//   import { createAgent, defineTool } from "./pagehand.js";
//   const agent = await createAgent({ tools: { … } });
//   const result = await agent.run("Note that the plants need water on Friday");

import { Agent as PageAgent } from "./host/agent.js";
import { readConfig } from "./host/settings.js";

export { PagehandError } from "../worker/rpc.js";
export { isWebGPUAvailable } from "./host/device.js";
export {
  cachedModels,
  createWebLLMModel,
  deleteCachedModel,
  listLocalModels,
  preloadWebLLMModel,
  unloadWebLLMModel,
} from "./host/local_models.js";
export { defineTool, markReadOnly } from "./host/tools.js";
export { webLLMContextWindow, withWebLLMContextWindow } from "./host/webllm_config.js";

/**
 * @typedef {import("./host/agent.js").Agent} Agent
 * @typedef {import("./host/agent.js").Advice} Advice
 * @typedef {import("./host/agent.js").Capabilities} Capabilities
 * @typedef {import("./host/agent.js").Provider} Provider
 * @typedef {import("./host/agent.js").RunOptions} RunOptions
 * @typedef {import("./host/attachments.js").Attachment} Attachment
 * @typedef {import("./host/device.js").DeviceFacts} DeviceFacts
 * @typedef {import("./host/local_models.js").LocalChoice} LocalChoice
 * @typedef {import("./host/local_models.js").LocalModel} LocalModel
 * @typedef {import("./host/model_settings.js").ModelChoice} ModelChoice
 * @typedef {import("./host/model_settings.js").ModelParts} ModelParts
 * @typedef {import("./host/model_settings.js").Price} Price
 * @typedef {import("./host/model_settings.js").Thinking} Thinking
 * @typedef {import("./host/settings.js").AgentConfig} AgentConfig
 * @typedef {import("./host/settings.js").BootProgress} BootProgress
 * @typedef {import("./host/run_stream.js").RunStream} RunStream
 * @typedef {import("./host/tools.js").Tool} Tool
 * @typedef {import("./host/tools.js").ToolContext} ToolContext
 * @typedef {import("./host/tools.js").ToolOptions} ToolOptions
 * @typedef {import("./events.js").AgentEvent} AgentEvent
 * @typedef {import("./events.js").Plan} Plan
 * @typedef {import("./events.js").PlanStep} PlanStep
 * @typedef {import("./events.js").RunResult} RunResult
 * @typedef {import("./events.js").StepResult} StepResult
 * @typedef {import("./events.js").ToolCallRecord} ToolCallRecord
 * @typedef {import("./events.js").Usage} Usage
 * @typedef {import("./usage.js").Cost} Cost
 */

/**
 * Creates an agent in a worker of its own. Resolves when the agent can take requests; a model on
 * this device is loaded by the first one.
 * @param {AgentConfig} [config]
 * @returns {Promise<Agent>}
 * @throws {import("../worker/rpc.js").PagehandError} ConfigError when a setting is wrong; any other
 *   when the worker cannot start
 */
export async function createAgent(config = {}) {
  const agent = new PageAgent(readConfig(config, new URL("./", import.meta.url)));
  try {
    await agent.open();
  } catch (fault) {
    agent.close();
    throw fault;
  }
  return agent;
}

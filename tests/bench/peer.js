// What the loop benchmark needs of the JavaScript agent that it is measured beside.
export { createOpenAICompatible } from "@ai-sdk/openai-compatible";
export { createAgent, defineTool } from "@dudko.dev/agent-web";
export { jsonSchema } from "ai";

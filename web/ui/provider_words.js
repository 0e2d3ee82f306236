// What the page says about providers beside what they say of themselves.

/** @typedef {import("../pagehand.js").Provider} Provider */

/** By provider: what stands in an empty field for the model's name. @type {Readonly<Record<string, string>>} */
export const MODEL_HINTS = {
  openai: "such as gpt-6.2-sol",
  anthropic: "such as claude-sonnet-5",
  google: "such as gemini-flash-latest",
  "openai-compatible": "The model's name on that server",
  xai: "such as grok-4",
  deepseek: "such as deepseek-flash",
  gateway: "such as openai/gpt-6.2-sol",
  azure: "The name of your deployment",
  "amazon-bedrock": "such as amazon.nova-lite-v1:0",
  "google-vertex": "such as gemini-flash-latest",
  cloudflare: "such as @cf/openai/gpt-oss-120b",
  openrouter: "such as anthropic/claude-sonnet-5",
  groq: "such as openai/gpt-oss-120b",
  mistral: "such as mistral-small-latest",
  ollama: "such as qwen3",
  "lm-studio": "such as qwen/qwen3-8b",
  "llama.cpp": "Any name: the server has one model",
};

/**
 * Settings of providers. `needed`: without it the provider's own address is not known.
 * @type {Readonly<Record<string, {label: string, example?: string, hint?: string, needed?: boolean}>>}
 */
export const OPTION_WORDS = {
  resourceName: { label: "Resource name", example: "such as my-resource", hint: "The first part of its address, before .openai.azure.com", needed: true },
  apiVersion: { label: "API version", example: "Empty: the newest" },
  region: { label: "Region", example: "such as us-east-1", needed: true },
  accessKeyId: { label: "Access key id", example: "Instead of a key" },
  secretAccessKey: { label: "Secret access key", example: "With the access key id" },
  sessionToken: { label: "Session token", example: "Only for access that ends soon" },
  project: { label: "Project", example: "The id of your project" },
  location: { label: "Location", example: "Empty: global" },
  accessToken: { label: "Access token", hint: "For the project, instead of a key. The command “gcloud auth print-access-token” gives one." },
  accountId: { label: "Account id", example: "As in the dashboard's address", needed: true },
};

const DIRECT = "Answers this page directly";
const LOCAL = "On your own machine";
const OTHER = "Another server";
const DOUBTFUL = "May need a proxy";
const PROXY = "Needs a proxy";

/**
 * The providers in groups, by what it takes to reach them from a page.
 * @param {readonly Provider[]} providers
 * @returns {{label: string, providers: Provider[]}[]}
 */
export function grouped(providers) {
  return [DIRECT, LOCAL, OTHER, DOUBTFUL, PROXY]
    .map((label) => ({ label, providers: providers.filter((each) => groupOf(each) === label) }))
    .filter((group) => group.providers.length > 0);
}

/** @param {Provider} provider */
function groupOf({ baseURL, needsBaseURL, browser }) {
  if (/^https?:\/\/localhost[:/]/.test(baseURL ?? "")) return LOCAL;
  if (needsBaseURL) return OTHER;
  return browser === "yes" ? DIRECT : browser === "depends" ? DOUBTFUL : PROXY;
}

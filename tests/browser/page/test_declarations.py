"""The declarations that the site ships, as an embedder's TypeScript reads them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from building.types import build_types

TSC = Path(__file__).parents[3] / "web" / "node_modules" / ".bin" / "tsc"
FLAGS = (
    *("--noEmit", "--strict", "--module", "esnext", "--moduleResolution", "bundler"),
    *("--target", "es2024", "--lib", "es2024,dom"),
)
TAKEN = """\
import { createAgent } from "./pagehand.js";
import { cachedModels, createWebLLMModel, isWebGPUAvailable } from "./pagehand.js";
import { listLocalModels, preloadWebLLMModel, webLLMContextWindow } from "./pagehand.js";
import "./element.js";

const chat = document.querySelector("pagehand-chat");
if (chat) chat.config = { synthesize: "auto", describeState: () => "calm" };
await createAgent();
await createAgent({ model: "embedded", planner: { model: "larger" }, llmTimeoutMs: 0 });
await createAgent({ model: { model: "small", baseURL: "http://localhost:11434/v1" } });
await createAgent({ providerType: "openai-compatible", model: "m", baseURL: "https://a.example" });
const rung = { providerType: "b", model: "c", credentialRef: "d" };
await createAgent({ model: ["a", rung], planner: ["e"] });
await createAgent({ model: [{ model: "anthropic:m", apiKey: "k" }, { model: "openai:m" }] });
await createAgent({ model: { model: "openai:m", credentialRef: "mine" }, synthesizer: ["a", "b"] });
const agent = await createAgent({
  model: "google-vertex:m",
  providerOptions: { project: "p", accessToken: async () => "t" },
  thinking: "high", stageThinking: { planner: { budgetTokens: 1024 }, executor: false },
  promptCaching: { ttl: "1h" }, vision: true, inputs: { pdf: false },
  prices: { "openai:m": { input: 1, output: 2 } },
});
const { images } = agent.capabilities;
if (images !== false) {
  await agent.run("look", { images: [new Uint8Array(1), new File([], "a"), "https://a.example"] });
}
await agent.run("read", { files: [{ data: "AAAA", name: "a.txt", mediaType: "text/plain" }] });
const unknown: string[] = agent.cost.unknown;
await agent.credentials.setApiKey("mine", "key");
const [first] = await agent.listProviders();
const { text } = await agent.checkModel(`${first!.type}:m`);
await agent.checkModel({ model: "openai:m", apiKey: "k" });
const model = await createWebLLMModel("tiny", { contextWindowTokens: 8192, preload: false });
await createAgent({ model, planner: "browser", synthesizer: "auto" });
await preloadWebLLMModel("wllama:https://a.example/m.gguf", { onProgress: ({ text }) => text });
const [local] = await listLocalModels();
const reason: string | null = local!.whyNot;
const kept: number = (await cachedModels())[0]!.bytes;
const gpu: boolean = await isWebGPUAvailable();
const window: number | null = webLLMContextWindow({ model_list: [{ model_id: "tiny" }] }, "tiny");
export { unknown, text, reason, kept, gpu, window };
"""


@pytest.fixture(scope="module")
def declarations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The declarations as they lie in a site."""
    folder = tmp_path_factory.mktemp("declarations")
    for place, data in build_types().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(data)
    return folder


def compile_in(folder: Path, text: str) -> str:
    """Check a module beside the declarations; give what tsc complains of."""
    module = folder / "embedder.ts"
    module.write_text(text)
    command = [TSC, *FLAGS, module.name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_the_settings_and_the_element_are_known(declarations: Path) -> None:
    assert compile_in(declarations, TAKEN) == ""


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ("{ systemPromt: 'Be brief.' }", "Did you mean to write 'systemPrompt'"),
        ("{ model: ['a', 1] }", "not assignable"),
        ("{ thinking: 'hihg' }", "not assignable"),
        ("{ stageThinking: { planer: 'low' } }", "'planer' does not exist"),
        ("{ prices: { 'a:b': { input: 1 } } }", "'output' is missing"),
        ("{ model: { model: 'small' } }", "not assignable"),
        ("{ model: { model: 'm', baseURL: 'u', credentialReff: 'c' } }", "'credentialReff'"),
        ("{ fetchAttachment: () => '' }", "'fetchAttachment'"),
    ],
)
def test_what_the_agent_refuses_does_not_compile(
    declarations: Path, config: str, complaint: str
) -> None:
    text = f'import {{ createAgent }} from "./pagehand.js";\nvoid createAgent({config});\n'
    found = compile_in(declarations, text)
    assert complaint in found
    assert found.count("error TS") == 1

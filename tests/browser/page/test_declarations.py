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
import "./element.js";

const chat = document.querySelector("pagehand-chat");
if (chat) chat.config = { synthesize: "auto", describeState: () => "calm" };
await createAgent();
await createAgent({ model: "embedded", planner: { model: "larger" }, llmTimeoutMs: 0 });
await createAgent({ model: { model: "small", baseURL: "http://localhost:11434/v1" } });
await createAgent({ providerType: "openai-compatible", model: "m", baseURL: "https://a.example" });
export {};
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
        ("{ model: ['a', 'b'] }", "not assignable"),
        ("{ planner: ['a'] }", "not assignable"),
        ("{ model: { model: 'small' } }", "'baseURL' is missing"),
        ("{ model: { model: 'm', baseURL: 'u', credentialRef: 'c' } }", "'credentialRef'"),
    ],
)
def test_what_the_agent_refuses_does_not_compile(
    declarations: Path, config: str, complaint: str
) -> None:
    text = f'import {{ createAgent }} from "./pagehand.js";\nvoid createAgent({config});\n'
    found = compile_in(declarations, text)
    assert complaint in found
    assert found.count("error TS") == 1

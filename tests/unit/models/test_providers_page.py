"""docs/providers.md says of each provider what the table of providers says."""

from pathlib import Path

import pytest

from pagehand.models.registry import PROVIDERS

PAGE = (Path(__file__).parents[3] / "docs" / "providers.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]
WIRES = {
    "openai-chat": "chat completions",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic Messages",
    "gemini": "Gemini",
    "bedrock": "Bedrock Converse",
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_its_row_is_true(name):
    provider = PROVIDERS[name]
    first, second = [row for row in ROWS if f"`{name}`" in row.split("|")[1]][:2]
    _, key, address, wire, page = [cell.strip() for cell in first.strip("|").split("|")]
    assert provider.key_page is None or key == f"<{provider.key_page}>"
    assert provider.base_url is None or address == f"`{provider.base_url}`"
    assert WIRES[provider.wire] in wire and page == provider.browser
    assert len(second.strip("|").split("|")) == 6

"""Recorded provider answers, whole and cut, read as an independent reader read them."""

import json

import pytest

from pagehand import errors
from tests.traffic import reading


@pytest.fixture(scope="module")
def cases(material):
    found = {}
    for path in sorted((material / "traffic").glob("*/*.json")):
        case = json.loads(path.read_text())
        if case["protocol"] in reading.PROVIDER_OF:
            found[f"{path.parent.name}/{path.name}"] = case
    return found


@pytest.mark.parametrize("protocol", reading.PROVIDER_OF)
async def test_every_recorded_answer(cases, protocol, capsys):
    mine = {name: case for name, case in cases.items() if case["protocol"] == protocol}
    told = await reading.run_cases(mine, shortest=10, times=20)
    with capsys.disabled():
        print(f"\n{protocol}: {told['read']} recorded answers read, {told['cuts']} cuts")
    assert told["read"] == len(mine) > 0
    assert told["wrong"] == {}


WIRES = {"anthropic": "anthropic-messages", "google": "gemini", "vertex": "gemini"}
KINDS = {
    "context_length": errors.ContextWindowExceededError,
    "context_length_v2": errors.ContextWindowExceededError,
    "malformed_function_call_no_content": errors.MalformedResponseError,
    "midstream_error_chat": errors.OverloadedError,
    "malformed_args_replay": errors.InvalidRequestError,
}
COUNTS = {
    "anthropic": (208_310, 200_000),
    "vertex": (1_200_293, 1_048_576),
    "vllm context_length": (6_616, 6_048),
    "vllm context_length_v2": (122_946, 16_384),
}


async def test_every_quoted_error(material):
    tried = 0
    for line in (material / "traffic" / "error-bodies.jsonl").read_text().splitlines():
        quoted = json.loads(line)
        body = quoted.get("sse") or json.dumps(quoted["body"])
        kind = "text/event-stream" if "sse" in quoted else "application/json"
        case = {
            "protocol": WIRES.get(quoted["provider"], "openai-chat"),
            "status": quoted["status"],
            "headers": {"content-type": kind},
            "body": body,
        }
        fault = await reading.read(case, [body.encode()])
        assert type(fault) is KINDS[quoted["kind"]], (quoted, fault)
        if isinstance(fault, errors.ContextWindowExceededError):
            name = quoted["provider"]
            counts = COUNTS.get(name) or COUNTS[f"{name} {quoted['kind']}"]
            assert (fault.tokens, fault.window) == counts, quoted
            assert not fault.retryable
        if quoted["kind"] == "malformed_function_call_no_content":
            assert fault.retryable
        tried += 1
    assert tried >= len(KINDS)

"""Reads recorded answers and tells where we read them otherwise than the independent reader.

The same file runs on CPython and inside Pyodide: it needs nothing but the package. A case is one
JSON file of the recorded material; its bytes are fed through a network that gives them in pieces.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pagehand import ModelSpec, errors, generate
from pagehand.models.base import GenerateResult
from pagehand.ports import HttpRequest
from pagehand.testing import scripted_platform

PROVIDER_OF = {
    "openai-chat": "openai-compatible",
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini": "google",
    "bedrock-converse": "amazon-bedrock",
}
Pieces = list[bytes]


class TapeResponse:
    """A recorded answer, given in pieces."""

    def __init__(self, status: int, headers: Mapping[str, str], pieces: Pieces) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._pieces = pieces

    async def batches(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def read(self) -> bytes:
        return b"".join(self._pieces)

    async def close(self) -> None:
        """Nothing is open."""


class TapeHttp:
    """A network on which one answer is recorded; it lists no models."""

    def __init__(self, case: dict[str, Any], pieces: Pieces) -> None:
        self._case = case
        self._pieces = pieces

    async def send(self, request: HttpRequest) -> TapeResponse:
        if request.method == "GET":
            return TapeResponse(404, {}, [])
        return TapeResponse(self._case["status"], self._case["headers"], self._pieces)


def body_of(case: dict[str, Any]) -> bytes:
    if "body_base64" in case:
        return base64.b64decode(case["body_base64"])
    body = case["body"]
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def streamed(case: dict[str, Any]) -> bool:
    return "json" not in case["headers"].get("content-type", "json") or "sse" in str(case["wire"])


def spec_of(case: dict[str, Any]) -> ModelSpec:
    options = {"region": "us-east-1"} if case["protocol"] == "bedrock-converse" else {}
    return ModelSpec(
        PROVIDER_OF[case["protocol"]],
        "recorded",
        base_url="http://recorded.test/v1",
        api_key="sk-canary-recorded",
        provider_options=options,
    )


async def read(case: dict[str, Any], pieces: Pieces) -> GenerateResult | Exception:
    platform = scripted_platform(http=TapeHttp(case, pieces))
    try:
        return await generate(spec_of(case), "hello", platform=platform, max_retries=0)
    except errors.PagehandError as fault:
        return fault


def cuts(body: bytes, seed: int) -> Pieces:
    """Cut a body at random places, many of them inside characters and marks."""
    chance = random.Random(seed)
    count = chance.randint(1, min(40, max(1, len(body) - 1)))
    places = sorted(chance.randrange(1, len(body)) for _ in range(count)) if len(body) > 1 else []
    return [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True) if a < b]


def differences(case: dict[str, Any], found: GenerateResult | Exception) -> list[str]:
    """Give where a reading departs from what the independent reader derived."""
    expected = case["expected"]
    if told := expected["error"] or expected.get("stream_error"):
        return _fault_differences(told, found)
    if expected["refusal"] and not expected["text"] and isinstance(found, errors.PagehandError):
        return [] if isinstance(found, errors.ContentRefusedError) else [f"fault: {found!r}"]
    if isinstance(found, Exception):
        return [f"fault: {found!r}"]
    pairs = {
        "text": (found.text, expected["text"]),
        "reasoning": (found.reasoning, expected["reasoning"]),
        "finish": (found.raw_finish_reason, expected["finish"]),
        "calls": ([_call(call) for call in found.tool_calls], _calls(expected["tool_calls"])),
        "ids": (_ids(found, expected), [call["id"] for call in expected["tool_calls"]]),
        "refusal": (found.refusal if expected["refusal"] else None, expected["refusal"] or None),
        "usage": (_counted(found, expected["usage"]), _normalised(case)),
    }
    return [f"{name}: {mine!r} != {theirs!r}" for name, (mine, theirs) in pairs.items()
            if mine != theirs]  # fmt: skip


def _fault_differences(told: dict[str, Any], found: GenerateResult | Exception) -> list[str]:
    if not isinstance(found, errors.PagehandError):
        return [f"no fault, though the answer tells one: {told}"]
    said = str(found)
    missing = [] if str(told["message"])[:60] in said else [f"{told['message']!r} not in {said!r}"]
    status = told.get("status")
    if status and isinstance(found, errors.ModelError) and found.status != status:
        missing.append(f"status {found.status} != {status}")
    return missing


def _call(call: Any) -> tuple[Any, str, Any]:
    return (call.name, "broken", call.raw) if call.broken else (call.name, "", call.arguments)


def _ids(found: GenerateResult, expected: dict[str, Any]) -> list[str | None]:
    """Give the ids of the calls, None where the provider gave none and ours is made."""
    given = [call["id"] is not None for call in expected["tool_calls"]]
    calls = zip(found.tool_calls, given, strict=False)
    return [call.id if own else None for call, own in calls]


def _calls(expected: list[dict[str, Any]]) -> list[tuple[Any, str, Any]]:
    return [
        (call["name"], "broken", call["arguments"]["__unparsed__"])
        if "__unparsed__" in (call["arguments"] or {})
        else (call["name"], "", call["arguments"])
        for call in expected
    ]


def _normalised(case: dict[str, Any]) -> dict[str, Any]:
    """Give the raw counters as Usage counts: cached in the input, thoughts in the output."""
    raw = case["expected"]["usage"]
    if not raw:
        return {}
    given, out = raw.get("input"), raw.get("output")
    cached, written = raw.get("cached"), raw.get("cache_write")
    thoughts = raw.get("reasoning")
    if case["protocol"] == "anthropic-messages":
        given = given + (cached or 0) + (written or 0)
    if case["protocol"] == "gemini" and (out is not None or thoughts is not None):
        out = (out or 0) + (thoughts or 0)
    if out is not None and thoughts is not None and thoughts > out:
        out += thoughts  # xAI counts thoughts beside the answer; its total says so
    return {
        "input": given,
        "output": out,
        "cached": cached,
        "written": written,
        "reasoning": thoughts,
    }


def _counted(found: GenerateResult, raw: dict[str, Any]) -> dict[str, Any]:
    if not raw:
        return {}
    usage = found.usage
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cached": usage.cached_input_tokens,
        "written": usage.cache_write_tokens if "cache_write" in raw else None,
        "reasoning": usage.reasoning_tokens if "reasoning" in raw else None,
    }


async def whole(case: dict[str, Any]) -> list[str]:
    """Read a body in one piece, and byte by byte."""
    body = body_of(case)
    single = [body[at : at + 1] for at in range(len(body))]
    return [
        *differences(case, await read(case, [body])),
        *differences(case, await read(case, single)),
    ]


async def at_random(case: dict[str, Any], times: int) -> list[str]:
    found = []
    for seed in range(times):
        found += differences(case, await read(case, cuts(body_of(case), seed)))
    return found


async def at_every_byte(case: dict[str, Any]) -> tuple[int, list[str]]:
    """Cut the body in two at every byte; gives the number of cuts too."""
    body = body_of(case)
    found: list[str] = []
    for place in range(1, len(body)):
        found += differences(case, await read(case, [body[:place], body[place:]]))
        if len(found) > 3:
            break
    return len(body) - 1, found


async def run_cases(cases: dict[str, dict[str, Any]], shortest: int, times: int) -> dict[str, Any]:
    """Read every case whole and cut; the `shortest` of each protocol at every byte."""
    told: dict[str, Any] = {"read": 0, "cuts": 0, "wrong": {}}
    by_wire: dict[str, list[str]] = {}
    for name, case in cases.items():
        by_wire.setdefault(case["protocol"], []).append(name)
    for names in by_wire.values():
        names.sort(key=lambda name: len(body_of(cases[name])))
        for place, name in enumerate(names):
            case = cases[name]
            wrong = await whole(case) + await at_random(case, times)
            told["read"] += 1
            told["cuts"] += times
            if place < shortest and not wrong:
                count, more = await at_every_byte(case)
                told["cuts"] += count
                wrong += more
            if wrong:
                told["wrong"][name] = wrong[:3]
    return told

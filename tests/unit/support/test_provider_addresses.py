"""Addresses and credentials: what each provider's door lets in."""

import pytest

from tests.support.providers.anthropic import Anthropic
from tests.support.providers.bedrock import Bedrock
from tests.support.providers.gemini import Gemini
from tests.support.providers.openai_chat import OpenAIChat
from tests.support.providers.openai_responses import OpenAIResponses
from tests.support.providers.sigv4 import AwsKeys, judge_signature
from tests.support.providers.wire import KEY

JSON = {"content-type": "application/json"}
BEARER = {**JSON, "authorization": f"Bearer {KEY}"}
AZURE = {**JSON, "api-key": KEY}
CLAUDE = {**JSON, "x-api-key": KEY, "anthropic-version": "2023-06-01"}
STUDIO = {**JSON, "x-goog-api-key": KEY}
VERTEX = "/v1/projects/demo-project/locations/europe-west1/publishers/google/models"
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"

RIGHT = [
    (OpenAIChat(), "/v1/chat/completions", BEARER),
    (OpenAIChat("groq"), "/openai/v1/chat/completions", BEARER),
    (OpenAIChat("openrouter"), "/api/v1/chat/completions", BEARER),
    (OpenAIChat("deepseek"), "/chat/completions", BEARER),
    (OpenAIChat("ollama"), "/v1/chat/completions", JSON),
    (OpenAIChat("azure"), "/openai/v1/chat/completions?api-version=preview", AZURE),
    (
        OpenAIChat("azure"),
        "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
        AZURE,
    ),
    (OpenAIResponses(), "/v1/responses", BEARER),
    (OpenAIResponses("azure"), "/openai/v1/responses", AZURE),
    (OpenAIResponses("azure"), "/openai/responses?api-version=2025-04-01-preview", BEARER),
    (Anthropic(), "/v1/messages", CLAUDE),
    (Gemini(), "/v1beta/models/gemini-2.5-pro:generateContent", STUDIO),
    (Gemini(), "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", STUDIO),
    (Gemini("vertex"), f"{VERTEX}/gemini-2.5-pro:generateContent", BEARER),
    (Bedrock(), f"/model/{MODEL}/converse-stream", BEARER),
    (Bedrock(), "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aprompt%2Fx/converse", BEARER),
]
WRONG = [
    (OpenAIChat(), "/v1/completions", BEARER, "path: "),
    (OpenAIChat(), "/v1/chat/completions?api-version=1", BEARER, "path: "),
    (OpenAIChat(), "/v1/chat/completions", JSON, "authorization: "),
    (OpenAIChat(), "/v1/chat/completions", AZURE, "authorization: "),
    (
        OpenAIChat(),
        "/v1/chat/completions",
        {**BEARER, "content-type": "text/plain"},
        "content-type",
    ),
    (OpenAIChat("ollama"), "/v1/chat/completions", {**JSON, "authorization": "x"}, "authorization"),
    (OpenAIChat("azure"), "/openai/v1/chat/completions?api-version=2024-10-21", AZURE, "path: api"),
    (OpenAIChat("azure"), "/openai/deployments/m/chat/completions", AZURE, "path: needs a dated"),
    (OpenAIChat("azure"), "/v1/chat/completions", AZURE, "is no address of chat/completions"),
    (OpenAIResponses("azure"), "/openai/responses?api-version=preview", AZURE, "path: needs a dat"),
    (OpenAIResponses("azure"), "/openai/v1/responses", JSON, "api-key: "),
    (
        Anthropic(),
        "/v1/messages",
        {**CLAUDE, "anthropic-version": "2024-01-01"},
        "anthropic-version",
    ),
    (Anthropic(), "/v1/messages", BEARER, "x-api-key: "),
    (Anthropic(), "/messages", CLAUDE, "path: "),
    (Gemini(), "/v1beta/models/gemini-2.5-pro:streamGenerateContent", STUDIO, "alt=sse"),
    (Gemini(), f"/v1beta/models/gemini-2.5-pro:generateContent?key={KEY}", STUDIO, "query para"),
    (Gemini(), "/v1beta/models/gemini-2.5-pro:generateContent", BEARER, "x-goog-api-key: "),
    (Gemini("vertex"), "/v1beta/models/gemini-2.5-pro:generateContent", BEARER, "path: "),
    (Gemini("vertex"), f"{VERTEX}/gemini-2.5-pro:generateContent", STUDIO, "authorization: "),
    (Bedrock(), "/model/us.amazon.nova-lite-v1:0/converse", BEARER, "is not quoted"),
    (Bedrock(), "/model/a/b/converse", BEARER, "path: "),
    (Bedrock(), f"/model/{MODEL}/converse", JSON, "authorization: "),
]


@pytest.mark.parametrize(("wire", "path", "headers"), RIGHT)
def test_the_right_door(wire, path, headers):
    assert wire.judge_call(path, headers, b"{}") == []


@pytest.mark.parametrize(("wire", "path", "headers", "fault"), WRONG)
def test_the_wrong_door(wire, path, headers, fault):
    faults = wire.judge_call(path, headers, b"{}")
    assert any(fault in found for found in faults)
    assert KEY not in "".join(fault for fault in faults if not fault.startswith("path"))


# The case "post-vanilla" of AWS's published test suite for Signature Version 4.
AWS = AwsKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
SIGNED = {
    "host": "example.amazonaws.com",
    "x-amz-date": "20150830T123600Z",
    "authorization": (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        "SignedHeaders=host;x-amz-date, "
        "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    ),
}


def test_a_signature_of_the_published_suite_is_right():
    assert judge_signature("/", SIGNED, b"", AWS, "service") == []


@pytest.mark.parametrize(
    ("path", "change", "raw", "fault"),
    [
        ("/other", {}, b"", "authorization: the signature does not match"),
        ("/", {}, b"x", "authorization: the signature does not match"),
        ("/", {"host": "elsewhere.test"}, b"", "authorization: the signature does not match"),
        ("/", {"x-amz-date": "20150831T123600Z"}, b"", "x-amz-date: not the time"),
        ("/", {"x-amz-extra": "1"}, b"", "x-amz-extra: is not signed"),
        ("/", {"x-amz-security-token": "t"}, b"", "x-amz-security-token: not the session's"),
        ("/", {"authorization": "AWS4-HMAC-SHA256 x"}, b"", "authorization: not of the form"),
    ],
)
def test_a_wrong_signature_is_told(path, change, raw, fault):
    faults = judge_signature(path, SIGNED | change, raw, AWS, "service")
    assert any(fault in found for found in faults)


def test_bedrock_wants_its_own_service_region_and_keys():
    faults = Bedrock().judge_call(f"/model/{MODEL}/converse", {**JSON, **SIGNED}, b"")
    assert "authorization: another key id or region than this provider's" in faults
    assert "authorization: the service is not bedrock" in faults

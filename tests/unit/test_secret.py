"""Secrets do not print."""

import copy
import json
import traceback

import pytest

from pagehand.secret import Secret, redact_headers, scrub

CANARY = "sk-canary-1234567890"


def test_no_form_of_a_secret_shows_it():
    secret = Secret(CANARY)
    shown = f"{secret} {secret!r} {[secret]} {copy.copy(secret)}"
    assert CANARY not in shown
    assert secret.reveal() == CANARY
    with pytest.raises(TypeError):
        json.dumps(secret)
    try:
        raise ValueError(secret)
    except ValueError:
        assert CANARY not in traceback.format_exc()


def test_scrub():
    assert scrub(f"Incorrect key {CANARY}.", [Secret(CANARY)]) == "Incorrect key ***."
    assert scrub("a plain test", [Secret("test")]) == "a plain test"


def test_headers():
    headers = {"Authorization": CANARY, "X-Api-Key": CANARY, "my-token": CANARY, "accept": "json"}
    assert redact_headers(headers) == {
        "Authorization": "***",
        "X-Api-Key": "***",
        "my-token": "***",
        "accept": "json",
    }

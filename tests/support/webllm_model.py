"""The files of a WebLLM model whose tokens are bytes, for the stub that stands in for the GPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

END = 256
WINDOW = 512
WEIGHTS = (3_000, 2_000)
"""Bytes of its two files of weights."""


def write_model(folder: Path) -> dict[str, Path]:
    """Write the files and give them by their paths in a site: `model/…`."""
    (folder / "params_0.bin").write_bytes(bytes(WEIGHTS[0]))
    (folder / "params_1.bin").write_bytes(bytes(WEIGHTS[1]))
    (folder / "lib.wasm").write_bytes(b"the stub asks nothing of it")
    texts = {
        "mlc-chat-config.json": _config(),
        "tokenizer.json": _tokenizer(),
        "tensor-cache.json": _weights(),
    }
    for name, content in texts.items():
        (folder / name).write_text(json.dumps(content))
    files = {f"model/resolve/main/{name}": folder / name for name in texts}
    files |= {
        f"model/resolve/main/params_{part}.bin": folder / f"params_{part}.bin" for part in (0, 1)
    }
    return {**files, "model/lib.wasm": folder / "lib.wasm"}


def _config() -> dict[str, Any]:
    return {
        "tokenizer_files": ["tokenizer.json"],
        "tokenizer_info": {
            "token_postproc_method": "byte_level",
            "prepend_space_in_encode": False,
            "strip_space_in_decode": False,
        },
        "vocab_size": END + 3,
        "context_window_size": WINDOW,
        "sliding_window_size": -1,
        "attention_sink_size": -1,
        "temperature": 0.5,
        "top_p": 1.0,
        "repetition_penalty": 1.0,
        "frequency_penalty": 0.0,
        "presence_penalty": 0.0,
        "conv_template": {
            "system_template": "system: {system_message}\n",
            "system_message": "",
            "roles": {"user": "user", "assistant": "assistant", "tool": "tool"},
            "role_templates": {
                "user": "{user_message}",
                "assistant": "{assistant_message}",
                "tool": "{tool_message}",
            },
            "role_content_sep": ": ",
            "role_empty_sep": ": ",
            "seps": ["\n"],
            "stop_str": ["<end>"],
            "stop_token_ids": [END],
        },
    }


def _tokenizer() -> dict[str, Any]:
    """A tokenizer without merges: each byte is a token, and three marks are."""
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    marks = {END: "<|end|>", END + 1: "<think>", END + 2: "</think>"}
    return {
        "version": "1.0",
        "added_tokens": [
            {
                "id": token,
                "content": text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": token == END,
            }
            for token, text in marks.items()
        ],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {letter: byte for byte, letter in _letters().items()},
            "merges": [],
        },
    }


def _letters() -> dict[int, str]:
    """Bytes as byte-level tokenizers write them: printable ones as they are, others above 255."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    moved = {byte: chr(256 + place) for place, byte in enumerate(others)}
    return {byte: moved.get(byte, chr(byte)) for byte in range(256)}


def _weights() -> dict[str, Any]:
    return {
        "metadata": {},
        "records": [
            {"dataPath": f"params_{part}.bin", "format": "raw-shard", "nbytes": size, "records": []}
            for part, size in enumerate(WEIGHTS)
        ],
    }

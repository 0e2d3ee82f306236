"""Gives a GGUF model another chat template."""

from __future__ import annotations

import struct

_KEY = b"tokenizer.chat_template"
_STRING = struct.pack("<I", 8)
_ALIGNMENT = 32


def with_template(model: bytes, template: str) -> bytes:
    """Give the model with `template` in place of its own.

    The tensors behind the metadata stay aligned: the template is filled up with a comment.
    """
    start = model.index(_KEY) + len(_KEY)
    assert model[start : start + 4] == _STRING
    (length,) = struct.unpack_from("<Q", model, start + 4)
    text = template.encode()
    text += b"{#" + b" " * ((length - len(text) - 4) % _ALIGNMENT) + b"#}"
    rest = model[start + 12 + length :]
    return model[:start] + _STRING + struct.pack("<Q", len(text)) + text + rest

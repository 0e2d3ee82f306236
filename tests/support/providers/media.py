"""Attached bytes: allowed kinds, and base64 that really is base64 of the kind it claims."""

from __future__ import annotations

import base64
import binascii
import re

from .shapes import Shape

_STARTS: dict[str, tuple[bytes, ...]] = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
    "application/pdf": (b"%PDF-",),
}
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[^,;]*)*;base64,(.*)", re.DOTALL)


def judge_base64(data: object, kind: str, where: str) -> list[str]:
    """Give what is wrong with base64 text that claims to be of a media type."""
    if not isinstance(data, str) or not data:
        return [f"{where}: no base64 text"]
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return [f"{where}: not valid base64"]
    starts = _STARTS.get(kind)
    if starts and not raw.startswith(starts):
        return [f"{where}: the bytes are not {kind}"]
    return []


def base64_of(kind_field: str, data_field: str, shape: Shape, kinds: tuple[str, ...]) -> Shape:
    """An object of the shape whose one field names the media type of the other's base64."""

    def check(value: object, where: str) -> list[str]:
        faults = shape(value, where)
        if faults or not isinstance(value, dict):
            return faults
        kind = value[kind_field]
        if not any(re.fullmatch(allowed, kind) for allowed in kinds):
            faults.append(f"{where}.{kind_field}: {kind!r} is none of {', '.join(kinds)}")
        return faults + judge_base64(value[data_field], kind, f"{where}.{data_field}")

    return check


def data_url(*kinds: str, links: bool = False) -> Shape:
    """A data URL with base64 of one of the media types; with `links` an http(s) address too."""

    def check(value: object, where: str) -> list[str]:
        if links and isinstance(value, str) and re.match(r"https?://[^/\s]+", value):
            return []
        found = _DATA_URL.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            return [f"{where}: must be a base64 data URL" + (" or an address" if links else "")]
        kind, data = found.groups()
        if not any(re.fullmatch(allowed, kind) for allowed in kinds):
            return [f"{where}: {kind} is none of {', '.join(kinds)}"]
        return judge_base64(data, kind, where)

    return check

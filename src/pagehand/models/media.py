"""What kind of file something is: by its first bytes, its name, and what is said of it.

Sources: the registered media types of IANA; the file signatures of the WHATWG's "MIME Sniffing
Standard"; the brands of ISO base media files as the AV1 and HEIF image formats register them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

UNKNOWN = "application/octet-stream"
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The images that every provider takes whose models see."""

_SVG, _HTML, _XML, _PDF = "image/svg+xml", "text/html", "application/xml", "application/pdf"
_ZIP, _OLE = "application/zip", "application/x-ole-storage"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
# The first ending of a type is the one that a file without a name gets.
_ENDINGS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": _SVG,
    "heic": "image/heic",
    "heif": "image/heif",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "tiff": "image/tiff",
    "tif": "image/tiff",
    "ico": "image/x-icon",
    "pdf": _PDF,
    "docx": f"{_OFFICE}wordprocessingml.document",
    "xlsx": f"{_OFFICE}spreadsheetml.sheet",
    "pptx": f"{_OFFICE}presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "odt": f"{_OPEN}text",
    "ods": f"{_OPEN}spreadsheet",
    "odp": f"{_OPEN}presentation",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "zip": _ZIP,
    "txt": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "html": _HTML,
    "htm": _HTML,
    "css": "text/css",
    "js": "text/javascript",
    "py": "text/x-python",
    "xml": _XML,
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "sql": "application/sql",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
}
_ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/x-bmp": "image/bmp",
    "application/x-pdf": _PDF,
    "application/x-zip-compressed": _ZIP,
    "text/x-markdown": "text/markdown",
    "binary/octet-stream": UNKNOWN,
}
# Types outside of text/ that hold text, by what follows the slash and any "+" and "x-".
_TEXTS = frozenset({"json", "xml", "yaml", "toml", "javascript", "ndjson", "sql"})
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"PK\x03\x04", _ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _OLE),
)
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_MARKUP = {b"svg": _SVG} | dict.fromkeys(
    (b"html", b"head", b"body", b"title", b"meta", b"script"), _HTML
)
_TYPE = re.compile(r"\s*([\w!#$&^.+-]+/[\w!#$&^.+-]+)\s*(?:;.*)?", re.ASCII | re.DOTALL)
_LINK = re.compile(r"https?://[^/?#\s][^/?#]*([^?#;]*)", re.IGNORECASE)
_LONGEST_NAME = 200


def plain(media_type: str) -> str | None:
    """Give a media type's usual name without parameters; None for what is no media type."""
    match = _TYPE.fullmatch(media_type)
    if match is None:
        return None
    name = match[1].lower()
    return _ALIASES.get(name, name)


def is_text(media_type: str) -> bool:
    """Whether files of a media type can be read as text."""
    family, _, name = (plain(media_type) or UNKNOWN).partition("/")
    return family == "text" or name.rpartition("+")[2].removeprefix("x-") in _TEXTS


def of_name(name: str | None) -> str | None:
    """Give the media type that a name's ending stands for."""
    return _ENDINGS.get(name.rpartition(".")[2].strip().lower()) if name and "." in name else None


def ending_of(media_type: str) -> str | None:
    """Give the ending that files of a media type have."""
    wanted = plain(media_type)
    return next((ending for ending, kind in _ENDINGS.items() if kind == wanted), None)


def of_bytes(data: bytes) -> str | None:
    """Give the media type that the first bytes of a file show."""
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and len(data) > 14 and data[6:10] == bytes(4):  # a text may begin so too
        return "image/bmp"
    if data[4:8] == b"ftyp":
        return _of_brands(data[8 : max(12, min(int.from_bytes(data[:4]), 256))])
    return _of_markup(data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip())


def _of_brands(brands: bytes) -> str | None:
    """Give the image that the brands of an ISO media file name, four letters each."""
    named = [brands[at : at + 4] for at in range(0, len(brands), 4)]
    if b"avif" in named or b"avis" in named:
        return "image/avif"
    return "image/heic" if any(brand in _HEIF_BRANDS for brand in named) else None


def _of_markup(head: bytes) -> str | None:
    if head.startswith(b"%PDF-"):
        return _PDF
    if not head.startswith(b"<"):
        return None
    head = re.sub(rb"<!--.*?(?:-->|$)", b"", head, flags=re.DOTALL).lstrip().lower()
    if head.startswith(b"<!doctype html"):
        return _HTML
    root = re.search(rb"<(?:svg:)?([a-z]+)[\s/>]", head)
    prolog = head[: root.start()] if root else head
    if root and (not prolog or prolog.startswith((b"<?xml", b"<!doctype"))):
        kind = _MARKUP.get(root[1])
        if kind:
            return kind
    return _XML if head.startswith(b"<?xml") else None


def settled(data: bytes | None, said: Sequence[str | None]) -> str:
    """Give the media type of a file of which several things are said, the best word first.

    What the bytes show wins, unless what is said is a closer word for the same: a Word file among
    ZIP archives, a Markdown file among texts.
    """
    words = [word for each in said if (word := plain(each or "")) and word != UNKNOWN]
    shown = of_bytes(data) if data is not None else None
    if shown is None and words:
        return words[0]
    if shown is None:
        return "text/plain" if data is not None and _is_readable(data) else UNKNOWN
    return next((word for word in words if _is_closer(word, shown)), shown)


def _is_readable(data: bytes) -> bool:
    """Whether bytes of which nothing is known are plain text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return not any(char < " " and char not in "\t\n\r\f" for char in text[:4096])


def _is_closer(word: str, shown: str) -> bool:
    if is_text(shown):
        return is_text(word)
    return (
        shown in (_ZIP, _OLE)
        and word.startswith("application/")
        and word not in (shown, _PDF)
        and not is_text(word)
    )


def charset_of(media_type: str) -> str | None:
    """Give the encoding of text that a media type names."""
    match = re.search(r";\s*charset\s*=\s*[\"']?([\w.:-]+)", media_type, re.I | re.ASCII)
    return match[1] if match else None


def as_utf8(data: bytes, charset: str) -> bytes:
    """Give text of another encoding as UTF-8; what cannot be read in it stays as it is."""
    try:
        return data.decode(charset).encode()
    except (LookupError, UnicodeError):
        return data


def name_of_link(link: str) -> str | None:
    """Give the name of the file behind a link: of its path only, for a query may hold secrets."""
    match = _LINK.match(link)
    return clean_name(unquote(match[1].rpartition("/")[2])) if match else None


def clean_name(name: str) -> str | None:
    """Give a file's name without folders and control characters; None where nothing is left."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(letter for letter in " ".join(last.split()) if letter.isprintable())
    if not shown.strip(". "):
        return None
    stem, dot, ending = shown.rpartition(".")
    if not dot or len(ending) > 20:
        return shown[:_LONGEST_NAME]
    return f"{stem[: _LONGEST_NAME - len(ending) - 1]}.{ending}"

"""Images and files that go with a request: what a user gives, and what a model takes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from ..errors import (
    AttachmentsNotSupportedError,
    ConfigError,
    ImagesNotSupportedError,
)
from ..messages import FilePart, ImagePart, Message, Part
from ..names import from_wire, nearest
from . import media
from .profiles import ModelProfile

Kind = Literal["image", "pdf", "file"]
_FIELDS = ("data", "name", "media_type")
_DATA_URL = re.compile(
    r"""data:([^;,]*)((?:;(?:[^;,"]|"[^"]*")*)*),(.*)""", re.DOTALL | re.IGNORECASE
)
_LINK = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)
_FORMS = "bytes, base64, a data URL or an http(s) link"
_WORDS = {"image": "images", "pdf": "PDF files", "file": "files of this kind"}
_ADVICE = {
    "image": "Describe the image in words, or switch to a model that sees images such as Gemini, "
    "Claude or GPT-4o/GPT-5.",
    "pdf": "Convert the PDF to text first (e.g. PDF → Markdown), or switch to a model that reads "
    "PDFs such as Gemini, Claude or GPT-4o/GPT-5.",
    "file": "Paste its text into the request, or switch to a model that reads such files.",
}


def attachment_kind(media_type: str) -> Kind:
    """Give the kind of a media type: image, pdf or file."""
    plain = media.plain(media_type) or ""
    if plain.startswith("image/"):
        return "image"
    return "pdf" if plain == "application/pdf" else "file"


def to_file_part(value: Any, *, image: bool = False, where: str = "files") -> ImagePart | FilePart:
    """Give the part of an attachment as a user writes it.

    `value` is a part, a dict `{data, name?, media_type?}` in either spelling, or the data alone:
    bytes, base64, a data URL or an http(s) link. What the bytes show wins over what is said of
    them. `image` says that it was given as an image: then it must be one that providers take.
    Raises ConfigError naming `where`.
    """
    fields = _fields(value, where)
    data, said = _read(fields.get("data"), where)
    name, declared = fields.get("name"), fields.get("media_type")
    link = data if isinstance(data, str) else None
    words = [declared, said, media.of_name(name), media.of_name(media.name_of_link(link or ""))]
    if isinstance(value, ImagePart):
        image = True
        if declared == "image/png":  # what every image part says that was not told otherwise
            words.append(words.pop(0))
    media_type = media.settled(data if isinstance(data, bytes) else None, words)
    name = media.clean_name(name or "")
    if image:
        return ImagePart(data, _image_type(media_type, link, where), name)
    if media_type in media.IMAGES:
        return ImagePart(data, media_type, name)
    charset = media.charset_of(declared or said or "")
    if isinstance(data, bytes) and charset and media.is_text(media_type):
        data = media.as_utf8(data, charset)
    return FilePart(data, media_type, name)


def _fields(value: Any, where: str) -> dict[str, Any]:
    """Give what an attachment says, by the names of its fields."""
    if isinstance(value, ImagePart | FilePart):
        value = {"data": value.data, "name": value.name, "media_type": value.media_type}
    if not isinstance(value, Mapping):
        value = {"data": value}
    given = {from_wire(str(key)): item for key, item in value.items() if item is not None}
    for name in given:
        if name not in _FIELDS:
            hint = nearest(name, _FIELDS)
            raise ConfigError(
                f"{where}: an attachment has no field {name!r}."
                + (f" Did you mean {hint!r}?" if hint else "")
            )
    for each in (given.get("name"), given.get("media_type")):
        if each is not None and not isinstance(each, str):
            raise ConfigError(f"{where}: name and media_type are texts, got {each!r}.")
    declared = given.get("media_type")
    if declared and media.plain(declared) is None:
        raise ConfigError(f"{where}: a media_type is such as image/png, got {declared!r:.80}.")
    return given


def _image_type(media_type: str, link: str | None, where: str) -> str:
    """Give the type of what was given as an image; of a link that says nothing it is a guess."""
    if media_type in media.IMAGES:
        return media_type
    if media_type.startswith("image/"):
        raise ConfigError(
            f"{where}: hardly any provider takes {media_type}: convert it to PNG or JPEG."
        )
    if media_type != media.UNKNOWN:
        raise ConfigError(
            f"{where}: this is no image but {media_type}: give it as a file, in `files`."
        )
    if link is None:
        raise ConfigError(
            f"{where}: these bytes show no image that is known here. Give its media_type, such as "
            "image/png; where you gave the name of a file, read the file first."
        )
    return "image/png"


def _read(data: Any, where: str) -> tuple[bytes | str, str | None]:
    """Give the bytes (or the link) and the media type that a data URL says."""
    said = None
    if isinstance(data, bytearray | memoryview):
        data = bytes(data)
    if isinstance(data, str):
        text = data.strip()
        if _LINK.match(text):
            return text, None
        if match := _DATA_URL.fullmatch(text):
            data, said = _of_data_url(match, where)
        else:
            data = _base64(re.sub(r"\s*[\r\n]\s*", "", text), where)
    if not isinstance(data, bytes):
        file = hasattr(data, "read") or hasattr(data, "__fspath__")
        raise ConfigError(
            f"{where}: the data of an attachment is {_FORMS}, got {type(data).__name__}."
            + (" Read the file first and give its bytes." if file else "")
        )
    if not data:
        raise ConfigError(f"{where}: an attachment is empty.")
    return data, said


def _of_data_url(match: re.Match[str], where: str) -> tuple[bytes, str | None]:
    media_type, marks, body = match.groups()
    encoded = any(mark.strip().lower() == "base64" for mark in marks.split(";"))
    if not media_type.strip() and (not encoded or media.charset_of(marks)):
        media_type = "text/plain"  # as RFC 2397 has it
    raw = unquote_to_bytes(body)
    if encoded:
        raw = _base64(re.sub(r"\s", "", raw.decode("ascii", "replace")), where)
    return raw, media_type + marks if media_type.strip() else None


def _base64(text: str, where: str) -> bytes:
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise ConfigError(
            f"{where}: the data of an attachment is a text, but neither base64 nor a data URL nor "
            f"an http(s) link.{_hint(text)}"
        ) from None


def _hint(text: str) -> str:
    if scheme := re.match(r"(blob|file|ftp|about|s3|gs):", text, re.IGNORECASE):
        return f" What a {scheme[1].lower()}: address leads to must be read first: give its bytes."
    if media.of_name(text):
        return " It looks like the name of a file: read the file first and give its bytes."
    return ""


def read_attachments(images: Sequence[Any] = (), files: Sequence[Any] = ()) -> list[Part]:
    """Give the parts of a run's `images` and `files`. Raises ConfigError."""
    for name, given in (("images", images), ("files", files)):
        if not isinstance(given, list | tuple):
            raise ConfigError(f"`{name}` is a list of attachments, got {type(given).__name__}.")
    return [
        *(to_file_part(each, image=True, where=f"images[{n}]") for n, each in enumerate(images)),
        *(to_file_part(each, where=f"files[{n}]") for n, each in enumerate(files)),
    ]


def kind_of(part: ImagePart | FilePart) -> Kind:
    """Give the kind of a part; a picture that is no image for a provider (SVG) is a file."""
    kind = attachment_kind(part.media_type)
    if isinstance(part, ImagePart) or media.plain(part.media_type) in media.IMAGES:
        return "image"
    return "file" if kind == "image" else kind


def text_of(part: FilePart) -> str | None:
    """Give a text file as text under its name, for providers that take no such files; else None."""
    if not isinstance(part.data, bytes) or not media.is_text(part.media_type):
        return None
    return f"File {part.name or 'without a name'}:\n{part.data.decode('utf-8', 'replace')}"


def not_taken(part: ImagePart | FilePart) -> str:
    """Give the words for what a provider does not take: "no ZIP file (a.zip): convert it"."""
    media_type = media.settled(None, [part.media_type, media.of_name(part.name)])
    name = part.name or "an attachment"
    if media_type == media.UNKNOWN:
        return f"no file of an unknown kind ({name}): give its media_type, or convert it"
    ending = media.ending_of(media_type)
    return f"no {f'{ending.upper()} file' if ending else media_type} ({name}): convert it"


def attached(messages: Sequence[Message]) -> list[ImagePart | FilePart]:
    """Give the images and files in messages."""
    return [
        part
        for message in messages
        for part in message.parts
        if isinstance(part, ImagePart | FilePart)
    ]


def note_of(parts: Sequence[Part]) -> str:
    """Give the note that stands for attachments where only text is kept, or an empty text."""
    names = [part.name or kind_of(part) for part in parts if isinstance(part, ImagePart | FilePart)]
    return f"[attached: {', '.join(names)}]" if names else ""


def refusal(model: str, kind: Kind, said: str = "") -> AttachmentsNotSupportedError:
    """Give the fault that a model takes no attachment of a kind, with what to do."""
    words = f" (the provider said: {said[:300]})" if said else ""
    fault = ImagesNotSupportedError if kind == "image" else AttachmentsNotSupportedError
    return fault(
        f'The model "{model}" can\'t take {_WORDS[kind]}{words}. {_ADVICE[kind]}',
        details={"model": model, "kind": kind},
    )


def refuse_known(parts: Sequence[Part], model: str, profile: ModelProfile) -> None:
    """Raise AttachmentsNotSupportedError for a kind that the model is known not to take."""
    takes = {"image": profile.images, "pdf": profile.pdf, "file": profile.files}
    for part in parts:
        if isinstance(part, ImagePart | FilePart) and takes[kind_of(part)] is False:
            raise refusal(model, kind_of(part))

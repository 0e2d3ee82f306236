"""Links among the attachments, fetched for providers that take none."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin

from ..cancel import closing
from ..errors import AttachmentsNotSupportedError, ConfigError, PagehandError
from ..messages import FilePart, ImagePart
from ..ports import Http, HttpRequest, HttpResponse
from . import media
from .attachments import to_file_part

Fetch = Callable[[str], Awaitable[tuple[bytes, str]]]
"""Fetches a link: gives its bytes and its media type. Raises PagehandError."""

_LARGEST_BYTES = 50_000_000
_MOST_HOPS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_LINK = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


@dataclass(slots=True)
class Downloads:
    """Fetches links once, for providers that take none. One is shared by the calls of a run."""

    fetch: Fetch
    _kept: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    async def get(self, part: ImagePart | FilePart) -> ImagePart | FilePart:
        """Give the part with the bytes behind its link. Raises ConfigError or what fetch raises."""
        url = str(part.data)
        if url not in self._kept:
            self._kept[url] = await self.fetch(url)
        data, answered = self._kept[url]
        where = f"The attachment {_shown(url)}"
        if not data:
            raise ConfigError(f"{where} is empty.")
        plain = media.plain(answered)
        image = isinstance(part, ImagePart)
        found = media.of_bytes(data) if image else media.settled(data, [answered, part.media_type])
        if not _is_wanted(part, found):
            raise AttachmentsNotSupportedError(
                f"{where} leads to something else: {'an image' if image else part.media_type} was "
                f"expected, but the server answered with {found or plain or 'unknown bytes'}. "
                "Check the link, or attach the file itself."
            )
        return to_file_part(
            {
                "data": data,
                "media_type": answered if plain == found else found,  # the answer names a charset
                "name": part.name or media.name_of_link(url),
            },
            image=image,
            where=where,
        )


def _is_wanted(part: ImagePart | FilePart, found: str | None) -> bool:
    """Whether an answer is what its link promised, and no page that asks to log in, say."""
    if isinstance(part, ImagePart):
        return found is not None and found.startswith("image/")
    wanted = part.media_type
    if wanted == media.UNKNOWN or wanted.startswith("text/"):
        return True
    return found != "text/html" if media.is_text(wanted) else not media.is_text(found or "")


def http_fetch(http: Http) -> Fetch:
    """Give a fetch over the platform's own HTTP. It follows links that were moved."""

    async def fetch(url: str) -> tuple[bytes, str]:
        address = url
        for _ in range(1 + _MOST_HOPS):
            try:
                response = await http.send(HttpRequest("GET", address))
            except PagehandError as fault:
                raise _not_fetched(url, str(fault)) from fault
            try:
                if response.status not in _REDIRECTS:
                    return await _body(response, url)
                address = _moved(address, response.headers.get("location", ""), url)
            finally:
                await response.close()
        raise _not_fetched(url, f"it was moved more than {_MOST_HOPS} times")

    return fetch


async def _body(response: HttpResponse, url: str) -> tuple[bytes, str]:
    if response.status != 200:
        raise _not_fetched(url, f"the server answered {response.status}")
    pieces: list[bytes] = []
    size = 0
    async with closing(response.batches()) as batches:
        async for batch in batches:
            size += len(batch)
            if size > _LARGEST_BYTES:
                raise _not_fetched(url, f"it is larger than {_LARGEST_BYTES // 10**6} MB")
            pieces.append(batch)
    return b"".join(pieces), response.headers.get("content-type", "")


def _moved(address: str, location: str, url: str) -> str:
    """Give where a link was moved to."""
    try:
        moved = urljoin(address, location)
    except ValueError:
        moved = ""
    if not location or not _LINK.match(moved):
        raise _not_fetched(url, "the server sends on to no http(s) address")
    return moved


def _not_fetched(url: str, why: str) -> AttachmentsNotSupportedError:
    return AttachmentsNotSupportedError(
        f"The attachment {_shown(url)} could not be fetched for a provider that takes no links: "
        f"{why.rstrip('.')}. Attach the file itself."
    )


def _shown(url: str) -> str:
    """Give what of an address may stand in a message: no query, no credentials."""
    return re.sub(r"(?<=//)[^/@]*@", "", re.sub(r"[?#].*", "", url))[:200]

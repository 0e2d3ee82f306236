"""What a provider says it has: for the name that was most likely meant."""

from __future__ import annotations

import asyncio
from typing import Any

from ..ports import Http, HttpRequest
from .answer import parsed
from .auth import Auth

_SECONDS = 5.0


async def listed_models(http: Http, auth: Auth, url: str, headers: dict[str, str]) -> list[str]:
    """Give the names of a provider's models, none where it does not tell."""
    asked = HttpRequest("GET", url, headers)
    try:
        async with asyncio.timeout(_SECONDS):
            await auth.apply(asked)
            response = await http.send(asked)
            try:
                text = (await response.read()).decode("utf-8", "replace")
            finally:
                await response.close()
    except Exception:  # whatever fails here, the hint is lost and the fault itself is told
        return []
    return _names(parsed(text)) if response.status == 200 else []


def _names(listing: Any) -> list[str]:
    """Give the names in a provider's list of models, in any of the shapes in use."""
    if isinstance(listing, dict):
        listing = listing.get("data") or listing.get("models")
    names = [
        item.get("id") or item.get("name")
        for item in (listing if isinstance(listing, list) else ())
        if isinstance(item, dict)
    ]
    return [name.removeprefix("models/") for name in names if isinstance(name, str)]

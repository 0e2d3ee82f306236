"""Where API keys lie. A config then names its key (`credential_ref`) instead of holding it."""

from __future__ import annotations

from ..errors import ConfigError
from ..secret import Secret


class MemoryCredentialStore:
    """Keys in memory: they last as long as the store, and nothing prints them."""

    def __init__(self, keys: dict[str, str] | None = None) -> None:
        self._keys = {ref: Secret(key) for ref, key in (keys or {}).items()}

    async def get_api_key(self, ref: str) -> str | None:
        """Give the key under a name, None when there is none."""
        key = self._keys.get(ref)
        return key.reveal() if key else None

    async def set_api_key(self, ref: str, key: str) -> None:
        """Keep a key under a name. Raises ConfigError for an empty name or key."""
        if not ref or not isinstance(key, str) or not key.strip():
            raise ConfigError("A key is kept under a name: give both, and neither empty.")
        self._keys[ref] = Secret(key.strip())

    async def delete_api_key(self, ref: str) -> None:
        """Forget a key; one that is not there is no error."""
        self._keys.pop(ref, None)

    def __repr__(self) -> str:
        return f"MemoryCredentialStore({sorted(self._keys)})"

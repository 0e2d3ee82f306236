"""Session memory: the turns of a conversation, kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Turn = dict[str, Any]
"""A stored turn: `{"role": "user" | "assistant", "content": text}`."""


class ContextStore(Protocol):
    """Where sessions are kept. All methods are async; a session is born by its first turn."""

    async def load(self, session_id: str) -> list[Turn]:
        """Give a session's turns, oldest first; an unknown session has none."""
        ...

    async def append(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Add turns at the end."""
        ...

    async def replace(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Put other turns in place of all."""
        ...

    async def clear(self, session_id: str) -> None:
        """Forget a session."""
        ...

    async def list_sessions(self) -> list[str]:
        """Give the ids of all sessions, oldest first."""
        ...


class MemoryStore:
    """Sessions in memory: they last as long as the store."""

    def __init__(self) -> None:
        self._sessions: dict[str, list[Turn]] = {}

    async def load(self, session_id: str) -> list[Turn]:
        """Give a copy of a session's turns."""
        return [dict(turn) for turn in self._sessions.get(session_id, ())]

    async def append(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Add turns at the end."""
        self._sessions.setdefault(session_id, []).extend(dict(turn) for turn in turns)

    async def replace(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Put other turns in place of all."""
        self._sessions[session_id] = [dict(turn) for turn in turns]

    async def clear(self, session_id: str) -> None:
        """Forget a session."""
        self._sessions.pop(session_id, None)

    async def list_sessions(self) -> list[str]:
        """Give the ids of all sessions, oldest first."""
        return list(self._sessions)

"""An Http port that answers from a list: what a wire sends is seen, and no socket is needed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pagehand.models.base import Finish, GenerateResult, ModelPart, ModelRequest
from pagehand.models.wire import WireModel
from pagehand.ports import HttpRequest


@dataclass
class Reply:
    """One answer; its body arrives in these batches. `closed` says that it was let go."""

    batches_given: Sequence[bytes]
    kind: str = "text/event-stream"
    status: int = 200
    closed: bool = False
    headers: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.headers = {"content-type": self.kind}

    async def batches(self) -> AsyncIterator[bytes]:
        for batch in self.batches_given:
            yield batch

    async def read(self) -> bytes:
        return b"".join(self.batches_given)

    async def close(self) -> None:
        self.closed = True


def json_reply(value: Any, status: int = 200) -> Reply:
    """A whole answer."""
    return Reply([json.dumps(value).encode()], "application/json", status)


class WireHttp:
    """Gives one reply after the other, the last for ever; `bodies` are the requests as JSON."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.requests: list[HttpRequest] = []

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.body or b"null") for request in self.requests]

    async def send(self, request: HttpRequest) -> Reply:
        self.requests.append(request)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


async def ask(model: WireModel, request: ModelRequest) -> tuple[list[ModelPart], GenerateResult]:
    """Give the parts of an answer, and the result that its last one carries."""
    parts = [part async for part in model.stream(request)]
    last = parts[-1]
    assert isinstance(last, Finish)
    return parts, last.result


def cuts(data: bytes, *places: int) -> list[bytes]:
    """Cut bytes at these places."""
    edges = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]

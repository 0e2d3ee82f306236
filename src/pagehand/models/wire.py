"""What all wires share: sending, decoding, telling faults, and a sound conversation.

A wire is one provider protocol. It says where to ask, what to send and how to read an answer; it
knows no keys and no HTTP.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..cancel import closing
from ..errors import ConfigError, InvalidRequestError, ModelError, ModelNotFoundError
from ..messages import FilePart, ImagePart
from ..names import nearest
from ..ports import Http, HttpRequest, HttpResponse
from ..secret import Secret, header_secrets, scrub
from .answer import Answer, Decoder, EventTexts, Reader, Speaker
from .attachments import attached, kind_of, refusal, to_file_part
from .auth import Auth, NoAuth
from .base import Finish, ModelPart, ModelRequest, ModelWarning
from .faults import attachment_refused, fault_of_answer, words_of
from .listing import listed_models
from .profiles import ModelProfile
from .thinking import merge_provider_options, stops
from .turns import safe_id, sign, sound, with_schema_in_words


@dataclass(slots=True)
class Endpoint:
    """Where a model is reached. `base_url` ends before the wire's own path.

    `options` are further fields of the request's body; they win over what the wire writes.
    `models_path` is where the provider lists its models, None where it does not.
    """

    provider: str
    base_url: str
    http: Http
    auth: Auth = field(default_factory=NoAuth)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    query: str = ""
    models_path: str | None = "/models"


class WireModel(ABC):
    """A model behind HTTP."""

    wire: ClassVar[str]
    answers: ClassVar[str]
    """What an answer is called, for people."""

    def __init__(self, name: str, *, endpoint: Endpoint, profile: ModelProfile) -> None:
        self.name = name
        self.provider = endpoint.provider
        self.profile = profile
        self.endpoint = endpoint
        host = re.sub(r"^\w+://(?:[^/@]*@)?([^/?#]*).*", r"\1", endpoint.base_url)
        where = f"{endpoint.provider} ({host})"
        self._speaker = Speaker(endpoint.provider, name, where, self.answers)
        self._warned = False

    # What a wire gives

    @abstractmethod
    def path(self, request: ModelRequest) -> str:
        """Give the path behind the base URL."""

    @abstractmethod
    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Give the request as the provider reads it."""

    @abstractmethod
    def reader(self, request: ModelRequest) -> Reader:
        """Give a reader for the answer to a request."""

    def headers(self, request: ModelRequest) -> dict[str, str]:
        """Give headers that the wire wants besides its key."""
        return {}

    def takes_schema(self, schema: dict[str, Any]) -> bool:
        """Whether the provider takes this shape of an answer otherwise than in words."""
        return self.profile.output_schema and not self.profile.json_only

    def decoder(self) -> Decoder:
        """Give the decoder of a streamed answer."""
        return EventTexts()

    def error_in(self, value: dict[str, Any]) -> Any:
        """Give the error that an event or an answer carries, or None."""
        if value.get("object") == "error":  # vLLM's: the error itself, without a frame
            return value
        return value.get("error")

    def fit_id(self, id: str) -> str:
        """Give a call's id as the provider takes it."""
        return safe_id(id)

    # What all share

    @property
    def maker(self) -> str:
        """Who signs the provider data of an answer: data of another model never comes back."""
        return f"{self.wire}:{self.provider}:{self.name}"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Answer one request. Raises a ModelError that says what to do."""
        self._refuse_too_many(request)
        if warning := self._thinking_warning(request):
            yield warning
        response: HttpResponse | None = None
        try:
            request = await self._prepared(request)
            asked, secrets = await self._http_request(request)
            response = await self.endpoint.http.send(asked)
            if response.status >= 300:
                raise await self._fault(response, request, secrets)
            answer = Answer(
                self._speaker, self.reader(request), self.decoder(), self.error_in, secrets
            )
            async with closing(answer.parts(response, streamed=request.stream)) as batches:
                async for parts in batches:
                    for part in parts:
                        if isinstance(part, Finish):
                            sign(part.result, self.maker)
                        yield part
        except ModelError as fault:
            fault.provider, fault.model = self.provider, self.name
            who = {"provider": self.provider, "model": self.name}
            fault.details = {**who, **(fault.details or {})}
            raise
        finally:
            if response is not None:
                await response.close()

    def _refuse_too_many(self, request: ModelRequest) -> None:
        most = self.profile.most_tools
        if most is not None and len(request.tools) > most:
            raise InvalidRequestError(
                f"{self.provider} takes at most {most} tools in a request, this one offers "
                f"{len(request.tools)}: offer fewer tools.",
                provider=self.provider,
                model=self.name,
            )

    def _thinking_warning(self, request: ModelRequest) -> ModelWarning | None:
        wish = request.thinking
        if wish is None or stops(wish) or self.profile.thinking is not None or self._warned:
            return None
        self._warned = True
        return ModelWarning(
            f"The model {self.name!r} is not known to think: `thinking` is left out."
        )

    async def _prepared(self, request: ModelRequest) -> ModelRequest:
        messages = sound(request.messages, self.maker, self.fit_id)
        if request.output_schema is not None and not self.takes_schema(request.output_schema):
            messages = with_schema_in_words(messages, request.output_schema)
        for message in messages:
            message.parts = [
                await self._sendable(part, request)
                if isinstance(part, ImagePart | FilePart)
                else part
                for part in message.parts
            ]
        return replace(request, messages=messages)

    async def _sendable(
        self, part: ImagePart | FilePart, request: ModelRequest
    ) -> ImagePart | FilePart:
        """Give an attachment as bytes, or as a link where the provider fetches it itself."""
        part = to_file_part(part, where="messages")
        if isinstance(part.data, bytes) or kind_of(part) in self.profile.links:
            return part
        if request.downloads is None:
            raise ConfigError(
                f"{self.provider} takes no links, and nothing is there to fetch them: attach the "
                "file itself."
            )
        return await request.downloads.get(part)

    async def _http_request(self, request: ModelRequest) -> tuple[HttpRequest, list[Secret]]:
        """Give the request, and the secrets in it that an answer may repeat."""
        endpoint = self.endpoint
        body = json.dumps(
            merge_provider_options(self.body(request), endpoint.options), ensure_ascii=False
        )
        if not body.isascii():  # half a character, as a model or a tool may give, has no UTF-8
            body = body.encode("utf-8", "replace").decode()
        made = HttpRequest(
            "POST",
            self._url(self.path(request)),
            {"content-type": "application/json", **self._headers(request)},
            body,
        )
        secrets = await endpoint.auth.apply(made)
        return made, [*header_secrets(endpoint.headers), *secrets]

    def _headers(self, request: ModelRequest) -> dict[str, str]:
        """Give the wire's headers with the host's own laid over them; names in lower case."""
        headers = {**self.headers(request), **self.endpoint.headers}
        return {name.casefold(): value for name, value in headers.items()}

    def _url(self, path: str) -> str:
        url = self.endpoint.base_url.rstrip("/") + path
        if not self.endpoint.query:
            return url
        return f"{url}{'&' if '?' in path else '?'}{self.endpoint.query}"

    async def _fault(
        self, response: HttpResponse, request: ModelRequest, secrets: Sequence[Secret]
    ) -> Exception:
        try:
            body = (await response.read()).decode("utf-8", "replace")
        except ModelError:  # the status is what counts
            body = ""
        fault = fault_of_answer(
            response.status,
            response.headers,
            body,
            provider=self.provider,
            where=self._speaker.where,
            model=self.name,
            secrets=secrets,
        )
        if isinstance(fault, ModelNotFoundError):
            return await self._with_nearest(fault, self._url(self.path(request)), secrets)
        if isinstance(fault, InvalidRequestError):
            words = scrub(words_of(body), secrets)
            for part in attached(request.messages):
                if attachment_refused(words, kind_of(part)):
                    return refusal(self.name, kind_of(part), words)
        return fault

    async def _with_nearest(
        self, fault: ModelNotFoundError, url: str, secrets: Sequence[Secret]
    ) -> ModelNotFoundError:
        """Give the fault with the address that was asked, and with the name that was most likely
        meant, where the provider lists its."""
        listed = [name for name in await self._listed() if scrub(name, secrets) == name]
        name = nearest(self.name, listed)
        known = name is not None and name != self.name
        asked = f"{fault.message.rstrip('.')}. It was asked at {url.partition('?')[0]}"
        return ModelNotFoundError(
            f"{asked}. Did you mean {name!r}?" if known else f"{asked}.",
            provider=self.provider,
            model=self.name,
            status=fault.status,
            details={"nearest": name} if known else None,
        )

    async def _listed(self) -> list[str]:
        endpoint = self.endpoint
        if endpoint.models_path is None:
            return []
        url = self._url(endpoint.models_path)
        headers = self._headers(ModelRequest([]))
        return await listed_models(endpoint.http, endpoint.auth, url, headers)

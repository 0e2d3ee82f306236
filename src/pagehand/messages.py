"""Messages between a person, a model and its tools, in one shape for every provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .errors import ConfigError

Role = Literal["system", "user", "assistant", "tool"]
_ROLES = ("system", "user", "assistant", "tool")


@dataclass(slots=True)
class TextPart:
    """Plain text. `provider_data` travels back to the provider that made it, untouched."""

    type: ClassVar[str] = "text"
    text: str
    provider_data: dict[str, Any] | None = None


@dataclass(slots=True)
class ImagePart:
    """An image: bytes, a data URL, or a link."""

    type: ClassVar[str] = "image"
    data: bytes | str
    media_type: str = "image/png"
    name: str | None = None


@dataclass(slots=True)
class FilePart:
    """A file that is not an image, such as a PDF: bytes, a data URL, or a link."""

    type: ClassVar[str] = "file"
    data: bytes | str
    media_type: str = "application/octet-stream"
    name: str | None = None


@dataclass(slots=True)
class ReasoningPart:
    """A model's thought. `provider_data` travels back to the provider that made it, untouched."""

    type: ClassVar[str] = "reasoning"
    text: str
    provider_data: dict[str, Any] | None = None


@dataclass(slots=True)
class ToolCallPart:
    """A call that the model asked for."""

    type: ClassVar[str] = "tool-call"
    id: str
    name: str
    arguments: dict[str, Any]
    provider_data: dict[str, Any] | None = None


@dataclass(slots=True)
class ToolResultPart:
    """What the model reads of a call's outcome: text, already clipped."""

    type: ClassVar[str] = "tool-result"
    id: str
    name: str
    output: str
    ok: bool = True


Part = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart


@dataclass(slots=True)
class Message:
    """One turn. `role` is system, user, assistant or tool."""

    role: Role
    parts: list[Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


def system(text: str) -> Message:
    """A system message of one text."""
    return Message("system", [TextPart(text)])


def user(text: str) -> Message:
    """A user message of one text."""
    return Message("user", [TextPart(text)])


def assistant(text: str) -> Message:
    """An assistant message of one text."""
    return Message("assistant", [TextPart(text)])


def as_messages(values: Sequence[Message | Mapping[str, Any]] | None) -> list[Message]:
    """Read messages in either form: `Message`, or a plain `{"role", "content"}` dict.

    Raises ConfigError naming the position of a value that is neither.
    """
    return [_as_message(value, index) for index, value in enumerate(values or ())]


def _as_message(value: Message | Mapping[str, Any], index: int) -> Message:
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping) or not {"role", "content"} <= value.keys():
        raise ConfigError(
            f"Message {index} of the history needs `role` and `content`, got {value!r:.80}."
        )
    role, content = value["role"], value["content"]
    if role not in _ROLES:
        raise ConfigError(f"Message {index} has the role {role!r}; use one of {', '.join(_ROLES)}.")
    if isinstance(content, str):
        return Message(role, [TextPart(content)])
    if isinstance(content, Sequence) and all(isinstance(part, Part) for part in content):
        return Message(role, list(content))
    raise ConfigError(
        f"Message {index}: `content` is a text or a list of parts, got {type(content).__name__}."
    )

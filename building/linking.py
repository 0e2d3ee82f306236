"""Gives files names that carry their content, and rewrites the references between them.

A file is known by its path in the site without a hash, such as `worker/boot.js`. Text files refer
to others by relative strings (`"./rpc.js"`), as they stand in the source tree, where the site's
top is `web/`, or as they will stand in the site.
"""

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from building.steps import BuildError, digest

HASH_LENGTH = 12
_REFERENCE = re.compile(r"""(["'(])(\.{1,2}/[^"'()\s?#]+)(["')])""")


@dataclass(frozen=True, slots=True)
class Placed:
    """A file as it lies in the site: its final path and content."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        """The digest of the content in hex."""
        return digest(self.data)


class Linker:
    """Places files one after the other, those that others refer to first."""

    def __init__(self, entries: frozenset[str]) -> None:
        self._entries = entries
        self._data: dict[str, Callable[[], bytes]] = {}
        self._text: set[str] = set()
        self._placing: list[str] = []
        self.placed: dict[str, Placed] = {}

    def add(self, path: str, data: bytes, *, text: bool = False) -> None:
        """Add a file; `text` marks one whose references are rewritten."""
        self.add_later(path, lambda: data, text=text)

    def add_later(self, path: str, data: Callable[[], bytes], *, text: bool = False) -> None:
        """Add a file whose content is known only when the files it speaks of are placed."""
        self._data[path] = data
        if text:
            self._text.add(path)

    def place_all(self) -> dict[str, Placed]:
        """Place every file and give them by their paths without hashes."""
        for path in list(self._data):
            self._place(path)
        return self.placed

    def place(self, paths: list[str]) -> Mapping[str, Placed]:
        """Place some files now and give them."""
        return {path: self._place(path) for path in paths}

    def _place(self, path: str) -> Placed:
        if path in self.placed:
            return self.placed[path]
        if path in self._placing:
            circle = " → ".join([*self._placing[self._placing.index(path) :], path])
            raise BuildError(f"Files refer to each other in a circle: {circle}. Break it.")
        self._placing.append(path)
        data = self._data[path]()
        if path in self._text:
            data = self._linked(path, data.decode()).encode()
        self._placing.pop()
        self.placed[path] = Placed(self._name(path, data), data)
        return self.placed[path]

    def _linked(self, path: str, text: str) -> str:
        def rewritten(match: re.Match[str]) -> str:
            before, reference, after = match.groups()
            target = self._target(path, reference)
            if target is None:
                return match[0]
            here = posixpath.dirname(path)
            there = target if target in self._entries else self._place(target).path
            relative = posixpath.relpath(there, here or ".")
            relative = relative if relative.startswith(".") else f"./{relative}"
            return f"{before}{relative}{after}"

        return _REFERENCE.sub(rewritten, text)

    def _target(self, path: str, reference: str) -> str | None:
        """The file that a reference means, read in the source tree and else in the site."""
        source = path if path.startswith("worker/") else f"web/{path}"
        for base, prefix in ((source, "web/"), (path, "")):
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), reference))
            for candidate in (joined.removeprefix(prefix) if prefix else joined,):
                if candidate in self._data:
                    return candidate
        return None

    def _name(self, path: str, data: bytes) -> str:
        if path in self._entries or digest(data)[:HASH_LENGTH] in path:
            return path
        pure = PurePosixPath(path)
        return str(pure.with_name(f"{pure.stem}.{digest(data)[:HASH_LENGTH]}{pure.suffix}"))


def asset_table(placed: Mapping[str, Placed], folder: str) -> dict[str, dict[str, str | int]]:
    """Describe files for scripts in a folder: address relative to it, size in bytes, digest."""
    return {
        path: {
            "url": posixpath.relpath(file.path, folder),
            "bytes": len(file.data),
            "sha256": file.sha256,
        }
        for path, file in sorted(placed.items())
    }


def as_module(**exports: object) -> str:
    """Write values as an ES module."""
    return "".join(
        f"export const {name} = {json.dumps(value, indent=1)};\n" for name, value in exports.items()
    )

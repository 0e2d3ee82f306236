"""How a job tells what it does, skips what is done already, and fails with a clear message."""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"


class BuildError(Exception):
    """A job cannot go on; the message says what happened and what to do."""


def say(text: str) -> None:
    """Print one line at once, also when the output is a pipe."""
    print(text, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a long step and, when it is done, how many seconds it took."""
    say(f"• {text} …")
    started = time.monotonic()
    yield
    say(f"  done in {time.monotonic() - started:.1f} s")


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    quiet: bool = False,
) -> None:
    """Run a program.

    With `quiet` its output is shown only when it fails. Raises BuildError when the program is
    missing or fails.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            check=False,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.STDOUT if quiet else None,
        )
    except FileNotFoundError:
        raise BuildError(f"{words[0]} is not installed, but this job needs it.") from None
    if done.returncode:
        if quiet:
            sys.stdout.write(done.stdout.decode(errors="replace"))
            sys.stdout.flush()
        raise BuildError(f"`{' '.join(words[:6])}` failed with exit code {done.returncode}.")


def digest(data: bytes) -> str:
    """Give the SHA-256 of bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def files_under(root: Path) -> list[Path]:
    """List the files of a folder in a fixed order, without byte code and hidden files."""
    return sorted(
        path
        for path in root.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and not any(
            part.startswith(".") or part in ("__pycache__", "node_modules")
            for part in path.relative_to(root).parts
        )
    )


def fingerprint(paths: Iterable[Path], *facts: str) -> str:
    """Give one hash over the names and bytes of files and folders, and over other facts."""
    total = hashlib.sha256("\0".join(facts).encode())
    for path in paths:
        for file in files_under(path) if path.is_dir() else [path]:
            total.update(f"\0{file.name}\0".encode())
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


class Stamp:
    """Remembers from which inputs something was made, so that it is not made twice."""

    def __init__(self, name: str, inputs: str, outputs: Iterable[Path] = ()) -> None:
        self._file = CACHE / "stamps" / f"{name}.json"
        self._inputs = inputs
        self._outputs = list(outputs)

    def is_fresh(self) -> bool:
        """Whether the outputs exist and were made from the same inputs."""
        try:
            known = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return False
        return known == self._inputs and all(path.exists() for path in self._outputs)

    def set(self) -> None:
        """Note that the outputs are made."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(self._inputs))

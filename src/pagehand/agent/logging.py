"""Log lines: to the host's logger and, as `log` events, to whoever watches the run."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..errors import ConfigError
from ..events import Event, Log

LEVELS = ("silent", "error", "warn", "info", "debug")
_STANDARD = {
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}


class RunLog:
    """The log of one run or of an agent. Lines below the level cost nothing but the call."""

    def __init__(self, level: str, sink: Any, emit: Callable[[Event], None] | None = None) -> None:
        self._level = level
        self._rank = LEVELS.index(level)
        self._sink = sink
        self._emit = emit

    def watched_by(self, emit: Callable[[Event], None]) -> RunLog:
        """Give the same log whose lines are also emitted as events."""
        return RunLog(self._level, self._sink, emit)

    def error(self, message: str) -> None:
        """Something is lost."""
        self._write("error", message)

    def warn(self, message: str) -> None:
        """Something is not as asked; the work goes on."""
        self._write("warn", message)

    def info(self, message: str) -> None:
        """What happens."""
        self._write("info", message)

    def debug(self, message: str) -> None:
        """How it happens."""
        self._write("debug", message)

    def _write(self, level: str, message: str) -> None:
        if LEVELS.index(level) > self._rank:
            return
        # A logger that fails must not end the run whose trouble it was told of.
        with suppress(Exception):
            if isinstance(self._sink, logging.Logger):
                self._sink.log(_STANDARD[level], "%s", message)
            else:
                getattr(self._sink, level)(message)
        if self._emit is not None:
            self._emit(Log(level, message))


def make_log(level: str, sink: Any) -> RunLog:
    """Give the log of a config. `sink` is a `logging.Logger` or has error, warn, info, debug.

    Raises ConfigError for an unknown level or a sink without these methods.
    """
    level = "silent" if level == "none" else level
    if level not in LEVELS:
        raise ConfigError(f"log_level {level!r} is unknown: use one of {', '.join(LEVELS)}.")
    if sink is None:
        sink = logging.getLogger("pagehand")
    elif not isinstance(sink, logging.Logger) and not all(
        callable(getattr(sink, name, None)) for name in LEVELS[1:]
    ):
        raise ConfigError("logger needs the methods error, warn, info and debug.")
    return RunLog(level, sink)

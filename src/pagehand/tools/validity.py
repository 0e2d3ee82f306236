"""Whether a call can run just as it is: the one check that every valid call passes."""

from __future__ import annotations

import copy
import math
from typing import Any

from ..errors import ToolInputError
from ..schema import fits
from .tool import Tool


def is_valid(arguments: Any, tool: Tool) -> bool:
    """Whether a tool takes arguments just as they are: its own check passes and converts nothing,
    or its schema allows them."""
    if not isinstance(arguments, dict):
        return False
    try:
        taken = tool.check_input(copy.deepcopy(arguments))
    except ToolInputError:
        return False
    except Exception:  # a check that fails itself says so when the call is run
        return True
    kept = all(key in taken and _kept(taken[key], value) for key, value in arguments.items())
    return kept or (arguments == finite(arguments) and fits(tool.input_schema, arguments))


def _kept(taken: Any, value: Any) -> bool:
    if type(taken) is not type(value):
        return False
    if isinstance(value, dict):
        return all(key in taken and _kept(taken[key], each) for key, each in value.items())
    if isinstance(value, list):
        return len(taken) == len(value) and all(map(_kept, taken, value))
    return bool(taken == value) and not (isinstance(value, float) and not math.isfinite(value))


def finite(value: Any) -> Any:
    """Give a value with null for the numbers that JSON has not."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list) else value

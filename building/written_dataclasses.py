"""What classes need at run time whose dataclass methods the build wrote out.

Shipped beside the package in its pack. `dataclasses.fields`, `replace`, `asdict` and
`is_dataclass` work on such classes: their Field objects are made when first asked for.
"""

import dataclasses
from _thread import get_ident
from typing import Any

FACTORY: Any = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]
"""Stands in a signature for a default that a factory makes."""

_shown: set[tuple[int, int]] = set()


class Params:
    """The arguments of the decorator, as `__dataclass_params__`."""

    init = repr = eq = match_args = True
    order = unsafe_hash = frozen = kw_only = slots = weakref_slot = False

    def __init__(self, **given: bool) -> None:
        self.__dict__.update(given)


class Fields:
    """Gives `__dataclass_fields__` of the class it stands in, made when first read.

    `own` has a tuple (name, init, repr, compare, kw_only) for each field that the class adds.
    """

    def __init__(
        self,
        own: tuple[tuple[str, bool, bool, bool, bool], ...],
        defaults: dict[str, Any],
        factories: dict[str, Any],
    ) -> None:
        self._own = own
        self.defaults = defaults
        self.factories = factories
        self._made: dict[str, Any] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: type | None = None) -> dict[str, Any]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for base in self._owner.__mro__[-1:0:-1]:
            made.update(getattr(base, "__dataclass_fields__", {}))
        types = self._owner.__annotations__
        for name, init, repr_, compare, kw_only in self._own:
            extra: dict[str, Any] = {}
            if name in self.defaults:
                extra["default"] = self.defaults[name]
            elif name in self.factories:
                extra["default_factory"] = self.factories[name]
            made[name] = field = dataclasses.field(
                init=init, repr=repr_, compare=compare, kw_only=kw_only, **extra
            )
            field.name = name
            field.type = types[name]
            field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        return made


def default(cls: type, name: str) -> Any:
    """Give the default of a field that a written class or one of its bases adds."""
    return next(made.defaults[name] for made in _specs(cls) if name in made.defaults)


def make(cls: type, name: str) -> Any:
    """Call the factory of a field that a written class or one of its bases adds."""
    return next(made.factories[name] for made in _specs(cls) if name in made.factories)()


def _specs(cls: type) -> list[Fields]:
    return [vars(base)["__dataclass_fields__"] for base in cls.__mro__ if _is_written(base)]


def _is_written(cls: type) -> bool:
    return isinstance(vars(cls).get("__dataclass_fields__"), Fields)


def represent(self: Any, names: tuple[str, ...]) -> str:
    """Show an instance as dataclasses do; one that holds itself is shown as `...` inside."""
    key = (id(self), get_ident())
    if key in _shown:
        return "..."
    _shown.add(key)
    try:
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
    finally:
        _shown.discard(key)
    return f"{self.__class__.__qualname__}({shown})"


def refuse(action: str, name: str) -> None:
    """Raise what a frozen instance raises when it should change."""
    raise dataclasses.FrozenInstanceError(f"cannot {action} field {name!r}")


def replace(self: Any, /, **changes: Any) -> Any:
    """Give a copy with other values, for `copy.replace`."""
    return dataclasses.replace(self, **changes)


def get_state(self: Any) -> list[Any]:
    """Give the values of a frozen instance with slots, for `copy` and `pickle`."""
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def set_state(self: Any, state: list[Any]) -> None:
    """Take what `get_state` gave."""
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)

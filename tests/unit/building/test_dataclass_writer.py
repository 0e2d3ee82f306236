"""Classes whose dataclass methods the build wrote out behave as dataclasses do."""

import ast
import copy
import dataclasses
import linecache
import pickle
import re
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import dataclass_writer, written_dataclasses

HEAD = """
from dataclasses import dataclass, field
from typing import Any, ClassVar
"""


@contextmanager
def loaded(sources: dict[str, str], *, written: bool) -> Iterator[dict[str, types.ModuleType]]:
    """Import modules given as source, as they are or written out."""
    trees = {path: ast.parse(HEAD + text) for path, text in sources.items()}
    done = dataclass_writer.write_out(trees) if written else []
    modules: dict[str, types.ModuleType] = {}
    sys.modules[dataclass_writer.SUPPORT_MODULE] = written_dataclasses
    try:
        for path, tree in trees.items():
            name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            spec = ModuleSpec(name, None, is_package=path.endswith("__init__.py"))
            module = modules[name] = sys.modules[name] = module_from_spec(spec)
            module.__dict__["WRITTEN"] = {item.rpartition(".")[2] for item in done}
            exec(compile(tree, path, "exec"), module.__dict__)
        yield modules
    finally:
        linecache.clearcache()
        for name in [*modules, dataclass_writer.SUPPORT_MODULE]:
            sys.modules.pop(name, None)


def outcome(call: Any) -> Any:
    """What a call gives, or the kind and text of what it raises."""
    try:
        return call()
    except Exception as fault:
        return type(fault).__name__, str(fault)


def shown(value: Any) -> str:
    """A value as text, without addresses in memory."""
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def described(cls: type) -> dict[str, Any]:
    """What can be seen of a dataclass from outside."""
    return {
        "fields": [
            (
                item.name,
                item.default if item.default is not dataclasses.MISSING else "none",
                item.default_factory is not dataclasses.MISSING,
                item.init,
                item.repr,
                item.compare,
                item.kw_only,
                item.type,
            )
            for item in dataclasses.fields(cls)
        ],
        "is_dataclass": dataclasses.is_dataclass(cls),
        "match_args": cls.__dict__.get("__match_args__"),
        "slots": cls.__dict__.get("__slots__"),
        "hash is none": cls.__hash__ is None,
        "attributes": {
            item.name: item.name in cls.__dict__ and not hasattr(cls.__dict__[item.name], "__get__")
            for item in dataclasses.fields(cls)
        },
    }


def behaviour(cls: type, values: list[Any]) -> list[Any]:
    """What instances do, with the values given by position and by name, none, and too many."""
    names = [item.name for item in dataclasses.fields(cls)]
    found: list[Any] = []
    for count in range(len(values) + 2):
        found.append(outcome(lambda count=count: shown(cls(*[*values, 0][:count]))))
    by_name = dict(zip(names, values, strict=False))
    made = outcome(lambda: cls(**by_name))
    found.append(outcome(lambda: shown(made)))
    if isinstance(made, tuple):
        return found
    other = outcome(lambda: cls(**{**by_name, names[0]: "other"})) if names else made
    found += [
        outcome(lambda: made == copy.copy(made)),
        outcome(lambda: made == other),
        outcome(lambda: made < other)[0],
        outcome(lambda: hash(made) == hash(copy.copy(made))),
        outcome(lambda: dataclasses.asdict(made)),
        outcome(lambda: dataclasses.astuple(made)),
        outcome(lambda: shown(copy.deepcopy(made))),
        outcome(lambda: shown(pickle.loads(pickle.dumps(made)))),
        outcome(lambda: shown(dataclasses.replace(made, **{names[-1]: "new"}))) if names else None,
        # with slots and frozen, some versions of dataclasses fail here in another way
        outcome(lambda: setattr(made, "unknown", 1)) is None,
        outcome(lambda: delattr(made, names[0])) if names else None,
        outcome(lambda: setattr(made, names[0], 5)) if names else None,
        hasattr(made, "__dict__"),
    ]
    return found


def assert_same(sources: dict[str, str], values: list[Any]) -> None:
    """The classes of the last module look and behave the same, written out or not."""
    found = []
    for written in (False, True):
        with loaded(sources, written=written) as modules:
            module = list(modules.values())[-1]
            classes = [
                item
                for item in vars(module).values()
                if isinstance(item, type) and item.__module__ == module.__name__
            ]
            assert not written or {cls.__name__ for cls in classes} <= module.WRITTEN
            found.append([(described(cls), behaviour(cls, values)) for cls in classes])
    assert found[0] == found[1]


ARGUMENTS = ["", "(slots=True)", "(frozen=True)", "(frozen=True, slots=True)", "(kw_only=True)",
             "(eq=False)", "(repr=False, slots=True)", "(match_args=False)"]  # fmt: skip


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_plain_fields(arguments: str) -> None:
    text = f'@dataclass{arguments}\nclass A:\n  a: int\n  b: str = "x"\n  c: Any = None'
    assert_same({"m.py": text}, [1, "two", 3.0])


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize(
    "body",
    [
        "a: list = field(default_factory=list)",
        "a: dict = field(default_factory=lambda: {'k': [1]})",
        "a: int = field(default=3, repr=False)\n  b: int = field(default=4, compare=False)",
        "a: int\n  b: int = field(init=False, default=9)",
        "a: int\n  b: list = field(init=False, default_factory=list)",
        "a: int = field(kw_only=True)\n  b: int = 2",
        "K: ClassVar[int] = 5\n  a: int = K + 1",
        "a: int\n  def __post_init__(self): object.__setattr__(self, 'a', self.a or 1)",
        "a: int\n  def __repr__(self): return 'own'",
        "a: int\n  def __eq__(self, other): return True",
        "a: int\n  def __hash__(self): return 7",
        "a: int\n  def double(self): return self.a * 2",
        "pass",
    ],
)
def test_each_kind_of_body(arguments: str, body: str) -> None:
    assert_same({"m.py": f"@dataclass{arguments}\nclass A:\n  {body}"}, [1, 2])


@pytest.mark.parametrize("slots", [True, False])
def test_inheritance_across_modules(slots: bool) -> None:
    base = f"""
class Plain:
  __slots__ = ()
  def hello(self): return "hello"
@dataclass(slots={slots})
class Base(Plain):
  a: int = 1
  names: list = field(default_factory=list)
  run_id: str = field(default="", kw_only=True)
  def __post_init__(self): self.a = self.a + 0
"""
    child = f"""
from .base import Base as Root
from . import base
@dataclass(slots={slots})
class Child(Root):
  b: int = 2
  a: int = 7
@dataclass(slots={slots})
class Other(base.Base):
  pass
@dataclass(slots={slots})
class Grandchild(Child):
  c: dict = field(default_factory=dict)
"""
    sources = {"p/__init__.py": "", "p/base.py": base, "p/child.py": child}
    assert_same(sources, [1, ["x"], 3])


def test_slots_leave_no_dict_and_methods_keep_super() -> None:
    text = """
@dataclass(slots=True)
class A:
  a: int
  def twice(self): return self.a * 2
@dataclass(slots=True)
class B(A):
  b: int = 0
  def twice(self): return super().twice() + self.b
"""
    with loaded({"m.py": text}, written=True) as modules:
        module = modules["m"]
        made = module.B(2, 1)
        assert made.twice() == 5
        assert not hasattr(made, "__dict__")
        match made:
            case module.B(a, b):
                assert (a, b) == (2, 1)
            case _:
                pytest.fail("the class does not match by position")


def test_an_instance_that_holds_itself_can_be_shown() -> None:
    with loaded({"m.py": "@dataclass\nclass A:\n  a: Any = None"}, written=True) as modules:
        made = modules["m"].A()
        made.a = made
        assert repr(made) == "A(a=...)"


def test_a_real_dataclass_may_inherit_from_a_written_one() -> None:
    with loaded({"m.py": "@dataclass\nclass A:\n  a: int = 1"}, written=True) as modules:

        @dataclasses.dataclass
        class Child(modules["m"].A):  # type: ignore[name-defined,misc]
            b: int = 2

        assert repr(Child(5)).endswith("Child(a=5, b=2)")


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass(order=True)\nclass A:\n  a: int",
        "from dataclasses import InitVar\n@dataclass\nclass A:\n  a: InitVar[int]",
        "from dataclasses import KW_ONLY\n@dataclass\nclass A:\n  _: KW_ONLY\n  a: int = 1",
        "def f(c): return c\n@dataclass\n@f\nclass A:\n  a: int",
        "@dataclass\nclass A:\n  self: int",
        "@dataclass\nclass A:\n  list: list = field(default_factory=list)",
        "import collections\n@dataclass\nclass A(collections.UserDict):\n  a: int = 1",
        "@dataclass\nclass A:\n  a: int = field(default=1, metadata={'k': 1})",
        "@dataclass\nclass A:\n  if True:\n    a: int = 1",
        "A = 1\n@dataclass\nclass A:\n  a: int = 1",
    ],
)
def test_what_is_not_understood_stays(text: str) -> None:
    tree = ast.parse(HEAD + text)
    before = ast.unparse(tree)
    assert dataclass_writer.write_out({"m.py": tree}) == []
    assert ast.unparse(tree) == before


NAMES = ["alpha", "beta", "name", "value", "other", "type", "hash", "_hidden"]
DEFAULTS = ["", " = 1", " = 'x'", " = None", " = field(default=2)", " = field(default=(1,))",
            " = field(default_factory=list)", " = field(default_factory=lambda: {1: 2})",
            " = field(default=3, repr=False)", " = field(default=3, compare=False)",
            " = field(kw_only=True, default=0)", " = field(kw_only=True)",
            " = field(init=False, default=8)"]  # fmt: skip


@st.composite
def bodies(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    lines = [f"  {name}: Any{draw(st.sampled_from(DEFAULTS))}" for name in names]
    return "\n".join(["  COUNT: ClassVar[int] = 3", *lines])


@st.composite
def hierarchies(draw: st.DrawFn) -> str:
    frozen, slots = draw(st.booleans()), draw(st.booleans())
    lines: list[str] = []
    for index in range(draw(st.integers(1, 3))):
        kw_only, eq = draw(st.booleans()), draw(st.booleans())
        flags = f"frozen={frozen}, slots={slots}, kw_only={kw_only}, eq={eq}"
        base = f"(C{index - 1})" if index else ""
        lines += [f"@dataclass({flags})", f"class C{index}{base}:", draw(bodies())]
    return "\n".join(lines)


@given(hierarchies(), st.lists(st.one_of(st.integers(), st.text(max_size=3)), max_size=6))
def test_generated_hierarchies(text: str, values: list[Any]) -> None:
    found = []
    for written in (False, True):
        with _maybe_loaded(text, written=written) as module:
            if module is None:
                found.append(None)
                continue
            classes = [module.__dict__[f"C{i}"] for i in range(3) if f"C{i}" in module.__dict__]
            found.append([(described(cls), behaviour(cls, values)) for cls in classes])
    assert found[0] == found[1]


@contextmanager
def _maybe_loaded(text: str, *, written: bool) -> Iterator[types.ModuleType | None]:
    """The module, or None where `dataclasses` refuses the class."""
    try:
        context = loaded({"m.py": text}, written=written)
        modules = context.__enter__()
    except TypeError:
        yield None
        return
    try:
        yield modules["m"]
    finally:
        context.__exit__(None, None, None)

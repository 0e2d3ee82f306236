"""Writes the methods of dataclasses out, so that a cold interpreter need not make them.

Making one dataclass costs 3 to 4 ms on a cold WebAssembly engine, because `dataclasses` writes
source text and compiles it. This step does the same at build time on the syntax tree: the
decorator goes, the methods come, and the class behaves the same (see
tests/unit/building/test_dataclass_writer.py). A class that this step does not understand wholly
keeps its decorator. Only `__init__`'s annotations and the docstring that `dataclass` invents for
a class without one are not written.

`write_out` takes all modules of a package at once, since fields are inherited across modules.
Runs on any Python and needs only the standard library.
"""

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

SUPPORT = "__dataclass_support__"
SUPPORT_MODULE = "_written_dataclasses"
_FLAGS = {"init": True, "repr": True, "eq": True, "match_args": True,
          "frozen": False, "kw_only": False, "slots": False}  # fmt: skip
_FIELD_FLAGS = ("init", "repr", "compare", "kw_only")
_HARMLESS_BASES = frozenset({"object", "Exception", "ABC", "abc.ABC", "Generic", "Protocol",
                             "typing.Generic", "typing.Protocol"})  # fmt: skip
_RESERVED = frozenset({"self", "object"})


class _NotUnderstood(Exception):
    """The class is left as it is."""


@dataclass(frozen=True)
class _Field:
    name: str
    owner: str | None = None
    """The expression that names the base which brings the field; None for the class itself."""
    default: bool = False
    factory: ast.expr | None = None
    init: bool = True
    repr: bool = True
    compare: bool = True
    kw_only: bool = False

    @property
    def optional(self) -> bool:
        return self.default or self.factory is not None


@dataclass
class _Written:
    """What a subclass must know of a class."""

    fields: dict[str, _Field] = field(default_factory=dict)
    slots: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    frozen: bool | None = None
    """None for a class that is no dataclass and has none among its bases."""


def write_out(modules: dict[str, ast.Module]) -> list[str]:
    """Write out every dataclass of a package that can be.

    `modules` maps paths such as `pagehand/events.py` to trees, which are changed in place. Gives
    the names of the classes written out, as `module.Class`.
    """
    package = _Package(modules)
    for path, tree in modules.items():
        module = _module_name(path)
        written = [
            node.name
            for node in tree.body
            if isinstance(node, ast.ClassDef) and package.write(module, node)
        ]
        package.done += [f"{module}.{name}" for name in written]
        if written:
            _import_support(tree)
    return package.done


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _import_support(tree: ast.Module) -> None:
    place = 0
    for index, node in enumerate(tree.body):
        is_docstring = index == 0 and ast.get_docstring(tree, clean=False) is not None
        if is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            place = index + 1
    tree.body[place:place] = _parsed(f"import {SUPPORT_MODULE} as {SUPPORT}", line=1)


def _parsed(text: str, *, line: int) -> list[ast.stmt]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword | ast.alias):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
    return tree.body


class _Package:
    """Finds classes by name across modules, and writes them."""

    def __init__(self, modules: dict[str, ast.Module]) -> None:
        self.done: list[str] = []
        self._names = {_module_name(path): _bindings(path, tree) for path, tree in modules.items()}
        self._known: dict[tuple[str, str], _Written | None] = {}
        self._changed: set[int] = set()

    def write(self, module: str, node: ast.ClassDef) -> bool:
        """Write a class out in place; False when it is no dataclass or must stay as it is."""
        self._describe(module, node)
        return id(node) in self._changed

    def _describe(self, module: str, node: ast.ClassDef) -> _Written | None:
        """What subclasses must know; None when that is not understood. Writes a dataclass."""
        key = (module, node.name)
        if key not in self._known:
            self._known[key] = None  # also the answer to a class that names itself as a base
            with contextlib.suppress(_NotUnderstood):
                self._known[key] = self._described(module, node)
        return self._known[key]

    def _described(self, module: str, node: ast.ClassDef) -> _Written:
        if self._names[module].get(node.name) is not node or node.keywords:
            raise _NotUnderstood
        decorators = [self._dataclass_flags(module, item) for item in node.decorator_list]
        flags = decorators[-1] if decorators else None
        if any(item is not None for item in decorators[:-1]):
            raise _NotUnderstood  # a decorator below ours would see the undecorated class
        bases = [self._base(module, base) for base in node.bases]
        inherited = _merged(bases)
        if flags is None:
            return _plain(node, inherited)
        result = _ClassWriter(node, flags, inherited).write()
        self._changed.add(id(node))
        return result

    def _base(self, module: str, base: ast.expr) -> _Written:
        text = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        found = self._find(module, text)
        if isinstance(found, tuple):
            described = self._describe(*found)
            if described is None:
                raise _NotUnderstood
            named = {name: replace(item, owner=text) for name, item in described.fields.items()}
            return replace(described, fields=named)
        if found in _HARMLESS_BASES:
            return _Written()
        raise _NotUnderstood

    def _find(self, module: str, text: str) -> tuple[str, ast.ClassDef] | str:
        """Follow a dotted name to a class of the package, or to the name of a foreign thing."""
        head, _, rest = text.partition(".")
        names = self._names[module]
        target = names.get(head, head)
        if isinstance(target, ast.ClassDef):
            return (module, target) if not rest else text
        if target == head and head in names:
            return "unknown"
        full = f"{target}.{rest}" if rest else target
        owner, _, name = full.rpartition(".")
        if owner in self._names and owner != module:
            return self._find(owner, name)
        return full.removeprefix("typing.").removeprefix("builtins.")

    def _dataclass_flags(self, module: str, decorator: ast.expr) -> dict[str, bool] | None:
        """The arguments of a dataclass decorator; None for another decorator."""
        call = decorator if isinstance(decorator, ast.Call) else None
        name = ast.unparse(call.func if call else decorator)
        if self._find(module, name) != "dataclasses.dataclass":
            return None
        given: dict[str, bool] = {}
        for keyword in call.keywords if call else []:
            if keyword.arg not in _FLAGS:
                raise _NotUnderstood
            given[keyword.arg] = _constant(keyword.value)
        if call and call.args:
            raise _NotUnderstood
        return {**_FLAGS, **given}


def _bindings(path: str, tree: ast.Module) -> dict[str, ast.ClassDef | str]:
    """What each top-level name stands for: a class of this module, or a dotted foreign name.

    A name that is bound twice, or to anything else, stands for itself.
    """
    module = _module_name(path)
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    found: dict[str, ast.ClassDef | str] = {}
    for node in tree.body:
        for name, target in _bound_by(node, package):
            found[name] = name if name in found else target
    return found


def _bound_by(node: ast.stmt, package: str) -> Iterator[tuple[str, ast.ClassDef | str]]:
    if isinstance(node, ast.ClassDef):
        yield node.name, node
    elif isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            yield name, alias.name if alias.asname else name
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".") if node.level else []
        parts = parts[: len(parts) - node.level + 1] if node.level else []
        source = ".".join([*parts, *([node.module] if node.module else [])])
        for alias in node.names:
            yield alias.asname or alias.name, f"{source}.{alias.name}"
    else:
        for name in _stored_names(node):
            yield name, name


def _stored_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope, roughly: more rather than fewer."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner.name
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def _body_names(node: ast.ClassDef) -> set[str]:
    """The names that a class body gives a value."""
    return {
        name
        for statement in node.body
        if not (isinstance(statement, ast.AnnAssign) and statement.value is None)
        for name in _stored_names(statement)
    }


def _merged(bases: list[_Written]) -> _Written:
    """What several bases bring together; the first one wins, as in the order of resolution."""
    if sum(base.frozen is not None for base in bases) > 1:
        raise _NotUnderstood
    result = _Written()
    for base in reversed(bases):
        result.fields.update(base.fields)
        result.slots |= base.slots
        result.bound |= base.bound
        if base.frozen is not None:
            result.frozen = base.frozen
    return result


def _plain(node: ast.ClassDef, inherited: _Written) -> _Written:
    """Describe a class that is no dataclass itself."""
    bound = _body_names(node)
    if "__slots__" in bound:
        inherited.slots |= _literal_slots(node)
    inherited.bound |= bound
    return inherited


def _literal_slots(node: ast.ClassDef) -> set[str]:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
            try:
                value = ast.literal_eval(statement.value)
            except ValueError:
                raise _NotUnderstood from None
            return {value} if isinstance(value, str) else set(value)
    raise _NotUnderstood


def _constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    raise _NotUnderstood


class _ClassWriter:
    """Writes one dataclass."""

    def __init__(self, node: ast.ClassDef, flags: dict[str, bool], inherited: _Written) -> None:
        self._node = node
        self._flags = flags
        self._inherited = inherited
        self._bound = _body_names(node)
        self._own: dict[str, _Field] = {}
        self._all: dict[str, _Field] = {}

    def write(self) -> _Written:
        """Change the class in place; raises _NotUnderstood before anything is changed."""
        self._read()
        text = "\n".join(self._lines())
        self._node.decorator_list.pop()
        self._replace_field_calls()
        self._node.body += _parsed(text, line=self._node.lineno)
        if self._flags["slots"]:
            slots = self._inherited.slots | set(self._all)
        else:
            slots = self._inherited.slots
        bound = self._inherited.bound | self._bound
        return _Written(self._all, slots, bound, self._flags["frozen"])

    # Reading

    def _read(self) -> None:
        if self._inherited.frozen not in (None, self._flags["frozen"]):
            raise _NotUnderstood
        for statement in self._node.body:
            if isinstance(statement, ast.AnnAssign):
                self._read_annotation(statement)
            elif any(isinstance(inner, ast.AnnAssign) for inner in _same_scope(statement)):
                raise _NotUnderstood
        self._all = {**self._inherited.fields, **self._own}
        self._check()

    def _read_annotation(self, statement: ast.AnnAssign) -> None:
        kind = ast.unparse(statement.annotation).strip("'\"")
        if "InitVar" in kind or "KW_ONLY" in kind or not isinstance(statement.target, ast.Name):
            raise _NotUnderstood
        name = statement.target.id
        if kind.startswith(("ClassVar", "typing.ClassVar")):
            if name in self._inherited.fields:
                raise _NotUnderstood
            return
        if "ClassVar" in kind or name in self._own:
            raise _NotUnderstood
        inherited = name in self._inherited.fields or name in self._inherited.bound
        if statement.value is None and inherited:
            raise _NotUnderstood  # the default could come from a base's attribute
        self._own[name] = self._read_field(name, statement.value)

    def _read_field(self, name: str, value: ast.expr | None) -> _Field:
        plain = _Field(name, kw_only=self._flags["kw_only"])
        if value is None:
            return plain
        if not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field")):
            return replace(plain, default=True)
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if value.args or not given.keys() <= {"default", "default_factory", *_FIELD_FLAGS}:
            raise _NotUnderstood
        flags = {flag: _constant(given[flag]) for flag in _FIELD_FLAGS if flag in given}
        return replace(
            plain,
            default="default" in given,
            factory=given.get("default_factory"),
            init=flags.get("init", True),
            repr=flags.get("repr", True),
            compare=flags.get("compare", True),
            kw_only=flags.get("kw_only", plain.kw_only),
        )

    def _check(self) -> None:
        """Leave to `dataclasses` what it refuses, and names that the written text would hide."""
        used = self._bound | set(self._all)
        if self._node.name in self._all or any(_is_odd(name) for name in self._all):
            raise _NotUnderstood
        if self._flags["slots"] and "__slots__" in self._bound:
            raise _NotUnderstood
        if self._flags["frozen"] and {"__setattr__", "__delattr__"} & self._bound:
            raise _NotUnderstood
        for item in self._all.values():
            if item.owner is not None and item.owner.partition(".")[0] in used:
                raise _NotUnderstood
        for item in self._own.values():
            if item.default and item.factory is not None:
                raise _NotUnderstood
            if item.factory is not None:
                _check_factory(item.factory, used)
        for statement in self._node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(
                _default_of(statement), ast.List | ast.Dict | ast.Set
            ):
                raise _NotUnderstood
        optional = [item.optional for item in self._parameters(kw_only=False)]
        if optional != sorted(optional):
            raise _NotUnderstood

    def _parameters(self, *, kw_only: bool) -> list[_Field]:
        return [item for item in self._all.values() if item.init and item.kw_only is kw_only]

    # Writing

    def _replace_field_calls(self) -> None:
        """Let a class attribute hold what `dataclass` leaves there: the default or nothing."""
        for statement in self._node.body:
            if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) in self._own:
                statement.value = _default_of(statement)

    def _lines(self) -> Iterator[str]:
        flags = self._flags
        if flags["slots"]:
            slots = [name for name in self._all if name not in self._inherited.slots]
            yield f"__slots__ = {tuple(slots)!r}"
        if flags["init"] and "__init__" not in self._bound:
            yield from self._init()
        if flags["repr"] and "__repr__" not in self._bound:
            names = tuple(item.name for item in self._all.values() if item.repr)
            yield "def __repr__(self):"
            yield f"  return {SUPPORT}.represent(self, {names!r})"
        if flags["eq"] and "__eq__" not in self._bound:
            yield from self._equality()
        if flags["eq"] and flags["frozen"] and "__hash__" not in self._bound:
            yield "def __hash__(self):"
            yield f"  return hash(({''.join(f'self.{name}, ' for name in self._compared())}))"
        if flags["frozen"]:
            yield from self._frozen()
        if flags["match_args"] and "__match_args__" not in self._bound:
            names = tuple(item.name for item in self._parameters(kw_only=False))
            yield f"__match_args__ = {names!r}"
        if "__replace__" not in self._bound:
            yield f"__replace__ = {SUPPORT}.replace"
        yield from self._introspection()
        if flags["slots"]:
            for item in self._own.values():
                if item.default:
                    yield f"del {item.name}"

    def _init(self) -> Iterator[str]:
        positional = [self._parameter(item) for item in self._parameters(kw_only=False)]
        keyword = [self._parameter(item) for item in self._parameters(kw_only=True)]
        star = ["*"] if keyword else []
        yield f"def __init__({', '.join(['self', *positional, *star, *keyword])}):"
        for item in self._all.values():
            value = self._initial(item)
            if value is not None and self._flags["frozen"]:
                yield f"  object.__setattr__(self, {item.name!r}, {value})"
            elif value is not None:
                yield f"  self.{item.name} = {value}"
        if "__post_init__" in self._bound | self._inherited.bound:
            yield "  self.__post_init__()"
        yield "  return None"

    def _parameter(self, item: _Field) -> str:
        if item.factory is not None:
            return f"{item.name}={SUPPORT}.FACTORY"
        return f"{item.name}={self._default(item)}" if item.default else item.name

    def _default(self, item: _Field) -> str:
        if item.owner is None:
            return item.name
        return f"{SUPPORT}.default({item.owner}, {item.name!r})"

    def _initial(self, item: _Field) -> str | None:
        """The expression for a field's first value; None when its class attribute serves."""
        if item.factory is not None:
            made = self._made(item)
            if not item.init:
                return made
            return f"{made} if {item.name} is {SUPPORT}.FACTORY else {item.name}"
        if item.init:
            return item.name
        if item.default and self._flags["slots"]:
            owner = item.owner or self._node.name
            return f"{SUPPORT}.default({owner}, {item.name!r})"
        return None

    def _made(self, item: _Field) -> str:
        factory = item.factory
        if item.owner is not None:
            return f"{SUPPORT}.make({item.owner}, {item.name!r})"
        if isinstance(factory, ast.Lambda):
            return f"({ast.unparse(factory.body)})"
        return f"{ast.unparse(factory)}()" if factory is not None else ""

    def _compared(self) -> list[str]:
        return [item.name for item in self._all.values() if item.compare]

    def _equality(self) -> Iterator[str]:
        terms = [f"self.{name} == other.{name}" for name in self._compared()]
        yield "def __eq__(self, other):"
        yield "  if self is other:"
        yield "    return True"
        yield "  if other.__class__ is self.__class__:"
        yield f"    return {' and '.join(terms) or 'True'}"
        yield "  return NotImplemented"

    def _frozen(self) -> Iterator[str]:
        names = tuple(self._all)
        for method, arguments, action in (
            ("__setattr__", "name, value", "assign to"),
            ("__delattr__", "name", "delete"),
        ):
            yield f"def {method}(self, {arguments}):"
            yield f"  if type(self) is __class__ or name in {names!r}:"
            yield f"    {SUPPORT}.refuse({action!r}, name)"
            yield f"  super().{method}({arguments})"
        if self._flags["slots"]:
            for method, support in (("__getstate__", "get_state"), ("__setstate__", "set_state")):
                if method not in self._bound:
                    yield f"{method} = {SUPPORT}.{support}"

    def _introspection(self) -> Iterator[str]:
        own = tuple(
            (item.name, item.init, item.repr, item.compare, item.kw_only)
            for item in self._own.values()
        )
        defaults = [f"{name!r}: {name}" for name, item in self._own.items() if item.default]
        factories = [
            f"{name!r}: {ast.unparse(item.factory)}"
            for name, item in self._own.items()
            if item.factory is not None
        ]
        given = [f"{flag}={value}" for flag, value in self._flags.items() if value != _FLAGS[flag]]
        yield f"__dataclass_params__ = {SUPPORT}.Params({', '.join(given)})"
        yield (
            f"__dataclass_fields__ = {SUPPORT}.Fields("
            f"{own!r}, {{{', '.join(defaults)}}}, {{{', '.join(factories)}}})"
        )


def _is_odd(name: str) -> bool:
    """Whether a field's name would clash with the written text, or is mangled."""
    return name.startswith("__") or name in _RESERVED


def _same_scope(statement: ast.stmt) -> Iterator[ast.AST]:
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from ast.walk(statement)


def _default_of(statement: ast.AnnAssign) -> ast.expr | None:
    """The default's expression, out of a `field(...)` where there is one."""
    value = statement.value
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field"):
        found = [keyword.value for keyword in value.keywords if keyword.arg == "default"]
        return found[0] if found else None
    return value


def _check_factory(factory: ast.expr, used: set[str]) -> None:
    """Allow a factory that reads the same in the class body and inside `__init__`."""
    if isinstance(factory, ast.Lambda):
        if ast.unparse(factory.args):
            raise _NotUnderstood
        body = factory.body
    elif isinstance(factory, ast.Name | ast.Attribute):
        body = factory
    else:
        raise _NotUnderstood
    names = {inner.id for inner in ast.walk(body) if isinstance(inner, ast.Name)}
    if names & (used | {"self", "__class__"}):
        raise _NotUnderstood

"""The import rules that import-linter's contracts in pyproject.toml do not hold."""

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from building.packs import LATER_MODULES

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "pagehand"
MODULES = sorted(SOURCE.rglob("*.py"))

# Heavy libraries that a function may import when it first needs them.
LAZY = {"cryptography", "fastjsonschema", "json_repair", "pydantic"}
# The composition root chooses its platform when it is first asked.
LAZY_OWN = {("root.py", "platform.browser"), ("root.py", "platform.native")}


def python(code: str) -> str:
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{path}\n{code}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LOADED = """
before = set(sys.modules)
{work}
fresh = [sys.modules[name] for name in sorted(set(sys.modules) - before)]
"""


def test_the_package_itself_loads_nothing():
    code = (
        LOADED.format(work="import pagehand")
        + """
print([m.__name__ for m in fresh if not m.__name__.startswith("pagehand")
       and "site-packages" in (getattr(m, "__file__", None) or "")])
print([m.__name__ for m in fresh if type(getattr(m, "__loader__", None)).__name__
       == "ExtensionFileLoader"])
print([m.__name__ for m in fresh if m.__name__.startswith("pagehand")])
"""
    )
    assert python(code).splitlines() == ["[]", "[]", "['pagehand']"]


def test_the_core_loads_nothing_third_party():
    names = [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
        if "platform" not in path.parts and path.name != "__main__.py"
    ]
    code = (
        LOADED.format(work="\n".join(f"import {name}" for name in names))
        + """
print(sorted({m.__name__.partition(".")[0] for m in fresh
              if "site-packages" in (getattr(m, "__file__", None) or "")}))
"""
    )
    assert python(code).strip() == "[]"


def test_every_public_name_is_there():
    assert python("import pagehand\nfor n in pagehand.__all__: getattr(pagehand, n)") == ""
    assert "ok" in python("import pagehand\ntry: pagehand.nope\nexcept AttributeError: print('ok')")


def test_no_module_is_part_of_a_cycle():
    graph = grimp.build_graph("pagehand", exclude_type_checking_imports=True)
    trail: list[str] = []
    done: set[str] = set()

    def visit(module: str) -> None:
        assert module not in trail, " → ".join([*trail[trail.index(module) :], module])
        if module in done:
            return
        trail.append(module)
        for imported in graph.find_modules_directly_imported_by(module):
            visit(imported)
        trail.pop()
        done.add(module)

    for module in graph.modules:
        visit(module)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_functions_import_only_what_is_heavy(path):
    tree = ast.parse(path.read_text())
    inside = [
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    for node in inside:
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            assert {name.partition(".")[0] for name in names} <= LAZY, ast.unparse(node)
        else:
            foreign = node.level == 0 and (node.module or "").partition(".")[0] in LAZY
            assert foreign or (path.name, node.module) in LAZY_OWN, ast.unparse(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_what_lives_there(path):
    assert ast.get_docstring(ast.parse(path.read_text())), "a module needs a docstring"


WORLD = {"js", "pyodide", "pyodide_js", "httpx2", "sqlite3", "threading", "_thread"}


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if "platform" not in path.parts],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_only_platform_names_the_world(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = {(node.module or "").partition(".")[0]}
        else:
            continue
        assert not names & WORLD, ast.unparse(node)


# What the package may import beside the standard library and itself: no provider's own kit.
FOREIGN = {"pydantic", "json_repair", "fastjsonschema", "httpx2", "cryptography", "js", "pyodide"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_foreign_but_what_is_listed(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            assert top in sys.stdlib_module_names or top in FOREIGN, f"{name} at {node.lineno}"


def test_what_is_packed_apart_is_not_loaded_with_the_agent():
    """A page starts without what only a model behind a network, or advice on models, needs."""
    told = python("import sys, pagehand.root, pagehand.models.generate\nprint(*sys.modules)")
    loaded = {name.removeprefix("pagehand.").replace(".", "/") for name in told.split()}
    assert "models/generate" in loaded and not loaded & LATER_MODULES
    there = {str(path.relative_to(SOURCE).with_suffix("")) for path in SOURCE.rglob("*.py")}
    assert there >= LATER_MODULES

"""Turns trees of Python source into packs of byte code. Runs inside Pyodide (in_pyodide.mjs).

/build/order.json lists the packs: `{"tree", "pack", "prefix", "write_dataclasses", "zip"}`. Every
file of /build/<tree> goes into /build/<pack>, Python files as byte code named `prefix` + its path.

A pack is: 4 bytes magic, 4 bytes length of the index (little-endian), the index as JSON
`[[path, bytes], …]` padded with spaces to 8 bytes, then the files one after the other. With
`zip`, the files stand in one stored zip instead, as Python's own library does.
"""

import ast
import importlib.util
import io
import json
import marshal
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

sys.path.insert(0, "/build/tools")

from building import dataclass_writer

WORK = Path("/build")
MAGIC = b"PACK"
UNCHECKED_HASH = struct.pack("<I", 1)


def without_docstrings(tree: ast.Module) -> ast.Module:
    """Drop docstrings, which nothing reads at run time.

    Decorated functions keep theirs (a tool's docstring is its description), and so do
    dataclasses: without one, `dataclass` would inspect the signature to write it.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if getattr(node, "decorator_list", None) or ast.get_docstring(node, clean=False) is None:
            continue
        if len(node.body) > 1:
            del node.body[0]
        else:
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    return tree


def byte_code(source: bytes, tree: ast.Module, filename: str) -> bytes:
    """Give the content of an unchecked, hash-based .pyc; asserts are left out."""
    code = compile(tree, filename, "exec", dont_inherit=True, optimize=1)
    return (
        importlib.util.MAGIC_NUMBER
        + UNCHECKED_HASH
        + importlib.util.source_hash(source)
        + marshal.dumps(code)
    )


def compiled(order: dict[str, Any]) -> list[tuple[str, bytes]]:
    """Give the pack's files as (path, bytes)."""
    root = WORK / order["tree"]
    files = sorted(path for path in root.rglob("*") if path.is_file())
    sources = {path: path.read_bytes() for path in files}
    trees = {
        path.relative_to(root).as_posix(): ast.parse(source)
        for path, source in sources.items()
        if path.suffix == ".py"
    }
    if order["write_dataclasses"]:
        dataclass_writer.write_out(trees)
    entries = []
    for path, source in sources.items():
        name = path.relative_to(root).as_posix()
        if name in trees:
            tree = without_docstrings(trees[name])
            entries.append((name + "c", byte_code(source, tree, order["prefix"] + name)))
        else:
            entries.append((name, source))
    return entries


def zipped(entries: list[tuple[str, bytes]]) -> bytes:
    """Put files into one stored zip with fixed dates."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content)
    return data.getvalue()


def packed(entries: list[tuple[str, bytes]]) -> bytes:
    """Lay files out as a pack."""
    index = json.dumps([[name, len(data)] for name, data in entries], separators=(",", ":"))
    head = index.encode()
    head += b" " * (-len(head) % 8)
    return MAGIC + struct.pack("<I", len(head)) + head + b"".join(data for _, data in entries)


for order in json.loads((WORK / "order.json").read_text()):
    entries = compiled(order)
    if order["zip"]:
        entries = [(order["zip"], zipped(entries))]
    else:
        entries = [(order["prefix"].lstrip("/") + name, data) for name, data in entries]
    (WORK / order["pack"]).write_bytes(packed(entries))

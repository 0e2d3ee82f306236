"""NOTICES: who made what the site ships, and under which terms.

The list is checked by the build: a wheel or a bundled library that it does not name is an error,
and so is one that the site no longer ships.
"""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from building.steps import ROOT, BuildError

NOTICES = ROOT / "NOTICES"
_MODULES = ROOT / "web" / "node_modules"
_RULE = "-" * 78


@dataclass(frozen=True, slots=True)
class Work:
    """A work that the site ships: where it came from, its licence's SPDX name, and its holders."""

    name: str
    licence: str
    holders: str


NPM = {
    "pyodide": Work("Pyodide", "MPL-2.0", "Pyodide contributors and Mozilla"),
    "@mlc-ai/web-llm": Work("WebLLM", "Apache-2.0", "WebLLM Team"),
    "@wllama/wllama": Work("wllama", "MIT", "Xuan Son Nguyen"),
    "lit-html": Work("lit-html", "BSD-3-Clause", "Google LLC"),
    "marked": Work("marked", "MIT", "Christopher Jeffrey, MarkedJS"),
    "dompurify": Work("DOMPurify", "MPL-2.0 OR Apache-2.0", "Dr.-Ing. Mario Heiderich, Cure53"),
}
"""Packages that `web/package.json` names as dependencies."""

WHEELS = {
    "annotated-types": Work("annotated-types", "MIT", "the annotated-types contributors"),
    "fastjsonschema": Work("fastjsonschema", "BSD-3-Clause", "Michal Horejsek"),
    "json-repair": Work("json-repair", "MIT", "Stefano Baccianella"),
    "micropip": Work("micropip", "MPL-2.0", "Pyodide contributors"),
    "pydantic": Work("pydantic", "MIT", "Pydantic Services Inc. and individual contributors"),
    "pydantic-core": Work("pydantic-core", "MIT", "Samuel Colvin and contributors"),
    "typing-extensions": Work("typing-extensions", "PSF-2.0", "Python Software Foundation"),
    "typing-inspection": Work("typing-inspection", "MIT", "Pydantic Services Inc."),
}

INSIDE = (
    Work("CPython (inside Pyodide)", "PSF-2.0", "Python Software Foundation"),
    Work("Emscripten (inside Pyodide)", "MIT OR NCSA", "The Emscripten authors"),
    Work("musl (inside Pyodide)", "MIT", "Rich Felker and contributors"),
    Work("libffi (inside Pyodide)", "MIT", "Anthony Green, Red Hat, Inc. and others"),
    Work("zlib (inside Pyodide)", "Zlib", "Jean-loup Gailly and Mark Adler"),
    Work("bzip2 (inside Pyodide)", "bzip2-1.0.6", "Julian R Seward"),
    Work("TVM's web runtime (inside WebLLM)", "Apache-2.0", "The Apache Software Foundation"),
    Work("XGrammar (inside WebLLM)", "Apache-2.0", "XGrammar contributors"),
    Work("tokenizers-cpp (inside WebLLM)", "Apache-2.0", "MLC Team and Hugging Face"),
    Work("loglevel (inside WebLLM)", "MIT", "Tim Perry"),
    Work("llama.cpp and ggml (inside wllama)", "MIT", "The ggml authors"),
    Work("SmolLM2-135M-Instruct (the embedded model)", "Apache-2.0", "Hugging Face"),
)
"""Works inside others, or inside the model's package."""


def write(wheels: list[Path]) -> str:
    """Write NOTICES at the top of the tree and give its text.

    Raises BuildError when the lists above and what is shipped differ.
    """
    shipped = {_project(path): path for path in wheels}
    shipped.pop("pagehand")
    wanted = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    _compare("wheels", set(shipped), set(WHEELS))
    _compare("npm packages", set(wanted), set(NPM))
    parts = [_head()]
    for name, work in NPM.items():
        parts.append(_entry(work, _version(name), _npm_licences(_MODULES / name)))
    for name, work in WHEELS.items():
        version = shipped[name].name.split("-")[1]
        parts.append(_entry(work, version, _wheel_licences(shipped[name])))
    parts += [_entry(work, "", []) for work in INSIDE]
    text = "\n".join(parts)
    if not NOTICES.exists() or NOTICES.read_text() != text:
        NOTICES.write_text(text)
    return text


def _compare(kind: str, shipped: set[str], listed: set[str]) -> None:
    if shipped != listed:
        raise BuildError(
            f"The {kind} that the site ships and those that building/notices.py lists differ: "
            f"{', '.join(sorted(shipped ^ listed))}. Mend the list."
        )


def _head() -> str:
    return (
        "NOTICES\n\npagehand is under the MIT licence (see LICENSE). A built site ships these "
        "works of others,\nunchanged but for bundling and byte-compiling, each under its own "
        "terms.\n"
    )


def _entry(work: Work, version: str, texts: list[str]) -> str:
    title = f"{work.name} {version}".strip()
    lines = [_RULE, title, f"Licence: {work.licence}", f"Copyright: {work.holders}", ""]
    for text in texts:
        lines += [text.strip(), ""]
    return "\n".join(lines)


def _version(package: str) -> str:
    text = (_MODULES / package / "package.json").read_text()
    return str(json.loads(text)["version"])


def _npm_licences(folder: Path) -> list[str]:
    names = ("LICENSE", "LICENSE.md", "LICENCE", "LICENCE.md", "LICENSE.txt")
    return [(folder / name).read_text() for name in names if (folder / name).exists()]


def _wheel_licences(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" in name]
        names = [name for name in names if "LICEN" in name.rpartition("/")[2].upper()]
        return [archive.read(name).decode() for name in names]


def _project(wheel: Path) -> str:
    return wheel.name.split("-")[0].replace("_", "-").lower()

"""Third-party JavaScript for the site: each library bundled once, as an ES module."""

import shutil
from pathlib import Path

from building.steps import ROOT, Stamp, fingerprint, run, step
from building.wllama import FILES as WLLAMA_FILES
from building.wllama import write_wllama

LIBRARIES = ("dompurify.js", "lit-html.js", "marked.js", "web-llm.js", "wllama.js")
WEB_LLM_MODELS = "web-llm-models.json"
BUILDING = ROOT / "building"
NODE_MODULES = ROOT / "web" / "node_modules"
LOCK = ROOT / "web" / "package-lock.json"


def build_vendor(output: Path, cache: Path) -> list[Path]:
    """Make the bundles in `output` unless their inputs are unchanged; list the site's files.

    The types of each bundle are written beside it for our type checks; the site needs none.
    """
    files = [output / name for name in (*LIBRARIES, WEB_LLM_MODELS, *WLLAMA_FILES)]
    tools = [BUILDING / name for name in ("bundle_vendor.mjs", "capture_wllama.mjs", "vendor.py")]
    inputs = fingerprint([LOCK, BUILDING / "vendor_entries", *tools, BUILDING / "wllama.py"])
    stamp = Stamp("vendor", inputs, files)
    if not stamp.is_fresh():
        with step("Bundling third-party JavaScript into web/vendor"):
            shutil.rmtree(output, ignore_errors=True)
            run(["node", BUILDING / "bundle_vendor.mjs", NODE_MODULES, output], quiet=True)
            write_wllama(NODE_MODULES, output)
        stamp.set()
    return files

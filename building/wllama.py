"""wllama's files for the site: its WebAssembly, and its worker code as files of their own.

wllama starts its workers from Blob URLs, which a strict content security policy and Manifest V3
forbid. `capture_wllama.mjs` runs it until it would do so and keeps the code.
"""

import shutil
from pathlib import Path

from building.steps import ROOT, run

FILES = ("wllama.wasm", "wllama-worker.js", "wllama-thread.js")
CAPTURE = ROOT / "building" / "capture_wllama.mjs"


def write_wllama(node_modules: Path, output: Path) -> list[Path]:
    """Write wllama's files into `output` and list them.

    Raises BuildError when the installed wllama is not the one that the capture knows.
    """
    output.mkdir(parents=True, exist_ok=True)
    shutil.copy(node_modules / "@wllama/wllama/esm/wasm/wllama.wasm", output)
    run(["node", CAPTURE, node_modules, output], quiet=True)
    return [output / name for name in FILES]

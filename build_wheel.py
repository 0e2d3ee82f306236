#!/usr/bin/env python3
"""The one entry to pagehand's tree: build, serve, demo, test and bench.

This file runs on a bare Python 3.11 or newer. It makes the virtual environment that a job needs
and hands the job over to it; the jobs themselves live in building/.
"""

import os
import subprocess
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python gets a sentence, not a traceback
    sys.exit(f"pagehand needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")

from building import commands, environment
from building.steps import ROOT, BuildError


def main() -> int:
    """Read the command line, prepare the environment, run the job; give its exit code."""
    arguments = commands.parse(sys.argv[1:])
    try:
        python = environment.prepare(commands.needs(arguments), install=arguments.install)
    except BuildError as fault:
        print(fault, file=sys.stderr)
        return 1
    job = [str(python), "-m", "building", *sys.argv[1:]]
    if os.name == "posix":  # the job takes this process's place, and so its signals
        os.chdir(ROOT)
        os.execv(job[0], job)  # noqa: S606
    try:
        return subprocess.call(job, cwd=ROOT)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())

"""Runs one job inside the virtual environment: `python -m building <job>`."""

import argparse
import runpy
import sys

from building import commands
from building.steps import ROOT, BuildError, say


def main() -> int:
    """Run the job that the command line names; give the exit code."""
    arguments = commands.parse(sys.argv[1:])
    try:
        return _JOBS[arguments.job](arguments)
    except BuildError as fault:
        print(f"\n{fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _build(_: argparse.Namespace) -> int:
    from building.site import build_site

    say(f"The site is in {build_site().relative_to(ROOT)}.")
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    from building.serve import STRICT_CSP, Options, serve
    from building.site import build_site

    csp = STRICT_CSP if arguments.csp else ""
    options = Options(isolated=arguments.isolated, csp=csp, compress=True)
    serve(build_site(), options, port=arguments.port)
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from building.demo import run_demo

    return run_demo(arguments.request, install=arguments.install)


def _test(arguments: argparse.Namespace) -> int:
    from building.checks import run_checks

    return run_checks(install=arguments.install)


def _bench(arguments: argparse.Namespace) -> int:
    from building.browser import find
    from building.site import build_site

    build_site()
    find(install=arguments.install)
    sys.argv = ["bench"]
    runpy.run_path(str(ROOT / "tests" / "bench" / "run.py"), run_name="__main__")
    return 0


_JOBS = {"build": _build, "serve": _serve, "demo": _demo, "test": _test, "bench": _bench}

if __name__ == "__main__":
    sys.exit(main())

"""The command line of build_wheel.py. Runs on a bare Python."""

import argparse
from collections.abc import Sequence

from building.environment import Need

DEFAULT_PORT = 8765


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line; a mistake in it ends the program with a usage message."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--install",
        action="store_true",
        help="allow installing system packages, such as a browser, where root may",
    )
    parser = argparse.ArgumentParser(
        prog="build_wheel.py", description="Build, serve, try, test and measure pagehand."
    )
    jobs = parser.add_subparsers(dest="job", required=True, metavar="job")

    jobs.add_parser("build", parents=[shared], help="build the wheel and the site into dist/")
    serve = jobs.add_parser("serve", parents=[shared], help="build, then serve on this machine")
    serve.add_argument("--port", type=int, default=DEFAULT_PORT, help="default %(default)s")
    serve.add_argument(
        "--isolated", action="store_true", help="send the headers that allow threads (COOP, COEP)"
    )
    serve.add_argument(
        "--csp", action="store_true", help="send a strict Content-Security-Policy with every file"
    )
    demo = jobs.add_parser("demo", parents=[shared], help="one real run in a headless browser")
    demo.add_argument("request", help="what the agent shall do, in quotes")
    jobs.add_parser("test", parents=[shared], help="check and test everything")
    jobs.add_parser("bench", parents=[shared], help="measure, and print medians and ratios")
    return parser.parse_args(arguments)


def needs(arguments: argparse.Namespace) -> Need:
    """Tell which packages a job needs."""
    return Need.BUILD if arguments.job in ("build", "serve") else Need.DEV

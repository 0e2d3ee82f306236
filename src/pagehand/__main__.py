"""`python -m pagehand "request"`."""

import sys

from .cli.ask import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

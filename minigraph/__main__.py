"""``python -m minigraph``: the same as the ``minigraph`` command."""

import sys

from minigraph.core.lazy import resolve


def run() -> int:
    """Run the command and return its exit code; Ctrl-C while its modules are imported is one line, no traceback."""
    try:
        return int(resolve("minigraph.cli:main")())
    except KeyboardInterrupt:
        print("minigraph: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())

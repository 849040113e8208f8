"""``python -m minigraph``: the same as the ``minigraph`` command."""

import sys

from minigraph.cli import main

if __name__ == "__main__":
    sys.exit(main())

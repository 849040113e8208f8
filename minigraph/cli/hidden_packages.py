"""Imported before all other modules of the command; ends it if a user's file hides a package that it needs."""

from __future__ import annotations

import sys

from minigraph.core.errors import UsageError
from minigraph.core.lazy import PACKAGES, check_not_hidden

try:
    check_not_hidden(*PACKAGES)
except UsageError as error:
    print(f"minigraph: {error}", file=sys.stderr)
    sys.exit(2)

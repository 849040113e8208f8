"""Shows the picture of a lesson in a notebook, a script or the command line."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import viz
from minigraph.core.files import write_atomically


def show(picture: object, name: str) -> None:
    """Show a graph, a diff or SVG text: inline in a notebook, elsewhere as ``name.svg`` in ``folder()``."""
    text = picture if isinstance(picture, str) else viz.svg(picture)
    notebook = sys.modules.get("IPython")
    if notebook is not None and notebook.get_ipython() is not None:
        notebook.display.display(notebook.display.SVG(text))
        return
    print(f"picture: {write_atomically(folder() / f'{name}.svg', text)}")


def folder() -> Path:
    """The folder for pictures outside a notebook, in the system's temporary folder, which users may share."""
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # Windows has a temporary folder for each user
    return Path(tempfile.gettempdir()) / f"minigraph-lessons{user}"

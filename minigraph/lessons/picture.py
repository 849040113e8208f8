"""Showing the picture of a lesson, wherever the lesson runs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import viz
from viz.common.files import write_whole


def show(picture: object, name: str) -> None:
    """Show a graph, a diff or SVG text: inside a notebook at once, elsewhere as ``name.svg`` in ``folder()``."""
    text = picture if isinstance(picture, str) else viz.svg(picture)
    notebook = sys.modules.get("IPython")
    if notebook is not None and notebook.get_ipython() is not None:
        notebook.display.display(notebook.display.SVG(text))
        return
    print(f"picture: {write_whole(folder() / f'{name}.svg', text)}")


def folder() -> Path:
    """Where pictures go outside of a notebook: a folder among the temporary ones."""
    return Path(tempfile.gettempdir()) / "minigraph-lessons"

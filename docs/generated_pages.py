"""Writes pages from the code before Sphinx reads them: lessons, API, passes, rules, operators, chips, the command.

Sphinx loads this file as an extension (``setup``). The pages go to ``docs/generated/``, which git ignores.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from api_pages import api_pages, escape_docstring, unlink_builtins
from catalogue_pages import catalogue_pages
from lesson_pages import lesson_pages
from repository_pages import repository_pages

FOLDER = Path(__file__).with_name("generated")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", lambda _: write_pages(FOLDER))
    app.connect("autodoc-process-docstring", escape_docstring)
    app.connect("doctree-read", unlink_builtins)
    return {"parallel_read_safe": True}


def write_pages(folder: Path) -> None:
    """Write every generated page to a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in (lesson_pages() | api_pages() | catalogue_pages() | repository_pages()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

"""The Sphinx configuration: ``sphinx-build -W docs build/docs`` writes the site, with warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from minigraph import __version__  # noqa: E402 - from this checkout

project, author, copyright = "minigraph", "the minigraph developers", "Apache-2.0"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "generated_pages"]

html_theme, html_title, html_show_sourcelink = "furo", f"minigraph {version}", False
exclude_patterns = ["README.md"]
pygments_style, pygments_dark_style = "tango", "native"

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]
copybutton_prompt_text, copybutton_prompt_is_regexp = r">>> |\.\.\. |\$ ", True
highlight_language = "python"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 100
toc_object_entries = False  # a page has hundreds of names; the search finds them

"""A self-contained HTML page without network requests.

Its content security policy allows exactly one script and one style sheet, by hash. User text is always escaped; data
never becomes markup.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from minigraph.core.files import write_atomically
from viz.common.elements import escape
from viz.common.motion import REDUCED_MOTION_CSS
from viz.common.style import CHANGE_STYLES, QUEUES, picture_css
from viz.pages.blocks import Section


def page(title: str, sections: Sequence[Section], *, subtitle: str = "") -> str:
    """The page as HTML text; its blocks come from ``viz.pages.blocks``."""
    style, script = stylesheet(), (files("viz.pages") / "page.js").read_text(encoding="utf-8")
    links = "".join(f'<a href="#s{i}">{escape(section.title)}</a>' for i, section in enumerate(sections))
    body = "\n".join(_section(i, section) for i, section in enumerate(sections))
    return "\n".join((
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{content_security_policy(style, script)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style></head>",
        f"<body><header><h1>{escape(title)}</h1><p>{escape(subtitle)}</p></header>",
        f"<nav>{links}</nav><main>",
        body,
        f"</main><script>{script}</script></body></html>\n",
    ))  # fmt: skip


def save_page(path: str | os.PathLike[str], title: str, sections: Sequence[Section], *, subtitle: str = "") -> Path:
    """Write ``page(...)`` to a file atomically, and return the path."""
    return write_atomically(path, page(title, sections, subtitle=subtitle))


def content_security_policy(style: str, script: str) -> str:
    """The content security policy: no loading, one style sheet and one script by hash."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def stylesheet() -> str:
    """The style sheet of a page: its own rules, and the colours of pictures, marks and queues."""
    page_rules = (files("viz.pages") / "page.css").read_text(encoding="utf-8")
    queues = [f".q-{name} {{ fill: {colors.fill}; }}" for name, colors in QUEUES.items()]
    marks = [_mark_css(dark=False), "@media (prefers-color-scheme: dark) {", _mark_css(dark=True), "}"]
    return "\n".join((page_rules, picture_css(), REDUCED_MOTION_CSS, *queues, *marks))


def _mark_css(dark: bool) -> str:
    rules = []
    for name, tag in (("added", "ins"), ("removed", "del")):
        colors = CHANGE_STYLES[name].dark if dark else CHANGE_STYLES[name].light
        rules.append(f"{tag} {{ background: {colors.fill}; color: {colors.text}; border-color: {colors.line}; }}")
    return "\n".join(rules)


def _section(number: int, section: Section) -> str:
    lead = f'<p class="lead">{escape(section.lead)}</p>' if section.lead else ""
    blocks = "\n".join(block.html() for block in section.blocks)
    return f'<section id="s{number}"><h2>{escape(section.title)}</h2>{lead}\n{blocks}\n</section>'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

"""The explorer as one HTML file with embedded data, style and script, and a policy that forbids everything else.

The script is the concatenation of the JavaScript files in ``SCRIPTS``, in that order. Data is embedded as JSON without
any ``<``, so that no text can close the script element.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib.resources import files

from viz.common.elements import escape
from viz.common.style import CHANGE_STYLES, NEUTRAL, NEUTRAL_DARK, NODE_STYLES, QUEUES, ColorSet
from viz.pages.page import content_security_policy

SCRIPTS = (
    "dom", "data", "state", "layout", "route", "draw", "paint", "focus", "camera", "expansion", "pane", "steps", "text",
    "source", "detail", "chart", "pattern", "search", "export", "keys", "main",
)  # fmt: skip


def explorer_html(title: str, data: object, scripts: tuple[str, ...] = SCRIPTS, connect: str = "'none'") -> str:
    """The page for packed data, as text; ``title`` is escaped, and ``connect`` is an address its script may use."""
    style, code = stylesheet(), script(scripts)
    content_policy = f"{content_security_policy(style, code)}; img-src data: blob:; connect-src {connect}"
    return "\n".join((
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{content_policy}">',
        '<link rel="icon" href="data:,">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style></head>",
        '<body><noscript>The explorer needs JavaScript, which is disabled.</noscript>',
        f'<script type="application/json" id="data">{script_json(data)}</script>',
        f"<script>{code}</script></body></html>\n",
    ))  # fmt: skip


def script_json(data: object) -> str:
    """Data as JSON that is safe inside a script element.

    >>> script_json({"name": "</script><b>&"})
    '{"name":"\\\\u003c/script\\\\u003e\\\\u003cb\\\\u003e\\\\u0026"}'
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@lru_cache(maxsize=8)
def script(scripts: tuple[str, ...] = SCRIPTS) -> str:
    """All scripts in one function, so that their names are not global; it starts the page, also with other data."""
    folder = files("viz.explore") / "js"
    parts = [f"// ---- {name}\n" + (folder / f"{name}.js").read_text(encoding="utf-8") for name in scripts]
    return '(() => {\n"use strict";\nfunction start(previous) {\n' + "\n".join(parts) + "\n}\nstart({});\n})();\n"


@cache
def stylesheet() -> str:
    """The colours of the style table for both themes, followed by the page's own rules."""
    rules = (files("viz.explore") / "explorer.css").read_text(encoding="utf-8")
    light, dark = _colors(dark=False), _colors(dark=True)
    return "\n".join((
        f":root {{ color-scheme: light; {light} }}",
        f':root[data-theme="dark"] {{ color-scheme: dark; {dark} }}',
        *_box_rules(),
        *(f".q-{name} {{ fill: var(--q-{name}-fill); }}" for name in QUEUES),
        rules,
    ))  # fmt: skip


def _colors(dark: bool) -> str:
    """Every shade of the table as three CSS variables."""
    color_sets: dict[str, ColorSet] = {
        f"k-{kind}": base.dark if dark else base.light for kind, base in NODE_STYLES.items()
    }
    color_sets |= {f"m-{status}": change.dark if dark else change.light for status, change in CHANGE_STYLES.items()}
    color_sets |= {f"q-{name}": colors for name, colors in QUEUES.items()}
    color_sets |= NEUTRAL_DARK if dark else NEUTRAL
    parts = [(name, part, value) for name, colors in color_sets.items() for part, value in colors._asdict().items()]
    return " ".join(f"--{name}-{part}: {value};" for name, part, value in parts)


def _box_rules() -> list[str]:
    """The colours of boxes by kind and by status."""
    names = [f"k-{kind}" for kind in NODE_STYLES] + [f"m-{status}" for status in CHANGE_STYLES]
    return [
        f".{name} {{ --fill: var(--{name}-fill); --line: var(--{name}-line); --text: var(--{name}-text); }}"
        for name in names
    ]

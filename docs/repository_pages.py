"""Pages of the repository that are part of the site, such as the architecture; their links lead to the site's pages."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PAGES = {
    "minigraph/README.md": "architecture", "minigraph/RELIABILITY.md": "reliability",
    "minigraph/accel/README.md": "accelerator", "benchmarks/RESULTS.md": "results",
    "benchmarks/TECHNIQUES.md": "techniques", "benchmarks/mindspore_grid.md": "mindspore_grid",
    "benchmarks/mindspore_names.md": "mindspore_names",
    "benchmarks/torch_models.md": "torch_models", "benchmarks/ONNX.md": "onnx",
    "benchmarks/ascend_validation.md": "ascend_validation", "benchmarks/ascend_networks.md": "ascend_networks",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
}  # fmt: skip
GLOSSARY = "## Glossary\n"


def repository_pages() -> dict[str, str]:
    """The pages, as text by file name; the glossary, a chapter of CONTRIBUTING.md, is a page of its own."""
    pages = {f"{name}.md": _with_site_links(path) for path, name in PAGES.items()}
    pages["contributing.md"], _, glossary = pages["contributing.md"].partition(GLOSSARY)
    pages["glossary.md"] = f"# Glossary\n{glossary}"
    return pages


def _with_site_links(path: str) -> str:
    folder = PurePosixPath(path).parent
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.sub(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)", lambda match: _site_link(match, folder), text)


def _site_link(match: re.Match[str], folder: PurePosixPath) -> str:
    """The link or picture of a file, as seen from ``docs/generated``; only the text if the file is not on the site."""
    sign, text, target, anchor = match[1], match[2], match[3], match[4] or ""
    if ":" in target:
        return match[0]
    path = os.path.normpath(folder / target).replace(os.sep, "/")
    if sign:
        return f"![{text}](../../{path})"
    if path in PAGES:
        return f"[{text}]({PAGES[path]}.md{anchor})"
    if path.startswith("docs/"):
        return f"[{text}](../{path.removeprefix('docs/')}{anchor})"
    return "[lessons](lessons/index.md)" if path == "tutorials/README.md" else text

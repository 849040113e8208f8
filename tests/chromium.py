"""Chromium for tests that look at pages in a real browser; whoever imports this is skipped where there is none."""

import shutil

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(PATH is None, reason="needs Chromium")


def started():
    """The browser, closed when nobody asks for it any more: what a fixture is made of."""
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield browser
        browser.close()

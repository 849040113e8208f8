"""Chromium for tests that look at pages in a real browser; skipped where Playwright or a browser is missing."""

import shutil

import pytest

PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(PATH is None, reason="needs Chromium")


def open_browser():
    """The browser, closed after the tests that use it: the body of a fixture, which skips without Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield browser
        browser.close()

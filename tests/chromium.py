"""Chromium for tests that look at pages in a real browser; skipped where Playwright or a browser is missing."""

import shutil

import pytest

PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TIMEOUT_MS = 180_000  # Playwright's own 30 s are too few on a machine that many share
needs_chromium = pytest.mark.skipif(PATH is None, reason="needs Chromium")


def open_browser():
    """The browser, closed after the tests that use it: the body of a fixture, which skips where there is none."""
    if PATH is None:
        pytest.skip("needs Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=PATH, args=["--no-sandbox"], timeout=TIMEOUT_MS)
        new_page = browser.new_page

        def new_patient_page(**options):
            page = new_page(**options)
            page.set_default_timeout(TIMEOUT_MS)
            return page

        browser.new_page = new_patient_page
        yield browser
        browser.close()

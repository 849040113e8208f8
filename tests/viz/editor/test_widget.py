"""The workbench in JupyterLab: every action runs in the notebook's kernel."""

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from minigraph import Tensor
from tests.chromium import needs_chromium, open_browser
from tests.viz.explore.programs import small
from viz import workbench
from viz.editor import widget

CELLS = """
import viz, minigraph as ms
from minigraph import Tensor, ops

def small(x):
    return ops.tanh(ops.neg(ops.neg(x)) * 2.0 + ops.exp(x))

viz.workbench(small, Tensor([1.0, 2.0]), pipeline="canonicalize,fuse_elementwise,dce")
"""
chromium = pytest.fixture(open_browser, scope="module")
needs_widget = pytest.mark.skipif(find_spec("anywidget") is None, reason="needs the extra 'widget'")
needs_jupyterlab = pytest.mark.skipif(find_spec("jupyterlab") is None, reason="needs JupyterLab, of 'notebook'")


def test_without_anywidget_a_notebook_shows_the_precomputed_page(monkeypatch):
    monkeypatch.setattr(widget, "find_spec", lambda name: None)
    bundle = workbench(small, Tensor([1.0, 2.0]), pipeline="cse,dce")._repr_mimebundle_()
    assert list(bundle) == ["text/html"] and bundle["text/html"].startswith("<iframe srcdoc=")
    assert "precomputed" in bundle["text/html"]


@needs_widget
def test_the_response_to_a_request_has_its_id_and_the_result():
    shown = widget.notebook_widget(workbench(small, Tensor([1.0, 2.0]), pipeline="cse,dce"))
    sent = []
    shown.send = sent.append
    shown._handle_custom_msg({"pipeline": "dec", "id": "7"}, [])
    (message,) = sent
    assert message["id"] == "7" and message["response"]["error"].startswith("no pass 'dec'")


@contextmanager
def jupyterlab(folder):
    """The address of a JupyterLab whose files are in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
               f"--port={port}", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"]  # fmt: skip
    folders = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    log = folder / "log"  # a pipe that is not read would stop the server when it is full
    with log.open("wb") as file, subprocess.Popen(command, env=os.environ | folders, stderr=file) as process:
        try:
            while f"127.0.0.1:{port}/lab".encode() not in log.read_bytes():  # until it listens
                assert process.poll() is None, log.read_text("utf-8", "replace")
                time.sleep(0.1)
            yield lambda path: f"http://127.0.0.1:{port}/lab/tree/{path}?token={token}"
        finally:
            process.terminate()


def write_notebook(path):
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "id": "one", "source": CELLS}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}), "utf-8")


def accept_dialogs(page):
    """Answers a dialog of JupyterLab (a kernel that restarts, a kernel to select) with its default button."""
    dialog = page.locator("dialog.jp-Dialog").first
    page.add_locator_handler(dialog, lambda shown: shown.locator(".jp-mod-accept").click(), no_wait_after=True)


def run_first_cell(page):
    """JupyterLab drops a cell that is run before its kernel is connected: again until the cell has a number."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").first
    for _ in range(20):
        cell.click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(5000)
        if cell.locator(".jp-InputPrompt", has_text=re.compile(r"\[[\d*]+\]")).count():
            return


@needs_widget
@needs_jupyterlab
@needs_chromium
def test_a_pipeline_is_edited_and_run_in_jupyterlab(chromium, tmp_path):
    write_notebook(tmp_path / "bench.ipynb")
    with jupyterlab(tmp_path) as address_of:
        page = chromium.new_page(viewport={"width": 1600, "height": 1000})
        accept_dialogs(page)
        page.goto(address_of("bench.ipynb"))
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for(timeout=120_000)
        run_first_cell(page)
        frame = page.frame_locator("iframe[title=workbench]")
        frame.locator(".editor[data-state=ready]").wait_for(timeout=120_000)
        fused = frame.locator(".box.k-fused").count()
        assert fused == 1 and "rewrite" in frame.locator(".passes li").nth(1).inner_text()
        assert frame.locator(".source h3").inner_text() == "In[1]"
        frame.get_by_label("fuse_elementwise", exact=True).uncheck()
        frame.locator(".passes .off").wait_for()
        frame.locator(".totals", has_text="against the initial pipeline").wait_for()
        assert frame.locator(".box.k-fused").count() == 0
        frame.get_by_label("pipeline as text").fill("dec")
        page.keyboard.press("Enter")
        frame.locator(".problem", has_text="no pass 'dec'; did you mean 'dce'?").wait_for()
        page.close()

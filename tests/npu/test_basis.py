"""The basis of a prediction: every output says what is changed, and whether the program fits the device memory."""

from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops, trace
from minigraph.cli.npu import SHEETS, Run, files_of
from minigraph.core.processes import SerialExecutor
from minigraph.npu.basis import Basis, basis_of, memory_note
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.reports.fusion import fusion_sheet
from minigraph.npu.reports.sensitivity import tornado_sheet
from minigraph.npu.simulator import simulate
from minigraph.npu.sweeps.run import sweep
from minigraph.npu.sweeps.tuning import autotune
from viz.machine.animation import animation
from viz.machine.launches import launches

CHIP = chip_named("ascend310").replace(buf_gm=1 << 20)
NOTE = "does not fit: it needs at least 0.0 GB of device memory, and the chip has 0.0 GB"


def layer(x, w):
    return ops.relu(x @ w) + 1


@pytest.fixture(scope="module")
def graph():
    """A program that needs more than the megabyte of the chip."""
    x = Tensor(np.ones((512, 512), np.float16))
    return ms.jit(layer).graph(x, x, pipeline=())


def test_every_output_of_a_program_that_does_not_fit_says_so(graph):
    report = simulate(graph, chip=CHIP)
    run = Run(graph, report, report, autotune(graph, node="matmul", chip=CHIP))
    outputs = dict(files_of(run)) | {"text": str(report), "html": report._repr_html_(), "repr": repr(report)}
    for name, sheet in SHEETS.items():
        table = sheet(run)
        outputs |= {f"{name} text": str(table), f"{name} html": table._repr_html_()}
        outputs |= {f"{name} records": str(table.records())} if table.rows else {}
    outputs |= {"animation": animation(report), "launches": launches(report), "tuning": repr(run.tuning)}
    assert [name for name, text in outputs.items() if NOTE not in unquote(text)] == []
    assert not report.fits and report.notes[0] == NOTE


def test_every_output_of_a_program_that_fits_says_nothing_of_memory(graph):
    report = simulate(graph, chip="ascend310")
    outputs = dict(files_of(Run(graph, report, report))) | {"text": str(report), "repr": repr(report)}
    assert report.fits and not any("does not fit" in text for text in outputs.values())


def test_a_row_of_a_sweep_says_that_the_model_does_not_fit():
    x = Tensor(np.ones((512, 512), np.float16))
    table = sweep({"net": (layer, x, x)}, [CHIP, "ascend910b1"], [""], executor=SerialExecutor())
    assert [(row["chip"], row["memory"], row["error"]) for row in table.records()] == [
        ("ascend310", NOTE, ""), ("ascend910b1", "", ""),
    ]  # fmt: skip


def test_the_note_has_gigabytes_and_memory_of_the_exact_size_fits():
    size = chip_named("ascend310").buf.gm
    assert memory_note(chip_named("ascend310"), size) == ""
    assert memory_note(chip_named("ascend310"), size + 1).startswith("does not fit")


def test_sheets_of_a_graph_name_a_changed_default_host(graph, monkeypatch):
    shipped = HOSTS[DEFAULT_HOST]
    monkeypatch.setitem(HOSTS, DEFAULT_HOST, replace(shipped, issue_us=shipped.issue_us._replace(v=1.0, lo=0.5)))
    tuned = autotune(graph, node="matmul", chip="ascend910b1")
    for sheet in (fusion_sheet(graph), tornado_sheet(graph), tuned.sheet()):
        for text in (str(sheet), sheet.csv(), sheet._repr_html_(), str(sheet.records())):
            assert "issue_us 55 -" in text
    assert "issue_us 55 -> 1" in repr(tuned)


def test_without_changes_the_basis_is_the_chip():
    chip, graph = chip_named("ascend910b1"), trace(lambda x: x + x, Tensor([1.0]))
    basis = basis_of(graph, "ascend910b1")
    assert basis == Basis(chip, host_named(DEFAULT_HOST), 8)
    assert (basis.what_if, basis.memory, basis.label) == ("", "", chip.label)
    assert basis.calibration == chip.calibration

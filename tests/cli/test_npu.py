import csv
import io
import json

import pytest

from minigraph.cli import main
from minigraph.cli.npu import SHEETS, changed_chip
from minigraph.core.errors import ChipError, UsageError
from minigraph.npu import chip_named


@pytest.mark.parametrize("show", SHEETS)
@pytest.mark.parametrize("engine", ["event", "analytic"])
def test_every_report_is_told(program, capsys, show, engine):
    assert main(["npu", f"{program}:attend", "--show", show, "--engine", engine]) == 0
    told = capsys.readouterr().out
    assert len(told.splitlines()) > 4
    assert "Simulated, not measured. Ascend 910B1 is calibrated" in told


def test_a_folder_gets_every_table_trace_and_picture(program, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["npu", f"{program}:attend", "--show", "tasks", "--out", str(out)]) == 0
    names = {file.name for file in out.iterdir()}
    assert {f"{name}.csv" for name in SHEETS} < names
    assert {"op_summary.csv", "op_statistic.csv", "fusion_op.csv", "task_time.csv", "trace.json"} < names
    assert json.loads((out / "trace.json").read_text())["traceEvents"]
    for name in names:
        text = (out / name).read_text()
        assert not name.endswith(".csv") or len({len(row) for row in csv.reader(io.StringIO(text))}) == 1
        assert not name.endswith(".svg") or (text.startswith("<svg") and "no picture" not in text)
    assert f"Wrote {len(names)} files" in capsys.readouterr().out


def test_the_digits_are_simulated_without_a_program(capsys):
    assert main(["npu", "--show", "critical"]) == 0
    assert "critical path of train_step" in capsys.readouterr().out


def test_figures_of_the_chip_can_be_set(program, capsys):
    def us(*settings):
        main(["npu", f"{program}:attend", "--show", "critical", *(x for s in settings for x in ("--set", s))])
        return float(capsys.readouterr().out.split("path of attend, ")[1].split(" us")[0])

    assert us("task.head_us=12") > us() > us("task.head_us=2.5", "mte2.lat=100")


def test_a_chip_in_a_file_is_simulated_by_its_path(program, tmp_path, capsys):
    chip = tmp_path / "mine.toml"
    chip.write_text('base = "ascend910b1"\n[chip]\ntitle = "Mine"\ncalibrated = false\nnote = "a trial"\n')
    assert main(["npu", f"{program}:attend", "--show", "critical", "--chip", str(chip)]) == 0
    assert "Mine is nominal: a trial." in capsys.readouterr().out


@pytest.mark.parametrize("arguments, told", [
    (["--chip", "ascend910b"], "no chip 'ascend910b'; did you mean"),
    (["--host", "torch"], "no host preset 'torch'; known: "),
    (["--set", "mte2.lot=1"], "--set mte2.lot=1: Ascend 910B1 has no figure 'mte2.lot'; did you mean 'mte2.lat'?"),
    (["--set", "mte2.lat"], "--set mte2.lat: '' is no number; write mte2.lat=190"),
    (["--set", "mte2.lat=-3"], "mte2.lat is -3, which no chip has"),
    (["--chip", "nowhere.toml"], "nowhere.toml: cannot read the chip file"),
])  # fmt: skip
def test_a_mistake_is_told_in_a_line_and_nothing_is_written(program, tmp_path, capsys, arguments, told):
    out = tmp_path / "out"
    assert main(["npu", f"{program}:attend", *arguments, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("minigraph: ") and error.count("\n") == 1
    assert told in error
    assert not out.exists()


def test_settings_follow_each_other():
    chip = changed_chip(chip_named("ascend910b1"), ["mte2.lat=100", "pool.gm=1.5"])
    assert (chip.mte2.lat, chip.pool.gm) == (100, 1.5)
    with pytest.raises(UsageError):
        changed_chip(chip, ["pool.gm=fast"])
    with pytest.raises(ChipError):
        changed_chip(chip, ["cores.aic=1.5"])


def test_long_reports_are_cut_on_the_terminal_and_say_so(capsys):
    assert main(["npu", "--show", "tasks", "--rows", "3"]) == 0
    told = capsys.readouterr().out
    assert "more rows" in told and "%6 " in told and "%82 " not in told

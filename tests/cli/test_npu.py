import csv
import io
import json
import re

import pytest

from minigraph.cli import main
from minigraph.cli.npu import SHEETS, chip_with_settings
from minigraph.core.errors import ChipError, UsageError
from minigraph.npu import chip_named


@pytest.mark.parametrize("show", SHEETS)
@pytest.mark.parametrize("engine", ["event", "analytic"])
def test_every_report_is_printed(program, run_cli, show, engine):
    code, out, _ = run_cli("npu", f"{program}:attend", "--show", show, "--engine", engine)
    assert code == 0 and len(out.splitlines()) > 4
    assert "Simulated, not measured. Ascend 910B1 is calibrated" in out


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
        assert not name.endswith(".svg") or (text.startswith("<svg") and "cannot draw this picture" not in text)
    assert f"Wrote {len(names)} files" in capsys.readouterr().out


def test_chip_parameters_can_be_set(program, run_cli):
    def us(*settings):
        out = run_cli("npu", f"{program}:attend", "--show", "critical", *(x for s in settings for x in ("--set", s)))[1]
        return float(out.split("path of attend, ")[1].split(" us")[0])

    assert us("task.head_us=12") > us() > us("task.head_us=2.5", "mte2.lat=100")


def test_a_chip_in_a_file_is_simulated_by_its_path(program, write_file, run_cli):
    header = '[chip]\ntitle = "Mine"\ncalibrated = false\nnote = "a trial"\n'
    chip = write_file("mine.toml", f'base = "ascend910b1"\n{header}')
    code, out, _ = run_cli("npu", f"{program}:attend", "--show", "critical", "--chip", chip)
    assert code == 0 and "Mine is nominal: a trial." in out


@pytest.mark.parametrize("arguments, message", [
    (["--chip", "ascend910b"], "no chip 'ascend910b'; did you mean"),
    (["--host", "torch"], "no host preset 'torch'; known: "),
    (["--set", "mte2.lot=1"], "--set mte2.lot=1: Ascend 910B1 has no parameter 'mte2.lot'; did you mean 'mte2.lat'?"),
    (["--set", "a=1"], "no parameter 'a'; write SECTION.NAME with one of the sections buf, cores, cube, fixp, library"),
    (["--set", "sync.a=1"], "no parameter 'sync.a'; the parameters of sync are sync.flag, sync.issue, sync.xcore"),
    (["--set", "mte2.lat"], "--set mte2.lat: '' is not a number; write mte2.lat=190"),
    (["--set", "mte2.lat=-3"], "mte2.lat is -3; use a positive finite"),
    (["--schedule", "nowhere.toml"], "nowhere.toml: cannot read the schedule"),
    (["--task", "matmul"], "--task matmul: names the task to tune; add --autotune"),
    (["--autotune", "--task", "conv"], "no task 'conv'"),
    (["--chip", "nowhere.toml"], "nowhere.toml: cannot read the chip file"),
])  # fmt: skip
def test_a_mistake_is_an_error_of_one_line_and_writes_nothing(program, run_invalid, arguments, message):
    run_invalid(message, "npu", f"{program}:attend", *arguments)


def test_settings_follow_each_other():
    chip = chip_with_settings(chip_named("ascend910b1"), ["mte2.lat=100", "pool.gm=1.5"])
    assert (chip.mte2.lat, chip.pool.gm) == (100, 1.5)
    with pytest.raises(UsageError):
        chip_with_settings(chip, ["pool.gm=fast"])
    with pytest.raises(ChipError):
        chip_with_settings(chip, ["cores.aic=1.5"])


def test_the_digits_are_simulated_without_a_program_and_long_reports_cut_on_the_terminal(run_cli):
    assert "critical path of train_step" in run_cli("npu", "--show", "critical")[1]
    code, out, _ = run_cli("npu", "--show", "tasks", "--rows", "3")
    assert code == 0 and "more rows" in out
    times = [float(us) for us in re.findall(r"^ %\d+ .* digits\.py:\d+ +([\d.]+) ", out, re.MULTILINE)]
    assert len(times) == 3 and times == sorted(times, reverse=True)  # the slowest first


def test_an_empty_pipeline_has_no_passes_with_and_without_a_program(program, run_cli):
    for target in ([], [f"{program}:attend"]):
        tasks = [run_cli("npu", *target, "--show", "tasks", *more)[1].count("\n %") for more in ([], ["-p", ""])]
        assert tasks[0] < tasks[1]


def test_the_help_lists_the_default_reports_as_words(capsys):
    with pytest.raises(SystemExit):
        main(["npu", "--help"])
    assert "(default: bars tasks critical whatif)" in " ".join(capsys.readouterr().out.split())


def test_the_schedules_of_a_run_are_a_file_that_the_next_run_reads(program, write_file, tmp_path, run_cli):
    path = write_file("mine.toml", '["*"]\nbuffers = 1\n')
    folder = tmp_path / "out"
    run_cli("npu", f"{program}:attend", "--schedule", path, "--show", "schedule", "--out", str(folder))
    saved = (folder / "schedules.toml").read_text()
    assert "\nbuffers = 1\n" in saved and "\nbuffers = 2\n" not in saved
    again = run_cli("npu", f"{program}:attend", "--schedule", str(folder / "schedules.toml"), "--show", "schedule")
    assert again[:2] == run_cli("npu", f"{program}:attend", "--schedule", path, "--show", "schedule")[:2]


def test_autotune_prints_its_table_and_draws_the_landscape(program, tmp_path, run_cli):
    folder = tmp_path / "out"
    code, out, _ = run_cli("npu", f"{program}:attend", "--autotune", "--show", "schedule", "--out", str(folder))
    assert code == 0 and "schedules, 1.000x the" in out
    assert (folder / "landscape.svg").read_text().startswith("<svg")
    assert "% of default" in (folder / "autotune.csv").read_text()

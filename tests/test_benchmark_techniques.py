"""The techniques of the accelerator on and off: every name resolves, names are replaced, and gains are reported."""

import json
import re
import subprocess
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks import group
from benchmarks.measuring.conditions import CONDITIONS
from benchmarks.measuring.harness import Case, Contender, Result, Table
from benchmarks.measuring.records import Record, write
from benchmarks.peers.remote import ROOT
from benchmarks.reporting import techniques as pages
from benchmarks.reporting.report import ConditionTables
from benchmarks.techniques import registry, replacements, rows, table, worker
from benchmarks.techniques.registry import BY_NAME, TECHNIQUES, resolve
from tests.tables import cases, results

SCATTER_SUMS = BY_NAME["scatter_sums"]


# ---- the registry --------------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda technique: technique.name)
def test_every_name_of_a_technique_still_resolves(technique):
    for target, make in technique.off.items():
        old = resolve(target)
        new = make(old)
        assert type(new) is type(old) or callable(new)
        if target == registry.SEAMS:
            assert all(resolve(name) for name in new.values() if name not in old.values())
        elif target == registry.PIPELINES:
            assert {*new} == {*old} and new != old, "what is taken out was there"
        elif isinstance(old, dict | tuple):
            assert {*new} < {*old}, "what is taken out was there"
    assert sum(map(registry.code_lines, technique.code)) > 0
    assert technique.rows and {*technique.rows} <= rows.ROWS.keys()


def test_every_module_of_the_accelerator_is_a_techniques_or_shared():
    files = (ROOT / "minigraph" / "accel").rglob("[!_]*.py")
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    counted = {path.partition(":")[0] for technique in TECHNIQUES for path in technique.code}
    assert modules <= counted | {*registry.SHARED_MODULES}


def test_the_page_on_the_accelerator_agrees_with_the_measured_table():
    page = (ROOT / "minigraph/accel/README.md").read_text("utf-8")
    table = (ROOT / "benchmarks/TECHNIQUES.md").read_text("utf-8").partition("## All rows")[0]
    for technique in TECHNIQUES:
        (row,) = (line for line in table.splitlines() if line.startswith(f"| {technique.name} |"))
        (line,) = (line for line in page.splitlines() if line.startswith(f"| {technique.name} |"))
        _, _, description, gain, _, _ = map(str.strip, line.split("|"))
        assert description == technique.description and gain and gain in row, technique.name


def test_both_tables_have_the_lines_that_the_code_has_now():
    expected = {technique.name: sum(map(registry.code_lines, technique.code)) for technique in TECHNIQUES}
    page = (ROOT / "minigraph/accel/README.md").read_text("utf-8").partition("## Techniques")[2]
    table = (ROOT / "benchmarks/TECHNIQUES.md").read_text("utf-8").partition("## All rows")[0]
    assert lines_in(page, column=3) == expected
    assert lines_in(table, column=2) == expected


def lines_in(page, column):
    """The lines of code by technique, in the tables of a page."""
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    return {row[0].strip(): int(row[column]) for row in rows if row[0].strip() in BY_NAME}


def test_the_page_on_the_accelerator_names_what_there_is():
    page = (ROOT / "minigraph/accel/README.md").read_text("utf-8")
    names = {*re.findall(r"`([A-Z][A-Z_]+)`", page)}
    assert names and all(hasattr(registry, name) for name in names)


def test_every_technique_has_a_name_and_a_sentence_of_its_own():
    assert len(BY_NAME) == len({technique.description for technique in TECHNIQUES}) == len(TECHNIQUES)
    assert all(technique.description.endswith(".") for technique in TECHNIQUES)


def test_code_lines_exclude_blanks_comments_and_docstrings(monkeypatch):
    text = '"""A.\n\nB."""\n\n# c\nX = (\n    1,\n)\n\n\ndef f():\n    """D."""\n    return X\n'
    monkeypatch.setattr(registry, "resolve", lambda target: None)
    monkeypatch.setattr(registry.inspect, "getsource", lambda function: text)
    assert registry.code_lines("anything") == 5


test_replacements = results(
    lambda make, arguments: make(None)(*arguments),
    (replacements.return_none, (1,), None),
    (replacements.return_false, (1,), False),
    (replacements.return_empty_list, (1,), []),
)


# ---- a process without a technique ---------------------------------------------------------------------


def test_names_are_replaced_before_other_modules_import_them(monkeypatch, tmp_path):
    (tmp_path / "a_tool.py").write_text("def find():\n    return 1\n\ndef other():\n    return 2\n", encoding="utf-8")
    (tmp_path / "its_user.py").write_text("from a_tool import find, other\nFOUND = find(), other()\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    finder = worker.ReplacingFinder({"a_tool:find": replacements.return_false})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    for name in ("a_tool", "its_user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert __import__("its_user").FOUND == (False, 2)
    assert finder.find_spec("its_user", None) is None


def test_techniques_of_imported_modules_cannot_be_switched_off():
    with pytest.raises(worker.EarlyImportError, match=r"benchmarks\.techniques\.replacements was imported"):
        worker.ReplacingFinder({"benchmarks.techniques.replacements:return_false": replacements.return_false})


def answers(technique, *requests):
    """The answers of a worker process without a technique."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    arguments = [sys.executable, "-m", "benchmarks.techniques.worker", technique, "--quick"]
    result = subprocess.run(arguments, cwd=ROOT, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("technique", [worker.ALL_TECHNIQUES, "eager fast dispatch", "scatter_sums"])
def test_a_process_without_a_technique_computes_rows(technique):
    requests = (
        {"do": "make", "row": "chain, eager"},
        {"do": "run", "number": 0},
        {"do": "time", "number": 0, "times": 2},
    )
    title, run, timed = answers(technique, *requests)
    assert title == {"number": 0, "title": "forward: minigraph eager"}
    assert len(run["results"]) == 1 and timed.keys() == {"cpu", "wall"}


def test_rows_with_state_are_prepared_before_every_call():
    title, first, again = answers(
        worker.ALL_TECHNIQUES, {"do": "make", "row": "digits, step"}, *[{"do": "run", "number": 0}] * 2
    )
    assert title["title"] == "digits training step: minigraph jit" and first == again


def test_a_row_that_does_not_take_part_is_left_out(monkeypatch):
    case = Case("a row", [Contender("numpy", lambda: 1.0)])
    monkeypatch.setattr(rows.local, "PEER_FACTORIES", rows.local.PEER_FACTORIES)
    monkeypatch.setattr(rows.remote, "workers_enabled", True)
    row = rows.Row(lambda small: case, "minigraph jit, numba")
    assert row.contender_in(True) == (None, "a row: minigraph jit, numba")
    row_worker = worker.RowWorker(quick=True)
    monkeypatch.setattr(row_worker, "rows", {"it": row})
    assert row_worker.do_make({"row": "it"}) == {"number": None, "title": "a row: minigraph jit, numba"}


def test_every_row_has_the_contender_it_names(monkeypatch):
    """Except numba, which may not be installed."""
    monkeypatch.setattr(rows.local, "PEER_FACTORIES", rows.local.PEER_FACTORIES)
    monkeypatch.setattr(rows.remote, "workers_enabled", True)
    missing = [name for name, row in rows.ROWS.items() if row.contender_in(True)[0] is None]
    assert {rows.ROWS[name].contender for name in missing} <= {rows.NUMBA}


# ---- measured and written ------------------------------------------------------------------------------


def test_a_technique_is_measured_on_and_off():
    measured = table.table(SCATTER_SUMS._replace(rows=("mlp, gradient",)), 2, quick=True)
    assert (measured.title, measured.description + ".") == (SCATTER_SUMS.name, SCATTER_SUMS.description)
    (result,) = measured.results
    assert list(result.seconds) == [table.WITHOUT, table.WITH, table.WITH_REPEATED]
    assert result.title == "MLP, 3 layers, gradient: minigraph jit"


def test_rows_that_do_not_take_part_have_no_results(monkeypatch):
    class EmptyWorker:
        def __init__(self, *arguments, **variables):
            pass

        def request(self, **request):
            return {"number": None, "title": request["row"]}

        def close(self):
            pass

    monkeypatch.setattr(table, "RemoteWorker", EmptyWorker)
    assert [result_table.results for result_table in table.tables(2, True, [SCATTER_SUMS])] == [[]]


def result(title, speed, again, spread=0.0):
    """The result of a row with the given speeds with a technique."""
    names = table.WITHOUT, table.WITH, table.WITH_REPEATED
    speeds = dict(zip(names, (1.0, speed, again), strict=True))
    return Result(title, dict.fromkeys(names, 1.0), speeds, dict.fromkeys(names, spread), speeds, 2)


test_a_gain_counts_if_it_is_large_and_larger_than_the_noise = results(
    lambda reason, speed, again, spread: pages.gain(result(reason, speed, again, spread)).is_significant,
    ("enough", 1.06, 1.06, 0.0, True),
    ("too little", 1.04, 1.04, 0.0, False),
    ("within the spread of rounds", 1.06, 1.06, 0.04, False),
    ("within the spread of processes", 1.06, 1.02, 0.0, False),
    ("a lot", 1.60, 1.50, 0.1, True),
)


@cases(
    ((1.0, 1.0, 1.2), "stays"),
    ((1.0, 1.0, 1.0), "**goes**"),
    ((1.0, 1.0), "open: not measured under Busy neighbour"),
    ((1.2,), "stays"),
    ((), "open: not measured under One thread, Nothing set, Busy neighbour"),
)
def test_a_technique_goes_if_it_gains_nothing_under_any_condition(speeds, expected):
    measured = [
        ConditionTables(condition, [Table(SCATTER_SUMS.name, "", [result("a row", speed, speed)])])
        for condition, speed in zip(CONDITIONS, speeds, strict=False)
    ]
    assert pages.verdict(pages.gains(measured)[SCATTER_SUMS.name]) == expected
    text = pages.page(measured)
    (line,) = (
        line for line in text.splitlines() if line.startswith(f"| {SCATTER_SUMS.name} | {SCATTER_SUMS.description} |")
    )
    assert line.endswith(f"| {expected} |")
    assert line.count("(a row)") == len(speeds)
    assert text.count(f"| {SCATTER_SUMS.name} | a row |") == bool(speeds)
    assert all(f"| {technique.name} | {technique.description} |" in text for technique in TECHNIQUES)


def test_the_command_writes_the_table(monkeypatch, tmp_path):
    def run(words, *, cwd, env, check):
        record = Record([Table(SCATTER_SUMS.name, "", [result("a row", 1.2, 1.2)])], condition=words[6])
        write(record, command.Path(words[4]))
        return subprocess.CompletedProcess(words, int(words[3] != group.TECHNIQUES))

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["benchmarks", group.TECHNIQUES])
    assert command.main() == 0
    assert [path.name for path in tmp_path.iterdir()] == [command.TECHNIQUES_PAGE]
    assert "| 1.20 ± 0.00 (a row) | 1.20 ± 0.00 (a row) | 1.20 ± 0.00 (a row) | stays |" in (
        tmp_path / command.TECHNIQUES_PAGE
    ).read_text(encoding="utf-8")


def test_the_group_measures_techniques(monkeypatch):
    monkeypatch.setattr(table, "tables", lambda rounds, quick: [(rounds, quick)])
    assert group.technique_tables(True, 4) == [(4, True)]

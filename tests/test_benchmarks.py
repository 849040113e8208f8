"""The benchmarks run, at tiny size, and compare contenders that compute the same. Nothing here looks at a time."""

import importlib
import os
import subprocess

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import eager, harness, pass_speed, peers, reading, report, start, step
from benchmarks.harness import Case, Contender, Disagreement, Table, agree, measure
from minigraph.ir.text import to_text

AT_HOME = 2, 1e-6  # rounds, and seconds per sample


@pytest.fixture(autouse=True)
def without_peers(request, monkeypatch):
    """Peers are measured where they are installed; here only the test that asks for them starts them."""
    if "installed" not in request.fixturenames:
        monkeypatch.setattr(peers, "KNOWN", {})


@pytest.fixture
def installed():
    """The peers at hand that come up under this test's strict warnings."""
    return [name for name in peers.KNOWN if name != "mindspore" and importlib.util.find_spec(name)]


def small_cases():
    return [
        eager.forward_case(10),
        eager.gradient_case(10),
        eager.call_case(),
        step.case(),
        pass_speed.capture_case(50),
        pass_speed.passes_case(50),
        pass_speed.first_call_case(10),
        start.case(("numpy", "minigraph")),
    ]


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peers, "KNOWN", {})
        return [measure(case, *AT_HOME) for case in small_cases()]


# ---- every benchmark -----------------------------------------------------------------------------------


def test_every_case_compares_several_contenders_and_gives_a_figure_for_each(results):
    for result in results:
        names = [contender.name for contender in result.case.contenders]
        assert len(names) >= 2
        assert list(result.seconds) == list(result.speed) == list(result.spread) == names
        assert result.speed[names[0]] == 1.0
        assert all(seconds >= 0 for seconds in result.seconds.values())


def test_minigraph_is_in_every_case_but_the_walks_over_its_graphs(results):
    missing = [r.case.title for r in results if not any("minigraph" in name for name in r.seconds)]
    assert [title.split()[0] for title in missing] == ["passes"]


@pytest.mark.parametrize("case", [eager.forward_case(10), eager.gradient_case(10), step.case()], ids=lambda c: c.title)
def test_contenders_return_something_to_compare(case):
    assert all(harness._arrays(c.run(*c.prepare())) for c in case.contenders)


def test_the_eager_step_the_graph_and_the_optimised_graph_agree_in_every_bit():
    batch = step.first_batch()
    first, *others = [harness._arrays(c.run(*c.prepare())) for c in step.minigraph_contenders(batch)]
    for other in others:
        assert all(np.array_equal(x, y) for x, y in zip(first, other, strict=True))


def test_training_steps_start_anew_with_each_call():
    contender = next(step.minigraph_contenders(step.first_batch()))
    once, again = (harness._arrays(contender.run(*contender.prepare())) for _ in range(2))
    assert all(np.array_equal(x, y) for x, y in zip(once, again, strict=True))


def test_the_numpy_step_trains():
    batch = step.first_batch()
    weights, speeds = step.numpy_contender(batch).prepare()
    losses = [step.numpy_step(batch.images, batch.labels, weights, speeds) for _ in range(30)]
    assert losses[-1] < losses[0] / 3


def test_the_peers_that_are_installed_agree(installed):
    cases = [eager.forward_case(10), eager.gradient_case(10), step.case(), pass_speed.capture_case(50)]
    for case in cases:
        agree(case)
    speakers = {contender.name.split(".")[0].split()[0] for case in cases for contender in case.contenders}
    assert speakers >= set(installed)


def test_the_tape_holds_a_bounded_number_of_bytes_per_operator():
    assert 0 < eager.bytes_per_operator(200) < 5000


def test_captured_networks_have_the_size_they_say():
    graph = pass_speed.captured(50)
    assert sum(not graph.op(node).is_leaf for node in graph) == 50


def test_timed_passes_work_on_copies():
    case = pass_speed.passes_case(50)
    texts = set()
    for contender in case.contenders:
        for graph in contender.prepare():
            texts.add(to_text(graph))
            contender.run(graph)
    assert len(texts) == 1


def test_a_rewrite_that_changes_a_value_is_refused():
    def spoil(graph):
        dead = next(node for node in graph if not graph.use_count(node))
        graph.set_outs([graph.ins(graph.outs[0])[0]])
        graph.erase([dead])

    with pytest.raises(Disagreement, match="'?spoil'? changed what the graph computes"):
        pass_speed.check_values(pass_speed.captured(50), [("spoil", spoil)])


def test_a_rewrite_that_does_nothing_is_refused():
    with pytest.raises(Disagreement, match="idle did nothing to"):
        pass_speed.check_values(pass_speed.captured(50), [("idle", lambda graph: None)])


# ---- the harness ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (np.ones(3), r"result 0 differs by 1, more than 1e-05 of 2"),
        (np.full(3, np.nan), r"result 0 differs by nan"),
        (np.full(4, 2.0), r"result 0 has shape \(4,\) instead of \(3,\)"),
        (None, r"0 results instead of 1"),
    ],
)
def test_contenders_that_disagree_are_not_timed(answer, complaint):
    case = Case("row", [Contender("right", lambda: np.full(3, 2.0)), Contender("wrong", lambda: answer)])
    with pytest.raises(Disagreement, match=f"row: wrong, call 1: {complaint}"):
        measure(case, *AT_HOME)


def test_a_contender_that_goes_astray_later_is_found_too():
    counts = iter(range(10))
    case = Case("row", [Contender("right", lambda: 0), Contender("drifting", lambda: next(counts))])
    with pytest.raises(Disagreement, match="drifting, call 2"):
        agree(case)


def test_contenders_take_turns_and_each_leads_a_round():
    calls = []
    case = Case("row", [Contender(name, lambda name=name: calls.append(name)) for name in "abc"])
    measure(case, rounds=3, shortest=0.0)
    assert calls[-9:] == ["a", "b", "c", "b", "c", "a", "c", "a", "b"]


def test_preparing_is_not_timed():
    clock = [0.0]

    def spend(seconds):
        clock[0] += seconds

    slow_start = Contender("prepared", lambda: spend(1.0), lambda: spend(50.0) or ())
    case = Case("row", [Contender("bare", lambda: spend(2.0)), slow_start], clock=lambda: clock[0])
    result = measure(case, *AT_HOME)
    assert result.seconds == {"bare": 2.0, "prepared": 1.0}
    assert result.speed == {"bare": 1.0, "prepared": 2.0}


def test_a_sample_lasts_long_enough():
    clock = [0.0]

    def tick():
        clock[0] += 0.001

    assert harness._repeats(Contender("short", tick), 0.02, lambda: clock[0]) >= 20


def test_a_process_with_many_threads_starts_again_with_one(monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda program, words: started.append(words))
    monkeypatch.setattr(os, "environ", {**os.environ, "OMP_NUM_THREADS": "4"})
    harness.single_threaded()
    harness.single_threaded()
    assert len(started) == 1
    assert os.environ["OMP_NUM_THREADS"] == "1"


# ---- the report ----------------------------------------------------------------------------------------


def test_the_file_has_every_figure_and_every_goal_that_was_measured(results):
    table = Table("Everything", "small", results)
    text = report.results_file([table], ["a note"])
    for result in results:
        assert f"**{result.case.title}**" in text
        assert all(f"| {name} | {report.figure(result.per_work(name))} |" in text for name in result.seconds)
    measured = [goal for goal in report.GOALS if goal.measured(results)]
    assert len(measured) >= 6
    assert all(f"| {goal.case} | {goal.contender} | {goal} |" in text for goal in measured)
    assert "a note" in text


def test_a_goal_knows_which_side_is_good():
    speed, seconds = report.Goal("row", "us", "speed", 1.5), report.Goal("row", "us", "ms", 1.5)
    assert [speed.met(1.0), speed.met(2.0)] == [False, True]
    assert [seconds.met(1.0), seconds.met(2.0)] == [True, False]
    assert (str(speed), str(seconds)) == ("≥ 1.5", "≤ 1.5 ms")


def test_every_goal_names_a_contender_that_exists(results):
    known = {(r.case.title, name) for r in results for name in r.seconds}
    known |= {("first call, 200 operators", "minigraph jit")}  # measured here with 10 operators
    assert {(goal.case, goal.contender) for goal in report.GOALS} <= known


def test_the_reading_is_made_of_what_was_measured(results):
    longer = measure(pass_speed.first_call_case(200), *AT_HOME)
    notes = reading.notes([Table("Everything", "small", [*results, longer])])
    step_result = next(r for r in results if r.case.title == "digits training step")
    assert any(report.figure(step_result.speed["minigraph jit"]) in note for note in notes)


@pytest.mark.parametrize("arguments", [["--quick"], ["import"]])
def test_small_runs_print_and_write_nothing(arguments, monkeypatch, capsys, tmp_path):
    tables = [Table("A title", "what it is", [measure(eager.call_case(), *AT_HOME)])]
    monkeypatch.setattr(command, "BENCHMARKS", {"import": lambda quick, rounds: tables})
    monkeypatch.setattr(command, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(command, "single_threaded", lambda: None)
    monkeypatch.setattr("sys.argv", ["benchmarks", *arguments])
    command.main()
    assert "A title: what it is" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_a_whole_run_writes_the_file(monkeypatch, results, tmp_path):
    longer = measure(pass_speed.first_call_case(200), *AT_HOME)
    monkeypatch.setattr(command, "BENCHMARKS", {"all": lambda quick, rounds: [Table("All", "all", [*results, longer])]})
    monkeypatch.setattr(command, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(command, "single_threaded", lambda: None)
    monkeypatch.setattr("sys.argv", ["benchmarks"])
    command.main()
    assert (tmp_path / "RESULTS.md").read_text(encoding="utf-8").startswith("# Results")


def test_import_is_timed_in_the_child():
    before = start.children_seconds()
    start.importing("numpy")
    assert start.children_seconds() > before


def test_an_import_that_fails_is_not_timed():
    with pytest.raises(subprocess.CalledProcessError):
        start.importing("no_such_module")

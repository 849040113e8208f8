"""Random programs in eager mode and captured; programs that once differed, and open differences with their reason."""

import ast
import itertools
import signal
from pathlib import Path

import pytest

from tests.alarms import needs_alarms
from tests.capture.fuzz import runner as fuzz_run
from tests.capture.fuzz.constructs import constructs_of
from tests.capture.fuzz.findings import Findings
from tests.capture.fuzz.generator import generate_program
from tests.capture.fuzz.objects import THINGS, fill
from tests.capture.fuzz.paths import PATHS
from tests.capture.fuzz.program import read_program
from tests.capture.fuzz.runner import check
from tests.capture.fuzz.shrinker import shrink, symptom

FOLDER = Path(__file__).parent / "fuzz"
AGREEING = sorted((FOLDER / "agreeing").glob("*.txt"))
DIFFERING = sorted((FOLDER / "differing").glob("*.txt"))
COUNT, SEED = 60, 23

WRONG = """
log = [0]

def step(x, y):
    z = x + y
    if z.sum() > 2:
        log.append(1)
    return z

def calls(call):
    call(Tensor([1.0]), Tensor([2.0]))
    call(Tensor([-1.0]), Tensor([-2.0]))
"""


def names(paths):
    return [path.stem for path in paths]


def reason(path):
    """Why a program still differs: the first line of its file."""
    return path.read_text("utf-8").splitlines()[0].removeprefix("# ")


def test_a_program_without_end_is_no_program():
    endless = WRONG.replace("    z = x + y", "    while True:\n        pass")
    assert check(read_program(endless), seconds=0.1).how == "not a program: TimeLimitError"


@needs_alarms
def test_a_program_that_waits_for_ever_is_no_program():
    waiting = WRONG.replace("    z = x + y", "    lock = threading.Lock()\n    with lock, lock:\n        pass")
    assert check(read_program(waiting), seconds=0.05).how == "not a program: TimeLimitError"


@needs_alarms
def test_a_late_signal_raises_nothing(monkeypatch):
    """One that comes when the program has ended, and before the timer is stopped."""

    def setitimer(_, seconds, again=0):
        if not seconds:
            signal.raise_signal(signal.SIGPROF)

    monkeypatch.setattr(fuzz_run.signal, "setitimer", setitimer)
    before = signal.getsignal(signal.SIGPROF)
    assert check(read_program(WRONG)).how == "segments"
    assert signal.getsignal(signal.SIGPROF) is before


@pytest.mark.parametrize("path", AGREEING, ids=names(AGREEING))
def test_programs_that_once_differed(path):
    assert check(read_program(path.read_text("utf-8"))).difference is None


@pytest.mark.parametrize("path", DIFFERING, ids=names(DIFFERING))
def test_programs_that_still_differ(path):
    assert len(reason(path)) > 20 and not reason(path).startswith("setting")
    verdict = check(read_program(path.read_text("utf-8")))
    assert verdict.difference, f"{path.name} differs no longer: move it to {FOLDER.name}/agreeing, without its reason"


def known_findings():
    findings = Findings(SEED)
    for path in DIFFERING:
        program = read_program(path.read_text("utf-8"))
        findings.add(path.stem, program, check(program).difference)
    return findings


def test_random_programs_show_no_difference_but_the_known_ones():
    findings, new = known_findings(), []
    for number in range(COUNT):
        program = generate_program(f"{SEED}/{number}")
        verdict = check(program)
        findings.count(program, verdict)
        if verdict.difference and not findings.explain(program, symptom(verdict.difference)):
            new.append(f"{SEED}/{number}: {verdict.difference}\n{program}")
    assert not new, "\n\n".join(new)
    assert findings.how["captured"] > COUNT / 20
    assert len(findings.families) >= 7


def test_every_family_and_many_constructs_occur():
    programs = [generate_program(f"0/{number}") for number in range(300)]
    assert len({family for program in programs for family in program.families}) == 10
    assert len(set().union(*(constructs_of(program.text) for program in programs))) > 150


def test_every_object_can_be_reached_by_every_path():
    """Every template gives valid Python."""
    wrong = []
    for path, (name, instance) in itertools.product(PATHS.values(), THINGS.items()):
        for template in (
            *instance.numbers,
            *instance.changes,
            *instance.conditions,
            *instance.tensors,
            *instance.items,
        ):
            text = fill(template, o=path.inside.replace("{k}", "0"), x="x", n="2")
            try:
                ast.parse(text)
            except SyntaxError:
                wrong.append((name, text))
    assert not wrong


def test_a_program_is_the_same_every_time():
    assert generate_program("1/7") == generate_program("1/7") != generate_program("1/8")
    assert read_program(str(generate_program("1/7"))).setting == generate_program("1/7").setting


SEEN = {
    "result": ("return x + 1", "return x + 2", "result"),
    "type": ("return n", "return float(n)", "result"),
    "state": ("log.append(1)", "log.append(2)", "state"),
    "output": ("print(1)", "print(2)", "output"),
    "argument": ("x[0] = 1.0", "x[0] = 3.0", "arguments"),
    "identity": ("return log", "return list(log)", "identity"),
    "exception": ("raise ValueError", "raise KeyError", "exception"),
    "random numbers": ("np.random.rand()", "None", "numpy's generator"),
}


@pytest.mark.parametrize(("eager", "captured", "section"), SEEN.values(), ids=SEEN)
def test_what_is_seen(eager, captured, section, monkeypatch):
    """Two texts represent the two runs."""
    texts = iter((eager, captured))
    frame = "log = [0]\ndef step(x, n):\n    {}\ndef calls(call):\n    call(Tensor([5.0]), 2)"
    run = fuzz_run._run
    monkeypatch.setattr(
        fuzz_run, "_run", lambda program, is_captured: run(program._replace(text=frame.format(next(texts))), False)
    )
    assert check(read_program("")).difference.section == section


def test_a_difference_is_shrunk_to_a_minimal_program(monkeypatch):
    """The captured run appends another number."""
    run = fuzz_run._run

    def run_wrongly(program, is_captured):
        text = program.text.replace("append(1)", "append(2)") if is_captured else program.text
        return run(program._replace(text=text), False)

    monkeypatch.setattr(fuzz_run, "_run", run_wrongly)
    program = read_program(WRONG)
    verdict = check(program)
    assert verdict.difference
    short, difference = shrink(program, verdict.difference)
    assert symptom(difference) == symptom(verdict.difference)
    assert len(short.text) < len(program.text)
    assert constructs_of(short.text) <= constructs_of(program.text)


def test_a_later_run_resumes_from_the_file(tmp_path):
    program = generate_program("1/7")
    findings = Findings(1, tmp_path / "kept.json")
    findings.count(program, check(program))
    findings.done = 1
    findings.save()
    again = Findings(1, tmp_path / "kept.json")
    assert (again.done, again.how, again.families) == (1, findings.how, findings.families)
    with pytest.raises(SystemExit, match="--seed 1"):
        Findings(2, tmp_path / "kept.json")

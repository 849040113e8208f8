"""``python -m tests.differential.names``: which public names of MindSpore minigraph has, refuses or lacks, by module.

Writes ``benchmarks/mindspore_names.md``. A name *agrees* if a differential program of it gives MindSpore's value and
gradient; other names that exist are compared by other tests. A name is *refused* if the error for it gives a reason.
``--record PYTHON`` first lists the names that the MindSpore of another interpreter has.
"""

import argparse
import os
import subprocess
from functools import cache
from pathlib import Path

from minigraph.core.missing_names import REMEDIES
from minigraph.core.refused_names import reason_of_refusal
from tests.differential import recording
from tests.differential.call_tables import table
from tests.differential.comparison import common_modes, differences
from tests.differential.grid import exists, grid
from tests.differential.own_answers import answers_of
from tests.differential.reason import CANNOT
from tests.differential.reasons import reason_of

ROOT = Path(__file__).parents[2]
NAMES, RESULT = Path(__file__).parent / "tables" / "names.txt", ROOT / "benchmarks" / "mindspore_names.md"
AGREES, EXISTS, REFUSED, NOT_YET = "agrees", "exists", "refused", "not yet"
TRIED = 12  # differential programs of a name, at most
HEAD = """# The public names of MindSpore 2.10

Written by `python -m tests.differential.names`. A name *agrees* if a differential program of it gives MindSpore's value
and gradient; a name that *exists* is compared by other tests, or differs where MindSpore is wrong or refuses; the error
for a *refused* name gives the reason. *On a CPU*: names that MindSpore runs here; for others it documents no CPU, or
refuses every program of them. *Has* is the share of names on a CPU that agree.

| module | names | agrees | exists | refused | not yet | on a CPU | has | agrees, exists or refused |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def names_by_module():
    """MindSpore's public names by module, without their marks.

    >>> "Dense" in names_by_module()["nn"]
    True
    """
    return {module: [name.rstrip("!") for name in names] for module, names in _marked_names().items()}


@cache
def without_a_kernel():
    """The names by module whose documentation lists platforms without a CPU.

    >>> "thor" in without_a_kernel()["nn"], "Dense" in without_a_kernel()["nn"]
    (True, False)
    """
    return {module: {name[:-1] for name in names if name.endswith("!")} for module, names in _marked_names().items()}


def _marked_names():
    names = {}
    for line in table("names").splitlines():
        if line.startswith("["):
            current = names.setdefault(line.strip("[]"), [])
        else:
            current += line.split()
    return names


def evidence():
    """The groups of the grid in which a program agrees, and those of which MindSpore runs no program."""
    recorded, tried, answered, refused = recording.load(), {}, set(), set()
    for case in sorted(grid(everything=True), key=lambda case: not _has_gradient(case, recorded)):
        if case.key in recorded:
            (answered if _runs(recorded[case.key]) else refused).update(case.group.split())
            tried.setdefault(case.group, []).append(case)
    offered = {case.key for case in grid()}
    exist = {group: [case for case in cases if case.key in offered and _runs(recorded[case.key])][:TRIED]
             for group, cases in tried.items()}  # fmt: skip
    answers = answers_of([case for cases in exist.values() for case in cases])
    agreeing = {name for group, cases in exist.items() for name in group.split()
                if any(_agrees(case, recorded[case.key], answers[case.key]) for case in cases)}  # fmt: skip
    return agreeing, refused - answered


def _runs(recorded):
    """Whether MindSpore runs a program in PyNative mode."""
    return recorded[0] is not None and "error" not in recorded[0]


def _has_gradient(case, recorded):
    """Whether MindSpore answers a program with a gradient: such programs are tried first."""
    return case.key in recorded and recorded[case.key][2] is not None and "error" not in recorded[case.key][2]


def _agrees(case, recorded, answers):
    """Whether a program agrees in every mode that MindSpore runs it in; nothing agrees with a missing kernel."""
    reasons = (reason_of(difference) for difference in differences(case, recorded, answers))
    return bool(common_modes(recorded, answers)) and all(reason and reason.verdict == CANNOT for reason in reasons)


def groups_of(module, name):
    """The groups of the grid that show a name; a class that two modules export, or a method inherited, is one name."""
    shared = {"nn": "train", "": "train", "Parameter": "Tensor", "ops": "primitive"}
    return {f"{module or 'mindspore'}.{name}", f"{shared.get(module, module)}.{name}"}


def status(module, name, agreeing):
    """One of the four columns of the page."""
    if exists(module, name):
        return AGREES if agreeing.intersection(groups_of(module, name)) else EXISTS
    path = ".".join(filter(None, (module, name)))
    return REFUSED if path in REMEDIES or reason_of_refusal(path) else NOT_YET


def runs_here(module, name, agreeing, unanswered):
    """Whether MindSpore runs the name on a CPU: a program of it does, or none is refused and a CPU is documented."""
    groups = groups_of(module, name)
    return bool(agreeing & groups) or not (unanswered & groups or name in without_a_kernel()[module])


def page(agreeing, unanswered):
    """The text of the page: counts by module, then the names that are refused or missing."""
    rows, lists = [], []
    for module, names in names_by_module().items():
        by_status = {column: [] for column in (AGREES, EXISTS, REFUSED, NOT_YET)}
        for name in names:
            by_status[status(module, name, agreeing)].append(name)
        counts = [len(members) for members in by_status.values()]
        run = sum(runs_here(module, name, agreeing, unanswered) for name in names)
        shares = (100 * counts[0] / max(run, 1), 100 * (1 - counts[3] / len(names)))
        title = f"`{module or 'mindspore'}`"
        figures = (len(names), *counts, run, *(f"{share:.0f} %" for share in shares))
        rows.append(f"| {title} | {' | '.join(map(str, figures))} |")
        lists += [f"\n{title}, {column}: {' '.join(by_status[column])}" for column in (EXISTS, REFUSED, NOT_YET)
                  if by_status[column]]  # fmt: skip
    return "\n".join((HEAD, *rows, "\n## Names", *lists, ""))


def main():
    """Record if requested, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.names", description=__doc__)
    parser.add_argument("--record", metavar="PYTHON", help="an interpreter that has MindSpore, and numpy below 2")
    chosen = parser.parse_args()
    if chosen.record:
        command = [chosen.record, "-m", "tests.differential.list_names"]
        environment = {**os.environ, "GLOG_v": "4", "PYTHONPATH": str(ROOT)}
        listed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
        NAMES.write_text(listed.stdout, encoding="utf-8")
    text = page(*evidence())
    RESULT.write_text(text, encoding="utf-8")
    print(text.partition("\n## Names")[0])


if __name__ == "__main__":
    main()

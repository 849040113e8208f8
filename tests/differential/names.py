"""``python -m tests.differential.names``: which public names of MindSpore minigraph has, refuses or lacks, by module.

Writes ``benchmarks/mindspore_names.md``. A name *agrees* if a differential program of it gives MindSpore's value and
gradient; other names that exist are compared by other tests. A name is *refused* if the error for it gives a reason.
``--record PYTHON`` first lists the names that the MindSpore of another interpreter has.
"""

import argparse
import importlib
import os
import subprocess
from pathlib import Path

from minigraph.core.errors import MinigraphError
from minigraph.core.missing_names import REMEDIES
from minigraph.core.refused_names import reason_of_refusal
from tests.differential import recording
from tests.differential.call_tables import table
from tests.differential.comparison import common_modes, differences
from tests.differential.grid import grid
from tests.differential.own_answers import answers_of

ROOT = Path(__file__).parents[2]
NAMES, RESULT = Path(__file__).parent / "tables" / "names.txt", ROOT / "benchmarks" / "mindspore_names.md"
AGREES, EXISTS, REFUSED, NOT_YET = "agrees", "exists", "refused", "not yet"
TRIED = 6  # differential programs of a name, at most
HEAD = """# The public names of MindSpore 2.10

Written by `python -m tests.differential.names`. A name *agrees* if a differential program of it gives MindSpore's value
and gradient; a name that *exists* is compared by other tests or not at all; the error for a *refused* name gives the
reason.

| module | names | agrees | exists | refused | not yet | has or refuses |
|---|--:|--:|--:|--:|--:|--:|"""


def names_by_module():
    """MindSpore's public names by module, without their marks.

    >>> "Dense" in names_by_module()["nn"]
    True
    """
    names = {}
    for line in table("names").splitlines():
        if line.startswith("["):
            current = names.setdefault(line.strip("[]"), [])
        else:
            current += [name.rstrip("!") for name in line.split()]
    return names


def has(module, name):
    """Whether minigraph has the name in this module or class.

    >>> has("nn", "Dense"), has("nn.Cell", "construct"), has("nn", "Dens")
    (True, True, False)
    """
    owner = importlib.import_module("minigraph")
    try:
        for part in filter(None, module.split(".")):
            owner = getattr(owner, part)
        return hasattr(owner, name)
    except (AttributeError, MinigraphError):
        return False


def agreeing_groups():
    """The groups of the grid in which one of the first programs agrees in value and gradient."""
    theirs, tried = recording.load(), {}
    for case in grid():
        if case.key in theirs and len(tried.setdefault(case.group, [])) < TRIED:
            tried[case.group].append(case)
    ours = answers_of([case for cases in tried.values() for case in cases])
    return {group for group, cases in tried.items() if any(_agrees(case, theirs[case.key], ours[case.key])
            for case in cases)}  # fmt: skip


def _agrees(case, theirs, ours):
    """Whether a program runs in MindSpore and agrees in every mode that both answer."""
    runs = theirs[0] is not None and "error" not in theirs[0]
    return runs and bool(common_modes(theirs, ours)) and not any(differences(case, theirs, ours))


def status(module, name, agreeing):
    """One of the four columns of the page."""
    if has(module, name):
        groups = (f"{module}.{name}", f"primitive.{name}") if module == "ops" else (f"{module}.{name}",)
        return AGREES if agreeing.intersection(groups) else EXISTS
    path = ".".join(filter(None, (module, name)))
    return REFUSED if path in REMEDIES or reason_of_refusal(path) else NOT_YET


def page(agreeing):
    """The text of the page: counts by module, then the names that are refused or missing."""
    rows, lists = [], []
    for module, names in names_by_module().items():
        by_status = {column: [] for column in (AGREES, EXISTS, REFUSED, NOT_YET)}
        for name in names:
            by_status[status(module, name, agreeing)].append(name)
        counts = [len(members) for members in by_status.values()]
        percent = 100 * (1 - counts[3] / len(names))
        title = f"`{module or 'mindspore'}`"
        rows.append(f"| {title} | {' | '.join(map(str, (len(names), *counts)))} | {percent:.0f} % |")
        lists += [f"\n{title}, {column}: {' '.join(by_status[column])}" for column in (REFUSED, NOT_YET)
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
    text = page(agreeing_groups())
    RESULT.write_text(text, encoding="utf-8")
    print(text.partition("\n## Names")[0])


if __name__ == "__main__":
    main()

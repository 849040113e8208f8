"""``python -m tests.capture.fuzz``: differential fuzzing of capture: random programs in eager mode and captured.

``--keep FILE`` resumes an earlier run with the same file; ``--replay FILE`` runs one program.
"""

import argparse
import gc
import itertools
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.capture.fuzz.findings import Findings
from tests.capture.fuzz.generator import generate_program
from tests.capture.fuzz.program import read_program
from tests.capture.fuzz.runner import check
from tests.capture.fuzz.shrinker import shrink, symptom

BATCH_SIZE = 400
MAX_SHRUNK = 30  # of a batch; the other new differences wait for a later one
SEVERITY = {"warned": 1, "crash": 2, "refused": 3}


def main():
    """Read the command line, run, report; the exit status is 1 if programs differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.capture.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many programs in all, earlier runs included")
    parser.add_argument("--seed", type=int, default=0, help="seed of the programs")
    parser.add_argument("--keep", metavar="FILE", help="a JSON file of findings, to resume a run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--write", metavar="FOLDER", help="write a file for each kind of difference")
    parser.add_argument("--replay", metavar="FILE", help="run the program in a file, and say what differs")
    options = parser.parse_args()
    sys.exit(replay(options.replay) if options.replay else run(options))


def replay(file):
    """Print the observations of a program; the exit status is 1 if the modes differ."""
    verdict = check(read_program(Path(file).read_text("utf-8")))
    print(verdict.difference or verdict.how)
    return int(verdict.difference is not None)


def run(options):
    """Run the programs that are left, batch by batch, and print the report."""
    findings = Findings(options.seed, options.keep)
    start, before = time.perf_counter(), findings.done
    while findings.done < options.count:
        pool = ProcessPoolExecutor(options.jobs, initializer=collect_seldom)
        with pool:  # a new one each time, so that memory is given back
            run_batch(findings, pool, min(BATCH_SIZE, options.count - findings.done))
        findings.save()
        rate = (findings.done - before) / (time.perf_counter() - start)
        print(f"{findings.done:,} programs, {rate:.0f} a second, {len(findings.kinds)} kinds", file=sys.stderr)
    if options.write:
        findings.write(options.write)
    print("\n".join(findings.report()))
    return int(bool(findings.kinds))


def collect_seldom():
    """Collect garbage less often: a worker lives for one batch, and collections are a fifth of its time."""
    gc.freeze()
    gc.set_threshold(50_000)


def run_batch(findings, pool, size):
    """Run some programs; shrink differences that no known kind explains, as many as a batch may."""
    names = [f"{findings.seed}/{number}" for number in range(findings.done, findings.done + size)]
    for name, (program, verdict) in zip(names, pool.map(examine, names, chunksize=10), strict=True):
        findings.count(program, verdict)
        if verdict.difference:
            findings.not_shrunk[name] = symptom(verdict.difference)
    findings.done += size
    now = [*itertools.islice(unexplained_names(findings), MAX_SHRUNK)]
    for name, program, difference in pool.map(shrink_by_name, now):
        if difference:
            findings.add(name, program, difference)
        del findings.not_shrunk[name]


def unexplained_names(findings):
    """The names of differences that no known kind explains, silent ones first; others are counted and dropped."""

    def severity(pair):
        return SEVERITY.get(pair[1].split()[0], 0), pair[0]

    for name, sign in sorted(findings.not_shrunk.items(), key=severity):
        if findings.explain(generate_program(name), sign):
            del findings.not_shrunk[name]
        else:
            yield name


def examine(name):
    """A program and its verdict."""
    program = generate_program(name)
    return program, check(program)


def shrink_by_name(name):
    """A program by its name, shrink_by_name, and its difference."""
    program, verdict = examine(name)
    return (name, *shrink(program, verdict.difference)) if verdict.difference else (name, program, None)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.onnx_models``: run onnx's node tests and write ONNX.md.

python -m benchmarks.onnx_models                 all tests; writes the page
python -m benchmarks.onnx_models conv pool       tests whose names contain one of the words; writes nothing
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import onnx

from benchmarks.onnx_models.node_tests import Result, counted_tests, run_test
from minigraph._version import __version__
from minigraph.core.files import write_atomically
from minigraph.importers.onnx.table import TABLE

PAGE = Path(__file__).parent.parent / "ONNX.md"
MIN_PASS_RATE = 0.95


def page(results: Sequence[Result]) -> str:
    """The page: how many tests pass, why the others do not, and the table of operators."""
    passed = sum(result.passes for result in results)
    reasons = defaultdict[str, list[str]](list)
    for result in results:
        if not result.passes:
            reasons[result.reason].append(result.name)
    rows = [f"| {len(names)} | {reason} | {', '.join(names[:3])}{', ...' if len(names) > 3 else ''} |" for reason, names
            in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))]  # fmt: skip
    versions = [
        f"| {name} | {', '.join(str(since or 1) for since in TABLE.versions(name))} |" for name in sorted(TABLE)
    ]
    with_versions = f"minigraph {__version__} and onnx {onnx.__version__}, opset {onnx.defs.onnx_opset_version()}"
    goal = f"{MIN_PASS_RATE:.0%}"
    text = f"""\
# ONNX operators

Written by `python -m benchmarks.onnx_models` with {with_versions}.

**{passed} of {len(results)} node tests pass ({passed / max(len(results), 1):.1%})**; the goal is {goal}. All tests
count whose inputs and outputs are tensors of float16, float32, float64, bfloat16, integers of 8 to 64 bits, or bools. A
refused test counts as not passed.

## Tests that do not pass

| tests | reason | such as |
|---|---|---|
"""
    table = f"""
## The table

{len(TABLE.names)} operators have converters; others are computed by ONNX's own function bodies.

| operator | converters since opset |
|---|---|
"""
    return text + "\n".join(rows) + "\n" + table + "\n".join(versions) + "\n"


def main(name_parts: Sequence[str]) -> int:
    """Run the tests, print the result, write the page after a complete run; 1 below the goal."""
    tests = [test for test in counted_tests() if not name_parts or any(part in test.name for part in name_parts)]
    results = [run_test(test) for test in tests]
    for result in results:
        if not result.passes:
            print(f"{result.name}: {result.reason}")
    passed = sum(result.passes for result in results)
    print(f"{passed} of {len(results)} node tests pass")
    if not name_parts:
        write_atomically(PAGE, page(results))
        print(f"wrote {PAGE.name}")
    return int(passed < MIN_PASS_RATE * len(results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""``python -m benchmarks.ascend``: print errors and agreement, and rewrite ascend_validation.md and its chart."""

import argparse
from pathlib import Path

from benchmarks.ascend.compare import agreement, compared, spread
from benchmarks.ascend.page import page, picture
from benchmarks.ascend.speed import lines
from minigraph.npu.chips.registry import CHIPS, chip_named

PAGE = Path(__file__).parents[1] / "ascend_validation.md"
PICTURE = PAGE.with_suffix(".svg")


def main():
    """Parse the command line, compare, print, and write unless only a part is requested."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ascend", description=__doc__)
    parser.add_argument("--engines", action="store_true", help="compare only the two engines with each other")
    parser.add_argument("--speed", action="store_true", help="measure only the speed of the simulator")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    if chosen.speed:
        for line in lines():
            print(line, flush=True)
        return
    if not chosen.engines:
        print_errors()
    worst = max(print_agreement(), key=lambda case: abs(case.difference))
    print(f"engines differ most in {worst.kind}: {worst.difference:+.2%} ({worst.job} on {worst.chip})")
    if not chosen.engines and not chosen.dry:
        PAGE.write_text(page(), encoding="utf-8")
        PICTURE.write_text(picture(), encoding="utf-8")
        print(f"wrote {PAGE.name} and {PICTURE.name}")


def print_errors():
    """Print the errors of both halves of the split."""
    for role in ("fitted", "held out"):
        errors = spread([row for row in compared() if row.role == role])
        ninetieth, worst = f"90th percentile {errors.ninetieth:.1%}", f"worst {errors.worst:.1%}"
        print(f"{role:9} {errors.count:3} rows: median {errors.median:.1%}, {ninetieth}, {worst}")


def print_agreement():
    """Print and yield the worst case of each class."""
    for case in agreement([chip_named(name) for name in sorted(CHIPS)]):
        print(f"{case.kind:22} worst {case.difference:+7.2%} of {case.count:3}: {case.job} on {case.chip}")
        yield case


if __name__ == "__main__":
    main()

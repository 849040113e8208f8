"""``python -m benchmarks.ascend``: print errors and agreement, and rewrite ascend_validation.md and its picture."""

import argparse
from pathlib import Path

from benchmarks.ascend.compare import agreement, compared, spread
from benchmarks.ascend.page import page, picture
from benchmarks.ascend.speed import lines
from minigraph.npu.chips.registry import CHIPS, chip_named

PAGE = Path(__file__).parents[1] / "ascend_validation.md"
PICTURE = PAGE.with_suffix(".svg")


def main():
    """Read the command line, compare, print, and write unless only a part was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ascend", description=__doc__)
    parser.add_argument("--engines", action="store_true", help="only the two engines against each other")
    parser.add_argument("--speed", action="store_true", help="only how fast the simulator is")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    if chosen.speed:
        for line in lines():
            print(line, flush=True)
        return
    if not chosen.engines:
        told_errors()
    one = max(told_agreement(), key=lambda one: abs(one.difference))
    print(f"engines differ most in {one.kind}: {one.difference:+.2%} ({one.job} on {one.chip})")
    if not chosen.engines and not chosen.dry:
        PAGE.write_text(page(), encoding="utf-8")
        PICTURE.write_text(picture(), encoding="utf-8")
        print(f"wrote {PAGE.name} and {PICTURE.name}")


def told_errors():
    """The errors of both halves of the split, printed."""
    for role in ("fitted", "held out"):
        found = spread([row for row in compared() if row.role == role])
        ninetieth, worst = f"90th percentile {found.ninetieth:.1%}", f"worst {found.worst:.1%}"
        print(f"{role:9} {found.count:3} rows: median {found.median:.1%}, {ninetieth}, {worst}")


def told_agreement():
    """The worst case of each class, printed as it comes."""
    for one in agreement([chip_named(name) for name in sorted(CHIPS)]):
        print(f"{one.kind:22} worst {one.difference:+7.2%} of {one.count:3}: {one.job} on {one.chip}")
        yield one


if __name__ == "__main__":
    main()

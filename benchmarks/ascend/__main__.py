"""``python -m benchmarks.ascend``: print errors and agreement, write ascend_validation.md, its scatter plot, bands."""

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.ascend.bands import bands_toml
from benchmarks.ascend.compare import agreement, comparisons, spread
from benchmarks.ascend.laws import LAWS, violations
from benchmarks.ascend.network_pages import networks_page
from benchmarks.ascend.page import page, scatter_plot
from benchmarks.ascend.speed import lines
from benchmarks.ascend.whole import grid
from minigraph.core.files import write_atomically
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.efficiency import FILE

PAGE = Path(__file__).parents[1] / "ascend_validation.md"
NETWORKS_PAGE = PAGE.with_name("ascend_networks.md")
PICTURE = PAGE.with_suffix(".svg")


def main():
    """Parse the command line, compare, print, and write the page unless only a part was requested."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ascend", description=__doc__)
    parser.add_argument("--engines", action="store_true", help="only compare the two engines")
    parser.add_argument("--speed", action="store_true", help="only measure the speed of the simulator")
    parser.add_argument(
        "--laws",
        type=int,
        nargs="?",
        const=3000,
        metavar="N",
        help="only check the laws of hardware on N random pairs of jobs for every chip (default: 3000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random pairs of --laws (default: 1)")
    parser.add_argument("--networks", action="store_true", help="only simulate whole networks on every chip")
    parser.add_argument("--dry", action="store_true", help="write no files")
    arguments = parser.parse_args()
    if arguments.speed:
        for line in lines():
            print(line, flush=True)
        return
    if arguments.networks:
        write_atomically(NETWORKS_PAGE, networks_page(grid()))
        print(f"wrote {NETWORKS_PAGE.name}")
        return
    if arguments.laws:
        print_violations(arguments.laws, arguments.seed)
        return
    if not arguments.engines:
        print_errors()
    worst = max(print_agreement(), key=lambda comparison: abs(comparison.difference))
    print(f"engines differ most in {worst.kind}: {worst.difference:+.2%} ({worst.job} on {worst.chip})")
    if not arguments.engines and not arguments.dry:
        write_atomically(FILE, bands_toml())
        write_atomically(PAGE, page())
        write_atomically(PICTURE, scatter_plot())
        print(f"wrote {PAGE.name}, {PICTURE.name} and {FILE.name}")


def print_errors():
    """Print the errors of the fitted and of the held-out rows."""
    for role in ("fitted", "held out"):
        errors = spread([row for row in comparisons() if row.role == role])
        percentile_90, worst = f"90th percentile {errors.percentile_90:.1%}", f"worst {errors.worst:.1%}"
        print(f"{role:9} {errors.count:3} rows: median {errors.median:.1%}, {percentile_90}, {worst}")


def print_violations(count, seed):
    """Print every violation of a law among ``count`` random pairs of jobs for every chip, and their numbers."""
    counts = Counter()
    for violation in violations(seed, count):
        counts[violation.law] += 1
        print(f"{violation.law}: {violation.excess:+.1%} on {violation.chip}, {violation.job}", flush=True)
    print(f"{count:,} pairs on each of {len(CHIPS)} chips: " + ", ".join(f"{law} {counts[law]}" for law in LAWS))


def print_agreement():
    """Print and yield the largest difference of the engines on each class of operators."""
    for summary in agreement([chip_named(name) for name in sorted(CHIPS)]):
        print(
            f"{summary.kind:22} worst {summary.difference:+7.2%} of {summary.count:3}: {summary.job} on {summary.chip}"
        )
        yield summary


if __name__ == "__main__":
    main()

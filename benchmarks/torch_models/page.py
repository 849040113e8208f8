"""The page of the imported networks, from their records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minigraph.importers.torch.table import ATEN, NON_ATEN

Records = Mapping[str, Mapping[str, Any]]
PEER_STAGES = ("build", "export", "decompose")  # stages of torch, before minigraph imports the network
INTRODUCTION = """\
# Networks imported from torch

Written by `python -m benchmarks.torch_models --keep FOLDER`. Each network has random weights, none of them zero or
one; it is exported by `torch.export`, imported by `from_torch`, run as one graph (`@jit(fullgraph=True)`) and
compared with torch, results and gradients of all weights. Its graph is verified, optimised by the default pipeline
with validation (each pass is executed, with gradients, before and after), simulated and drawn. *Error* is the largest
difference from torch relative to the largest absolute value of that result or gradient, at most {tolerance};
gradients below a thousandth of the largest one are compared with that thousandth, and those in which torch's own
float32 and float64 agree in no digit (zero but for rounding) with the largest one. Batch norms of torch 2.15 get
contiguous gradients: it computes wrong ones, by its own finite differences, for transposed views of a batch of one.
*Located* is the share of nodes with a line of Python source.
"""


def page(records: Records, names: Sequence[str] = (), tolerance: float = 1e-4) -> str:
    """The page as Markdown; it lists the networks among ``names`` that have no record."""
    exported = {name: record for name, record in records.items() if record.get("failed") not in PEER_STAGES}
    failed = {name: record for name, record in records.items() if "failed" in record}
    rows_of = {table.format: sum(1 for _ in table) for table in (ATEN, NON_ATEN)}
    sections = [
        INTRODUCTION.format(tolerance=f"{tolerance:g}"),
        _table(("library", "exported by torch", "imported and equal, all stages"), _totals(exported), "lrr"),
        f"{sum(name in records for name in names)} of the {len(names)} networks of the list were checked.\n",
        f"The table has {rows_of['ATen']} ATen operators, and {rows_of['torch']} of control flow and sizes.\n",
    ]
    if failed:
        rows = [(name, record["failed"], record["reason"].replace("|", "\\|")) for name, record in failed.items()]
        sections += ["## Networks that failed\n", _table(("network", "stage", "reason"), rows, "lll")]
    if unchecked := [name for name in names if name not in records]:
        sections += [f"## Networks that were not checked\n\n{', '.join(unchecked)}\n"]
    passed = [_row(record) for name, record in exported.items() if name not in failed]
    columns = ("network", "reduced to", "weights", "nodes", "after passes", "located", "error", "of gradients")
    sections += ["## Networks that passed\n", _table((*columns, "import s"), passed, "llrrrrrrr")]
    return "\n".join(sections)


def _totals(records: Records) -> list[tuple[str, ...]]:
    libraries = list(dict.fromkeys(name.partition(".")[0] for name in records))
    rows = []
    for library in [*libraries, ""]:
        library_records = [record for name, record in records.items() if name.startswith(library + "." * bool(library))]
        count, passed = len(library_records), sum("failed" not in record for record in library_records)
        rows.append((library or "all", str(count), f"{passed} ({passed / max(count, 1):.1%})"))
    return rows


def _row(record: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        record["name"], record["note"], f"{record['parameters']:,}", f"{record['nodes']:,}",
        f"{record['nodes after passes']:,}", f"{record['located']:.0%}", f"{record['error']:.0e}",
        f"{record['gradient error']:.0e}", f"{record['import s']:.2f}",
    )  # fmt: skip


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]], alignments: str) -> str:
    rule = ["--:" if alignment == "r" else "---" for alignment in alignments]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))

"""Whole networks compared with published rows, and simulated on every chip.

``DEPLOYED`` maps row ids to the network of ``networks.py`` that represents the row, in float16. One rule fuses all of
them and the grid of all chips, see ``passes_for``. The eager row is bound by its host, which is not stated.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from benchmarks.ascend.jobs import published_rows
from benchmarks.ascend.networks import bert_base, bert_large_step, decode_step, gpt2, prefill, resnet, resnet_step
from minigraph import Graph
from minigraph.npu import Report, simulate
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.host import DEFAULT_HOST
from passes import as_pipeline
from passes.core.pipeline import Fix
from passes.core.registry import Pass
from passes.default import PIPELINES
from passes.optimize.fuse_attention import fuse_attention

BATCHES = (1, 2, 4, 8, 16, 32)
MIN_ORDERED_RATIO = 1.05  # of two published rates; closer ones count as equal


class Deployed(NamedTuple):
    """A published row: the graph of a batch, its chip, its size, and its kind: inference, training or eager.

    ``host``: the preset of an eager run, where each operator is launched; otherwise, the graph is launched.
    """

    graph: Callable[[], Graph]
    chip: str
    batch: int
    kind: str = "inference"
    host: str = DEFAULT_HOST


DEPLOYED = {
    "n_rn50_310p_b1": Deployed(lambda: resnet(50, 1), "ascend310p3", 1),
    "n_rn50_310p_b8": Deployed(lambda: resnet(50, 8), "ascend310p3", 8),
    "n_rn50_310p_b32": Deployed(lambda: resnet(50, 32), "ascend310p3", 32),
    "n_rn101_310_b1": Deployed(lambda: resnet(101, 1), "ascend310", 1),
    "n_rn101_310_b8": Deployed(lambda: resnet(101, 8), "ascend310", 8),
    "n_bert_310p_b8": Deployed(lambda: bert_base(8, 512), "ascend310p3", 8),
    "n_gpt2_310p_b1": Deployed(lambda: gpt2(1), "ascend310p3", 1),
    "n_gpt2_310p_b8": Deployed(lambda: gpt2(8), "ascend310p3", 8),
    "n_gpt2_310p_b32": Deployed(lambda: gpt2(32), "ascend310p3", 32),
    "e1": Deployed(lambda: resnet_step(256), "ascend910a", 256, "training"),
    "n_rn50t_b32": Deployed(lambda: resnet_step(32), "ascend910a", 32, "training"),
    "n_bertl_02": Deployed(lambda: bert_large_step(96), "ascend910a", 96, "training"),
    "n_llama7b_eager": Deployed(lambda: decode_step(1, 64), "ascend910b1", 1, "eager", "torch_npu-aarch64"),
}
# Rows of one network on one chip in order of batch size, whose rates must be predicted in the published order.
BATCH_SERIES = (
    ("n_rn50_310p_b1", "n_rn50_310p_b8", "n_rn50_310p_b32"), ("n_rn101_310_b1", "n_rn101_310_b8"),
    ("n_gpt2_310p_b1", "n_gpt2_310p_b8", "n_gpt2_310p_b32"),
)  # fmt: skip
# Networks that are simulated on every chip: the graph of a batch size.
GRID: dict[str, Callable[[int], Graph]] = {
    "ResNet-50": lambda batch: resnet(50, batch),
    "ResNet-101": lambda batch: resnet(101, batch),
    "BERT-base, 128 tokens": lambda batch: bert_base(batch, 128),
    "GPT-2, 512 tokens": gpt2,
    "Llama 7B, prefill of 512": prefill,
    "Llama 7B, decode at 512": decode_step,
}


class Rate(NamedTuple):
    """Samples per second of a row: published and predicted."""

    id: str
    published: float
    predicted: float
    tasks: int

    @property
    def error(self) -> float:
        """The relative error of the time."""
        return self.published / self.predicted - 1


def passes_for(kind: str, chip: str, attention_everywhere: bool = False) -> tuple[Pass | Fix, ...]:
    """How a network is fused: inference by ``cann``, training by ``graph_kernel``, an eager run not at all.

    Chips with coupled cores have no kernel for attention: neither the converter of offline models nor MindSpore had one
    when the rows were published; ``attention_everywhere``: as if they had one.
    """
    if kind == "eager":
        return ()
    steps = PIPELINES["cann" if kind == "inference" else "graph_kernel"]
    has_attention = attention_everywhere or chip_named(chip).family == "split"
    return tuple(step for step in steps if has_attention or step is not fuse_attention)


@cache
def fused_copy(graph: Graph, passes: tuple[Pass | Fix, ...]) -> Graph:
    """A copy of a graph, fused by these passes."""
    copy = graph.clone()
    as_pipeline(passes).run(copy)
    return copy


def report_of(row: Deployed, attention_everywhere: bool = False) -> Report:
    """The simulated run of a batch."""
    graph = fused_copy(row.graph(), passes_for(row.kind, row.chip, attention_everywhere))
    return simulate(graph, chip=row.chip, engine="analytic", host=row.host)


@cache
def rates(attention_everywhere: bool = False) -> tuple[Rate, ...]:
    """The rates of all rows of whole networks."""
    published = {row["id"]: float(row["value"]) for row in published_rows()}
    results = []
    for name, row in DEPLOYED.items():
        report = report_of(row, attention_everywhere)
        us = report.eager_us if row.kind == "eager" else report.graph_us
        results.append(Rate(name, published[name], row.batch / us * 1e6, len(report.rows)))
    return tuple(results)


def wrong_orders() -> Iterator[tuple[str, str]]:
    """Neighbouring batch sizes whose published rates differ by more than 5 % and are predicted in the other order."""
    by_id = {rate.id: rate for rate in rates()}
    for series in BATCH_SERIES:
        for small, large in pairwise(by_id[name] for name in series):
            ratio = large.published / small.published
            differs = max(ratio, 1 / ratio) > MIN_ORDERED_RATIO
            if differs and (ratio > 1) != (large.predicted > small.predicted):
                yield small.id, large.id


def grid() -> Iterator[tuple[str, ...]]:
    """The row of each network and batch."""
    for name in GRID:
        for batch in BATCHES:
            yield grid_row(name, batch)


def grid_row(name: str, batch: int) -> tuple[str, ...]:
    """Network, batch, and milliseconds on every chip, or "does not fit"."""
    graph = GRID[name](batch)
    fused = {chip: fused_copy(graph, passes_for("inference", chip)) for chip in sorted(CHIPS)}
    reports = [simulate(copy, chip=chip, engine="analytic") for chip, copy in fused.items()]
    return name, str(batch), *(f"{report.graph_us / 1e3:.3g}" if report.fits else "does not fit" for report in reports)

"""Whole networks compared with published rows, and simulated on every chip.

``DEPLOYED`` maps row ids to the network of ``networks.py`` that represents the row, in float16. One rule fuses all of
them and the grid of all chips, see ``FUSED_BY``. The eager row is bound by its host, which is not stated.
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
from minigraph.npu.library import pipeline_for
from passes.core.pipeline import Pipeline

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
FUSED_BY = {"inference": "cann", "training": "graph_kernel", "eager": None}  # the pipeline of each kind of row
TRAINING_PIPELINES = ("graph_kernel", "cann", "default")  # that the page compares
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


@cache
def fused_copy(graph: Graph, passes: Pipeline) -> Graph:
    """A copy of a graph, fused by these passes."""
    copy = graph.clone()
    passes.run(copy)
    return copy


def report_of(row: Deployed, attention_everywhere: bool = False) -> Report:
    """The simulated run of a batch; ``attention_everywhere``: on a chip whose library has a kernel for attention."""
    chip = chip_named(row.chip)
    if attention_everywhere:
        chip = chip.replace(library_attention=1)
    return simulate(row.graph(), chip=chip, engine="analytic", host=row.host, pipeline=FUSED_BY[row.kind])


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


def training_errors() -> dict[str, list[float]]:
    """The relative errors of the times of the training rows, fused by each of ``TRAINING_PIPELINES``."""
    published = {row["id"]: float(row["value"]) for row in published_rows()}
    errors = {}
    for name, row in DEPLOYED.items():
        if row.kind == "training":
            reports = (simulate(row.graph(), chip=row.chip, engine="analytic", pipeline=p) for p in TRAINING_PIPELINES)
            errors[name] = [published[name] * report.graph_us / row.batch / 1e6 - 1 for report in reports]
    return errors


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
    fused = {chip: fused_copy(graph, pipeline_for("cann", chip_named(chip))) for chip in sorted(CHIPS)}
    reports = [simulate(copy, chip=chip, engine="analytic") for chip, copy in fused.items()]
    return name, str(batch), *(f"{report.graph_us / 1e3:.3g}" if report.fits else "does not fit" for report in reports)

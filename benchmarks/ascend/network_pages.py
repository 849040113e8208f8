"""Whole networks: their section of the validation page, and the page of every network on every chip."""

from benchmarks.ascend.compare import spread_of
from benchmarks.ascend.tables import SPREAD_COLUMNS, kernel_text, markdown_table, number_text, spread_cells
from benchmarks.ascend.whole import TRAINING_PIPELINES, rates, training_errors, wrong_orders
from minigraph.npu.chips.registry import CHIPS, chip_named


def networks_section(rows):
    """The section of the validation page on whole networks."""
    by_id = {row.id: row for row in rows}
    lines = [
        (rate.id, kernel_text(by_id[rate.id]), by_id[rate.id].row["device"], str(rate.tasks),
         number_text(rate.published), number_text(rate.predicted), f"{rate.error:+.0%}", f"{other.error:+.0%}")
        for rate, other in zip(rates(), rates(attention_everywhere=True), strict=True)
    ]  # fmt: skip
    groups = {"whole networks": rates(), "a kernel for attention on every chip": rates(attention_everywhere=True)}
    spreads = markdown_table(
        SPREAD_COLUMNS,
        [(name, *spread_cells(spread_of(rate.error for rate in group))) for name, group in groups.items()],
    )
    intro = """Own definitions in float16 without data (`networks.py`, `whole.py`), per second. One rule
fuses all rows, by `simulate(..., pipeline=)`: inference by `cann`, training by `graph_kernel`, an eager run by no pass.
Attention becomes one kernel where the chip's file says that the vendor's library has it (`library.attention`): not on
310 and 910A, as its manual says; on 310P3, code can call one since CANN 8.0, but no document says that operators are
fused into it, and no row shows its time. Training steps are gradients without optimizer. Published setups state
neither. The last column has such a kernel on every chip (`library.attention=1`, a what-if). The decoder of
`n_llama7b_eager` has no rotary embedding, a cache of 64 tokens, and one launch per operator by the host preset
`torch_npu-aarch64`; its source states
no host. Goal: median 25 %, none over 60 %, batches in order."""
    wrong = len(list(wrong_orders()))
    orders = f"{wrong} pairs of batches that differ by more than 5 % are in the wrong order."
    columns = ("id", "network", "device", "tasks", "published", "predicted", "error of the time",
               "with attention in one kernel")  # fmt: skip
    grid = "[Every network and batch on every chip](ascend_networks.md)."
    pipelines = [(name, *(f"{error:+.0%}" for error in errors)) for name, errors in training_errors().items()]
    training = f"""The training rows rest on their pipeline: no source states which operators were fused.

{markdown_table(("error of the time by pipeline", *TRAINING_PIPELINES), pipelines)}"""
    tables = "\n\n".join((spreads, markdown_table(columns, lines), training))
    return f"## Whole networks\n\n{intro} {orders} {grid}\n\n{tables}\n"


def networks_page(rows):
    """The page of networks on every chip, from the ``rows`` of ``whole.grid``."""
    names = [chip_named(name).title.removeprefix("Ascend ") for name in sorted(CHIPS)]
    intro = """Milliseconds of one batch by the analytic engine, with one launch of the graph, fused by the pipeline
`cann`, without a kernel for attention on 310, 310P3 and 910A: `library.attention` is 0. *does not fit*: weights,
inputs and live results exceed the chip's device memory. Prefill reads 512 tokens and scores the next one; decode
extends 512 tokens by one; the
decoder has no rotary embedding. Written by `python -m benchmarks.ascend --networks`; compared with published rows in
[the validation page](ascend_validation.md)."""
    return f"# Whole networks on every chip\n\n{intro}\n\n{markdown_table(('network', 'batch', *names), rows)}\n"

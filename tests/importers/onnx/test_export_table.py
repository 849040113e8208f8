import numpy as np

from minigraph import Tensor, trace
from minigraph.core.op import TABLE, apply
from minigraph.importers.onnx.export_table import ROWS
from tests.importers.onnx.test_writer import evaluate

# onnx's reference evaluator differs from its own text: groups of transposed convolutions, NaN in Mod
REFERENCE_DIFFERS = {("conv2d_input_grad", 0), ("floor_div", 3), ("floor_mod", 3), ("index_add", 0)}


def test_every_row_computes_what_our_operator_does_on_its_samples():
    rng, wrong = np.random.default_rng(0), []
    for name in ROWS:
        for number, sample in enumerate(TABLE[name].samples(rng) if TABLE[name].samples else ()):
            if (name, number) in REFERENCE_DIFFERS or any(np.asarray(a).dtype.kind == "c" for a in sample.args):
                continue
            operands = [Tensor(np.asarray(a)) for a in sample.args]
            expected = apply(name, *operands, **sample.attrs)
            results = evaluate(trace(lambda *xs: apply(name, *xs, **sample.attrs), *operands), *operands)  # noqa: B023
            for a, b in zip(results, expected if isinstance(expected, tuple) else (expected,), strict=True):
                equal = a.dtype == b.array.dtype and np.allclose(a, b.array, 1e-5, 1e-6, equal_nan=True)
                wrong += [] if equal else [(name, number)]
    assert wrong == []


def test_rows_are_of_operators_that_exist():
    assert set(ROWS) <= set(TABLE)

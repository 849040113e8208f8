import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.op import TABLE, apply
from minigraph.importers.onnx.export_expansions import EXPANSIONS
from minigraph.importers.onnx.export_table import CONVERTERS
from tests.importers.onnx.test_writer import evaluate

# onnx's reference evaluator differs from its own text: groups of transposed convolutions, NaN in Mod
REFERENCE_DIFFERS = {("conv2d_input_grad", 0), ("conv2d_input_grad_chwn", 0), ("floor_div", 3), ("floor_mod", 3)}
REFUSED = {
    "condition_number": "no singular values", "inverse": "no solver", "cholesky": "no solver", "erfinv": "no series",
    "random_normal": "other random numbers", "random_uniform": "other random numbers",
    "random_integer": "other random numbers", "cummax_at": "no positions", "cummin_at": "no positions",
}  # fmt: skip


def written_operators():
    """The operators without effects on real numbers that ONNX can express."""
    return [name for name, op in TABLE.items() if op.samples and not op.effects and name not in {*REFUSED, "new_value"}]


@pytest.mark.parametrize("name", written_operators())
def test_an_operator_equals_its_onnx_form_on_its_samples(name):
    rng, wrong = np.random.default_rng(0), []
    for number, sample in enumerate(TABLE[name].samples(rng)):
        operands = [Tensor(np.asarray(a)) for a in sample.args]
        expected = apply(name, *operands, **sample.attrs)
        results = expected if isinstance(expected, tuple) else (expected,)
        complex_numbers = any(x.dtype.kind == "c" for x in (*operands, *results))
        if (name, number) in REFERENCE_DIFFERS or complex_numbers:
            continue
        computed = evaluate(trace(lambda *xs: apply(name, *xs, **sample.attrs), *operands), *operands)  # noqa: B023
        for a, b in zip(computed, results, strict=True):
            equal = a.dtype == b.array.dtype and np.allclose(a, b.array, 1e-5, 1e-6, equal_nan=True)
            wrong += [] if equal else [number]
    assert wrong == []


def test_rows_are_of_operators_that_exist():
    assert {*CONVERTERS, *EXPANSIONS, *REFUSED} <= set(TABLE)
    assert not CONVERTERS.keys() & EXPANSIONS.keys()

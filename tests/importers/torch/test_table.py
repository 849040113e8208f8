"""Every converter of the table computes the result of torch."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.core.types import dtype_named
from minigraph.importers.operator_table import DeferredResult
from minigraph.importers.torch.table import ATEN, NON_ATEN
from tests.importers.torch.samples import CALLS, SHAPES_ONLY
from tests.tables import reason_against

CHECKED_BY_TORCH = {
    "_assert_tensor_metadata", "_assert_scalar", "_assert_async", "_linalg_check_errors", "sym_constrain_range_for_size"
}  # fmt: skip
IN_PROGRAMS = {  # by tests of whole programs
    "detach_", "_linalg_det", "_linalg_slogdet", "linalg_inv_ex", "linalg_cholesky_ex", "_linalg_solve_ex", "linalg_qr",
    "_linalg_svd", "linalg_pinv", "_embedding_bag", "linalg_solve_triangular", "linalg_matrix_exp", "cholesky_inverse",
    "cholesky_solve",
}  # fmt: skip


def test_every_row_has_a_sample():
    sampled = {name.partition(".")[0] for name, *_ in CALLS} | {*SHAPES_ONLY} | CHECKED_BY_TORCH | IN_PROGRAMS
    assert {name.partition(".")[0] for name in ATEN} - sampled == set()


def convert(value, tensor, dtype):
    """An argument of a sample with tensors and dtypes of a library."""
    if isinstance(value, np.ndarray | np.generic):
        return tensor(np.asarray(value))
    if isinstance(value, tuple):
        return tuple(convert(item, tensor, dtype) for item in value)
    return value


def call_ours(name, args, attrs):
    overload = ".dim" * (name in ("max", "min") and len(args) > 1)
    converter = ATEN.find(name + overload, 0) or ATEN.converter(name.partition(".")[0], 0)
    operands = convert(tuple(tuple(a) if isinstance(a, list) else a for a in args), ms.Tensor, None)
    results = converter(*operands, **{key: dtype_named(v) if key == "dtype" else v for key, v in attrs.items()})
    results = results if isinstance(results, tuple) else (results,)
    return [item.compute() if isinstance(item, DeferredResult) else item for item in results]


def check(name, args, attrs):
    """The converter and torch's operator have equal results; where the dtypes differ, after a cast."""
    torch = pytest.importorskip("torch")
    operator = torch.ops.aten
    for part in name.split("."):
        operator = getattr(operator, part)
    torch_operands = [convert(arg, torch.from_numpy, None) for arg in args]
    torch_operands = [[*arg] if isinstance(arg, tuple) else arg for arg in torch_operands]
    expected = operator(
        *torch_operands, **{key: getattr(torch, v) if key == "dtype" else v for key, v in attrs.items()}
    )
    expected = expected if isinstance(expected, tuple | list) else (expected,)
    results = call_ours(name, args, attrs)
    assert len(results) >= len(expected)
    for result, reference in zip(results, expected, strict=False):
        reference = np.asarray(reference)
        got = np.asarray(result.asnumpy() if isinstance(result, ms.Tensor) else result).astype(reference.dtype)
        assert got.shape == reference.shape or not reference.size
        if reference.size:
            np.testing.assert_allclose(got, reference, rtol=2e-5, atol=2e-6)


def test_rows_equal_torch():
    pytest.importorskip("torch")
    reasons = (
        (name, reason_against(check, (name, args, keywords[0] if keywords else {}))) for name, args, *keywords in CALLS
    )
    wrong = [f"{name}: {' '.join(reason.split())[-300:]}" for name, reason in reasons if reason]
    assert not wrong, f"{len(wrong)} of {len(CALLS)} calls\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", SHAPES_ONLY)
def test_new_tensors_of_any_values_have_the_shape(name):
    (result,) = call_ours(name, SHAPES_ONLY[name], {})
    assert str(result.type) == "f32[2,3]"


def test_control_flow_runs_bodies_as_functions():
    x = ms.Tensor(3.0)
    double, decrement = (lambda x: (x * 2,)), (lambda x: (x - 1,))
    assert NON_ATEN.converter("cond", 0)(x > 1, (x,), body1=double, body2=decrement)[0].item() == 6
    count = NON_ATEN.converter("while_loop", 0)((x,), body0=lambda x: (x < 20,), body1=double)
    assert count[0].item() == 24
    total, sums = NON_ATEN.converter("scan", 0)((x,), (ms.Tensor([1.0, 2.0]),), body0=lambda c, x: (c + x, c + x))
    assert (total.item(), sums.tolist()) == (6.0, [4.0, 6.0])

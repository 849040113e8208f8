"""Samples are in their operators' domains, and cover special values."""

import numpy as np
import pytest

from minigraph.operators.samples import EDGES, binary_samples, reduction_samples, unary_samples

FAMILIES = [unary_samples(0.5, 2.0), binary_samples(), reduction_samples()]


@pytest.mark.parametrize("samples", FAMILIES)
def test_samples_are_reproducible_and_some_are_smooth(samples):
    # samples repeat for the same generator
    first, second = (samples(np.random.default_rng(3)) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        assert all(x.tobytes() == y.tobytes() for x, y in zip(a.args, b.args, strict=True))
    # every family has smooth float64 samples
    smooth = [s for s in samples(np.random.default_rng(0)) if s.smooth]
    assert len(smooth) >= 3
    assert all(a.dtype == np.float64 for s in smooth for a in s.args)


def test_ranges_of_samples():
    # smooth samples stay inside of their range
    for sample in unary_samples(0.5, 2.0)(np.random.default_rng(0)):
        if sample.smooth:
            assert all(((a >= 0.5) & (a < 2.0)).all() for a in sample.args)
    # edges hold both zeros infinities and nan
    assert np.signbit(EDGES[EDGES == 0]).tolist() == [False, True]
    assert set(EDGES[np.isinf(EDGES)]) == {np.inf, -np.inf}
    assert np.isnan(EDGES).sum() == 1
    # operators without integer operands have no integer samples
    assert any(a.dtype.kind == "i" for s in binary_samples()(np.random.default_rng(0)) for a in s.args)
    assert not any(a.dtype.kind == "i" for s in binary_samples("f")(np.random.default_rng(0)) for a in s.args)
    assert not any(a.dtype.kind == "i" for s in reduction_samples("f")(np.random.default_rng(0)) for a in s.args)

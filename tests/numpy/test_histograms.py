"""Histograms, counts and bins against numpy."""

import numpy as np

from minigraph import Tensor, errors, float32, jit
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, V, W, X, assert_same, check, check_each
from tests.tables import error_cases, every

REPEATED = np.array([1, 2, 2, 5, 5, 5, 1], np.int32)
EDGES = np.array([-2.0, 0.0, 0.5, 3.0], np.float32)


def test_bincount_and_edges():
    # bincount
    check("bincount", REPEATED, compiled=False)
    check("bincount", REPEATED, minlength=8, compiled=False)
    check("bincount", REPEATED, np.arange(7, dtype=np.float32), compiled=False)
    assert mnp.bincount(Tensor(REPEATED)).dtype is float32
    assert jit(lambda x: mnp.bincount(x, length=4))(Tensor(REPEATED)).asnumpy().tolist() == [0, 2, 2, 0]
    # edges
    check_each("histogram_bin_edges", (V, 3), (V,), (V, EDGES), (V, 3, (0, 3)), (np.ones(3, np.float32), 2))


@every(right=[False, True])
def test_digitize(right):
    for bins in (np.sort(W), np.sort(W)[::-1].copy()):
        check("digitize", np.concatenate((V, W)), bins, right=right)


OF_BINS = [
    {}, {"bins": 4}, {"bins": 4, "range": (0, 1)}, {"bins": 4, "density": True}, {"bins": EDGES},
    {"bins": EDGES, "density": True}, {"bins": 3, "weights": np.abs(X)},
]  # fmt: skip


@every(options=OF_BINS, ids=" ".join)
def test_histogram(options):
    check("histogram", X, **options)


@every(options=[{}, {"bins": 2}, {"bins": [2, 3]}, {"bins": 2, "density": True}], ids=str)
def test_two_axes(options):
    check("histogram2d", V, W, **options)


def test_many_axes():
    for sample, options in ((X.T, {"bins": 2}), (CUBE[0], {"bins": 2}), (CUBE[0].T, {"bins": [2, 3, 2]})):
        counts, edges = mnp.histogramdd(Tensor(sample), **options)
        expected, positions = np.histogramdd(sample, **options)
        assert_same(counts, expected)
        assert_same(edges, list(positions))
    counts, _ = mnp.histogramdd([Tensor(V), Tensor(W)], 2, weights=[1.0, 2.0, 3.0, 4.0])
    assert_same(counts, np.histogramdd([V, W], 2, weights=[1, 2, 3, 4])[0])


test_errors = error_cases(
    (lambda: mnp.histogramdd(Tensor(V)), r"histogramdd expects points in rows, got shape \[4\]"),
    (lambda: mnp.histogramdd(Tensor(X), [2, 2]), "histogramdd needs bins for each of 3 axes, got 2"),
    error=errors.MinigraphError,
)

"""Tensors by name, number, record and Tensor: moments of every named initializer, seeds, errors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float32, float64, int32, jit, set_seed, trace
from minigraph.compilation import OpByOpWarning
from minigraph.nn.initializers import INITIALIZERS, HeUniform, Normal, TruncatedNormal, Uniform, initializer
from tests.tables import error_cases, every

# name -> (mean, deviation, largest magnitude) for the shape (200, 50)
EXPECTED = {
    "zeros": (0, 0, 0),
    "ones": (1, 0, 1),
    "uniform": (0, 0.07 / 3**0.5, 0.07),
    "normal": (0, 0.01, None),
    "truncated_normal": (0, 0.01, None),
    "xavier_uniform": (0, (2 / 250) ** 0.5, (6 / 250) ** 0.5),
    "he_uniform": (0, (2 / 50) ** 0.5, (6 / 50) ** 0.5),
    "he_normal": (0, (2 / 50) ** 0.5, None),
    "identity": (0.005, 0.005**0.5, 1),
    "xavier_normal": (0, (2 / 250) ** 0.5, None),
    "variance_scaling": (0, (1 / 50) ** 0.5, 2 / 0.8796 * (1 / 50) ** 0.5),
    "orthogonal": (0, (1 / 200) ** 0.5, None),
}
MATRICES = [name for name in INITIALIZERS if name != "dirac"]  # which is for kernels of convolutions


@every(name=MATRICES)
def test_named_initializer_has_its_moments(name):
    mean, deviation, largest = EXPECTED[name]
    values = initializer(name, (200, 50)).asnumpy()
    assert (values.shape, values.dtype) == ((200, 50), np.float32)
    assert values.mean() == pytest.approx(mean, abs=4 * deviation / 100)
    assert values.std() == pytest.approx(deviation, rel=0.03)
    assert largest is None or 0.97 * largest <= np.abs(values).max() <= largest * (1 + 1e-6)


@pytest.mark.parametrize("name", ["TruncatedNormal", "truncatedNormal", "xavieruniform", "Zero", "ones", "HeNormal"])
def test_names_of_classes_are_names_too(name):
    assert initializer(name, (2, 2)).shape == (2, 2)


@every(dtype=[float16, float32, float64, int32])
def test_dtype_and_number(dtype):
    values = initializer(3, 4, dtype)
    assert (values.dtype, values.tolist()) == (dtype, [3, 3, 3, 3])


def test_the_seed_decides_and_every_sample_is_new():
    set_seed(5)
    first, second = initializer("normal", 8).asnumpy(), initializer("normal", 8).asnumpy()
    set_seed(5)
    assert np.array_equal(initializer("normal", 8).asnumpy(), first)
    assert not np.array_equal(first, second)


def test_values_are_concrete_while_tracing_and_drawn_anew_by_every_call_of_a_compiled_function():
    def step(x):
        created = initializer("normal", (3,))
        assert isinstance(created.asnumpy(), np.ndarray)
        return x + created

    x, compiled = Tensor([0.0] * 3), jit(step)
    assert trace(step, x).outs
    set_seed(5)
    expected = [step(x).tolist(), step(x).tolist()]
    set_seed(5)
    with pytest.warns(OpByOpWarning, match=r"initial weights are drawn in `initializer"):
        assert [compiled(x).tolist(), compiled(x).tolist()] == expected


def test_tensors_are_copied_and_records_configured():
    # a tensor is copied and cast if its shape fits
    source = Tensor(np.arange(6).reshape(2, 3))
    first = initializer(source, (2, 3))
    assert (first.dtype, first.asnumpy().tolist()) == (float32, [[0, 1, 2], [3, 4, 5]])
    with pytest.raises(errors.ShapeError, match=r"expected shape \[3, 2\], got i64\[2,3\]"):
        initializer(source, (3, 2))

    # records are configured
    def samples(rule, shape=(1000,)):
        return initializer(rule, shape).asnumpy()

    assert np.abs(samples(Uniform(2.0))).max() > 1.9
    assert samples(Normal(0.1, 5.0)).mean() == pytest.approx(5, abs=0.02)
    assert -0.5 <= samples(TruncatedNormal(1.0, 0.0, -0.5, 3.0)).min() < -0.4
    assert np.abs(samples(HeUniform(5**0.5), (10, 16))).max() <= 0.25


test_errors = error_cases(
    (lambda: initializer("noraml", (2,)), LookupError, "no initializer 'noraml'; did you mean 'normal'?"),
    (lambda: initializer([1.0, 2.0], (2,)), TypeError, "got list; names: zeros, ones"),
    (lambda: initializer(TruncatedNormal(a=1.0, b=1.0), (2,)), ValueError, "a must be below b"),
)

"""Memory is that of the array; random numbers have their distribution."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor


def test_a_capsule_shares_the_memory():
    x = Tensor([1.0, 2.0])
    shared = Tensor.from_dlpack(x.to_dlpack())
    x.asnumpy()[0] = 7
    assert shared.tolist() == [7.0, 2.0]
    with pytest.raises(TypeError, match="from_dlpack: got list; give the capsule of to_dlpack"):
        Tensor.from_dlpack([1.0])


def test_memory_belongs_to_the_process():
    x = Tensor([1.0, 2.0])
    assert (x.is_pinned(), x.is_shared(), x.is_meta, x.storage_offset(), x.init) == (False, False, False, 0, None)


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit])
def test_distributions(run):
    ms.set_seed(1)
    x = Tensor(np.ones((100, 100), np.float32))
    drawn = run(lambda x: x.cauchy(2.0, 3.0))(x).asnumpy()
    assert np.quantile(drawn, [0.25, 0.5, 0.75]) == pytest.approx([-1, 2, 5], abs=0.2)
    logs = np.log(run(lambda x: x.log_normal(0.5, 2.0))(x).asnumpy())
    assert (logs.mean(), logs.std()) == (pytest.approx(0.5, abs=0.1), pytest.approx(2, abs=0.1))
    assert x.asnumpy().all() and x[0, 0].item() == 1


def test_integers_of_the_cauchy_distribution_are_truncated():
    ms.set_seed(1)
    drawn = Tensor(np.ones(1000, np.int32)).cauchy(0.0, 10.0)
    assert drawn.dtype == ms.int32 and len(set(drawn.tolist())) > 20
    assert Tensor(np.ones(3, np.float16)).cauchy().dtype == ms.float16

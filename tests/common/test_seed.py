import numpy as np
import pytest

from minigraph import Tensor, jit, nn, ops
from minigraph.common.seed import get_seed, set_seed
from minigraph.dataset import NumpySlicesDataset
from tests.tables import cases


def samples():
    rows = [row[0].asnumpy().item() for row in NumpySlicesDataset(list(range(20)), ["n"], shuffle=True)]
    return ops.randn(3).asnumpy().tolist(), nn.Dense(2, 2).weight.asnumpy().tolist(), rows


def test_one_seed_for_operators_weights_and_shuffles():
    set_seed(3)
    first = samples()
    set_seed(3)
    assert samples() == first
    set_seed(4)
    again = samples()
    assert all(a != b for a, b in zip(first, again, strict=True))


def test_both_modes_sample_the_same_numbers():
    def noisy(x):
        return x + ops.randn(3) + ops.randn(3)

    x = Tensor(np.zeros(3, np.float32))
    set_seed(1)
    eager = [noisy(x).asnumpy() for _ in range(3)]
    set_seed(1)
    compiled = jit(noisy)
    graph = [compiled(x).asnumpy() for _ in range(3)]
    assert np.array_equal(eager, graph) and not np.array_equal(graph[0], graph[1])


def test_set_seed_in_a_graph_raises_and_changes_nothing():
    set_seed(5)
    with pytest.raises(RuntimeError, match=r"^set_seed: .* \(test_seed.py:\d+\); call set_seed outside"):
        jit(lambda x: (set_seed(6), x), fullgraph=True)(Tensor(1.0))
    assert get_seed() == 5
    first = samples()
    set_seed(5)
    assert samples() == first


@cases(
    ("a", "TypeError: The argument 'seed' must be type of int, but got <class 'str'>."),
    (1.5, "TypeError: The argument 'seed' must be type of int, but got <class 'float'>."),
    (True, "TypeError: For 'global_seed', the 'seed' must be int and must >= 0, but got 'True' with type 'bool'."),
    (-1, "ValueError: For 'global_seed', the 'seed' must be int and must >= 0, but got '-1' with type 'int'."),
    (2**32, "ValueError: Seed must be between 0 and 2**32 - 1"),
)
def test_an_invalid_seed_raises_and_changes_nothing(seed, text):
    set_seed(11)
    with pytest.raises((TypeError, ValueError)) as caught:
        set_seed(seed)
    assert f"{type(caught.value).__name__}: {caught.value}" == text
    assert get_seed() == 11

import numpy as np
import pytest

from minigraph import Tensor, jit, nn, ops
from minigraph.common.seed import get_seed, set_seed
from minigraph.dataset import NumpySlicesDataset
from tests.tables import cases


def drawn():
    rows = [row[0].asnumpy().item() for row in NumpySlicesDataset(list(range(20)), ["n"], shuffle=True)]
    return ops.randn(3).asnumpy().tolist(), nn.Dense(2, 2).weight.asnumpy().tolist(), rows


def test_one_seed_for_operators_weights_and_shuffles():
    set_seed(3)
    first = drawn()
    set_seed(3)
    assert drawn() == first
    set_seed(4)
    again = drawn()
    assert all(a != b for a, b in zip(first, again, strict=True))


def test_both_modes_draw_the_same_numbers():
    def noisy(x):
        return x + ops.randn(3) + ops.randn(3)

    x = Tensor(np.zeros(3, np.float32))
    set_seed(1)
    eager = [noisy(x).asnumpy() for _ in range(3)]
    set_seed(1)
    compiled = jit(noisy)
    graph = [compiled(x).asnumpy() for _ in range(3)]
    assert np.array_equal(eager, graph) and not np.array_equal(graph[0], graph[1])


def test_in_a_graph_it_is_refused_before_anything_changes():
    set_seed(5)
    with pytest.raises(RuntimeError, match=r"^set_seed: .* \(test_seed.py:\d+\); call set_seed outside"):
        jit(lambda x: (set_seed(6), x))(Tensor(1.0))
    assert get_seed() == 5
    first = drawn()
    set_seed(5)
    assert drawn() == first


@cases(
    ("a", "TypeError: The argument 'seed' must be type of int, but got <class 'str'>."),
    (1.5, "TypeError: The argument 'seed' must be type of int, but got <class 'float'>."),
    (True, "TypeError: For 'global_seed', the 'seed' must be int and must >= 0, but got 'True' with type 'bool'."),
    (-1, "ValueError: For 'global_seed', the 'seed' must be int and must >= 0, but got '-1' with type 'int'."),
    (2**32, "ValueError: Seed must be between 0 and 2**32 - 1"),
)
def test_no_seed_is_refused_and_the_last_one_kept(seed, told):
    set_seed(11)
    with pytest.raises((TypeError, ValueError)) as caught:
        set_seed(seed)
    assert f"{type(caught.value).__name__}: {caught.value}" == told
    assert get_seed() == 11

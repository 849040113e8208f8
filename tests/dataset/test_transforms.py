"""Operations for map: casts, one-hot rows, compositions, random operations."""

import numpy as np

from minigraph import Tensor, float16
from minigraph.dataset import transforms
from minigraph.dataset.config import set_seed
from tests.tables import error_cases, every


@every(kind=[float16, np.float16, "float16", np.dtype("float16")])
def test_type_cast(kind):
    result = transforms.TypeCast(kind)(Tensor([1, 2]))
    assert (result.dtype, result.tolist()) == (np.float16, [1, 2])


def test_one_hot_rows_and_compositions():
    # one hot
    assert transforms.OneHot(3)(np.array([2, 0], np.int32)).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert transforms.OneHot(3)(np.array(1, np.int8)).dtype == np.int8
    np.testing.assert_allclose(transforms.OneHot(4, 0.2)(np.array(1)), [0.05, 0.85, 0.05, 0.05])
    # compose passes on one value or several
    assert transforms.Compose([lambda a: (a, a + 1), lambda a, b: a * b])(np.array(3)) == 12
    assert transforms.Compose([lambda a: (a, -a)])(2) == (2, -2)
    # random operations
    always, never = (transforms.RandomApply([lambda x: x + 1, lambda x: x * 2], prob) for prob in (1.0, 0.0))
    assert (always(3), never(3)) == (8, 3)
    choice = transforms.RandomChoice([lambda x: x, lambda x: -x])
    assert {choice(1) for _ in range(50)} == {1, -1}


def test_random_operations_have_their_probability_and_are_reproducible():
    def draws(seed):
        set_seed(seed)
        chance = transforms.Bernoulli(0.25)
        return [chance() for _ in range(2000)]

    assert 0.2 < np.mean(draws(1)) < 0.3
    assert draws(1) == draws(1) != draws(2)


test_invalid_arguments_raise = error_cases(
    (lambda: transforms.TypeCast(3), TypeError, "TypeCast: expected a dtype such as ms.float32, got 3"),
    (lambda: transforms.OneHot(0), ValueError, "num_classes must be an int of at least 1, got 0"),
    (lambda: transforms.OneHot(2, 1.5), ValueError, "smoothing_rate must be in"),
    (lambda: transforms.OneHot(2)(np.array([0, 2])), RuntimeError, "classes are ints from 0 to 1"),
    (lambda: transforms.OneHot(2)(np.array([0.0])), RuntimeError, "classes are ints"),
    (lambda: transforms.Compose([3]), TypeError, "operations must be functions"),
    (lambda: transforms.RandomChoice([]), TypeError, "operations must be functions"),
    (lambda: transforms.Bernoulli(1.5), ValueError, "Input prob is not within"),
)

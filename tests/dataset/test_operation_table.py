"""Operations from rows: signature, documentation, and seeds."""

import inspect

import numpy as np

from minigraph import Tensor
from minigraph.dataset import config
from minigraph.dataset.operation_table import RandomArrayOperation, operation_class


def shift(x, by):
    """x plus a number."""
    return x + by


def noisy(rng, x, scale):
    """x plus noise."""
    return x + scale * rng.random()


def test_an_operation_has_the_signature_of_its_arguments():
    Shift = operation_class("Shift", shift, lambda by=1: {"by": by}, __name__)
    assert (Shift.__name__, Shift.__doc__, Shift.__module__) == ("Shift", "x plus a number.", __name__)
    assert str(inspect.signature(Shift)) == "(by=1)" and Shift(by=2)(Tensor([1.0])).tolist() == [3.0]


def test_random_operations_use_the_dataset_seed():
    Noise = operation_class("Noise", noisy, lambda scale: {"scale": scale}, __name__, RandomArrayOperation)
    config.set_seed(3)
    first = [Noise(2.0)(np.zeros(1))[0] for _ in range(2)]
    assert first[0] == first[1] and 0 < first[0] < 2
    noise = Noise(2.0)
    assert noise(np.zeros(1)) != noise(np.zeros(1))

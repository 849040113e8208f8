"""Shared by tests of ``nn``: small Cells, Tensors of any array, and the names of Parameters."""

import numpy as np

from minigraph import Parameter, Tensor, nn


def names(result):
    """The names of Parameters, or of the Parameters of a Cell, in order."""
    return [parameter.name for parameter in (result.get_parameters() if isinstance(result, nn.Cell) else result)]


def tensor(array):
    """A float32 Tensor; ``None`` for ``None``."""
    return None if array is None else Tensor(np.asarray(array, np.float32))


def assert_close(result, expected, rtol=1e-5, atol=1e-6):
    """Asserts that a Tensor has the shape and, nearly, the elements of an array."""
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=rtol, atol=atol)


class AttributeCell(nn.Cell):
    """A Cell with the given attributes."""

    def __init__(self, **attributes):
        super().__init__()
        for name, value in attributes.items():
            setattr(self, name, value)


class Leaf(nn.Cell):
    """One named and one unnamed Parameter."""

    def __init__(self):
        super().__init__()
        self.plain = Parameter(Tensor([1.0]))
        self.moving = Parameter(Tensor([2.0]), name="explicit", requires_grad=False)

    def construct(self, x):
        return x * self.plain + self.moving


class Net(nn.Cell):
    """A child assigned before the own Parameter; own Parameters are listed first."""

    def __init__(self):
        super().__init__()
        self.leaf = Leaf()
        self.own = Parameter(Tensor([3.0]))
        self.seq = nn.SequentialCell(nn.Dense(1, 1), nn.ReLU())

    def construct(self, x):
        return self.leaf(x) + self.own


def is_random_in_training_only(layer, *inputs):
    """Whether the first result is the same at every call in evaluation, and differs in training."""
    quiet, again, trained = (layer.set_train(training)(*inputs) for training in (False, False, True))
    first = [
        (result[0] if isinstance(result, tuple) else result).asnumpy().tobytes() for result in (quiet, again, trained)
    ]
    return first[0] == first[1] != first[2]


def normalize(x, axes, eps):
    """An array of numpy with mean 0 and variance 1 along axes."""
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)

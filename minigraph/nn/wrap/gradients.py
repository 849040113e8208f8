"""Wrappers around a network that return gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import Function, PyTree
from minigraph.core.autodiff.grad import value_and_grad
from minigraph.core.autodiff.grad_operation import GradOperation
from minigraph.core.tensor import Parameter
from minigraph.nn.cell import Cell
from minigraph.nn.wrap.training import WithLossCell


class ForwardValueAndGrad(Cell):
    """(the network's output, its gradients): by the first input, ``get_all`` inputs, the ``weights``, or both.

    ``sens_param``: the last input is the initial cotangent.

    >>> from minigraph import Tensor, nn
    >>> net = nn.Dense(2, 1, "ones", "zeros")
    >>> value, (weight, bias) = ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)(Tensor([[1.0, 2.0]]))
    >>> print(value, weight)
    [[3.]] [[1. 2.]]
    """

    def __init__(
        self, network: Cell | Function, weights: Sequence[Parameter] | None = None, get_all: bool = False,
        get_by_list: bool = False, sens_param: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(auto_prefix=False)
        self.network, self.weights = network, list(weights or ()) if get_by_list else None
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs: PyTree) -> PyTree:
        """The output and the gradients."""
        count = len(inputs) - self.sens_param
        position = tuple(range(count)) if self.get_all else None if self.get_by_list else 0
        gradient = GradOperation(self.get_all, self.get_by_list, self.sens_param)(self.network, self.weights)
        if self.sens_param:
            return self.network(*inputs[:count]), gradient(*inputs)
        value, gradients = value_and_grad(self.network, position, self.weights)(*inputs)
        if self.get_all and count == 1:
            gradients = ((gradients[0],), gradients[1]) if self.get_by_list else (gradients,)
        return value, gradients


class WithGradCell(Cell):
    """The gradients with respect to the trainable Parameters of a network with its loss.

    >>> from minigraph import Tensor, nn
    >>> net = nn.Dense(2, 1, "ones", "zeros")
    >>> print(WithGradCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))[0])
    [[4. 8.]]
    """

    def __init__(self, network: Cell, loss_fn: Function | None = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.sens, self.weights = network, sens, network.trainable_params()
        self._loss = network if loss_fn is None else WithLossCell(network, loss_fn)

    def construct(self, *inputs: PyTree) -> PyTree:
        """The gradients for one batch, such as (data, label)."""
        seed = () if self.sens is None else (self.sens,)
        return GradOperation(get_by_list=True, sens_param=bool(seed))(self._loss, self.weights)(*inputs, *seed)


class _FunctionTransform(Cell):
    """The base class of transformations of one network or function."""

    def __init__(self, fn: Function) -> None:
        super().__init__(auto_prefix=False)
        self.fn = fn


class Jvp(_FunctionTransform):
    """(the results of a network or function, the products of its Jacobian with vectors, one per input).

    >>> from minigraph import Tensor
    >>> print(*Jvp(lambda x: x * x)(Tensor([1.0, 3.0]), Tensor([1.0, 10.0])))
    [1. 9.] [ 2. 60.]
    """

    def construct(self, *args: PyTree) -> PyTree:
        """The inputs of the function, then the vector for its input, or a tuple of vectors for several inputs."""
        return ops.jvp(self.fn, args[:-1], args[-1])


class Vjp(_FunctionTransform):
    """(the results of a network or function, the products of vectors with its Jacobian: one per input).

    >>> from minigraph import Tensor
    >>> print(*Vjp(lambda x: x * x)(Tensor([1.0, 3.0]), Tensor([1.0, 10.0])))
    [1. 9.] [ 2. 60.]
    """

    def construct(self, *args: PyTree) -> PyTree:
        """The inputs of the function, then the vector for its result, or a tuple of vectors for several results."""
        results, pullback = ops.vjp(self.fn, *args[:-1])
        vectors = args[-1] if isinstance(args[-1], tuple | list) else args[-1:]
        products = pullback(*vectors)
        return results, products if len(products) > 1 else products[0]

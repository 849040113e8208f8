"""``GradOperation``, MindSpore's older gradient API, in terms of ``grad``."""

from __future__ import annotations

from minigraph.core.aliases import Function, PyTree
from minigraph.core.autodiff.grad import Position, Weights, grad
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, UsageError
from minigraph.core.location import with_location
from minigraph.core.tensor import Parameter, Tensor


def get_grad(gradients: object, identifier: int | Parameter) -> Tensor:
    """The gradient of a position or Parameter, from what ``grad(..., return_ids=True)`` returns.

    Raises ``RuntimeError`` if there is none, ``TypeError`` for another identifier.

    >>> gradients = grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(4.0))
    >>> print(get_grad(gradients, 1))
    3.0
    """
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    stack = [gradients]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], int | str):
            if item[0] == name:
                gradient: Tensor = item[1]
                return gradient
        elif isinstance(item, tuple):
            stack += item
    error = ArgRuntimeError if isinstance(identifier, int | Parameter) else ArgTypeError
    raise with_location(error(f"get_grad: there is no gradient of {name!r}; ask for it in grad(...)"))


class GradOperation:
    """MindSpore's older API: configure once, then ``op(fn_or_cell[, weights])(*inputs)``.

    ``get_all``: gradients for all inputs that are tensors, as a tuple. ``get_by_list``: for the weights (default: all
    trainable ones of the Cell), as a tuple. Both: (inputs, weights). ``sens_param``: the last argument is the output's
    cotangent.
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Function, weights: Weights = None) -> Function:
        """The gradient function of ``fn``."""
        if self.get_by_list and weights is None:
            if not hasattr(fn, "trainable_params"):
                raise with_location(
                    UsageError("GradOperation: get_by_list of a function; give the weights as second argument")
                )
            weights = fn.trainable_params()
        selected_weights = weights if self.get_by_list else None

        def gradient(*args: PyTree, **kwargs: PyTree) -> PyTree:
            inputs = len(args) - (1 if self.sens_param and "sens" not in kwargs else 0)
            position: Position = tuple(range(inputs)) if self.get_all else None if self.get_by_list else 0
            grads = grad(fn, position, selected_weights, sens_param=self.sens_param)(*args, **kwargs)
            if not self.get_all or sum(isinstance(arg, Tensor) for arg in args[:inputs]) != 1:
                return grads
            return ((grads[0],), grads[1]) if self.get_by_list else (grads,)

        return gradient

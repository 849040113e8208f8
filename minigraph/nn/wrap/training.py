"""Wrappers around a network: with its loss, and with a whole training step."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import CallResult, Function
from minigraph.core.autodiff.grad import value_and_grad
from minigraph.core.autodiff.grad_operation import GradOperation
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.nn.cell import Cell
from minigraph.nn.layer.basic import Identity
from minigraph.nn.optim.optimizer import Optimizer


class WithLossCell(Cell):
    """A network followed by its loss: ``loss_fn(backbone(data), label)``.

    >>> from minigraph import nn, Tensor
    >>> net = WithLossCell(nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), nn.MSELoss())
    >>> print(net(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
    4.0
    """

    def __init__(self, backbone: Cell, loss_fn: Function) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Tensor, label: Tensor) -> Tensor:
        """The loss of one batch."""
        return converted_function(self._loss_fn)(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network without its loss."""
        return self._backbone


class ParameterUpdate(Cell):
    """Assigns a Parameter the input, and returns it; raises ``TypeError`` for other values.

    >>> parameter = Parameter(Tensor([1.0]), name="rate")
    >>> print(ParameterUpdate(parameter)(Tensor([9.0])), parameter.value())
    [9.] [9.]
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise ArgTypeError(f"For 'ParameterUpdate', 'param' must be 'Parameter', but got {param!r}.")
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        """The input."""
        return ops.depend(x, ops.assign(self._param, x))


class TrainOneStepCell(Cell):
    """One training step of a network that returns its loss: forward, gradients, update.

    Returns the loss before the update; with ``return_grad`` also a dict of gradients by Parameter name. ``sens`` scales
    the gradients (``None``: 1). ``ops.depend`` ties the update to the returned loss, so no pass can remove it.

    A subclass may define its own ``construct`` with ``network``, ``weights``, ``optimizer``, ``sens``, ``grad`` and
    ``grad_no_sens`` (the gradients in ``weights`` with and without a sensitivity as last argument) and
    ``grad_reducer``, which exists for compatibility: a single device has nothing to reduce. Raises ``ValueError`` for a
    ``sens`` of 0.
    """

    def __init__(
        self, network: Cell, optimizer: Optimizer, sens: float | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        if sens == 0:
            raise ArgValueError("The input argument of 'sens' can not be 0.")
        self.sens = 1.0 if sens is None else float(sens)
        self.return_grad = return_grad
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.grad_reducer = Identity()
        self.grad_fn = value_and_grad(self._scaled_loss, None, self.weights, has_aux=True)

    def construct(self, *inputs: Tensor) -> CallResult:
        """The loss before the update."""
        (_, loss), grads = self.grad_fn(*inputs)
        loss = ops.depend(loss, self.optimizer(grads))
        if not self.return_grad:
            return loss
        return loss, {weight.name: grad for weight, grad in zip(self.weights, grads, strict=True)}

    def _scaled_loss(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """(the value to differentiate, the loss of the network)."""
        loss = self.network(*inputs)
        return loss if self.sens == 1.0 else loss * self.sens, loss

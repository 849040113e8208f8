"""Resilient backpropagation."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class Rprop(Optimizer):
    """w -= d sign(g): the step d of each element grows while its gradient keeps its sign, and shrinks otherwise.

    d, first the learning rate, is multiplied by ``etas[1]`` or ``etas[0]`` and stays within ``step_sizes``; an element
    whose gradient changes its sign is not updated in that step (Riedmiller & Braun 1993). Raises ``ValueError`` unless
    0 < etas[0] < 1 < etas[1], and for step sizes in the wrong order; ``TypeError`` unless both are pairs of floats.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Rprop([w], learning_rate=0.1)
    >>> for _ in range(2):
    ...     _ = optimizer((Tensor([3.0]),))
    >>> print(w.value())
    [0.78]
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(pair, tuple) or not all(isinstance(limit, float) for limit in pair):
                raise ArgTypeError(f"For 'Rprop', the '{name}' must be a tuple of floats, but got {pair!r}.")
            if len(pair) != 2:
                raise ArgValueError(f"For 'Rprop', the length of '{name}' must be 2, but got {len(pair)}.")
        if not 0 < etas[0] < 1 < etas[1]:
            raise ArgValueError(f"For 'Rprop', 'etas' must be below and above 1, but got {etas}.")
        if step_sizes[1] < step_sizes[0]:
            raise ArgValueError(f"For 'Rprop', the maximal step size is less than the minimal one: {step_sizes}.")
        self.etas, self.step_sizes = etas, step_sizes
        self.prev = self.clones("prev")
        self.step_size: ParameterTuple = self.clones("step_size")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        size = ops.select(self.global_step.squeeze() == 1, ops.zeros_like(gradient) + step.rate, self.step_size[i])
        agreement = self.prev[i] * gradient
        shrunk = ops.maximum(size * self.etas[0], self.step_sizes[0])
        grown = ops.minimum(size * self.etas[1], self.step_sizes[1])
        size = ops.select(agreement > 0, grown, ops.select(agreement < 0, shrunk, size))
        masked_gradient = ops.select(agreement < 0, 0.0, gradient)
        value = ops.assign(parameter, parameter - size * ops.sign(masked_gradient))
        return ops.depend(value, (ops.assign(self.prev[i], masked_gradient), ops.assign(self.step_size[i], size)))

"""``mindspore.mint.optim``: optimizers of ``nn`` under PyTorch's argument names and defaults."""

from __future__ import annotations

from minigraph import nn
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.optim.optimizer import Decay, Parameters, Rate, Step

__all__ = ["SGD", "Adam", "AdamW"]


class AdamW(nn.AdamW):
    """``nn.AdamW``: weight decay is decoupled from the gradient.

    Raises ``ValueError`` for ``amsgrad`` and ``maximize``, which are not supported.
    """

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Decay = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _check_unused(type(self).__name__, amsgrad=amsgrad, maximize=maximize)
        super().__init__(params, lr, *betas, eps, weight_decay)


class Adam(AdamW):
    """w -= lr m̂ / (sqrt(v̂) + eps), m̂ = m / (1 - b1^t), v̂ = v / (1 - b2^t) (Kingma & Ba 2015, algorithm 1).

    Weight decay is added to the gradient.

    >>> import minigraph as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.mint.optim.Adam([w], lr=0.1)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> print(w.value())
    [0.9]
    """

    decays_gradients = True

    def __init__(
        self,
        params: Parameters,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Decay = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``; its gradient already has the weight decay."""
        return super().update(i, parameter, gradient, step._replace(decay=0.0))


class SGD(nn.SGD):
    """``nn.SGD``; raises ``ValueError`` for ``maximize``, which is not supported."""

    def __init__(
        self,
        params: Parameters,
        lr: Rate,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Decay = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _check_unused("SGD", maximize=maximize)
        super().__init__(params, lr, float(momentum), float(dampening), weight_decay, nesterov)


def _check_unused(who: str, **flags: bool) -> None:
    for name, value in flags.items():
        if value:
            raise UsageError(f"mint.optim.{who}: {name}=True is not supported; leave it out")

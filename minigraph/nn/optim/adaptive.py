"""Optimizers whose rate adapts to each element or each Parameter: Adagrad, Adadelta, AdaMax, Lamb."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import flag, float_from_0, of_type
from minigraph.nn.optim.momentum import checked_betas, followed
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class Adagrad(Optimizer):
    """s += g²; w -= lr g / sqrt(s), s beginning at ``accum`` (Duchi, Hazan & Singer 2011).

    Without ``update_slots`` s stays as it is. Raises ``ValueError`` for an ``accum`` below 0.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Adagrad([w], accum=9.0, learning_rate=0.1)
    >>> optimizer((Tensor([4.0]),))
    (True,)
    >>> print(w.value())
    [0.92]
    """

    def __init__(
        self,
        params: Parameters,
        accum: float = 0.1,
        learning_rate: Rate = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        first = float_from_0("Adagrad", "accum", of_type("Adagrad", "accum", accum, float))
        self.update_slots = flag("Adagrad", "update_slots", update_slots)
        self.accum = self.clones("accum", first)

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        total: Any = self.accum[i]
        if self.update_slots:
            total = ops.assign(total, total + gradient * gradient)
        return ops.assign(parameter, parameter - step.rate * gradient / ops.sqrt(total))


class Adadelta(Optimizer):
    """d = sqrt(u + epsilon) / sqrt(s + epsilon) g; w -= lr d; s and u are running means of g² and d² (Zeiler 2012).

    Raises ``ValueError`` for a ``rho`` outside of [0, 1].
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = float_from_0("Adadelta", "rho", of_type("Adadelta", "rho", rho, float))
        if self.rho > 1:
            raise ValueArgument(
                f"For 'Adadelta', the 'rho' must be in range of [0.0, 1.0], but got {rho} with type 'float'."
            )
        self.epsilon = float_from_0("Adadelta", "epsilon", of_type("Adadelta", "epsilon", epsilon, float))
        self.accum, self.accum_update = self.clones("accum"), self.clones("accum_update")

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        spread = followed(self.accum[i], self.rho, gradient * gradient)
        along = ops.sqrt(self.accum_update[i] + self.epsilon) / ops.sqrt(spread + self.epsilon) * gradient
        moved = ops.assign(parameter, parameter - step.rate * along)
        return ops.depend(moved, followed(self.accum_update[i], self.rho, along * along))


class AdaMax(Optimizer):
    """m is the running mean of g, u the largest of b2 u and abs(g); w -= lr / (1 - b1^t) m / (u + eps).

    Algorithm 2 of Kingma & Ba 2015 (arXiv 1412.6980), with an eps beside u.
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = checked_betas("AdaMax", beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor(1.0, float32), name="beta1_power", requires_grad=False)
        self.moment1, self.moment2 = self.clones("moment1"), self.clones("moment2")

    def shared(self) -> Any:
        """b1^t of this step: f32[]."""
        return ops.assign(self.beta1_power, self.beta1_power * self.beta1)

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        mean = followed(self.moment1[i], self.beta1, gradient)
        largest = ops.assign(self.moment2[i], ops.maximum(self.beta2 * self.moment2[i], ops.abs(gradient)))
        return ops.assign(parameter, parameter - step.rate / (1 - step.shared) * mean / (largest + self.eps))


class Lamb(Optimizer):
    """r = m̂ / (sqrt(v̂) + eps) + weight_decay w; w -= lr r |w| / |r|, m̂ and v̂ the corrected means of g and g².

    Algorithm 2 of You et al. 2020 (arXiv 1904.00962): every Parameter moves by the same share of its length. Where
    w or r is 0, the share is 1.
    """

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = checked_betas("Lamb", beta1, beta2, eps)
        self.moments1, self.moments2 = self.clones("lamb_m"), self.clones("lamb_v")

    def shared(self) -> Any:
        """1 - b1^t and 1 - b2^t of this step: a pair of f32[]."""
        count = (self.global_step + 1).astype(float32).reshape(())
        return tuple(1 - beta**count for beta in (self.beta1, self.beta2))

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        mean = followed(self.moments1[i], self.beta1, gradient)
        square = followed(self.moments2[i], self.beta2, gradient * gradient)
        share1, share2 = step.shared
        along = mean / share1 / (ops.sqrt(square / share2) + self.eps) + step.decay * parameter
        size, length = _length(parameter), _length(along)
        both = ops.logical_and(size > 0, length > 0)
        trust = ops.where(both, size / ops.where(both, length, 1.0), 1.0)
        return ops.assign(parameter, parameter - step.rate * trust * along)


def _length(x: Any) -> Any:
    """The root of the sum of all squares: f32[]."""
    return ops.sqrt((x * x).sum())

"""The optimizers: SGD, Momentum, Adam, AdamWeightDecay."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import flag, of_type, positive_float
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class SGD(Optimizer):
    """w -= lr v, with v = momentum v + (1 - dampening) g, at the first step v = g.

    With ``nesterov``, w -= lr (g + momentum v). Without momentum, w -= lr g. The state is v, called ``accum``, and
    ``stat``, which is 1 until the first step where there is dampening.
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Decay = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.moving = momentum_of("SGD", momentum)
        if not dampening >= 0:
            raise ValueArgument(
                f"For 'SGD', the argument 'dampening' must be at least 0.0, but got 'dampening' {dampening}"
            )
        if nesterov and (self.moving == 0.0 or dampening != 0.0):
            raise ValueArgument(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {momentum}, 'dampening' {dampening}."
            )
        self.dampening, self.nesterov = float(dampening), flag("SGD", "nesterov", nesterov)
        self.momentum = Parameter(Tensor(self.moving, float32), name="momentum", requires_grad=False)
        self.accum, self.stat = self.clones("accum"), self.clones("stat", 1.0)

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        if not self.moving:
            return ops.assign(parameter, parameter - step.rate * gradient)
        fresh = self._dampened(i, gradient) if self.dampening else gradient
        velocity = ops.assign(self.accum[i], self.momentum * self.accum[i] + fresh)
        along = gradient + self.momentum * velocity if self.nesterov else velocity
        return ops.assign(parameter, parameter - step.rate * along)

    def _dampened(self, i: int, gradient: Any) -> Any:
        """What dampening leaves of a gradient: at the first step all of it."""
        share = ops.where(self.stat[i] > 0, 1.0, 1.0 - self.dampening)
        return ops.depend(gradient * share, ops.assign(self.stat[i], ops.zeros_like(self.stat[i])))


class Momentum(Optimizer):
    """v = momentum v + g; w -= lr v, or with ``use_nesterov`` w -= lr (g + momentum v).

    >>> from minigraph import nn
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = nn.Momentum([w], learning_rate=0.1, momentum=0.9)
    >>> optimizer((Tensor([1.0]),)), optimizer((Tensor([1.0]),))
    ((True,), (True,))
    >>> print(w.value())
    [0.71]
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate,
        momentum: float,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        first = Tensor(momentum_of("Momentum", of_type("Momentum", "momentum", momentum, float)), float32)
        self.momentum = Parameter(first, name="momentum", requires_grad=False)
        self.moments = self.clones("moments")
        self.use_nesterov = flag("Momentum", "use_nesterov", use_nesterov)

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        moment = ops.assign(self.moments[i], self.momentum * self.moments[i] + gradient)
        along = gradient + self.momentum * moment if self.use_nesterov else moment
        return ops.assign(parameter, parameter - step.rate * along)


class Adam(Optimizer):
    """m and v are running means of g and g²; w -= lr_t m / (sqrt(v) + eps), lr_t = lr sqrt(1 - b2^t) / (1 - b1^t).

    The form before section 2.1 of Kingma & Ba 2015 (arXiv 1412.6980), as MindSpore computes it: eps stands
    beside sqrt(v), not beside its corrected value. With ``use_nesterov`` m is brought one step further,
    b1 m + (1 - b1) g (Dozat 2016); with ``use_amsgrad`` v is the largest there was (Reddi et al. 2018,
    arXiv 1904.09237). ``use_locking`` changes nothing.
    """

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = checked_betas("Adam", beta1, beta2, eps)
        flag("Adam", "use_locking", use_locking)
        self.use_nesterov = flag("Adam", "use_nesterov", use_nesterov)
        self.use_amsgrad = flag("Adam", "use_amsgrad", use_amsgrad)
        self.beta1_power = Parameter(Tensor(1.0, float32), name="beta1_power", requires_grad=False)
        self.beta2_power = Parameter(Tensor(1.0, float32), name="beta2_power", requires_grad=False)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")
        if use_amsgrad:
            self.vhat = self.clones("vhat")

    def shared(self) -> Any:
        """lr_t / lr of this step: f32[]."""
        power1 = ops.assign(self.beta1_power, self.beta1_power * self.beta1)
        power2 = ops.assign(self.beta2_power, self.beta2_power * self.beta2)
        return ops.sqrt(1 - power2) / (1 - power1)

    def adjusted_rate(self, rate: Any, shared: Any) -> Any:
        """lr_t of this step: f32[]."""
        return rate * shared

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        mean = followed(self.moment1[i], self.beta1, gradient)
        square = followed(self.moment2[i], self.beta2, gradient * gradient)
        if self.use_nesterov:
            mean = _running(mean, self.beta1, gradient)
        if self.use_amsgrad:
            square = ops.assign(self.vhat[i], ops.maximum(self.vhat[i], square))
        return ops.assign(parameter, parameter - step.rate * mean / (ops.sqrt(square) + self.eps))


class AdamWeightDecay(Optimizer):
    """w -= lr (m / (sqrt(v) + eps) + weight_decay w), without Adam's correction of the first steps.

    Weight decay is apart from the gradient, as in AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101).
    """

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = checked_betas("AdamWeightDecay", beta1, beta2, eps)
        self.moments1 = self.clones("adam_m")
        self.moments2 = self.clones("adam_v")

    def update(self, i: int, parameter: Parameter, gradient: Any, step: Step) -> Any:
        """The new value of Parameter number ``i``."""
        mean = followed(self.moments1[i], self.beta1, gradient)
        square = followed(self.moments2[i], self.beta2, gradient * gradient)
        along = mean / (ops.sqrt(square) + self.eps) + step.decay * parameter
        return ops.assign(parameter, parameter - step.rate * along)


def _running(mean: Any, beta: float, fresh: Any) -> Any:
    """An exponential running mean, one value later."""
    return beta * mean + (1 - beta) * fresh


def followed(mean: Parameter, beta: float, fresh: Any) -> Any:
    """A running mean that is kept, one value later: its Parameter assigned."""
    return ops.assign(mean, _running(mean, beta, fresh))


def momentum_of(who: str, value: Any) -> float:
    """The momentum; raises ``TypeError`` for what is no number and ``ValueError`` below 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = type(value).__name__
        raise TypeArgument(f"For '{who}', the type of 'momentum' should be 'float', but got type '{kind}'.")
    if not value >= 0:
        raise ValueArgument(f"For '{who}', the argument 'momentum' must be at least 0.0, but got {value}")
    return float(value)


def checked_betas(who: str, beta1: Any, beta2: Any, eps: Any) -> tuple[float, float, float]:
    """The constants of Adam; raises ``TypeError`` for other types, ``ValueError`` for numbers out of range."""
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0.0 < of_type(who, name, value, float) < 1.0:
            raise ValueArgument(
                f"For '{who}', the '{name}' must be in range of (0.0, 1.0), but got {value} with type 'float'."
            )
    return beta1, beta2, positive_float(who, "eps", of_type(who, "eps", eps, float))

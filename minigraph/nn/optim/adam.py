"""Adam and its variants: Adam, LazyAdam, AdamOffload, AdamWeightDecay, AdamW, AdaMax."""

from __future__ import annotations

import math

from minigraph import ops
from minigraph.core.aliases import PyTree, TensorLike
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import check_bool, check_positive_float, check_type
from minigraph.nn.optim.optimizer import Decay, Optimizer, Parameters, Rate, Step


class Adam(Optimizer):
    """w -= lr_t m / (sqrt(v) + eps), lr_t = lr sqrt(1 - b2^t) / (1 - b1^t), m and v moving averages of g and g².

    The form before section 2.1 of Kingma & Ba 2015 (arXiv 1412.6980), as in MindSpore: eps is added to sqrt(v), not to
    its bias-corrected value. ``use_nesterov`` advances m by one step, b1 m + (1 - b1) g (Dozat 2016); ``use_amsgrad``
    uses the maximum of all v (Reddi et al. 2018, arXiv 1904.09237). ``use_locking`` has no effect.
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
        self.beta1, self.beta2, self.eps = check_betas("Adam", beta1, beta2, eps)
        check_bool("Adam", "use_locking", use_locking)
        self.use_nesterov = check_bool("Adam", "use_nesterov", use_nesterov)
        self.use_amsgrad = check_bool("Adam", "use_amsgrad", use_amsgrad)
        self.beta1_power = Parameter(Tensor(1.0, float32), name="beta1_power", requires_grad=False)
        self.beta2_power = Parameter(Tensor(1.0, float32), name="beta2_power", requires_grad=False)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")
        if use_amsgrad:
            self.vhat = self.clones("vhat")

    def shared_values(self) -> Tensor:
        """lr_t / lr of this step: f32[]."""
        power1 = ops.assign(self.beta1_power, self.beta1_power * self.beta1)
        power2 = ops.assign(self.beta2_power, self.beta2_power * self.beta2)
        return ops.sqrt(1 - power2) / (1 - power1)

    def adjusted_rate(self, rate: Tensor, shared_values: PyTree) -> Tensor:
        """lr_t of this step: f32[]."""
        return rate * shared_values

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        mean = update_moving_average(self.moment1[i], self.beta1, gradient)
        square = update_moving_average(self.moment2[i], self.beta2, gradient * gradient)
        if self.use_nesterov:
            mean = _moving_average(mean, self.beta1, gradient)
        if self.use_amsgrad:
            square = ops.assign(self.vhat[i], ops.maximum(self.vhat[i], square))
        return ops.assign(parameter, parameter - step.rate * mean / (ops.sqrt(square) + self.eps))


class AdamOffload(Adam):
    """``Adam``; MindSpore computes its updates on the host's processor, as everything is computed here."""

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
    ) -> None:
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale
        )  # fmt: skip


class LazyAdam(AdamOffload):
    """``Adam``; of sparse gradients MindSpore updates only the rows that they have, but gradients here are dense."""


class AdamWeightDecay(Optimizer):
    """w -= lr (m / (sqrt(v) + eps) + weight_decay w), without Adam's bias correction.

    Weight decay is decoupled from the gradient, as in AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101).
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
        self.beta1, self.beta2, self.eps = check_betas("AdamWeightDecay", beta1, beta2, eps)
        self.moments1 = self.clones("adam_m")
        self.moments2 = self.clones("adam_v")

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        mean = update_moving_average(self.moments1[i], self.beta1, gradient)
        square = update_moving_average(self.moments2[i], self.beta2, gradient * gradient)
        direction = mean / (ops.sqrt(square) + self.eps) + step.decay * parameter
        return ops.assign(parameter, parameter - step.rate * direction)


class AdamW(Optimizer):
    """w -= lr (m̂ / (sqrt(v̂) + eps) + weight_decay w), m̂ = m / (1 - b1^t), v̂ = v / (1 - b2^t).

    Algorithm 2 of Loshchilov & Hutter 2019 (arXiv 1711.05101) with the learning rate as its schedule: weight decay is
    decoupled from the gradient, and eps is added to the bias-corrected root. Weight decay applies to all Parameters.

    >>> from minigraph import Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = AdamW([w], learning_rate=0.1, weight_decay=0.5)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.value())
    [0.85]
    """

    decays_gradients = False

    def __init__(
        self,
        params: Parameters,
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Decay = 0.01,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = check_betas("AdamW", beta1, beta2, eps)
        self.moment1 = self.clones("moment1")
        self.moment2 = self.clones("moment2")

    def shared_values(self) -> tuple[Tensor, ...]:
        """The bias corrections of both averages: a pair of f32[]."""
        count = (self.global_step + 1).astype(float32).reshape(())
        return _bias_correction(self.beta1, count), _bias_correction(self.beta2, count) ** 0.5

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        correction, root_correction = step.shared_values
        mean = update_moving_average(self.moment1[i], self.beta1, gradient)
        square = update_moving_average(self.moment2[i], self.beta2, gradient * gradient)
        direction = mean / correction / (ops.sqrt(square) / root_correction + self.eps) + step.decay * parameter
        return ops.assign(parameter, parameter - step.rate * direction)

    def decays(self, parameter: Parameter) -> bool:
        """True: weight decay applies to all Parameters."""
        return True


class AdaMax(Optimizer):
    """w -= lr / (1 - b1^t) m / (u + eps), m the moving average of g, u = max(b2 u, abs(g)).

    Algorithm 2 of Kingma & Ba 2015 (arXiv 1412.6980), with eps added to u.
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
        self.beta1, self.beta2, self.eps = check_betas("AdaMax", beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor(1.0, float32), name="beta1_power", requires_grad=False)
        self.moment1, self.moment2 = self.clones("moment1"), self.clones("moment2")

    def shared_values(self) -> Tensor:
        """b1^t of this step: f32[]."""
        return ops.assign(self.beta1_power, self.beta1_power * self.beta1)

    def update(self, i: int, parameter: Parameter, gradient: Tensor, step: Step) -> Tensor:
        """The new value of Parameter ``i``."""
        mean = update_moving_average(self.moment1[i], self.beta1, gradient)
        largest = ops.assign(self.moment2[i], ops.maximum(self.beta2 * self.moment2[i], ops.abs(gradient)))
        return ops.assign(parameter, parameter - step.rate / (1 - step.shared_values) * mean / (largest + self.eps))


def _moving_average(mean: Tensor, beta: TensorLike, value: TensorLike) -> Tensor:
    """An exponential moving average after one more value."""
    return beta * mean + (1 - beta) * value


def update_moving_average(mean: Parameter, beta: TensorLike, value: TensorLike) -> Tensor:
    """Assigns an exponential moving average its value after one more sample."""
    return ops.assign(mean, _moving_average(mean, beta, value))


def check_betas(caller: str, beta1: float, beta2: float, eps: float) -> tuple[float, float, float]:
    """The constants of Adam; raises ``TypeError`` for other types, ``ValueError`` for numbers out of range."""
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0.0 < check_type(caller, name, value, float) < 1.0:
            raise ArgValueError(
                f"For '{caller}', the '{name}' must be in range of (0.0, 1.0), but got {value} with type 'float'."
            )
    return beta1, beta2, check_positive_float(caller, "eps", check_type(caller, "eps", eps, float))


def _bias_correction(beta: float, step: Tensor) -> Tensor:
    """1 - beta^step: f32[]; by expm1, because the difference 1 - 0.999 has only three digits in float32."""
    return -ops.expm1(step * math.log(beta))

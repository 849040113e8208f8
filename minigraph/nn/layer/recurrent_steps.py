"""The steps of recurrent networks: the next state from an input and the previous state."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor

State = tuple[Tensor, ...]  # of one layer and direction: [N, hidden_size] each, beginning with the output


class Step:
    """The base class: the number of ``gates`` in a weight, the number of ``states``, and the ``step``."""

    gates: int = 1
    states: int = 1
    has_bias: bool

    def step(self, x: Tensor, h: Tensor, state: State) -> State:
        """The next state; ``x`` and ``h`` are input and output state times their weights, gates concatenated."""
        raise ArgValueError(f"{type(self).__name__}: a subclass of Step must define step(x, h, state)")

    def project(self, x: Tensor, name: str) -> Tensor:
        """``x`` times the weight of that name, plus its bias: gates concatenated."""
        y = x @ getattr(self, f"weight_{name}").T
        return y + getattr(self, f"bias_{name}") if self.has_bias else y

    def split(self, rows: Tensor) -> tuple[Tensor, ...]:
        """[N, gates * hidden_size] as one [N, hidden_size] per gate."""
        return ops.chunk(rows, self.gates, 1)


class ElmanStep(Step):
    """h' = tanh(W x + b + U h + c), or relu with ``nonlinearity`` "relu" (Elman 1990)."""

    nonlinearity: str = "tanh"

    def step(self, x: Tensor, h: Tensor, state: State) -> State:
        """The next h."""
        return (ops.relu(x + h) if self.nonlinearity == "relu" else ops.tanh(x + h),)


class LSTMStep(Step):
    """c' = f c + i g and h' = o tanh(c') (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000).

    i, f and o are sigmoids and g is a tanh of W x + b + U h + c; the order of their rows in the weights is i, f, g, o.
    The state is a pair (h, c).
    """

    gates, states = 4, 2

    def step(self, x: Tensor, h: Tensor, state: State) -> State:
        """The next h and c."""
        i, f, g, o = self.split(x + h)
        c = ops.sigmoid(f) * state[1] + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), c


class GRUStep(Step):
    """h' = (1 - z) n + z h with n = tanh(W x + b + r (U h + c)) (Cho et al. 2014, with r after the product).

    r and z are sigmoids of W x + b + U h + c; the order of the rows in the weights is r, z, n.
    """

    gates = 3

    def step(self, x: Tensor, h: Tensor, state: State) -> State:
        """The next h."""
        (xr, xz, xn), (hr, hz, hn) = self.split(x), self.split(h)
        z = ops.sigmoid(xz + hz)
        n = ops.tanh(xn + ops.sigmoid(xr + hr) * hn)
        return ((1.0 - z) * n + z * state[0],)


def check_nonlinearity(caller: str, name: str) -> str:
    """The name; raises ``ValueError`` unless it is "tanh" or "relu"."""
    if name not in ("tanh", "relu"):
        raise ArgValueError(f"For '{caller}', the 'nonlinearity' must be in ['tanh', 'relu'], but got {name}.")
    return name

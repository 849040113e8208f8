"""One step of a recurrent network as a layer: RNNCell, LSTMCell and GRUCell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.aliases import CallResult
from minigraph.core.errors import ArgTypeError, ShapeError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_bool, check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import initializer, uniform_of_fan_in
from minigraph.nn.layer.recurrent_steps import ElmanStep, GRUStep, LSTMStep, State, Step, check_nonlinearity


class RecurrentCell(Step, Cell):
    """The base class: ``weight_ih`` [gates hidden_size, input_size], ``weight_hh`` [gates hidden_size, hidden_size].

    With ``has_bias`` there are ``bias_ih`` and ``bias_hh``. All are initialised from U(-1/sqrt(hidden_size),
    1/sqrt(hidden_size)). Raises ``ValueError`` for sizes below 1.
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = float32) -> None:
        super().__init__()
        caller = type(self).__name__
        self.input_size = check_positive_int(caller, "input_size", input_size)
        self.hidden_size = check_positive_int(caller, "hidden_size", hidden_size)
        self.has_bias = check_bool(caller, "has_bias", has_bias)
        rows = self.gates * hidden_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if has_bias else {}
        for name, shape in shapes.items():
            setattr(self, name, Parameter(initializer(uniform_of_fan_in(hidden_size), shape, dtype), name))

    def construct(self, x: Tensor, hx: Tensor | Sequence[Tensor]) -> CallResult:
        """The next state [N, hidden_size] from ``x`` [N, input_size] and the previous state; pairs for an LSTMCell."""
        state = self._state(x, hx)
        new = self.step(self.project(x, "ih"), self.project(state[0], "hh"), state)
        return new if self.states > 1 else new[0]

    def _state(self, x: Tensor, hx: Any) -> State:
        """The state as a tuple, with all shapes checked."""
        caller = type(self).__name__
        if self.states > 1 and not isinstance(hx, tuple | list):
            raise ArgTypeError(f"For '{caller}', the 'hx' must be a tuple (h, c), but got '{type(hx).__name__}'")
        state = tuple(hx) if self.states > 1 else (hx,)
        if len(state) != self.states:
            raise ArgTypeError(f"For '{caller}', the length of 'hx' must be '{self.states}', but got '{len(state)}'")
        shapes = [tuple(tensor.shape) for tensor in (x, *state)]
        sizes = (self.input_size, *[self.hidden_size] * self.states)
        if any(len(shape) != 2 for shape in shapes) or shapes != [(shapes[0][0], size) for size in sizes]:
            raise ShapeError(
                f"{caller}: needs x[N,{self.input_size}] and {self.states} of hx[N,{self.hidden_size}], "
                f"got shapes {', '.join(str(list(shape)) for shape in shapes)}"
            )
        return state


class RNNCell(ElmanStep, RecurrentCell):
    """One ``ElmanStep``.

    >>> from minigraph import ops
    >>> RNNCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: DType = float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, dtype)
        self.nonlinearity = check_nonlinearity("RNNCell", nonlinearity)


class LSTMCell(LSTMStep, RecurrentCell):
    """One ``LSTMStep``.

    >>> from minigraph import ops
    >>> h, c = LSTMCell(3, 4)(ops.ones((2, 3)), (ops.zeros((2, 4)), ops.zeros((2, 4))))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """


class GRUCell(GRUStep, RecurrentCell):
    """One ``GRUStep``.

    >>> from minigraph import ops
    >>> GRUCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape
    (2, 4)
    """

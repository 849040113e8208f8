"""Recurrent layers, RNN, LSTM and GRU: a loop over the time steps of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import CallResult
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import initializer, uniform_of_fan_in
from minigraph.nn.layer.dropout import Dropout
from minigraph.nn.layer.recurrent_steps import ElmanStep, GRUStep, LSTMStep, State, Step, check_nonlinearity


class Recurrent(Step, Cell):
    """The base class: stacked layers, each unidirectional or bidirectional; subclasses define the ``step``.

    Parameters of layer ``k``: ``weight_ih_lk`` [gates * hidden_size, inputs], ``weight_hh_lk`` [gates * hidden_size,
    hidden_size], with ``has_bias`` ``bias_ih_lk`` and ``bias_hh_lk``; those of the backward direction end in
    ``_reverse``. All are initialised from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)). In training, ``dropout`` is the
    probability of dropping an element between two layers.

    Raises ``ValueError`` for sizes below 1.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        caller = type(self).__name__
        self.input_size = check_positive_int(caller, "input_size", input_size)
        self.hidden_size = check_positive_int(caller, "hidden_size", hidden_size)
        self.num_layers = check_positive_int(caller, "num_layers", num_layers)
        self.has_bias, self.batch_first, self.bidirectional = has_bias, batch_first, bidirectional
        self.dropout_op = Dropout(p=float(dropout))
        self.directions = ("", "_reverse") if bidirectional else ("",)
        for kind in ("weight_ih", "weight_hh", *(("bias_ih", "bias_hh") if has_bias else ())):
            for layer in range(num_layers):
                for direction in self.directions:
                    name = f"{kind}_l{layer}{direction}"
                    value = initializer(uniform_of_fan_in(hidden_size), self._shape(kind, layer), dtype)
                    setattr(self, name, Parameter(value, name))

    def _shape(self, kind: str, layer: int) -> tuple[int, ...]:
        """The shape of a Parameter, gates concatenated."""
        rows = self.gates * self.hidden_size
        inputs = self.hidden_size * len(self.directions) if layer else self.input_size
        return {"weight_ih": (rows, inputs), "weight_hh": (rows, self.hidden_size)}.get(kind, (rows,))

    # ---- the loop ----------------------------------------------------------------------------------

    def construct(
        self, x: Tensor, hx: Tensor | Sequence[Tensor] | None = None, seq_length: Tensor | None = None
    ) -> tuple[Tensor, CallResult]:
        """(outputs [L, N, D * hidden_size], last state [num_layers * D, N, hidden_size]), D the number of directions.

        ``x`` is [L, N, input_size], with ``batch_first`` [N, L, input_size], and the outputs likewise. ``hx`` is the
        initial state, zeros by default; an LSTM has a pair of states. Steps from ``seq_length``, an integer [N], on
        keep the state and output 0.
        """
        if len(x.shape) != 3 or x.shape[2] != self.input_size:
            raise ShapeError(f"{type(self).__name__}: x must be [L, N, {self.input_size}], got shape {list(x.shape)}")
        x = x.swapaxes(0, 1) if self.batch_first else x
        initial = self._initial_states(x, hx)
        last: list[State] = []
        for layer in range(self.num_layers):
            if layer:
                x = self.dropout_op(x)
            directions = []
            for direction in self.directions:
                outputs, state = self._run_direction(x, f"_l{layer}{direction}", initial[len(last)], seq_length)
                directions.append(outputs)
                last.append(state)
            x = directions[0] if len(directions) == 1 else ops.concat(directions, -1)
        states = tuple(ops.stack([state[i] for state in last]) for i in range(self.states))
        return x.swapaxes(0, 1) if self.batch_first else x, states if self.states > 1 else states[0]

    def _run_direction(self, x: Tensor, suffix: str, state: State, seq_length: Tensor | None) -> tuple[Tensor, State]:
        """Outputs [L, N, hidden_size] of one layer in one direction, and its last state."""
        steps, batch = x.shape[:2]
        projected = self.project(x.reshape(steps * batch, -1), "ih" + suffix).reshape(steps, batch, -1)
        outputs: list[Any] = [None] * steps
        for t in reversed(range(steps)) if suffix.endswith("_reverse") else range(steps):
            new = self.step(projected[t], self.project(state[0], "hh" + suffix), state)
            outputs[t] = new[0]
            if seq_length is not None:
                is_valid = (seq_length > t).reshape(-1, 1)
                outputs[t] = ops.where(is_valid, new[0], 0.0)
                new = tuple(ops.where(is_valid, after, before) for after, before in zip(new, state, strict=True))
            state = new
        return ops.stack(outputs), state

    def _initial_states(self, x: Tensor, hx: Tensor | Sequence[Tensor] | None) -> list[State]:
        """One initial state per layer and direction."""
        count = self.num_layers * len(self.directions)
        if hx is None:
            zeros = ops.zeros((x.shape[1], self.hidden_size), x.dtype)
            return [(zeros,) * self.states] * count
        states = hx if isinstance(hx, tuple | list) else (hx,)
        shape = (count, x.shape[1], self.hidden_size)
        if len(states) != self.states or any(state.shape != shape for state in states):
            raise ShapeError(
                f"{type(self).__name__}: hx must be {self.states} of shape {list(shape)}, "
                f"got {[list(state.shape) for state in states]}"
            )
        return [tuple(state[i] for state in states) for i in range(count)]

    def extend_repr(self) -> str:
        """The arguments of the constructor."""
        return (
            f"input_size={self.input_size}, hidden_size={self.hidden_size}, num_layers={self.num_layers}, "
            f"has_bias={self.has_bias}, batch_first={self.batch_first}, bidirectional={self.bidirectional}"
        )


class RNN(ElmanStep, Recurrent):
    """Stacked layers of ``ElmanStep``.

    >>> from minigraph import ops
    >>> outputs, last = RNN(3, 4)(ops.ones((5, 2, 3)))
    >>> outputs.shape, last.shape
    ((5, 2, 4), (1, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = float32,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype)
        self.nonlinearity = check_nonlinearity("RNN", nonlinearity)


class LSTM(LSTMStep, Recurrent):
    """Stacked layers of ``LSTMStep``.

    >>> from minigraph import ops
    >>> outputs, (h, c) = LSTM(3, 4, bidirectional=True)(ops.ones((5, 2, 3)))
    >>> outputs.shape, h.shape, c.shape
    ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """


class GRU(GRUStep, Recurrent):
    """Stacked layers of ``GRUStep``.

    >>> from minigraph import ops
    >>> outputs, last = GRU(3, 4, batch_first=True)(ops.ones((2, 5, 3)))
    >>> outputs.shape, last.shape
    ((2, 5, 4), (1, 2, 4))
    """

"""The primitive of a recurrent network."""

from __future__ import annotations

from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["LSTM"]


def _lstm(
    x: Tensor, h: Tensor, c: Tensor, w: Tensor, *, input_size: int, hidden_size: int, num_layers: int, has_bias: bool,
    bidirectional: bool, dropout: float, proj_size: int,
) -> tuple[Tensor, ...]:  # fmt: skip
    """(h of all steps [T, N, hidden], the last h and c [1, N, hidden], two reserved tensors) of one LSTM layer.

    ``w`` has the weights of the input [4 hidden, input_size], then those of h, with the rows of i, f, g, o.
    """
    if num_layers != 1 or has_bias or bidirectional or proj_size:
        raise ArgValueError("LSTM: on a CPU it has one layer and one direction, no bias and no projection; use nn.LSTM")
    size = 4 * hidden_size
    if w.size != size * (input_size + hidden_size):
        raise ShapeError(f"LSTM: needs {size * (input_size + hidden_size)} weights, got {w.type}")
    weights = w.reshape(-1)
    input_weights = weights[: size * input_size].reshape(size, input_size)
    hidden_weights = weights[size * input_size :].reshape(size, hidden_size)
    projected, hidden, cell, outputs = F.matmul(x, input_weights.T), h[0], c[0], []
    for step in range(x.shape[0]):
        i, f, g, o = F.chunk(projected[step] + F.matmul(hidden, hidden_weights.T), 4, 1)
        cell = F.sigmoid(f) * cell + F.sigmoid(i) * F.tanh(g)
        hidden = F.sigmoid(o) * F.tanh(cell)
        outputs.append(hidden)
    reserved = F.zeros((1,), x.dtype)
    return F.stack(outputs), hidden.expand_dims(0), cell.expand_dims(0), reserved, reserved


LSTM = primitive(
    "LSTM", _lstm, input_size=REQUIRED, hidden_size=REQUIRED, num_layers=REQUIRED, has_bias=REQUIRED,
    bidirectional=REQUIRED, dropout=REQUIRED, proj_size=0,
)  # fmt: skip

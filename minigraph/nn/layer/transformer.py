"""The transformer encoder: self-attention and a feed-forward network, each with a residual connection."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList
from minigraph.nn.layer.attention import MultiheadAttention
from minigraph.nn.layer.basic import Dense
from minigraph.nn.layer.dropout import Dropout
from minigraph.nn.layer.normalization import LayerNorm

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": ops.relu, "gelu": ops.gelu}


class TransformerEncoderLayer(Cell):
    """Self-attention, then a feed-forward network of two Dense layers, each with residual connection and LayerNorm.

    Vaswani et al. 2017, section 3.1; with ``norm_first`` each part normalises its input instead of the sum (Xiong et
    al. 2020, arXiv 2002.04745). ``activation`` is "relu", "gelu" or a function, such as a Cell. Sequences are [S, N,
    d_model], with ``batch_first`` [N, S, d_model], without a batch [S, d_model]; the shape is kept.

    >>> from minigraph import ops
    >>> TransformerEncoderLayer(8, 2, dim_feedforward=16)(ops.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        self.activation: Any = ACTIVATIONS.get(activation) if isinstance(activation, str) else activation
        if not callable(self.activation):
            known = f"must be callable or one of {list(ACTIVATIONS)}"
            raise ValueArgument(f"For 'TransformerEncoderLayer', the 'activation' {known}, but got {activation!r}.")

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """The sequence, of the same shape; masks as in ``MultiheadAttention``."""
        x = src
        if self.norm_first:
            x = x + self._attend(self.norm1(x), src_mask, src_key_padding_mask)
            return x + self._feed_forward(self.norm2(x))
        x = self.norm1(x + self._attend(x, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed_forward(x))

    def _attend(self, x: Tensor, mask: Tensor | None, padding: Tensor | None) -> Tensor:
        (attended,) = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        return self.dropout1(attended)

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.dropout2(self.dense2(self.dropout(self.activation(self.dense1(x)))))


class TransformerEncoder(Cell):
    """A stack of ``num_layers`` copies of an encoder layer, then ``norm`` if there is one.

    The copies have the same initial values, as in MindSpore. Raises ``ValueError`` for less than one layer.

    >>> from minigraph import ops
    >>> TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2)(ops.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.num_layers = check_positive_int("TransformerEncoder", "num_layers", num_layers)
        self.layers = CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """The sequence, of the same shape; masks as in ``MultiheadAttention``."""
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)

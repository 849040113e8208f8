"""The transformer decoder, and the whole transformer of encoder and decoder (Vaswani et al. 2017)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

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
from minigraph.nn.layer.transformer import ACTIVATIONS, TransformerEncoder, TransformerEncoderLayer

Mask = Tensor | None


class TransformerDecoderLayer(Cell):
    """Self-attention, attention to a memory, and a feed-forward network, each with residual connection and LayerNorm.

    Arguments are those of ``TransformerEncoderLayer``.

    >>> from minigraph import ops
    >>> TransformerDecoderLayer(8, 2, 16)(ops.ones((5, 3, 8)), ops.ones((7, 3, 8))).shape
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
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        for i in (1, 2, 3):
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in (1, 2, 3):
            setattr(self, f"dropout{i}", Dropout(p=dropout))
        self.activation: Any = ACTIVATIONS.get(activation) if isinstance(activation, str) else activation
        if not callable(self.activation):
            known = f"must be callable or one of {list(ACTIVATIONS)}"
            raise ValueArgument(f"For 'TransformerDecoderLayer', the 'activation' {known}, but got {activation!r}.")

    def construct(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
    ) -> Tensor:  # fmt: skip
        """The sequence ``tgt``, of the same shape; masks as in ``MultiheadAttention``."""

        def attend_self(x: Tensor) -> Tensor:
            return self._attend(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask)

        def attend_memory(x: Tensor) -> Tensor:
            return self._attend(self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask)

        def feed_forward(x: Tensor) -> Tensor:
            return self.dense2(self.dropout(self.activation(self.dense1(x))))

        x = tgt
        for i, part in enumerate((attend_self, attend_memory, feed_forward), 1):
            norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + dropout(part(norm(x))) if self.norm_first else norm(x + dropout(part(x)))
        return x

    def _attend(self, attention: Cell, x: Tensor, source: Tensor, mask: Mask, padding: Mask) -> Tensor:
        (attended,) = attention(x, source, source, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        result: Tensor = attended
        return result


class TransformerDecoder(Cell):
    """A stack of ``num_layers`` copies of a decoder layer, then ``norm`` if there is one.

    >>> from minigraph import ops
    >>> TransformerDecoder(TransformerDecoderLayer(8, 2, 16), 2)(ops.ones((5, 3, 8)), ops.ones((7, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.num_layers = check_positive_int("TransformerDecoder", "num_layers", num_layers)
        self.layers = CellList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(self, tgt: Tensor, memory: Tensor, *masks: Mask, **named_masks: Mask) -> Tensor:
        """The sequence ``tgt``, of the same shape; masks as in ``TransformerDecoderLayer``."""
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, **named_masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder, each of several layers and a LayerNorm; or ``custom_encoder`` and ``custom_decoder``.

    Sequences are [S, N, d_model], with ``batch_first`` [N, S, d_model].

    >>> from minigraph import ops
    >>> Transformer(8, 2, 1, 1, 16)(ops.ones((7, 3, 8)), ops.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = "relu",
        custom_encoder: Cell | None = None, custom_decoder: Cell | None = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, dtype: DType = float32,
    ) -> None:  # fmt: skip
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype)

        def norm() -> Cell:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*options), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*options), num_decoder_layers, norm()
        )

    def construct(
        self, src: Tensor, tgt: Tensor, src_mask: Mask = None, tgt_mask: Mask = None, memory_mask: Mask = None,
        src_key_padding_mask: Mask = None, tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
    ) -> Tensor:  # fmt: skip
        """The sequence ``tgt``, of the same shape; masks as in the layers."""
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        result: Tensor = self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return result

"""The transformer decoder, and the whole transformer of encoder and decoder (Vaswani et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.cell import Cell
from minigraph.nn.layer.attention import MultiheadAttention
from minigraph.nn.layer.normalization import LayerNorm
from minigraph.nn.layer.transformer import (
    LayerStack,
    Mask,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerLayer,
)


class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to a memory, and a feed-forward network; arguments are those of ``TransformerLayer``.

    >>> from minigraph import ops
    >>> TransformerDecoderLayer(8, 2, 16)(ops.ones((5, 3, 8)), ops.ones((7, 3, 8))).shape
    (5, 3, 8)
    """

    attention_names = ("self_attn", "multihead_attn")
    multihead_attn: MultiheadAttention

    def construct(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
    ) -> Tensor:  # fmt: skip
        """The sequence ``tgt``, of the same shape; masks as in ``MultiheadAttention``."""

        def attend_self(x: Tensor) -> Tensor:
            return self.attend(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask)

        def attend_memory(x: Tensor) -> Tensor:
            return self.attend(self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask)

        x = self.add_sublayer(2, self.add_sublayer(1, tgt, attend_self), attend_memory)
        return self.add_sublayer(3, x, self.feed_forward)


class TransformerDecoder(LayerStack):
    """A stack of ``num_layers`` copies of a decoder layer, then ``norm`` if there is one.

    >>> from minigraph import ops
    >>> TransformerDecoder(TransformerDecoderLayer(8, 2, 16), 2)(ops.ones((5, 3, 8)), ops.ones((7, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def construct(self, tgt: Tensor, memory: Tensor, *masks: Mask, **named_masks: Mask) -> Tensor:
        """The sequence ``tgt``, of the same shape; masks as in ``TransformerDecoderLayer``."""
        return self.call_layers(tgt, memory, *masks, **named_masks)


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

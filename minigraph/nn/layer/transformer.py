"""The transformer encoder, and the base classes of encoder and decoder layers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import ArgValueError
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


Mask = Tensor | None


class TransformerLayer(Cell):
    """Attention sublayers and a feed-forward network of two Dense layers; all with residual connections and LayerNorm.

    Vaswani et al. 2017, section 3.1; with ``norm_first`` each sublayer normalises its input instead of the sum (Xiong
    et al. 2020, arXiv 2002.04745). ``activation`` is "relu", "gelu" or a function, such as a Cell; for other values
    ``ValueError`` is raised. Sequences are [S, N, d_model], with ``batch_first`` [N, S, d_model], without a batch [S,
    d_model]; the shape is kept. Use ``TransformerEncoderLayer`` or ``TransformerDecoderLayer``.

    >>> TransformerEncoderLayer(8, 2, dim_feedforward=16).attention_names
    ('self_attn',)
    """

    attention_names: tuple[str, ...] = ("self_attn",)  # in the order of the sublayers
    attentions = DeprecatedAttribute("attention_names")
    self_attn: MultiheadAttention

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
        for name in self.attention_names:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype))
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        numbers = range(1, len(self.attention_names) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(p=dropout))
        self.activation: Any = ACTIVATIONS.get(activation) if isinstance(activation, str) else activation
        if not callable(self.activation):
            expected = f"must be callable or one of {list(ACTIVATIONS)}"
            raise ArgValueError(f"For '{type(self).__name__}', the 'activation' {expected}, but got {activation!r}.")

    def add_sublayer(self, index: int, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """``x`` plus the sublayer's result, with ``dropout{index}`` and ``norm{index}``; the shape is kept."""
        norm, dropout = getattr(self, f"norm{index}"), getattr(self, f"dropout{index}")
        result: Tensor = x + dropout(sublayer(norm(x))) if self.norm_first else norm(x + dropout(sublayer(x)))
        return result

    def attend(self, attention: Cell, x: Tensor, source: Tensor, mask: Mask, padding: Mask) -> Tensor:
        """Attention of ``x`` to ``source``; the shape of ``x``."""
        (attended,) = attention(x, source, source, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        result: Tensor = attended
        return result

    def feed_forward(self, x: Tensor) -> Tensor:
        """The two Dense layers, with the activation and a dropout in between; the shape of ``x``."""
        result: Tensor = self.dense2(self.dropout(self.activation(self.dense1(x))))
        return result


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and a feed-forward network; the arguments are those of ``TransformerLayer``.

    >>> from minigraph import ops
    >>> TransformerEncoderLayer(8, 2, dim_feedforward=16)(ops.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def construct(self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None) -> Tensor:
        """The encoded sequence, of the same shape as ``src``; masks as in ``MultiheadAttention``."""

        def attend(x: Tensor) -> Tensor:
            return self.attend(self.self_attn, x, x, src_mask, src_key_padding_mask)

        return self.add_sublayer(2, self.add_sublayer(1, src, attend), self.feed_forward)


class LayerStack(Cell):
    """``num_layers`` copies of a layer, then ``norm`` if there is one.

    The copies have the same initial values, as in MindSpore. Raises ``ValueError`` for less than one layer.

    >>> from minigraph import ops
    >>> TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2).num_layers
    2
    """

    def __init__(self, layer: Cell, num_layers: int, norm: Cell | None) -> None:
        super().__init__()
        self.num_layers = check_positive_int(type(self).__name__, "num_layers", num_layers)
        self.layers = CellList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = norm

    def call_layers(self, x: Tensor, *args: Mask, **kwargs: Mask) -> Tensor:
        """The result of applying the layers in sequence, each with the other arguments, and then ``norm``."""
        for layer in self.layers:
            x = layer(x, *args, **kwargs)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(LayerStack):
    """A stack of ``num_layers`` copies of an encoder layer, then ``norm`` if there is one.

    >>> from minigraph import ops
    >>> TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2)(ops.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def construct(self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None) -> Tensor:
        """The encoded sequence, of the same shape as ``src``; masks as in ``MultiheadAttention``."""
        return self.call_layers(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)

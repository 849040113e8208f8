"""Multi-head attention."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import initializer
from minigraph.nn.layer.basic import Dense
from minigraph.nn.layer.dropout import Dropout


class MultiheadAttention(Cell):
    """softmax(Q K^T / sqrt(d)) V in ``num_heads`` heads, d = embed_dim / num_heads (Vaswani et al. 2017, section 3.2).

    Q, K and V are projections of query, key and value: by the rows of ``in_proj_weight`` [3 embed_dim, embed_dim] or,
    if ``kdim`` or ``vdim`` differ, by ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight``; the initial values
    are Xavier uniform. ``out_proj`` is a Dense layer. In training, ``dropout`` is the probability of dropping an
    attention weight.

    Sequences are [L, N, E], with ``batch_first`` [N, L, E], without a batch [L, E]. Raises ``ValueError`` unless the
    heads divide ``embed_dim``.

    >>> from minigraph import ops
    >>> attention = MultiheadAttention(8, 2, batch_first=True)
    >>> y, weights = attention(ops.ones((3, 5, 8)), ops.ones((3, 4, 8)), ops.ones((3, 4, 8)))
    >>> y.shape, weights.shape
    ((3, 5, 8), (3, 5, 4))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.embed_dim = check_positive_int("MultiheadAttention", "embed_dim", embed_dim)
        self.num_heads = check_positive_int("MultiheadAttention", "num_heads", num_heads)
        if embed_dim % num_heads:
            raise ArgValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        if add_bias_kv or add_zero_attn:
            raise UsageError(
                "MultiheadAttention: add_bias_kv and add_zero_attn are not supported; extend key and value"
            )
        self.batch_first = batch_first
        sizes = (embed_dim, kdim or embed_dim, vdim or embed_dim)

        def weight(name: str, rows: int, columns: int) -> Parameter:
            return Parameter(initializer("xavier_uniform", (rows, columns), dtype), name)

        self.in_proj_weight: Parameter | None = None
        if sizes == (embed_dim,) * 3:
            self.in_proj_weight = weight("in_proj_weight", 3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = weight("q_proj_weight", embed_dim, sizes[0])
            self.k_proj_weight = weight("k_proj_weight", embed_dim, sizes[1])
            self.v_proj_weight = weight("v_proj_weight", embed_dim, sizes[2])
        self.in_proj_bias: Parameter | None = None
        if has_bias:
            self.in_proj_bias = Parameter(initializer("zeros", 3 * embed_dim, dtype), name="in_proj_bias")
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        self.dropout = Dropout(p=dropout).p  # validated by the layer

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        """(output like query, weights [N, L, S]); ``need_weights=False`` returns ``(output,)``.

        ``key_padding_mask`` [N, S] and ``attn_mask`` [L, S] or [N num_heads, L, S] mask positions where they are True,
        or are added to the scores; a row without unmasked positions is NaN. Without ``average_attn_weights`` the
        weights are those of each head: [N, num_heads, L, S].
        """
        q, k, v = (self._batch_first(x) for x in (query, key, value))
        q, k, v = (self._split_heads(x) for x in self._project(q, k, v))
        scores = (q * (self.embed_dim // self.num_heads) ** -0.5) @ k.swapaxes(-2, -1)
        for mask in (self._reshape_mask(attn_mask, scores.shape), _broadcast_key_mask(key_padding_mask)):
            scores = _apply_mask(scores, mask)
        weights = ops.softmax(scores, -1)
        dropped = ops.dropout(weights, p=self.dropout) if self.dropout and self.training else weights
        context = (dropped @ v).swapaxes(1, 2)
        out = self._restore_layout(self.out_proj(context.reshape(*context.shape[:2], self.embed_dim)), len(query.shape))
        if not need_weights:
            return (out,)
        weights = weights.mean(1) if average_attn_weights else weights
        return out, weights if len(query.shape) == 3 else weights.squeeze(0)

    # ---- shapes ------------------------------------------------------------------------------------

    def _batch_first(self, x: Tensor) -> Tensor:
        """The sequence as [N, L, E]."""
        if len(x.shape) == 2:
            return x.expand_dims(0)
        if len(x.shape) != 3:
            raise ShapeError(f"MultiheadAttention: needs sequences of rank 2 or 3, got shape {list(x.shape)}")
        return x if self.batch_first else x.swapaxes(0, 1)

    def _restore_layout(self, x: Tensor, rank: int) -> Tensor:
        if rank == 2:
            return x.squeeze(0)
        return x if self.batch_first else x.swapaxes(0, 1)

    def _split_heads(self, x: Tensor) -> Tensor:
        """[N, L, E] to [N, num_heads, L, d]."""
        return x.reshape(*x.shape[:2], self.num_heads, -1).swapaxes(1, 2)

    def _reshape_mask(self, mask: Tensor | None, scores: tuple[int, ...]) -> Tensor | None:
        """A mask per head and batch element, in the shape of the scores; a shared mask unchanged."""
        return mask if mask is None or len(mask.shape) == 2 else mask.reshape(scores)

    # ---- projections -------------------------------------------------------------------------------

    def _project(self, *inputs: Tensor) -> list[Tensor]:
        """Q, K and V: [N, L, embed_dim] each."""
        size = self.embed_dim
        if self.in_proj_weight is None:
            weights: list[Tensor] = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        else:
            weights = [self.in_proj_weight[i * size : (i + 1) * size] for i in range(3)]
        projections = [x @ weight.T for x, weight in zip(inputs, weights, strict=True)]
        if self.in_proj_bias is None:
            return projections
        return [x + self.in_proj_bias[i * size : (i + 1) * size] for i, x in enumerate(projections)]


def _broadcast_key_mask(mask: Tensor | None) -> Tensor | None:
    """A mask of keys [N, S] or [S], broadcastable to scores [N, heads, L, S]."""
    return mask if mask is None else mask.reshape(-1, 1, 1, mask.shape[-1])


def _apply_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores
    return ops.where(mask, float("-inf"), scores) if mask.dtype.kind == "b" else scores + mask

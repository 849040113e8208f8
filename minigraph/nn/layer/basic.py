"""Basic layers: Dense, Embedding, Flatten, Unflatten, Identity, MatMul, OneHot."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import CallResult
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer, uniform_of_fan_in
from minigraph.nn.layer.activation_registry import get_activation


class Dense(Cell):
    """y = activation(x W^T + b) over the last axis; ``weight`` is (out_channels, in_channels).

    Weight and bias are initialised from U(-1/sqrt(in), 1/sqrt(in)); ``weight_init`` and ``bias_init`` may be a name, a
    number, an initializer or a Tensor. ``activation`` is a name or a Cell. Raises ``ValueError`` for sizes below 1,
    ``TypeError`` for other types.

    >>> from minigraph import Tensor
    >>> print(Dense(3, 2, weight_init=0.5, has_bias=False)(Tensor([[1.0, 2.0, 3.0]])))
    [[3. 3.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        has_bias: bool = True,
        activation: str | Cell | None = None,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.in_channels = check_positive_int("Dense", "in_channels", in_channels)
        self.out_channels = check_positive_int("Dense", "out_channels", out_channels)
        self.has_bias = has_bias
        rule = uniform_of_fan_in(in_channels)
        shape = (out_channels, in_channels)
        self.weight = Parameter(initializer(rule if weight_init is None else weight_init, shape, dtype), name="weight")
        self.bias: Parameter | None = None
        if has_bias:
            first = initializer(rule if bias_init is None else bias_init, out_channels, dtype)
            self.bias = Parameter(first, name="bias")
        self.activation = get_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        """Float [..., in_channels] to [..., out_channels]."""
        shape = x.shape
        if len(shape) != 2:  # one large product instead of a batch of small ones
            x = ops.reshape(x, (math.prod(shape[:-1]), *shape[-1:]))
        y = ops.matmul(x, self.weight.T)
        if self.bias is not None:
            y = y + self.bias
        if len(shape) != 2:
            y = ops.reshape(y, (*shape[:-1], self.out_channels))
        return y if self.activation is None else self.activation(y)

    def extend_repr(self) -> str:
        """Sizes, and bias and activation if present."""
        extras = ", has_bias=True" * self.has_bias
        if self.activation is not None:
            extras += f", activation={self.activation}"
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}{extras}"


class BiDense(Cell):
    """y = x1^T W x2 + b over the last axes; ``weight`` is (out_channels, in1_channels, in2_channels).

    Weight and bias are initialised from U(-1/sqrt(in1), 1/sqrt(in1)). Raises ``ValueError`` for sizes below 1.

    >>> from minigraph import Tensor
    >>> print(BiDense(2, 1, 1, weight_init=0.5, has_bias=False)(Tensor([[1.0, 2.0]]), Tensor([[3.0]])))
    [[4.5]]
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Init | None = None,
        bias_init: Init | None = None,
        has_bias: bool = True,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        self.in1_channels = check_positive_int("BiDense", "in1_channels", in1_channels)
        self.in2_channels = check_positive_int("BiDense", "in2_channels", in2_channels)
        self.out_channels = check_positive_int("BiDense", "out_channels", out_channels)
        self.has_bias = has_bias
        rule, shape = uniform_of_fan_in(in1_channels), (out_channels, in1_channels, in2_channels)
        self.weight = Parameter(initializer(rule if weight_init is None else weight_init, shape, dtype), name="weight")
        self.bias: Parameter | None = None
        if has_bias:
            first = initializer(rule if bias_init is None else bias_init, out_channels, dtype)
            self.bias = Parameter(first, name="bias")

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Float [..., in1_channels] and [..., in2_channels] to [..., out_channels]."""
        rows = input1.reshape(-1, self.in1_channels)
        projected = ops.matmul(rows, self.weight.transpose(1, 0, 2).reshape(self.in1_channels, -1))
        pairs = projected.reshape(-1, self.out_channels, self.in2_channels)
        y = ops.matmul(pairs, input2.reshape(-1, self.in2_channels, 1)).reshape(*input1.shape[:-1], self.out_channels)
        return y if self.bias is None else y + self.bias

    def extend_repr(self) -> str:
        """Sizes, and whether there is a bias."""
        sizes = f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}"
        return f"{sizes}, output_channels={self.out_channels}, has_bias={self.has_bias}"


class Embedding(Cell):
    """A table of vectors, indexed by integer ids.

    ``embedding_table`` is f32[vocab_size, embedding_size], initially N(0, 0.01); row ``padding_idx`` is initially 0.
    Raises ``ValueError`` for sizes below 1 or a padding row outside of the table.

    >>> from minigraph import Tensor
    >>> Embedding(10, 4)(Tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Init = "normal",
        dtype: DType = float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = check_positive_int("Embedding", "vocab_size", vocab_size)
        self.embedding_size = check_positive_int("Embedding", "embedding_size", embedding_size)
        self.use_one_hot, self.padding_idx, self.dtype = use_one_hot, padding_idx, dtype
        first = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ArgValueError(
                    f"For 'Embedding', the 'padding_idx' must be in range of [0, {vocab_size}), "
                    f"but got {padding_idx} with type '{type(padding_idx).__name__}'."
                )
            first.asnumpy()[padding_idx] = 0
        self.embedding_table = Parameter(first, name="embedding_table")

    def construct(self, ids: Tensor) -> Tensor:
        """Integers [...] to vectors [..., embedding_size]."""
        return self.embedding_table[ids]

    def extend_repr(self) -> str:
        """Sizes, table and padding."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class Flatten(Cell):
    """Merges the axes from ``start_dim`` to ``end_dim``; by default all but the first.

    >>> from minigraph import ops
    >>> Flatten()(ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        """The same elements in order; dtype kept."""
        return x.flatten(self.start_dim, self.end_dim)


class Unflatten(Cell):
    """Splits one axis into several; raises ``ValueError`` unless the product of the sizes is its size."""

    def __init__(self, axis: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x: Tensor) -> Tensor:
        """The same elements with more axes."""
        axis = self.axis % len(input_x.shape)
        shape = input_x.shape
        return input_x.reshape(*shape[:axis], *self.unflattened_size, *shape[axis + 1 :])


class Identity(Cell):
    """Returns its input unchanged; accepts any constructor arguments, so that it can replace any layer."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def construct(self, input: Tensor | Sequence[Tensor]) -> CallResult:
        """The input."""
        return input


class MatMul(Cell):
    """The matrix product of two tensors, of which each may be transposed in its last two axes first.

    >>> print(MatMul(transpose_x2=True)(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
    [[11.]]
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        """x1 @ x2, with numpy's rules for batches and vectors."""
        x1 = x1.swapaxes(-1, -2) if self.transpose_x1 else x1
        x2 = x2.swapaxes(-1, -2) if self.transpose_x2 else x2
        return ops.matmul(x1, x2)


class OneHot(Cell):
    """``on_value`` where the position along a new ``axis`` of size ``depth`` is the index, else ``off_value``.

    >>> from minigraph import int32
    >>> print(OneHot(depth=3)(Tensor([2, 0], int32)))
    [[0. 0. 1.]
     [1. 0. 0.]]
    """

    def __init__(
        self, axis: int = -1, depth: int = 1, on_value: float = 1.0, off_value: float = 0.0, dtype: DType = float32
    ) -> None:
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices: Tensor) -> Tensor:
        """Int [...] to one axis more, in ``dtype``."""
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)

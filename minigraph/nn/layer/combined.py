"""Layers made of others: a product or convolution with normalization and activation, and look-ups in a table."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import Function, IntOrTuple
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_choice, check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.initializers import Init, initializer
from minigraph.nn.layer.activation_registry import get_activation
from minigraph.nn.layer.basic import Dense
from minigraph.nn.layer.batch_normalization import BatchNorm1d, BatchNorm2d
from minigraph.nn.layer.conv import Conv2d
from minigraph.nn.layer.rectifiers import LeakyReLU
from minigraph.operators.im2col import Pair


class _Combined(Cell):
    """The base class: a layer, BatchNorm with ``has_bn``, an activation ("leakyrelu" of slope ``alpha``) if named."""

    def __init__(self, layer: Cell, norm: Cell | None, activation: str | Cell | None, alpha: float) -> None:
        super().__init__()
        self.layer, self.batchnorm = layer, norm
        self.activation = LeakyReLU(alpha) if activation == "leakyrelu" else get_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        """The layer's result, normalized and activated."""
        x = self.layer(x)
        x = x if self.batchnorm is None else self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class DenseBnAct(_Combined):
    """``Dense``, then ``BatchNorm1d`` with ``has_bn``, then ``activation``.

    >>> print(DenseBnAct(2, 1, "ones", activation="relu")(Tensor([[1.0, 2.0]])))
    [[3.]]
    """

    def __init__(
        self, in_channels: int, out_channels: int, weight_init: Init | None = "normal",
        bias_init: Init | None = "zeros", has_bias: bool = True, has_bn: bool = False, momentum: float = 0.9,
        eps: float = 1e-5, activation: str | Cell | None = None, alpha: float = 0.2, after_fake: bool = True,
    ) -> None:  # fmt: skip
        layer = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        super().__init__(layer, BatchNorm1d(out_channels, eps, momentum) if has_bn else None, activation, alpha)


class Conv2dBnAct(_Combined):
    """``Conv2d``, then ``BatchNorm2d`` with ``has_bn``, then ``activation``.

    >>> Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu")(ops.ones((1, 1, 4, 4))).shape
    (1, 2, 4, 4)
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int | Pair, stride: int | Pair = 1,
        pad_mode: str = "same", padding: IntOrTuple = 0, dilation: int | Pair = 1, group: int = 1,
        has_bias: bool = False, weight_init: Init | None = "normal", bias_init: Init | None = "zeros",
        has_bn: bool = False, momentum: float = 0.997, eps: float = 1e-5,
        activation: str | Cell | None = None, alpha: float = 0.2, after_fake: bool = True,
    ) -> None:  # fmt: skip
        layer = Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                       weight_init, bias_init)  # fmt: skip
        super().__init__(layer, BatchNorm2d(out_channels, eps, momentum) if has_bn else None, activation, alpha)


class Linear(Dense):
    """``Dense`` under other names of its arguments.

    >>> Linear(2, 1)
    Linear(input_features=2, output_features=1, has_bias=True)
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, weight_init: Init | None = None,
        bias_init: Init | None = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(in_features, out_features, weight_init, bias_init, bias, dtype=dtype or float32)

    def extend_repr(self) -> str:
        """The sizes."""
        return f"input_features={self.in_channels}, output_features={self.out_channels}, has_bias={self.has_bias}"


class EmbeddingLookup(Cell):
    """Rows of a table ``embedding_table`` [vocab_size, embedding_size] at indices of any shape.

    Raises ``ValueError`` for sizes below 1, another target, or without ``sparse`` on the CPU.

    >>> EmbeddingLookup(4, 2)(Tensor([[0, 3]])).shape
    (1, 2, 2)
    """

    def __init__(
        self, vocab_size: int, embedding_size: int, param_init: Init = "normal", target: str = "CPU",
        slice_mode: str = "batch_slice", manual_shapes: object = None, max_norm: float | None = None,
        sparse: bool = True, dtype: DType = float32,
    ) -> None:  # fmt: skip
        super().__init__()
        caller = type(self).__name__
        check_positive_int(caller, "vocab_size", vocab_size)
        check_positive_int(caller, "embedding_size", embedding_size)
        check_choice(caller, "target", target, ("CPU", "DEVICE"))
        if not sparse and target == "CPU":
            raise ArgValueError(f"For '{caller}', 'sparse' must be True when 'target' is \"CPU\", but got {sparse}")
        table = initializer(param_init, (vocab_size, embedding_size), dtype)
        self.embedding_table, self.max_norm = Parameter(table, name="embedding_table"), max_norm

    def construct(self, indices: Tensor) -> Tensor:
        """[..., embedding_size] for indices [...]; with ``max_norm`` rows are clipped to it."""
        rows = ops.gather(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return rows
        norms = ops.sqrt(ops.reduce_sum(rows * rows, -1, True))
        return rows * ops.minimum(self.max_norm / ops.maximum(norms, 1e-12), 1.0)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Looks up weighted features, and merges those of a field: by ``operator`` "SUM", "MAX" or "MEAN".

    "MEAN" divides the sum by the sum of absolute weights. Features of weight 0 do not count; fields without others are
    0. Raises ``ValueError`` for another operator or target.

    >>> net = MultiFieldEmbeddingLookup(10, 2, field_size=2, param_init="ones")
    >>> print(net(Tensor([[2, 4, 6]]), Tensor([[1.0, 1.0, 0.5]]), Tensor([[0, 1, 1]])))
    [[[1.  1. ]
      [1.5 1.5]]]
    """

    def __init__(
        self, vocab_size: int, embedding_size: int, field_size: int, param_init: Init = "normal", target: str = "CPU",
        slice_mode: str = "batch_slice", feature_num_list: object = None, max_norm: float | None = None,
        sparse: bool = True, operator: str = "SUM", dtype: DType = float32,
    ) -> None:  # fmt: skip
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm, sparse, dtype
        )
        self.field_size = check_positive_int("MultiFieldEmbeddingLookup", "field_size", field_size)
        self.operator = check_choice("MultiFieldEmbeddingLookup", "operator", operator, ("SUM", "MAX", "MEAN"))

    def construct(self, input_indices: Tensor, input_values: Tensor, field_ids: Tensor) -> Tensor:  # type: ignore[override]
        """[N, field_size, embedding_size] for indices, weights and fields [N, L]; raises ``ShapeError`` for others."""
        if input_indices.ndim != 2 or not input_indices.shape == input_values.shape == field_ids.shape:
            raise ShapeError(
                f"MultiFieldEmbeddingLookup: needs indices, values and fields of one shape [N, L], got "
                f"{input_indices.type}, {input_values.type} and {field_ids.type}"
            )
        weights = input_values.expand_dims(-1)
        features = super().construct(input_indices) * weights
        in_field = ops.arange(self.field_size).reshape(1, -1, 1) == field_ids.expand_dims(1)
        if self.operator == "MAX":
            used = in_field.expand_dims(-1) & (weights != 0).expand_dims(1)
            highest = ops.amax(ops.where(used, features.expand_dims(1), float("-inf")), 2)
            return ops.where(used.any(2), highest, 0.0)
        mask = in_field.astype(features.dtype)
        merged = ops.matmul(mask, features)
        if self.operator == "SUM":
            return merged
        total = ops.matmul(mask, ops.abs(weights))
        return ops.where(total != 0, merged / ops.where(total != 0, total, 1.0), 0.0)


class TimeDistributed(Cell):
    """A layer applied to each step of a sequence: to the slices of the input along ``time_axis``.

    The results are stacked along ``time_axis``. MindSpore merges ``reshape_with_axis`` with the time axis to call the
    layer once, which has no effect here. Raises ``TypeError`` for a layer that cannot be called.

    >>> from minigraph import Tensor, ops
    >>> TimeDistributed(Dense(3, 2), time_axis=1)(ops.ones((2, 4, 3))).shape
    (2, 4, 2)
    """

    def __init__(self, layer: Function, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not callable(layer):
            raise ArgTypeError("For 'TimeDistributed', the 'layer' must be a Cell, Primitive or function.")
        self.layer, self.time_axis = layer, time_axis

    def construct(self, inputs: Tensor) -> Tensor:
        """The results of the layer, by step."""
        return ops.stack([self.layer(step) for step in ops.unbind(inputs, self.time_axis)], self.time_axis)

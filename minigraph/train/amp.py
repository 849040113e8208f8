"""Automatic mixed precision: networks that compute in Float16 or BFloat16, and scalers of their loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Any

from minigraph import nn, ops
from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, bfloat16, float16, float32, int32
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.mixed_precision import cast_floats, set_dtypes
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell, all_finite
from minigraph.nn.wrap.training import TrainOneStepCell, WithLossCell
from minigraph.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = [
    "AmpLevel", "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager",
    "LossScaler", "StaticLossScaler", "all_finite", "amp_cast", "auto_mixed_precision", "build_train_network",
    "custom_mixed_precision", "get_black_list", "get_white_list",
]  # fmt: skip

LEVELS = ("O0", "O1", "O2", "O3", "auto")
WHITE_LIST: tuple[type[Cell], ...] = (
    nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Conv1dTranspose, nn.Conv2dTranspose, nn.Conv3dTranspose, nn.Dense, nn.LSTMCell,
    nn.RNNCell, nn.GRUCell,
)  # fmt: skip
BLACK_LIST: tuple[type[Cell], ...] = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm)


class _OutputTo32(Cell):
    """A network whose float results are cast to Float32."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        """The results of the network in Float32."""
        return cast_floats(self._backbone(*inputs, **kwargs), float32)


def get_white_list() -> list[type[Cell]]:
    """The Cells that compute in the narrow dtype at level O1 and ``auto``.

    >>> nn.Dense in get_white_list()
    True
    """
    return list(WHITE_LIST)


def get_black_list() -> list[type[Cell]]:
    """The Cells that compute in Float32 at level O2.

    >>> nn.LayerNorm in get_black_list()
    True
    """
    return list(BLACK_LIST)


class AmpLevel(StrEnum):
    """The levels of ``auto_mixed_precision``."""

    AmpO0, AmpO1, AmpO2, AmpO3, AmpAuto = "O0", "O1", "O2", "O3", "auto"


def amp_cast(value: Any, dtype: DType) -> Any:
    """A float tensor cast to ``dtype``; others, and other values, unchanged.

    >>> amp_cast(Tensor([1.0]), float16).dtype, amp_cast(Tensor([1]), float16).dtype
    (mindspore.float16, mindspore.int64)
    """
    return ops.cast(value, dtype) if isinstance(value, Tensor) and value.dtype.kind == "f" else value


def auto_mixed_precision(network: Cell, amp_level: str = "O0", dtype: DType = float16) -> Cell:
    """The network in mixed precision: Parameters keep Float32, operators compute in ``dtype``.

    ``O0``: nowhere; ``O1`` and ``auto``: in the Cells of ``get_white_list()``; ``O2``: everywhere but in the Cells of
    ``get_black_list()``; ``O3``: everywhere. Its results are Float32. Raises ``ValueError`` for another level or dtype,
    ``TypeError`` unless it is a Cell.

    >>> net = auto_mixed_precision(nn.Dense(2, 1), "O3")
    >>> net(Tensor([[1.0, 2.0]])).dtype
    mindspore.float32
    """
    if not isinstance(network, Cell):
        raise ArgTypeError(f"For amp_level '{amp_level}', the network type should be Cell.")
    if amp_level not in LEVELS:
        raise ArgValueError(f"The amp level {amp_level} is not supported")
    _check_narrow(dtype)
    if amp_level == "O0":
        return network
    if amp_level in ("O1", "auto"):
        return _narrow(network, WHITE_LIST, dtype)
    network.to_float(dtype)
    for _, cell in network.cells_and_names() if amp_level == "O2" else ():
        if isinstance(cell, BLACK_LIST):
            set_dtypes(cell, float32, dtype)
    return _OutputTo32(network)


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type[Cell]] | None = None,
    black_list: list[type[Cell]] | None = None,
    dtype: DType = float16,
) -> Cell:
    """The network with the Cells of ``white_list``, or all but those of ``black_list``, computed in ``dtype``.

    Raises ``ValueError`` unless exactly one list is given, ``TypeError`` for lists of anything but classes.

    >>> net = custom_mixed_precision(nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()), white_list=[nn.Dense])
    >>> net(Tensor([[1.0, 2.0]])).dtype
    mindspore.float32
    """
    if white_list is None and black_list is None:
        raise ArgValueError("For custom_mixed_precision, one of white_list and black_list must be provided.")
    if white_list is not None and black_list is not None:
        raise ArgValueError(
            "For custom_mixed_precision, the white_list or black_list cannot be provided at the same time, "
            "please provide one or the other."
        )
    _check_narrow(dtype)
    if white_list is not None:
        return _narrow(network, _classes("white_list", white_list), dtype)
    excluded_classes = _classes("black_list", black_list)
    network.to_float(dtype)
    for _, cell in network.cells_and_names():
        if isinstance(cell, excluded_classes):
            set_dtypes(cell, float32, dtype)
    return _OutputTo32(network)


def _narrow(network: Cell, classes: tuple[type, ...], dtype: DType) -> Cell:
    """The network, whose Cells of these classes compute in ``dtype`` and return Float32."""
    for _, cell in network.cells_and_names():
        if isinstance(cell, classes):
            set_dtypes(cell, dtype, float32)
    return network


def _classes(name: str, classes: object) -> tuple[type, ...]:
    if not isinstance(classes, list):
        raise ArgTypeError(f"The type of {name} should be list, but got {type(classes)}")
    for cell_type in classes:
        if not isinstance(cell_type, type):
            raise ArgTypeError(f"The element in {name} should be a class, but got {cell_type}")
    return tuple(classes)


def _check_narrow(dtype: DType) -> None:
    if dtype not in (float16, bfloat16):
        raise ArgValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")


def build_train_network(
    network: Cell,
    optimizer: Optimizer,
    loss_fn: Function | None = None,
    level: str = "O0",
    boost_level: str = "O0",
    *,
    loss_scale_manager: LossScaleManager | None = None,
    keep_batchnorm_fp32: bool | None = None,
) -> Cell:
    """The Cell of one training step of a network in mixed precision; ``level`` is as for ``auto_mixed_precision``.

    With a ``loss_scale_manager`` the loss is scaled: by a constant, or by a scale that follows overflows; then the step
    returns (loss, overflow, scale). ``keep_batchnorm_fp32=False`` computes O2 as O3. Raises ``ValueError`` for an
    unknown level.
    """
    if level not in LEVELS:
        raise ArgValueError(f"The 'level' should be in : {list(LEVELS)}, but got {level}.")
    if boost_level != "O0":
        raise ArgValueError(f"build_train_network: boost_level '{boost_level}' is not supported; leave it out")
    mixed = auto_mixed_precision(network, "O3" if level == "O2" and keep_batchnorm_fp32 is False else level)
    step = mixed if loss_fn is None else WithLossCell(mixed, loss_fn)
    if loss_scale_manager is None:
        return TrainOneStepCell(step, optimizer)
    update = loss_scale_manager.get_update_cell()
    if update is not None:
        return TrainOneStepWithLossScaleCell(step, optimizer, update)
    return TrainOneStepCell(step, optimizer, loss_scale_manager.get_loss_scale())


# ---- scalers -----------------------------------------------------------------------------------------


class LossScaler(ABC):
    """The base class of scalers: ``scale`` the loss, ``unscale`` the gradients, ``adjust`` the scale."""

    scale_value: Any

    def scale(self, inputs: object) -> PyTree:
        """The tensors multiplied by the scale."""
        return _map(inputs, lambda x: x * ops.cast(self._value(), x.dtype))

    def unscale(self, inputs: object) -> PyTree:
        """The tensors divided by the scale."""
        return _map(inputs, lambda x: x / ops.cast(self._value(), x.dtype))

    @abstractmethod
    def adjust(self, grads_finite: object) -> PyTree:
        """Updates the scale; whether it may change."""

    def _value(self) -> Tensor:
        return (
            self.scale_value.value() if isinstance(self.scale_value, Parameter) else Tensor(self.scale_value, float32)
        )


class StaticLossScaler(LossScaler):
    """A constant scale of at least 1.

    >>> scaler = StaticLossScaler(8)
    >>> print(scaler.scale(Tensor(2.0)), scaler.unscale((Tensor([16.0]),))[0], scaler.adjust(True))
    16.0 [2.] False
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _check_scale(scale_value)

    def adjust(self, grads_finite: object) -> bool:
        """False: the scale stays."""
        return False


class DynamicLossScaler(LossScaler):
    """A scale divided by ``scale_factor`` after an overflow, multiplied by it after ``scale_window`` good steps.

    >>> scaler = DynamicLossScaler(1024, 2, 1)
    >>> print(scaler.adjust(Tensor(False)), scaler.scale_value.value(), scaler.adjust(True), scaler.scale_value.value())
    True 512.0 True 1024.0
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        self.scale_value = Parameter(Tensor(_check_scale(scale_value), float32), name="scale_value")
        if isinstance(scale_factor, bool) or not isinstance(scale_factor, int):
            raise ArgTypeError(f"The 'scale_factor' must be int, but got '{type(scale_factor).__name__}'")
        self.scale_factor = scale_factor
        self.scale_window = check_positive_int("DynamicLossScaler", "scale_window", scale_window)
        self.counter = Parameter(Tensor(0, int32), name="counter")

    def adjust(self, grads_finite: Any) -> bool:
        """Updates the scale after a step whose gradients are finite or not; True."""
        finite, scale, factor = (
            ops.cast(Tensor(True), int32) * grads_finite > 0,
            self._value(),
            float(self.scale_factor),
        )
        good = self.counter.value() + 1
        is_due = ops.logical_and(finite, good >= self.scale_window)
        smaller = ops.maximum(scale / factor, ops.ones_like(scale))
        ops.assign(self.scale_value, ops.where(finite, ops.where(is_due, scale * factor, scale), smaller))
        ops.assign(self.counter, ops.where(ops.logical_and(finite, good < self.scale_window), good, 0))
        return True


def _check_scale(value: float) -> float:
    if value < 1:
        raise ArgValueError(f"The argument 'scale_value' must be > 1, but got {value}")
    return value


def _map(structure: object, change: Function) -> PyTree:
    leaves, spec = flatten(structure, lambda item: isinstance(item, Tensor))
    return unflatten(spec, [change(leaf) for leaf in leaves])
